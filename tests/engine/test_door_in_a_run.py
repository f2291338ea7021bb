"""A memory system that asks models: who pays is in the ledger, and a recorded run is repeated exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui import cli
from memtui.errors import UserError
from memtui.model import Usage
from memtui.store.contents import differences
from runners.agents.model import ModelAgent
from runners.engine.build import memory_model_of
from runners.engine.config import check_config
from runners.engine.experiment import Experiment
from runners.engine.plan import make_plan
from runners.engine.plan_text import plan_text
from runners.engine.run import run_experiment
from runners.memory.contract import CallResult, Door, Haystack, SessionText, SystemInfo
from runners.models.chat import ChatReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.recordings import CacheMode, Recordings
from runners.models.scripted import ScriptedClient
from runners.models.settings import ModelSettings, Price
from tests.engine.scripted import ListMemory, ListView
from tests.engine.tiny import CONFIG, rows, tiny_experiment


class AskingView(ListView):
    """Rewrites each query through the model before it looks."""

    door: Door

    async def call(self, tool: str, args: Mapping[str, Any]) -> CallResult:
        said = await self.door.complete([{"role": "user", "content": f"rewrite {args['query']}"}])
        return await super().call(tool, {"query": said.text})


class AskingMemory(ListMemory):
    """Asks once per session, once per history, once per search."""

    @property
    def info(self) -> SystemInfo:
        return SystemInfo(
            "list", "1", "flat", needs=("llm",), uses_door=("prepare", "open", "call")
        )

    async def prepare(self, session: SessionText, door: Door | None) -> Any:
        assert door is not None
        said = await door.complete([{"role": "user", "content": f"note {session.turns[0].text}"}])
        assert said.text
        return await super().prepare(session, door)

    async def open(
        self,
        haystack: Haystack,
        artifacts: Mapping[str, Any],
        texts: Mapping[str, SessionText],
        now: str | None,
        door: Door | None,
    ) -> AskingView:
        assert door is not None
        await door.complete([{"role": "user", "content": f"merge {haystack.key}"}])
        view = await super().open(haystack, artifacts, texts, now, door)
        assert isinstance(view, ListView)
        asking = AskingView(self, view.blocks)
        asking.door = door
        return asking


def obedient(request: ModelRequest) -> ChatReply:
    """Plays the memory's model, and an agent that searches once and reads the answer."""
    last = request.messages[-1]
    text = str(last["content"])
    if request.phase != "answer":
        return ChatReply(text.split(" ", 1)[1], prompt=10, completion=5)
    if last["role"] != "tool":
        call = ToolRequest("memory_search", f'{{"query": "{text.split()[-1]}"}}', "c1")
        return ChatReply(None, "tool_calls", (call,), prompt=100, cached=50, completion=10)
    found = [line for line in text.split("\n") if "is blue" in line]
    return ChatReply(found[0].split()[-1] if found else "no", prompt=200, cached=0, completion=5)


def experiment(
    client: ScriptedClient, recordings: Recordings | None = None, workers: int = 1
) -> Experiment:
    """Six questions at three scales; model `m` serves the agent and the memory."""
    settings = ModelSettings(price=Price(1.0, 2.0, 0.5))
    door = ModelDoor(client, {"m": settings}, recordings=recordings)
    agent = ModelAgent({"model": "m"}, door)
    config = {"limits": {"workers": workers}}
    made = tiny_experiment(config, arms={"list/model": (AskingMemory(), agent)})
    return Experiment(
        config=made.config,
        plan=made.plan,
        arms=made.arms,
        judges=made.judges,
        data=made.data,
        memory_model="m",
        models=door,
    )


def ledger(path: Path, phase: str, column: str = "paid") -> list[Usage]:
    found = rows(path, f"SELECT {column} FROM ledger WHERE phase='{phase}' ORDER BY owner")
    return [Usage(**orjson.loads(raw)) for (raw,) in found]


async def test_who_pays_is_in_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    made = experiment(ScriptedClient([obedient]))
    result = await run_experiment(made, path)
    assert result.ends == {"answered": 18}
    owners = [owner for (owner,) in rows(path, "SELECT owner FROM ledger WHERE phase='ingest'")]
    artifacts = [owner for owner in owners if owner.startswith("artifact:list:")]
    states = [owner for owner in owners if owner.startswith("state:list:")]
    sessions = rows(path, "SELECT count(*) FROM session")[0][0]
    assert len(set(artifacts)) == len(artifacts) == sessions
    # One opening per episode, and that of the preflight.
    assert len(states) == 19
    assert len(set(states)) == 18
    search = ledger(path, "search")
    assert [u.calls for u in search] == [1] * 18
    assert search[0].prompt == 10
    assert ledger(path, "answer")[0].calls == 2
    cold = ledger(path, "answer", "cold")[0]
    assert cold.cached == 0
    assert cold.cost == pytest.approx((300 * 1.0 + 15 * 2.0) / 1e6)
    total = rows(path, "SELECT sum(json_extract(usage, '$.calls')) FROM episode")[0][0]
    assert total == 18 * 3


@pytest.mark.parametrize("workers", [1, 4])
async def test_a_replay_needs_no_model_and_tells_the_same(tmp_path: Path, workers: int) -> None:
    kept = tmp_path / "replies.jsonl"
    first, second = tmp_path / "a.memtui", tmp_path / "b.memtui"
    client = ScriptedClient([obedient])
    made = experiment(client, Recordings(kept, CacheMode.RECORD), workers)
    await run_experiment(made, first)
    asked = len(client.requests)
    assert asked == len(Recordings(kept, CacheMode.READ))
    # What was asked twice was paid once: the preflight opens a history that an episode opens too.
    assert sum(u.calls for u in ledger(first, "ingest")) < sum(
        u.calls for u in ledger(first, "ingest", "cold")
    )
    silent = ScriptedClient([ModelError(ErrorKind.CONNECTION, "there is no model")])
    again = experiment(silent, Recordings(kept, CacheMode.REPLAY), workers)
    result = await run_experiment(again, second)
    assert silent.requests == []
    assert result.ends == {"answered": 18}
    assert differences(first, second) == []
    assert cli.main(["check", str(first), "--same-as", str(second)]) == 0


async def test_a_run_in_two_sittings_is_replayed_as_one(tmp_path: Path) -> None:
    kept = tmp_path / "replies.jsonl"
    first, second = tmp_path / "a.memtui", tmp_path / "b.memtui"
    made = experiment(ScriptedClient([obedient]), Recordings(kept, CacheMode.RECORD))
    capped = check_config({**CONFIG, "limits": {"workers": 1}, "caps": {"episodes": 7}})
    await run_experiment(replace(made, config=capped), first)
    rest = experiment(ScriptedClient([obedient]), Recordings(kept, CacheMode.RECORD))
    assert (await run_experiment(rest, first)).done == 18
    silent = ScriptedClient([ModelError(ErrorKind.CONNECTION, "there is no model")])
    again = experiment(silent, Recordings(kept, CacheMode.REPLAY))
    await run_experiment(again, second)
    assert differences(first, second) == []


async def test_another_run_is_not_replayed(tmp_path: Path) -> None:
    kept = tmp_path / "replies.jsonl"
    kept.write_text('{"memtui_recordings": 1}\n{"key": "another", "reply": {"text": "red"}}\n')
    made = experiment(ScriptedClient([obedient]), Recordings(kept, CacheMode.REPLAY))
    with pytest.raises(UserError, match="another configuration"):
        await run_experiment(made, tmp_path / "a.memtui")


async def test_differences_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = tmp_path / "a.memtui", tmp_path / "b.memtui"
    await run_experiment(experiment(ScriptedClient([obedient])), paths[0])

    def other(request: ModelRequest) -> ChatReply:
        reply = obedient(request)
        return reply if request.phase != "answer" or reply.tool_calls else ChatReply("red")

    await run_experiment(experiment(ScriptedClient([other])), paths[1])
    found = differences(*paths, most=1000)
    assert any(line.startswith("episode: only a.memtui") for line in found)
    assert any(line.startswith("ledger: ") for line in found)
    assert cli.main(["check", str(paths[0]), "--same-as", str(paths[1])]) == 1
    assert "episode: only a.memtui" in capsys.readouterr().out


def test_the_plan_names_the_model_a_memory_asks() -> None:
    made = experiment(ScriptedClient([obedient]))
    text = plan_text(make_plan(made, {}))
    assert "memory systems that ask a model" in text
    for phase in ("prepare", "open", "call"):
        (line,) = [line for line in text.splitlines() if line.startswith(f"    list {phase}: ")]
        assert "0 or more completions by m" in line, "it declares no numbers"
    assert text.count("is not known beforehand (at least 0)") == 3
    assert "memory systems that ask" not in plan_text(make_plan(tiny_experiment(), {}))


def test_which_model_a_memory_asks() -> None:
    arms = experiment(ScriptedClient([obedient])).arms
    plain = tiny_experiment().arms
    config = check_config(CONFIG)
    assert memory_model_of(config, arms) == "m"
    assert memory_model_of(config, plain) is None
    two = check_config(CONFIG | {"models": {"x": {}}})
    with pytest.raises(UserError, match=r"list: needs a language model.*one of m, x"):
        memory_model_of(two, arms)
    named = check_config(CONFIG | {"models": {"x": {}, "memory": "x"}})
    assert memory_model_of(named, arms) == "x"


def test_keys_of_the_models_table_are_checked() -> None:
    with pytest.raises(UserError, match=r"unknown key `models\.cach`; did you mean cache"):
        check_config(CONFIG | {"models": {"cach": "record"}})
    with pytest.raises(UserError, match="needs recordings"):
        check_config(CONFIG | {"models": {"cache": "record"}})


@pytest.mark.parametrize("stuck", ["note", "merge", "rewrite"])
async def test_time_that_runs_out_at_the_model_is_the_providers(tmp_path: Path, stuck: str) -> None:
    class Stuck(ScriptedClient):
        async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
            if str(request.messages[0]["content"]).startswith(stuck):
                await asyncio.sleep(60)
            return await super().chat(request, settings)

    path = tmp_path / "a.memtui"
    made = experiment(Stuck([obedient]), workers=4)
    quick = {"prepare_s": 0.05, "open_s": 0.05, "memory_s": 0.05, "workers": 4}
    outage = {"failures": 1, "rounds": 1, "pause_s": 0.01}
    config = check_config({**CONFIG, "limits": quick, "outage": outage})
    result = await run_experiment(replace(made, config=config), path)
    assert set(result.ends) == {"provider_error"}
    assert result.exit_code == 3


async def test_recordings_that_are_cut_are_told_and_asked_for_again(tmp_path: Path) -> None:
    whole, kept = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    made = experiment(ScriptedClient([obedient]), Recordings(whole, CacheMode.RECORD))
    await run_experiment(made, tmp_path / "a.memtui")
    lines = whole.read_bytes().splitlines(keepends=True)
    kept.write_bytes(b"".join(lines[:2]) + lines[2][:40] + b"\n" + b"".join(lines[3:]))
    logged: list[str] = []
    made = experiment(ScriptedClient([obedient]), Recordings(kept, CacheMode.RECORD))
    await run_experiment(
        made, tmp_path / "b.memtui", on_log=lambda event: logged.append(event.text)
    )
    assert (
        "recordings cut.jsonl: line 3 is cut off or damaged; what it held is asked for again"
        in logged
    )
    assert len(Recordings(kept, CacheMode.REPLAY)) == len(Recordings(whole, CacheMode.REPLAY))
