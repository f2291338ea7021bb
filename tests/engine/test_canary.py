"""Nothing that is handed to an agent, a memory system or a model says where the evidence is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runners.agents.contract import Agent, Brief
from runners.engine.build import build
from runners.engine.config import check_config
from runners.engine.experiment import Arm, Experiment
from runners.engine.run import run_experiment
from runners.memory.contract import Haystack, MemorySystem, SessionText
from runners.models.chat import ModelRequest
from tests.engine.test_model_arms import experiment, obedient

CANARIES = ("answer_", "_abs", "has_answer", "evidence", "'gold'", "sharegpt_", "ultrachat_")


class Listener:
    """Passes everything on to a part and keeps what was handed over."""

    def __init__(self, part: Any, heard: list[object]) -> None:
        self._part = part
        self._heard = heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


class ListeningMemory(Listener):
    async def prepare(self, session: SessionText, door: object) -> Any:
        self._heard.append(session.sha)
        return await self._part.prepare(session, door)

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, object],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: object,
    ) -> Any:
        self._heard += [haystack, list(artifacts), list(texts), now]
        view = await self._part.open(haystack, artifacts, texts, now, door)
        return ListeningView(view, self._heard)


class ListeningView(Listener):
    async def call(self, tool: str, args: Mapping[str, object]) -> Any:
        self._heard.append((tool, dict(args)))
        return await self._part.call(tool, args)


class ListeningAgent(Listener):
    def start(self, brief: Brief) -> Any:
        self._heard.append(brief)
        return ListeningSession(self._part.start(brief), self._heard)


class ListeningSession(Listener):
    async def act(self, observations: Any, *, must_answer: bool) -> Any:
        # Tokens, dates and states, not the texts: those are the data set's own words.
        self._heard += [
            (o.tool, o.status, [(b.token, b.date) for b in o.blocks]) for o in observations
        ]
        return await self._part.act(observations, must_answer=must_answer)


def listening(built: Experiment, heard: list[object]) -> Experiment:
    arms = {}
    for key, arm in built.arms.items():
        memory: MemorySystem = ListeningMemory(arm.memory, heard)
        agent: Agent = ListeningAgent(arm.agent, heard)
        arms[key] = Arm(key, arm.memory_key, memory, agent)
    return Experiment(built.config, built.plan, arms, built.judges, built.data)


@pytest.mark.parametrize("name", ["longmemeval-109", "locomo"])
async def test_real_ids_stay_with_the_scorer(tmp_path: Path, shared_data: Path, name: str) -> None:
    places = {"longmemeval-109": "longmemeval", "locomo": "locomo/locomo10.json"}
    config = check_config(
        {
            "data": {"name": name, "path": str(shared_data / places[name]), "limit": 5},
            "ladder": {"scales": [0, 30]},
            "matrix": {"memory": ["bm25"], "agent": ["until-confident"]},
        }
    )
    heard: list[object] = []
    built = build(config).experiment
    await run_experiment(listening(built, heard), tmp_path / "a.memtui")
    handed = repr(heard)
    questions = {item.question for item in built.plan.items()}
    assert sum(isinstance(thing, Brief) for thing in heard) == 10
    for canary in (*CANARIES, *(item.key for item in built.plan.items()), "conv-", "D1:"):
        assert canary not in handed, canary
    for item in built.plan.items():
        told = [thing for thing in heard if isinstance(thing, Brief)]
        assert all(thing.question in questions for thing in told)
        gold = item.gold or ""
        if len(gold) > 12 and not any(gold in question for question in questions):
            assert gold not in repr(told)


async def test_what_a_model_is_sent_names_no_id(tmp_path: Path) -> None:
    made, client = experiment(lambda number, request: obedient(request))
    await run_experiment(made, tmp_path / "a.memtui")
    sent = repr([_wire(request) for request in client.requests])
    assert len(client.requests) == 36
    for canary in (*CANARIES, "q0", "q1"):
        assert canary not in sent, canary


def _wire(request: ModelRequest) -> tuple[object, ...]:
    """What leaves the machine."""
    return request.messages, request.tools, request.settings(), request.response_format
