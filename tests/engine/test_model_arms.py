"""Arms that ask a language model: rate limits, failures and what they do to counts and rates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.store.reader import open_run
from runners.agents.model import ModelAgent
from runners.engine import heartbeat
from runners.engine.experiment import Experiment
from runners.engine.run import run_experiment
from runners.models.chat import ChatReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import ScriptedClient
from runners.models.settings import ModelSettings
from tests.engine.scripted import ListMemory
from tests.engine.tiny import rows, tiny_experiment

Reply = ChatReply | Exception


@pytest.fixture(autouse=True)
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "BEAT_S", 0.05)
    monkeypatch.setattr(heartbeat, "LOOK_S", 0.02)


def obedient(request: ModelRequest) -> ChatReply:
    """Searches once for the question, then answers with the last word of what it found."""
    last = request.messages[-1]
    if last["role"] != "tool":
        question = str(last["content"]).split()[-1]
        call = ToolRequest("memory_search", f'{{"query": "{question}"}}', "c1")
        return ChatReply(None, "tool_calls", (call,), prompt=100, completion=10)
    found = [line for line in last["content"].split("\n") if "is blue" in line]
    return ChatReply(found[0].split()[-1] if found else "no idea", prompt=200, completion=5)


def experiment(
    answer: Callable[[int, ModelRequest], Reply], config: dict[str, Any] | None = None
) -> tuple[Experiment, ScriptedClient]:
    """A tiny experiment whose only agent asks a scripted model; `answer` gets the request's number."""
    client = ScriptedClient([])

    def play(request: ModelRequest) -> Any:
        return answer(len(client.requests), request)

    client.script.append(play)
    models = {"m": ModelSettings(retries=2, concurrency=2)}

    async def no_wait(seconds: float) -> None:
        waited.append(seconds)

    waited: list[float] = []
    door = ModelDoor(client, models, sleep=no_wait)
    agent = ModelAgent({"model": "m"}, door)
    made = tiny_experiment(config, arms={"list/model": (ListMemory(), agent)})
    return Experiment(
        config=made.config,
        plan=made.plan,
        arms=made.arms,
        judges=made.judges,
        data=made.data,
        models=door,
        model_limits={"m": 2},
    ), client


async def test_every_fifth_call_is_rate_limited_and_nobody_pays_for_it(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"

    def answer(number: int, request: ModelRequest) -> Reply:
        if number % 5 == 0:
            return ModelError(ErrorKind.RATE_LIMITED, "slow down", retry_after=0.0)
        return obedient(request)

    made, client = experiment(answer)
    result = await run_experiment(made, path)
    assert result.ends == {"answered": 18}
    assert rows(path, "SELECT min(requested), max(requested) FROM episode") == [(1, 1)]
    (usage,) = rows(
        path,
        "SELECT sum(json_extract(usage, '$.calls')), sum(json_extract(usage, '$.attempts')) FROM episode",
    )
    assert usage == (36, len(client.requests))
    assert len(client.requests) > 36
    assert rows(path, "SELECT count(*) FROM verdict WHERE label='right'") == [(18,)]


async def test_a_persistent_rate_limit_is_excluded_and_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    limited: set[str] = {"pet2"}

    def answer(number: int, request: ModelRequest) -> Reply:
        if any(name in str(request.messages) for name in limited):
            return ModelError(ErrorKind.RATE_LIMITED, "slow down", retry_after=0.0)
        return obedient(request)

    made, client = experiment(answer)
    result = await run_experiment(made, path)
    assert result.ends == {"answered": 15, "provider_error": 3}
    failed = rows(path, "SELECT error, requested FROM episode WHERE end_reason='provider_error'")
    assert all("slow down" in error for error, _ in failed)
    limited.clear()
    made, client = experiment(answer)
    result = await run_experiment(made, path)
    assert (result.done_now, result.ends) == (3, {"answered": 3})
    assert len(client.requests) == 6


async def test_a_refused_key_ends_the_run_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    made, client = experiment(lambda n, r: ModelError(ErrorKind.AUTH, "no such key"))
    with pytest.raises(UserError, match="refuses the key"):
        await run_experiment(made, path)
    assert len(client.requests) <= 2
    assert rows(path, "SELECT count(*) FROM episode WHERE counts=1") == [(0,)]
    assert client.closed


async def test_a_prompt_that_does_not_fit_counts_against_the_arm(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"

    def answer(number: int, request: ModelRequest) -> Reply:
        if request.messages[-1]["role"] == "tool":
            return ModelError(ErrorKind.CONTEXT_OVERFLOW, "9000 tokens > 8192")
        return obedient(request)

    made, _ = experiment(answer)
    result = await run_experiment(made, path)
    assert result.ends == {"context_overflow": 18}
    assert "9000 tokens" in rows(path, "SELECT error FROM episode LIMIT 1")[0][0]


async def test_a_token_cap_of_the_sitting_stops_it(tmp_path: Path) -> None:
    made, _ = experiment(lambda n, r: obedient(r), {"caps": {"tokens": 1_000}})
    result = await run_experiment(made, tmp_path / "a.memtui")
    assert "1,000 tokens" in result.note
    assert 4 <= result.done <= 8


async def test_the_heartbeat_shows_the_model_and_its_limits(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    made, _ = experiment(lambda n, r: obedient(r))
    await run_experiment(made, tmp_path / "a.memtui", on_beat=seen.append)
    assert {"kind": "model", "name": "m", "used": 0, "limit": 2} in seen[-1]["limits"]
    assert seen[-1]["models"]["models"]["m"]["concurrency"] == 2
    assert seen[-1]["cost"] is None and seen[-1]["tokens"] == 18 * 315


async def test_a_call_under_way_names_the_episode_it_works_for(tmp_path: Path) -> None:
    """What holds an agent's call back can be shown beside the episode that waits for it."""
    owners: set[str] = set()
    named: set[str] = set()

    def answer(number: int, request: ModelRequest) -> Reply:
        assert made.models is not None
        owners.update(call["owner"] for call in made.models.snapshot()["calls"])
        return obedient(request)

    def beat(snapshot: dict[str, Any]) -> None:
        named.update(f"episode:{one['uid']}" for one in snapshot["in_flight"])

    made, _ = experiment(answer)
    await run_experiment(made, tmp_path / "a.memtui", on_beat=beat)
    with open_run(tmp_path / "a.memtui") as reader:
        uids = {f"episode:{uid}" for (uid,) in reader.query("SELECT uid FROM episode")}
    assert owners == uids and named <= uids
