"""Whole runs: complete, capped, stopped, steered, failing and continued."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import RunState
from memtui.store.errors import StoreError
from runners.engine import control, heartbeat
from runners.engine.run import RunResult, run_experiment
from runners.failures import ProviderError
from tests.engine.scripted import ListMemory, ScriptedJudge
from tests.engine.tiny import Searcher, rows, tiny_experiment


@pytest.fixture(autouse=True)
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats and looks at the control file many times a second, so that tests are short."""
    monkeypatch.setattr(heartbeat, "BEAT_S", 0.05)
    monkeypatch.setattr(heartbeat, "LOOK_S", 0.02)


def log(path: Path, kind: str) -> list[str]:
    return [text for (text,) in rows(path, f"SELECT text FROM event WHERE kind='{kind}'")]


async def test_a_run_is_complete_and_every_cell_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    result = await run_experiment(tiny_experiment(), path)
    assert (result.state, result.done, result.planned, result.exit_code) == (
        RunState.FINISHED,
        18,
        18,
        0,
    )
    assert result.ends == {"answered": 18}
    cells = rows(
        path,
        "SELECT c.conditions, count(*) FROM episode e JOIN cell c ON c.id=e.cell_id GROUP BY 1",
    )
    assert dict(cells) == {"scale=0": 6, "scale=20": 6, "scale=5": 6}
    assert rows(path, "SELECT count(*) FROM verdict WHERE label='right'") == [(18,)]
    assert rows(path, "SELECT state, planned FROM run") == [("finished", 18)]
    assert rows(path, "SELECT min(t_star), max(t_star) FROM episode") == [(1, 1)]
    assert not control.control_path(path).exists()


async def test_each_distinct_session_is_prepared_once(tmp_path: Path) -> None:
    memory = ListMemory()
    experiment = tiny_experiment(
        arms={"list/one": (memory, Searcher(1)), "list/two": (memory, Searcher(2))}
    )
    await run_experiment(experiment, tmp_path / "a.memtui")
    assert len(memory.prepared) == len(set(memory.prepared))
    stored = rows(tmp_path / "a.memtui", "SELECT count(*) FROM session")
    assert stored == [(len(set(memory.prepared)),)]


async def test_running_again_runs_nothing_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    await run_experiment(tiny_experiment(), path)
    agent = Searcher()
    again = await run_experiment(tiny_experiment(agent=agent), path)
    assert (again.exit_code, again.done, again.done_now, again.resumed) == (0, 18, 0, True)
    assert agent.seen == []
    assert rows(path, "SELECT count(*) FROM episode") == [(18,)]


@pytest.mark.parametrize(
    ("caps", "limit"),
    [({"episodes": 5}, 5), ({"wall_s": 0.001}, 17)],
)
async def test_a_cap_stops_scheduling_and_leaves_the_rest_pending(
    tmp_path: Path, caps: dict[str, Any], limit: int
) -> None:
    path = tmp_path / "a.memtui"
    result = await run_experiment(tiny_experiment({"caps": caps}), path)
    assert (result.state, result.exit_code) == (RunState.INTERRUPTED, 3)
    assert result.done <= limit
    assert "cap reached" in result.note and "pending" in result.note
    assert rows(path, "SELECT count(*) FROM episode WHERE done=0") == [(0,)]
    assert sum(result.ends.values()) == rows(path, "SELECT count(*) FROM episode")[0][0]
    rest = await run_experiment(tiny_experiment(), path)
    assert (rest.state, rest.done, rest.done_now) == (RunState.FINISHED, 18, 18 - result.done)
    assert rows(path, "SELECT count(*), sum(counts) FROM episode") == [(18, 18)]


async def test_a_changed_configuration_is_refused_with_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    await run_experiment(tiny_experiment({"caps": {"episodes": 2}}), path)
    changed = tiny_experiment({"budget": {"calls": 3}, "ladder": {"scales": [0, 5]}})
    with pytest.raises(UserError) as refused:
        await run_experiment(changed, path)
    text = "\n".join((str(refused.value), *refused.value.details))
    assert "loop.budget: 2 -> 3" in text
    assert "ladder.scales: [0.0, 5.0, 20.0] -> [0.0, 5.0]" in text
    assert "--new" in text and refused.value.exit_code == 2
    other = await run_experiment(changed, path, new=True)
    assert other.path == tmp_path / "a-2.memtui" and other.state is RunState.FINISHED


async def test_limits_pace_and_caps_do_not_change_what_a_run_is(tmp_path: Path) -> None:
    first = tiny_experiment()
    other = tiny_experiment(
        {"limits": {"workers": 1, "retries": 0}, "caps": {"cost": 1.0}, "output": {"pace": 5.0}}
    )
    assert first.hash == other.hash
    assert first.hash != tiny_experiment({"limits": {"memory_s": 1.0}}).hash


async def steer(experiment: Any, path: Path, script: Any) -> RunResult:
    """Run while `script(driver snapshot)` writes commands; it sees each heartbeat."""
    return await run_experiment(experiment, path, on_beat=script, grace_s=0.05)


async def test_control_file_pauses_resumes_and_changes_workers(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    seen: list[dict[str, Any]] = []

    def script(snapshot: dict[str, Any]) -> None:
        seen.append(snapshot)
        if len(seen) == 1:
            control.send(path, "pause")
        elif snapshot["state"] == "paused":
            control.send(path, "workers", 2)
            control.send(path, "pace", 500.0)
            control.send(path, "rewind")
            control.send(path, "resume")

    result = await steer(
        tiny_experiment({"limits": {"workers": 1}}, agent=Searcher(pause=0.05)), path, script
    )
    assert result.state is RunState.FINISHED
    assert seen[-1]["workers"] == 2 and seen[-1]["pace"] == 500.0
    assert any("not a command" in text for text in log(path, "control"))


async def test_stop_through_the_control_file_marks_what_was_under_way(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"

    def script(snapshot: dict[str, Any]) -> None:
        control.send(path, "stop")

    slow = tiny_experiment({"limits": {"workers": 3}}, agent=Searcher(pause=30.0))
    result = await steer(slow, path, script)
    assert (result.exit_code, result.ends) == (130, {"cancelled": 3})
    assert rows(path, "SELECT end_reason, counts, done FROM episode") == [("cancelled", 0, 1)] * 3
    rest = await run_experiment(tiny_experiment(), path)
    assert rest.state is RunState.FINISHED
    attempts = rows(path, "SELECT attempt, counts, count(*) FROM episode GROUP BY 1, 2")
    assert attempts == [(1, 0, 3), (1, 1, 15), (2, 1, 3)]


async def test_an_episode_without_a_sign_of_life_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    stuck = Searcher(pause=60.0)
    experiment = tiny_experiment({"limits": {"no_progress_s": 0.2, "workers": 18}}, agent=stuck)
    result = await run_experiment(experiment, path)
    assert result.ends == {"no_progress": 18}
    assert result.state is RunState.FINISHED


async def test_a_provider_that_is_down_is_waited_for_and_not_burnt_through(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    agent = Searcher(fail=[ProviderError("503")] * 5)
    outage = {"failures": 3, "pause_s": 0.05, "longest_s": 0.1, "rounds": 6}
    config = {"outage": outage, "limits": {"workers": 1}}
    result = await run_experiment(tiny_experiment(config, agent=agent), path)
    assert result.ends == {"provider_error": 5, "answered": 13}
    assert len(log(path, "provider_outage")) == 3
    again = await run_experiment(tiny_experiment(config), path)
    assert again.done_now == 5
    counted = rows(path, "SELECT end_reason, count(*) FROM episode WHERE counts=1 GROUP BY 1")
    assert counted == [("answered", 18)]


async def test_a_provider_that_stays_down_leaves_its_episodes_pending(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    agent = Searcher(fail=[ProviderError("503")] * 500)
    outage = {"failures": 2, "pause_s": 0.001, "longest_s": 0.01, "rounds": 2}
    config = {"outage": outage, "limits": {"workers": 1}}
    result = await run_experiment(tiny_experiment(config, agent=agent), path)
    assert (result.state, result.exit_code) == (RunState.INTERRUPTED, 3)
    assert result.ends == {"provider_error": 5}
    assert "provider failure" in result.note


@pytest.mark.parametrize(("stores", "words"), [(0.0, None), (0.5, "of"), (1.0, "of")])
async def test_preflight_says_how_much_is_stored(
    tmp_path: Path, stores: float, words: str | None
) -> None:
    path = tmp_path / "a.memtui"
    experiment = tiny_experiment({"ladder": {"scales": [5]}}, memory=ListMemory(stores=stores))
    if words is None:
        with pytest.raises(UserError, match="0 of 6 sessions"):
            await run_experiment(experiment, path)
        assert rows(path, "SELECT state FROM run") == [("interrupted",)]
        return
    await run_experiment(experiment, path)
    level = rows(path, "SELECT level, text FROM event WHERE kind='preflight'")
    assert level == [
        ("info", "list: 6 of 6 sessions stored")
        if stores == 1
        else ("warning", "list: 3 of 6 sessions stored")
    ]


async def test_an_empty_memory_runs_when_it_is_wanted(tmp_path: Path) -> None:
    experiment = tiny_experiment(
        {"alarm": {"allow_empty_memory": True}}, memory=ListMemory(stores=0.0)
    )
    result = await run_experiment(experiment, tmp_path / "a.memtui")
    assert result.state is RunState.FINISHED


async def test_trivial_recall_is_named_per_scale(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    await run_experiment(tiny_experiment(), path)
    warned = log(path, "trivial_recall")
    assert [text.split(":")[0] for text in warned] == ["scale 0", "scale 5"]


async def test_an_abnormal_mix_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    experiment = tiny_experiment(
        {"alarm": {"minimum": 10, "allow_empty_memory": True}}, memory=ListMemory(stores=0.0)
    )
    await run_experiment(experiment, path)
    assert log(path, "abnormal_mix") == [
        "all arms: 10 of 10 answerable episodes abstained although the question has an answer",
        "list/searcher: 10 of 10 answerable episodes abstained although the question has an answer",
    ]


async def test_a_normal_mix_is_not_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    await run_experiment(tiny_experiment({"alarm": {"minimum": 10}}), path)
    assert log(path, "abnormal_mix") == []


async def test_what_the_user_must_put_right_ends_the_run_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    broken = Searcher(fail=[UserError("no key for this model")])
    with pytest.raises(UserError, match="no key"):
        await run_experiment(tiny_experiment(agent=broken), path)
    assert rows(path, "SELECT state, note FROM run") == [("interrupted", "no key for this model")]
    assert rows(path, "SELECT count(*) FROM episode WHERE done=0") == [(0,)]


async def test_a_memory_that_crashes_does_not_end_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    memory = ListMemory(open_error=RuntimeError("index gone"))
    result = await run_experiment(tiny_experiment(memory=memory), path)
    assert result.ends == {"memory_error": 18}
    assert result.state is RunState.FINISHED


async def test_a_full_disk_ends_the_run_and_keeps_what_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    from memtui.store.transaction import Transactions

    write = Transactions.write
    finished = "SELECT count(*) FROM episode WHERE done=1"

    def full(self: Transactions, batch: Any) -> None:
        # Told by what is in the file: how events fall into transactions depends on the machine.
        if rows(path, finished) != [(0,)]:
            raise OSError(28, "No space left on device")
        write(self, batch)

    monkeypatch.setattr(Transactions, "write", full)
    with pytest.raises(StoreError, match="No space left") as failed:
        await run_experiment(tiny_experiment(agent=Searcher(pause=0.01)), path)
    assert failed.value.exit_code == 3
    monkeypatch.undo()
    done = rows(path, finished)[0][0]
    assert 0 < done < 18
    result = await run_experiment(tiny_experiment(), path)
    assert (result.state, result.done_now) == (RunState.FINISHED, 18 - done)


async def test_unknown_verdicts_do_not_stop_a_run(tmp_path: Path) -> None:
    judge = ScriptedJudge(error=ProviderError("429"))
    result = await run_experiment(tiny_experiment(judge=judge), tmp_path / "a.memtui")
    assert result.ends == {"answered": 18}


async def test_nothing_that_leaves_the_scorer_names_gold(tmp_path: Path) -> None:
    memory, agent = ListMemory(), Searcher(2)
    await run_experiment(tiny_experiment(memory=memory, agent=agent), tmp_path / "a.memtui")
    handed = repr((memory.seen, agent.seen))
    for canary in ("answer_", "_abs", "has_answer", "'q1'", "evidence", "gold"):
        assert canary not in handed, canary


async def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    first = asyncio.create_task(run_experiment(tiny_experiment(agent=Searcher(pause=0.1)), path))
    await asyncio.sleep(0.1)
    with pytest.raises(UserError, match="being written") as refused:
        await run_experiment(tiny_experiment(), path)
    assert refused.value.exit_code == 2
    assert (await first).state is RunState.FINISHED
