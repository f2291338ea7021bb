"""Memories, agents and judges that break their contract: theirs fails, the run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.model import EndReason, EpisodeId, Hit, Label, Usage
from memtui.store.check import check_file
from memtui.store.events import ArmEvent, ItemEvent
from memtui.store.reader import open_run
from memtui.store.writer import RunWriter
from runners.agents.contract import Action, Call
from runners.episode import run_episode
from runners.episode_settings import Attempt, EpisodeSettings
from runners.judges.contract import Case, Verdict
from runners.memory.contract import CallResult, Context, SystemInfo
from runners.observation import HaystackText
from tests.engine.scripted import (
    CONTEXT,
    ITEM,
    SEARCH,
    SEARCHER,
    TEXT,
    ScriptedAgent,
    ScriptedJudge,
    ScriptedView,
    answer,
    hits,
    search,
)
from tests.store import store_events as make

ODD: Any = object()
# The contracts as types that let anything in, as a plug-in's author may write it.
Result: Any = CallResult
Block: Any = Hit
Given: Any = Context
Act: Any = Action
Asked: Any = Call
Said: Any = Verdict
Used: Any = Usage


class Played:
    """What the run file says after one episode whose parts are as odd as the test wants."""

    def __init__(self, path: Path) -> None:
        assert [p.text for p in check_file(path) if p.severity == "error"] == []
        with open_run(path) as reader:
            (fact,) = reader.episode_facts("scripted@1")
            self.reason = fact.end_reason
            self.requested = fact.requested
            self.label = fact.label
            detail = reader.episode(fact.id)
            assert detail is not None
            self.error = detail.row.error
            self.steps = reader.steps(fact.id)


async def play(
    path: Path,
    script: list[Any],
    results: list[Any],
    *,
    info: SystemInfo = SEARCHER,
    context: Any = None,
    judge: Any = None,
) -> Played:
    view = ScriptedView(list(results), context)
    agent = ScriptedAgent(script)
    id = EpisodeId("list/scripted", ITEM.key, "scale=0|seed=1", 0, 1)

    async def open_view() -> tuple[Any, HaystackText]:
        return view, TEXT

    async with RunWriter(path) as sink:
        await sink.emit(make.run(protocol="recorded", judge="scripted@1"))
        await sink.emit(ArmEvent(id.arm, "scripted", "list", {}))
        await sink.emit(ItemEvent(ITEM))
        await run_episode(
            Attempt(id, "u1", None, 0.0),
            ITEM,
            agent,
            info,
            (SEARCH,),
            open_view,
            (judge or ScriptedJudge(),),
            sink,
            EpisodeSettings(),
        )
    return Played(path)


RESULTS: Mapping[str, Any] = {
    "nothing": ODD,
    "none": None,
    "hits are none": Result(ODD),
    "hits are texts": Result(("aaa",)),
    "a hit without a name": Result((Block(None),)),
    "a number for a name": Result((Block(5),)),
    "a score in words": Result((Block("aaa", score=ODD),)),
    "turns in words": Result((Block("aaa", first="a", last="b"),)),
    "bytes of its own": Result((Block("x1", text=b"blue"),)),
    "odd sources": Result((Block("x1", sources=(ODD,)),)),
    "an observation of bytes": Result((Block("aaa"),), text=b"blue"),
    "odd usage": Result((Block("aaa"),), usage=ODD),
    "tokens in words": Result((Block("aaa"),), usage=Used(prompt=ODD, calls=1)),
    "k in words": Result((Block("aaa"),), k_effective=ODD),
    "data is a list": Result((Block("aaa"),), data=["x"]),
}


@pytest.mark.parametrize("name", RESULTS)
async def test_a_memory_that_returns_nonsense_has_failed(tmp_path: Path, name: str) -> None:
    played = await play(tmp_path / "a.memtui", [search(), answer()], [RESULTS[name]])
    assert (played.reason, played.requested) == (EndReason.MEMORY_ERROR, 1)
    assert played.error


CONTEXTS: Mapping[str, Any] = {
    "nothing": ODD,
    "no text": Given(None, (), 0),
    "hits are texts": Given("blue", ("aaa",), 1),
    "tokens in words": Given("blue", (), ODD),
}


@pytest.mark.parametrize("name", CONTEXTS)
async def test_a_context_that_is_nonsense_has_failed(tmp_path: Path, name: str) -> None:
    played = await play(tmp_path / "a.memtui", [answer()], [], info=CONTEXT, context=CONTEXTS[name])
    assert (played.reason, played.requested) == (EndReason.MEMORY_ERROR, 0)
    assert played.error


ACTIONS: Mapping[str, Any] = {
    "nothing": ODD,
    "none": None,
    "a number for an answer": Act(answer=5),
    "bytes for a raw answer": Act(answer="blue", answer_raw=b"blue"),
    "bytes for a reply": Act(answer="blue", raw=b"blue"),
    "odd usage": Act(answer="blue", usage=ODD),
    "tokens in words": Act(answer="blue", usage=Used(prompt=ODD, calls=1)),
    "an end in words": Act(end="tired"),
    "messages are texts": Act(answer="blue", messages=("hello",)),
    "calls are texts": Act(calls=("search",)),
    "a call without a tool": Act(calls=(Asked(None, {}, ""),)),
    "arguments in a list": Act(calls=(Asked("memory_search", ["cat"], ""),)),
    "raw arguments none": Act(calls=(Asked("memory_search", {"query": "cat"}, None),)),
    "attempts in words": Act(answer="blue", attempts=ODD),
}


@pytest.mark.parametrize("name", ACTIONS)
async def test_an_agent_that_decides_nonsense_has_failed(tmp_path: Path, name: str) -> None:
    played = await play(tmp_path / "a.memtui", [ACTIONS[name]], [hits("aaa")])
    assert played.reason == EndReason.MEMORY_ERROR
    assert played.error


class OddJudge:
    """Returns what it was made with."""

    id = "scripted@1"

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict

    async def judge(self, case: Case) -> Any:
        return self.verdict


VERDICTS: Mapping[str, Any] = {
    "nothing": ODD,
    "none": None,
    "true": True,
    "a label of its own": Said("great", "x"),
    "no reason": Said(Label.RIGHT, None),
    "odd usage": Said(Label.RIGHT, "x", usage=ODD),
}


@pytest.mark.parametrize("name", VERDICTS)
async def test_a_judge_that_says_nonsense_leaves_it_unknown(tmp_path: Path, name: str) -> None:
    judge = OddJudge(VERDICTS[name])
    played = await play(tmp_path / "a.memtui", [search(), answer()], [hits("aaa")], judge=judge)
    assert (played.reason, played.label) == (EndReason.ANSWERED, "unknown")
