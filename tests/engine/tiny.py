"""A small data set and agents that decide by arithmetic: whole runs in milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.model import Turn
from memtui.store.reader import RunReader
from runners.agents.contract import Action, Agent, Brief, Call, Observation
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem, SourceSession
from runners.engine.config import ExperimentConfig, check_config
from runners.engine.experiment import Arm, Experiment, salt_of
from runners.judges.contract import Judge
from runners.memory.contract import MemorySystem
from runners.protocols.scale import ScaleOptions, ScalePlan
from runners.sessions import session_sha
from tests.engine.scripted import ListMemory, ScriptedJudge


def tiny_data(items: int = 6, fillers: int = 40) -> DataSet:
    """`items` questions with one evidence session each, and a pool of `fillers`."""
    sessions = {}
    questions = []
    turns: tuple[Turn, ...]
    for i in range(items):
        turns = (Turn("user", f"my pet{i} is blue{i}"), Turn("assistant", "noted"))
        key = f"answer_{i}"
        sessions[key] = SourceSession(
            key, turns, f"2023-05-{i + 1:02d}", session_sha(turns), "evidence", frozenset({f"q{i}"})
        )
        questions.append(
            SourceItem(
                key=f"q{i}_abs" if i == items - 1 else f"q{i}",
                question=f"pet{i}",
                gold=f"blue{i}",
                gold_raw=f"blue{i}",
                qtype="single",
                cluster=f"q{i}",
                answerable=True,
                question_date="2023-06-01",
                evidence=(SourceEvidence(key, key, 0),),
            )
        )
    for i in range(fillers):
        turns = (Turn("user", f"filler {i} about tea"),)
        sessions[f"f{i}"] = SourceSession(f"f{i}", turns, None, session_sha(turns), "pool")
    return DataSet("tiny", "0" * 64, tuple(questions), sessions, ("pool",))


@dataclass
class Searcher:
    """Searches `calls` times for the question, then answers with the last word it saw of it."""

    calls: int = 1
    name: str = "searcher"
    pause: float = 0.0
    seen: list[object] = field(default_factory=list)
    fail: list[BaseException] = field(default_factory=list)
    """Raised one by one, first decision by first decision, before it works."""
    model: str | None = None

    @property
    def config(self) -> dict[str, Any]:
        return {"calls": self.calls} | ({"model": self.model} if self.model else {})

    @property
    def note(self) -> str:
        return ""

    def start(self, brief: Brief) -> SearcherSession:
        self.seen.append(brief)
        return SearcherSession(self, brief)


class SearcherSession:
    def __init__(self, agent: Searcher, brief: Brief) -> None:
        self.agent = agent
        self.brief = brief
        self.left = agent.calls
        self.found = ""

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        self.agent.seen.append(tuple(observations))
        if self.agent.fail:
            raise self.agent.fail.pop(0)
        if self.agent.pause:
            await asyncio.sleep(self.agent.pause)
        for observation in observations:
            for block in observation.blocks:
                if self.brief.question in block.text.split():
                    self.found = block.text.split("\n")[0].split()[-1]
        if self.left and not must_answer:
            self.left -= 1
            return Action(
                calls=(Call("memory_search", {"query": self.brief.question}, self.brief.question),)
            )
        return Action(answer=self.found or "no idea", abstained=not self.found)


CONFIG: dict[str, Any] = {
    "name": "tiny",
    "data": {"name": "tiny"},
    "ladder": {"scales": [0, 5, 20]},
    "arms": [{"memory": "list", "agent": "searcher"}],
    "limits": {"workers": 4},
}


def tiny_experiment(
    config: dict[str, Any] | None = None,
    *,
    memory: MemorySystem | None = None,
    agent: Agent | None = None,
    judge: Judge | None = None,
    items: int = 6,
    arms: Mapping[str, tuple[MemorySystem, Agent]] | None = None,
) -> Experiment:
    """An experiment over `tiny_data`; `config` overrides sections of `CONFIG`."""
    checked = check_config(CONFIG | (config or {}))
    parts = arms or {"list/searcher": (memory or ListMemory(), agent or Searcher())}
    data = tiny_data(items)
    return Experiment(
        config=checked,
        plan=tiny_plan(checked, data, tuple(parts)),
        arms={
            key: Arm(key, key.split("/")[0], system, who) for key, (system, who) in parts.items()
        },
        judges=(judge or ScriptedJudge(),),
        data={"name": data.name, "sha256": data.sha256},
    )


def tiny_plan(config: ExperimentConfig, data: DataSet, arms: tuple[str, ...]) -> ScalePlan:
    ladder = config.ladder
    options = ScaleOptions(
        scales=ladder.scales,
        ladder_seeds=ladder.seeds,
        date_policy=ladder.date_policy,
        gold_check=ladder.gold_string_check,
        allow_missing_rungs=ladder.allow_missing_rungs,
        repeats=config.repeats,
        limit=config.data.limit,
    )
    return ScalePlan(data, arms, options, salt=salt_of(config.seed, data.sha256))


def rows(path: Path, sql: str) -> list[Any]:
    """All rows of a question to a run file."""
    with RunReader(path) as reader:
        return reader.query(sql)
