"""The plan's numbers of calls that memory systems will make, from what they declare."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from memtui.model import Turn
from runners.engine.estimate import call_seconds
from runners.engine.memory_calls import Bounds, expected, memory_calls
from runners.engine.plan import PlanReport, make_plan
from runners.engine.plan_text import plan_text
from runners.memory.contract import Calls, SessionText, SystemInfo
from runners.memory.flat.memos_text import MemosText
from runners.memory.hierarchical.hipporag2 import HippoRAG2
from runners.memory.planar.mem0_v1 import Mem0V1
from runners.models.settings import ModelSettings, Price
from tests.engine.scripted import ListMemory
from tests.engine.tiny import Searcher, tiny_experiment

PRICED = {"m": ModelSettings(price=Price(1.0, 2.0))}
# 6 questions with one evidence session each; every ladder draws from the same 40 fillers.
HISTORIES = 6
AT_SCALES = HISTORIES * (1 + 6 + 21)


@dataclass
class Asking(ListMemory):
    """Declares numbers of calls and makes none."""

    calls: Calls = field(default_factory=dict)

    @property
    def info(self) -> SystemInfo:
        return replace(super().info, needs=("llm",), uses_door=tuple(self.calls), calls=self.calls)


class Wordy(Asking):
    """Sends long instructions with whatever it asks, as packages do."""

    @property
    def info(self) -> SystemInfo:
        return replace(super().info, prompt_tokens=8_000)


class Telling(Asking):
    """Knows beforehand what each session takes."""

    def expected_calls(self, session: SessionText) -> Calls:
        return {"prepare": {"complete": (len(session.turns), 3 * len(session.turns))}}


def planned(memory: ListMemory, models: Any = PRICED, **config: Any) -> PlanReport:
    experiment = tiny_experiment(
        config, arms={"list/a": (memory, Searcher()), "list/b": (memory, Searcher(2))}
    )
    return make_plan(replace(experiment, memory_model=next(iter(models), "m")), models)


def test_each_phase_is_counted_in_its_own_units() -> None:
    memory = Asking(
        calls={
            "prepare": {"complete": (1, 2), "embed": (0, 1)},
            "open": {"complete": (0, 2)},
            "call": {"embed": (1, 1)},
        }
    )
    prepare, opening, call = planned(memory).memories
    distinct = prepare.units
    assert 6 + 20 < distinct <= 6 + 40, "shared by two agents and all scales, counted once"
    # Sessions of two turns and of one are both one exchange: the declaration holds as it stands.
    assert prepare.complete == Bounds(distinct, 2 * distinct)
    assert prepare.embed == Bounds(0, distinct)
    assert prepare.text_tokens > 5 * distinct
    assert prepare.prompt_tokens.least == prepare.text_tokens + 350 * distinct
    assert prepare.prompt_tokens.most == 2 * prepare.prompt_tokens.least
    assert prepare.completion_tokens == Bounds(120 * distinct, 240 * distinct)
    assert prepare.cost == pytest.approx((prepare.prompt_tokens.least + 2 * 120 * distinct) / 1e6)
    assert prepare.cost_most == pytest.approx(2 * (prepare.cost or 0))
    assert opening.units == 2 * AT_SCALES, "every episode opens its history"
    assert opening.complete == Bounds(0, 4 * AT_SCALES)
    assert (opening.text_tokens, opening.cost) == (0, 0.0), "nothing has to be asked there"
    assert call.units == 2 * 18 * 2 and call.embed == Bounds(call.units, call.units)
    assert call.model is None, "a search asks for vectors only"
    assert memory.prepared == [] and memory.opened == 0


def test_a_system_that_knows_its_sessions_is_taken_at_its_word() -> None:
    (prepare,) = planned(Telling(calls={"prepare": {"complete": (1, 2)}})).memories
    # The six evidence sessions have two turns, fillers have one.
    assert prepare.complete == Bounds(prepare.units + 6, 3 * (prepare.units + 6))


def test_the_totals_hold_what_memory_systems_ask() -> None:
    calls: Calls = {"prepare": {"complete": (1, 2)}, "call": {"complete": (0, 1)}}
    report = planned(Asking(calls=calls))
    (prepare, call), quiet = report.memories, planned(Asking(calls={"call": {"embed": (1, 1)}}))
    assert quiet.prompt_tokens == Bounds() and quiet.cost == quiet.cost_most == 0.0
    assert call.prompt_tokens == Bounds(0, 350 * call.units) and call.cost == 0.0
    for total, parts in (
        (report.prompt_tokens, [one.prompt_tokens for one in (prepare, call)]),
        (report.completion_tokens, [one.completion_tokens for one in (prepare, call)]),
    ):
        assert total == parts[0].plus(parts[1])
    assert report.cost == prepare.cost and report.cost_most is not None
    assert report.cost_most == pytest.approx((prepare.cost_most or 0) + (call.cost_most or 0))
    document = report.as_dict()
    assert document["prompt_tokens"] == sum(
        one["prompt_tokens"]["least"] for one in document["memories"]
    )
    assert document["prompt_tokens_most"] == report.prompt_tokens.most
    text = plan_text(report)
    both = f"about {prepare.prompt_tokens.least:,} to {report.prompt_tokens.most:,} in"
    assert f"  tokens    {both}" in text and f"{both}, " in text
    assert " for memory systems" in text and "about 0 in, 0 out for agents and judges" in text


def test_the_answer_to_cut_replies_reaches_every_door_and_is_part_of_the_settings() -> None:
    made = planned(Asking(calls={"prepare": {"complete": (1, 1)}})).experiment
    models = made.config.model_access.model_copy(update={"after_cut": 2.0})
    other = replace(made, config=made.config.model_copy(update={"model_access": models}))
    assert (made.memory_door("x").after_cut, other.memory_door("x").after_cut) == (1.0, 2.0)
    assert "after_cut" not in made.effective() and other.effective()["after_cut"] == 2.0
    assert made.hash != other.hash
    assert replace(other, memory_model=None).hash == replace(made, memory_model=None).hash


def test_a_package_is_planned_with_its_own_instructions() -> None:
    memory = Wordy(calls={"prepare": {"complete": (1, 1)}})
    (prepare,) = planned(memory).memories
    assert prepare.prompt_tokens.least == prepare.text_tokens + 8_000 * prepare.units


def test_what_nobody_bounds_is_unknown_and_warned_about() -> None:
    report = planned(Asking(calls={"open": {"complete": (1, None)}}))
    (opening,) = report.memories
    assert opening.complete == Bounds(2 * AT_SCALES, None)
    assert opening.as_dict()["completions"] == {"least": 2 * AT_SCALES, "most": None}
    (warning,) = [line for line in report.warnings if "at most" in line and "beforehand" in line]
    assert warning.startswith("list: how many completions") and "to open histories" in warning
    assert f"{2 * AT_SCALES:,} or more completions by m" in plan_text(report)
    assert (report.prompt_tokens.most, report.cost_most) == (None, None)
    least = f"{report.prompt_tokens.least:,} or more in"
    assert f"  tokens    about {least}" in plan_text(report)
    assert f"  cost      at least {report.cost:,.2f} USD" in plan_text(report)


def test_a_declaration_speaks_of_one_exchange() -> None:
    long = SessionText("s", tuple(Turn("user", f"{i}") for i in range(3)))
    memory = Asking(calls={"prepare": {"complete": (1, 2), "embed": (0, 0)}})
    assert expected(memory, long) == {"prepare": {"complete": (1, None), "embed": (0, 0)}}


def test_an_unknown_price_stays_unknown() -> None:
    memory = Asking(calls={"prepare": {"complete": (1, 1)}})
    (prepare,) = planned(memory, {"x/unheard-of": ModelSettings()}).memories
    assert prepare.cost is None and prepare.as_dict()["cost_usd_least"] is None


def test_a_local_model_is_taken_by_its_tokens() -> None:
    name = "local/qwen2.5-coder-1.5b"
    one, two = (ModelSettings(threads=n) for n in (1, 2))
    assert call_seconds(name, two, 1, 750, 29) == pytest.approx(11.0)
    assert call_seconds(name, one, 1, 390, 18) == pytest.approx(11.0)
    assert call_seconds(name, ModelSettings(), 1, 750, 29) == call_seconds(name, two, 1, 750, 29)
    assert call_seconds("m", two, 3, 10**6, 10**6) == 12.0
    memory = Asking(calls={"prepare": {"complete": (1, 1)}})
    (prepare,) = planned(memory, {name: two}).memories
    assert prepare.seconds == pytest.approx(
        (prepare.text_tokens + 350 * prepare.units) / 75 + 120 * prepare.units / 29
    )
    hours = {n: planned(memory, {name: ModelSettings(threads=n)}).hours for n in (1, 2)}
    assert hours[1] > hours[2] == pytest.approx(prepare.seconds / 3600)


def test_own_systems_foretell_long_sessions() -> None:
    said = " ".join(["The boat is at the pier again."] * 30)
    long = SessionText("s", tuple(Turn("user", f"{i}: {said}") for i in range(12)))
    items = MemosText(piece_tokens=600).expected_calls(long)["prepare"]
    assert items["complete"] == (6, 12) and items["embed"] == (0, 1)
    facts = Mem0V1(piece_tokens=600).expected_calls(long)
    assert facts["prepare"]["complete"] == (6, 12) and facts["open"]["complete"] == (0, 12)
    passages, most = HippoRAG2().expected_calls(long)["prepare"]["complete"]
    assert passages >= 2 * 6 and most == 2 * passages
    by_rule = HippoRAG2(extractor="rules").expected_calls(long)["prepare"]
    assert by_rule == {"complete": (0, 0), "embed": (1, 1)}


def test_systems_that_ask_nobody_are_not_in_the_text() -> None:
    report = make_plan(tiny_experiment(), {})
    assert report.memories == () and "memory systems" not in plan_text(report)
    quiet = planned(Asking(calls={"call": {"embed": (1, 1)}}))
    assert memory_calls(quiet.experiment, PRICED) == quiet.memories != ()
    assert "memory systems" not in plan_text(quiet)
