"""A drill over a whole run: providers do what they do, and everything is counted as what it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.store.check import check_file
from memtui.store.contents import contents
from runners.engine.build import ModelDoors, recordings_of
from runners.engine.config import check_config
from runners.engine.experiment import Experiment
from runners.engine.run import run_experiment
from runners.models.door import ModelDoor
from runners.models.faults import FaultSchedule, FaultyClient
from runners.models.scripted import ScriptedClient
from runners.models.settings import ModelSettings
from tests.engine.test_door_in_a_run import experiment, obedient
from tests.engine.tiny import CONFIG, rows

STORMY = FaultSchedule(
    seed=7,
    rate_limited=0.1,
    server=0.1,
    disconnect=0.1,
    stall=0.05,
    malformed=0.1,
    storm_every=30,
    storm_length=6,
)


def drilled(schedule: FaultSchedule, retries: int) -> tuple[Experiment, FaultyClient]:
    """The experiment of an asking memory and agent, with faults under its door."""

    async def no_wait(seconds: float) -> None:
        pass

    client = FaultyClient(ScriptedClient([obedient]), schedule, sleep=no_wait)
    made = experiment(ScriptedClient([obedient]), workers=4)
    door = ModelDoor(client, {"m": ModelSettings(retries=retries)}, sleep=no_wait)
    agent = next(iter(made.arms.values())).agent
    agent.door = door  # type: ignore[attr-defined]
    return replace(made, models=door), client


async def test_with_patience_a_storm_costs_attempts_and_nothing_else(tmp_path: Path) -> None:
    calm, storm = tmp_path / "calm.memtui", tmp_path / "storm.memtui"
    await run_experiment(drilled(FaultSchedule(), 0)[0], calm)
    made, client = drilled(STORMY, 40)
    result = await run_experiment(made, storm)
    assert result.ends == {"answered": 18}
    assert client.injected.total() > 60
    assert set(client.injected) == {
        "rate_limited",
        "server",
        "disconnect",
        "stall",
        "malformed",
    }
    assert check_file(storm) == []
    first, second = contents(calm), contents(storm)
    assert first["verdict"] == second["verdict"]
    assert len(first["step"]) == len(second["step"])
    asked, tried = rows(
        storm,
        "SELECT sum(json_extract(paid, '$.calls')), sum(json_extract(paid, '$.attempts')) FROM ledger",
    )[0]
    # Every fault is an attempt of some call, and of none of them does the record lose sight.
    assert tried - asked == client.injected.total() - client.injected["stall"]


async def test_without_patience_what_failed_is_the_providers(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    made, _ = drilled(FaultSchedule(seed=3, server=0.15), 0)
    config = check_config({**CONFIG, "outage": {"failures": 1000}})
    result = await run_experiment(replace(made, config=config), path)
    again = await run_experiment(drilled(FaultSchedule(), 0)[0], path)
    # What a provider kept from ending is asked again; what ended is kept.
    ended = rows(path, "SELECT end_reason, counts, count(*) FROM episode GROUP BY 1, 2")
    assert again.done == 18
    assert {(reason, counts) for reason, counts, _ in ended} == {
        ("answered", 1),
        ("provider_error", 0),
    }
    assert result.ends["provider_error"] >= 1
    assert check_file(path) == []


def test_the_configuration_switches_faults_and_recordings_on(tmp_path: Path) -> None:
    models = {"faults": {"server": 0.5}, "cache": "record", "recordings": str(tmp_path / "r.jsonl")}
    config = check_config(CONFIG | {"models": models})
    assert config.models == {}
    door = ModelDoors({}, config)()
    assert isinstance(door._client, FaultyClient)
    assert door.recordings is not None
    assert recordings_of(check_config(CONFIG).model_access) is None


async def test_a_drill_is_named_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    made, _ = drilled(FaultSchedule(), 0)
    config = check_config(CONFIG | {"models": {"faults": {"server": 0.5}}})
    await run_experiment(replace(made, config=config), path)
    (text,) = rows(path, "SELECT text FROM event WHERE kind='drill'")[0]
    assert text == "faults are injected into model calls: server 0.5"


async def test_garbled_replies_are_the_models_own(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    made, _ = drilled(FaultSchedule(garbled=1.0), 0)
    result = await run_experiment(made, path)
    # A reply that came is no fault of the provider: whatever becomes of it counts.
    assert "provider_error" not in result.ends
    assert rows(path, "SELECT count(*) FROM episode WHERE counts=1")[0][0] == 18
