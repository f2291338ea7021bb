"""Whoever asks a language model is checked with somebody who plays it: ours by rule, a stranger's by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from runners.memory import registry
from runners.memory.conformance import check_system
from runners.memory.contract import Calls, Door, SessionText, SystemInfo
from runners.memory.extraction import extract, require_door
from runners.memory.needs import LLM
from runners.memory.registry import OWN, build
from runners.memory.rehearsals import responder_of
from tests.memory.plain_system import Plain, Words, parts

WORDS = {
    "type": "object",
    "properties": {"words": {"type": "string"}},
    "required": ["words"],
}


class Asking(Plain):
    """Has a model repeat each session, and keeps the words of that."""

    @property
    def info(self) -> SystemInfo:
        calls: Calls = {"prepare": {"complete": (0, 2)}}
        return replace(super().info, needs=(LLM,), uses_door=("prepare",), calls=calls)

    async def prepare(self, session: SessionText, door: Door | None) -> Words:
        text = "\n".join(turn.text for turn in session.turns)
        asked = [{"role": "user", "content": text}]
        found = await extract(require_door(door, "asking"), asked, WORDS, phase="ingest")
        return parts(found.value["words"]) if found.usable else set()


class Rehearsed(Asking):
    def rehearse(
        self, messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
    ) -> dict[str, str]:
        assert schema == WORDS
        return {"words": messages[-1]["content"]}


def test_somebody_plays_the_model_of_each_of_ours() -> None:
    asking = [name for name in OWN if LLM in build(name).info.needs]
    assert asking and all(responder_of(build(name)) for name in asking)
    assert responder_of(build("bm25")) is None


async def test_a_system_that_rehearses_is_checked_as_it_would_be_with_a_model() -> None:
    assert responder_of(Rehearsed()) is not None and responder_of(Asking()) is None
    report = await check_system(Rehearsed)
    assert report.ok, str(report)
    mute = await check_system(Asking)
    assert "memory is filled" in {check.rule for check in mute.failed}


@pytest.mark.parametrize(("system", "told", "code"), [(Asking, True, 1), (Rehearsed, False, 0)])
def test_the_check_says_when_nobody_plays_the_model(
    system: type[Asking],
    told: bool,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(registry, "build", lambda name: system())
    assert cli.main(["systems", "check", "plain", "--json"]) == code
    said = capsys.readouterr()
    assert ("nobody plays it here" in said.err) == told
    assert json.loads(said.out)["ok"] == (code == 0)
