"""Agents by name, their options, and those of other packages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from memtui.errors import UserError
from runners import plug_ins
from runners.agents import registry
from runners.agents.contract import Agent
from runners.agents.extractive import search_once


@pytest.mark.parametrize("name", ["search-once", "until-confident", "verify", "read"])
def test_embedded_agents_are_built_by_name(name: str) -> None:
    agent = registry.build(name)
    assert agent.name == name
    assert agent.config["policy"] == name


def test_options_reach_the_agent() -> None:
    agent = registry.build("until-confident", {"threshold": 0.4, "patience": 3})
    assert agent.config["threshold"] == 0.4
    assert agent.config["patience"] == 3


@pytest.mark.parametrize(
    ("name", "options", "hint"),
    [
        ("until-confidant", {}, "did you mean until-confident"),
        ("xyzzy", {}, "choose from search-once"),
        ("until-confident", {"treshold": 0.4}, "did you mean threshold"),
        ("until-confident", {"threshold": 2}, "between 0 and 1"),
        ("until-confident", {"threshold": "high"}, "refuses its options"),
    ],
)
def test_mistakes_are_named(name: str, options: dict[str, Any], hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        registry.build(name, options)


@dataclass
class FakeEntry:
    name: str
    value: str
    made: Any

    def load(self) -> Any:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def plug_in(monkeypatch: pytest.MonkeyPatch, *entries: FakeEntry) -> None:
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: list(entries))


def test_agents_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def strange(*, depth: int = 1, door: object = None) -> Agent:
        assert door == "opened"
        return search_once(abstain_below=depth / 10)

    plug_in(
        monkeypatch,
        FakeEntry("strange", "pkg:strange", strange),
        FakeEntry("broken", "pkg:broken", ImportError("no such thing")),
        FakeEntry("odd", "pkg:odd", 3),
        FakeEntry("verify", "pkg:mine", strange),
    )
    assert registry.names()[-3:] == ("broken", "odd", "strange")
    agent = registry.build("strange", {"depth": 3}, lambda: "opened")  # type: ignore[arg-type,return-value]  # a stand-in
    assert agent.config["abstain_below"] == 0.3
    # Our own names cannot be taken over.
    assert registry.build("verify").name == "verify"
    with pytest.raises(UserError, match="did you mean depth"):
        registry.build("strange", {"dept": 3})
    with pytest.raises(UserError, match="ImportError: no such thing"):
        registry.build("broken")
    with pytest.raises(UserError, match="not a factory"):
        registry.build("odd")


def test_embedded_agents_load_no_model_library() -> None:
    code = (
        "import sys; from runners.agents import registry; registry.build('until-confident');"
        "heavy = {'litellm', 'openai', 'numpy', 'onnxruntime', 'pydantic', 'textual'};"
        "found = heavy & set(sys.modules); assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
