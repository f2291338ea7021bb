"""How a search is offered to the agent is configuration: chosen, declared, and stored with the arm."""

from __future__ import annotations

import pytest

from runners.engine.experiment import Arm
from runners.memory.registry import OWN, PACKAGES, build, factory
from runners.memory.search_view import MODES
from runners.plug_ins import options_of
from tests.engine.tiny import Searcher

CHOOSING = [name for name in (*OWN, *PACKAGES) if "mode" in (options_of(factory(name)) or ())]


def test_every_system_that_asks_models_can_choose() -> None:
    asking = [name for name in OWN if build(name).info.uses_door]
    assert set(asking) <= set(CHOOSING)


@pytest.mark.parametrize("name", CHOOSING)
def test_mode_and_text_are_declared_and_offered(name: str) -> None:
    systems = [build(name, {"mode": mode}) for mode in MODES]
    assert [(one.info.mode, one.info.config["mode"]) for one in systems] == [(m, m) for m in MODES]
    texts = {one.tools()[0].description for one in systems}
    assert len(texts) == len(MODES), "each mode has words of its own"
    own = build(name, {"tool_text": "Look it up."})
    assert own.tools()[0].description == "Look it up."


def test_without_a_choice_packages_offer_what_plain_search_does() -> None:
    for name in PACKAGES:
        assert build(name).tools() == build("bm25").tools()


@pytest.mark.parametrize("name", [*OWN, *PACKAGES])
def test_an_arm_keeps_its_mode_and_the_words_of_its_tools(name: str) -> None:
    system = build(name)
    stored = Arm("a", name, system, Searcher()).settings()
    assert stored["memory"]["mode"] == system.info.mode
    assert [one["description"] for one in stored["tools"]] == [
        t.description for t in system.tools()
    ]
