"""The writer: what it stores, what it refuses, and that nothing is lost silently."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from memtui.model import EndReason, Hit, Label
from memtui.store.errors import StoreError
from memtui.store.events import Event, ItemEvent, RunStateEvent
from memtui.store.reader import open_run
from memtui.store.writer import RunWriter
from tests.store import store_events as make


async def test_an_episode_comes_back_as_it_was_told(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as sink:
        for event in [*make.opening(), *make.whole_episode("e1")]:
            await sink.emit(event)
        await sink.commit()
        with open_run(path) as reader:  # while it is being written
            (fact,) = reader.episode_facts("rules")
            assert (fact.done, fact.label, fact.requested, fact.t_star) == (1, "right", 1, 1)
            detail = reader.episode(fact.id)
            assert detail is not None
            assert detail.row.answer == "in May"
            assert detail.row.end_reason == EndReason.ANSWERED
            assert detail.haystack is not None
            assert detail.haystack.n_sessions == 1
            assert detail.item.evidence[0].session == make.TOKEN
            (step,) = reader.steps(fact.id)
            assert step.hits == (Hit(make.TOKEN, 1.5, first=0, last=0),)
            assert step.gold_ranks == ((f"{make.TOKEN}:0", 1),)
            assert step.usage is None
            assert detail.usage is not None
            assert detail.usage.prompt is None  # unknown, not 0


def test_a_clean_close_leaves_one_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    assert [p.name for p in tmp_path.iterdir()] == ["a.memtui"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


async def test_who_asks_for_a_commit_while_the_file_closes_is_refused_and_not_left_waiting(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in make.opening():
        await writer.emit(event)
    await writer.commit()
    with closing(sqlite3.connect(path, isolation_level=None)) as viewer:
        viewer.execute("BEGIN")
        # A viewer that holds the log makes closing take a while.
        viewer.execute("SELECT count(*) FROM run").fetchone()
        closes = asyncio.create_task(writer.close())
        await asyncio.sleep(0)
        with pytest.raises(StoreError, match="not open for writing"):
            await asyncio.wait_for(writer.commit(), 10)
        await closes


def test_the_seed_of_a_ladder_makes_no_cell_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    first, second = make.episode_id(seed=1), make.episode_id(seed=2)
    make.write(
        path, *make.opening(), *make.whole_episode("e1", first), *make.whole_episode("e2", second)
    )
    with open_run(path) as reader:
        assert [c.conditions for c in reader.cells()] == ["scale=100"]
        assert len(reader.episode_facts("rules")) == 2


def test_a_later_attempt_takes_over_the_count(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    again = make.episode_id(attempt=2)
    # All in one batch: the flips must not overtake each other.
    make.write(path, *make.opening(), *make.whole_episode("e1"), *make.whole_episode("e2", again))
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("rules")
        assert fact.attempt == 2
        assert reader.progress().attempts == 2
        detail = reader.episode(fact.id)
        assert detail is not None
        assert len(detail.attempts) == 2
        assert reader.dropped_since(0) == [detail.attempts[0]]


def test_an_attempt_that_does_not_count_leaves_the_count_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    again = make.episode_id(attempt=2)
    cancelled = make.finished("e2", again, end_reason=EndReason.CANCELLED, counts=False)
    make.write(
        path, *make.opening(), *make.whole_episode("e1"), make.started("e2", again), cancelled
    )
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("rules")
        assert fact.attempt == 1


def test_order_is_by_seq_whatever_the_clock_says(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    times = ["2026-01-02T03:04:09+00:00", "2026-01-02T03:04:05+02:00", make.AT, make.AT]
    steps = [make.step("e1", n, at=at) for n, at in enumerate(times)]
    make.write(path, *make.opening(), make.started("e1"), *reversed(steps))
    with open_run(path) as reader:
        stored = reader.steps(1)
        assert [s.seq for s in stored] == [0, 1, 2, 3]
        assert stored[1].at == "2026-01-02T01:04:05+00:00"  # in UTC


REFUSED: list[tuple[str, Event]] = [
    ("has no offset", make.step("e1", 7, at="2026-01-02T03:04:05")),
    ("not an ISO 8601 time", make.step("e1", 7, at="yesterday")),
    ("already written", make.step("e1", 1)),
    ("never started", make.step("nobody", 1)),
    ("out of range", make.step("e1", -1)),
    ("k_asked", make.step("e1", 8, k_asked=10**30)),
    ("cannot be stored", make.step("e1", 9, data={"what": object()})),
    ("cannot be stored", make.step("e1", 9, new_hits=object())),
    ("already started", make.started("e1")),
    ("attempt 1", make.started("e9")),
    ("undeclared item", make.started("e9", make.episode_id("q9"))),
    ("never started", make.verdict("nobody")),
    (f"is {make.ARM}", make.finished("e1", make.episode_id(repeat=5))),
    ("other content", ItemEvent(make.item(question="Another?"))),
    ("write other to another file", make.run("other")),
    ("another configuration", make.run(config_hash="beef")),
]


@pytest.mark.parametrize(("message", "event"), REFUSED)
async def test_a_bad_event_fails_at_its_emitter_and_nowhere_else(
    tmp_path: Path, message: str, event: Event
) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as sink:
        for good in [*make.opening(), make.started("e1"), make.step("e1", 1)]:
            await sink.emit(good)
        with pytest.raises(StoreError) as caught:
            await sink.emit(event)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_code == 3
        await sink.emit(make.step("e1", 2))  # the others go on
        await sink.commit()
    with open_run(path) as reader:
        assert [s.seq for s in reader.steps(1)] == [1, 2]


def test_a_resume_closes_what_a_killed_process_left_open(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(planned=2), make.started("e1"), make.step("e1", 1))
    writer = RunWriter(path).start()
    key = make.episode_id().key
    assert writer.run_uid == "run-1"
    assert writer.next_attempt(key) == 2
    for event in [*make.opening(planned=2), *make.whole_episode("e2", make.episode_id(attempt=2))]:
        writer.put(event)
    writer.close_sync()
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("rules")
        assert fact.attempt == 2
        half = reader.episode(1)
        assert half is not None
        assert (half.row.end_reason, half.row.counts, half.row.requested) == (
            "interrupted",
            False,
            1,
        )
        assert len(reader.steps(1)) == 1  # kept as evidence
        assert reader.counted() == {key: "answered"}


def test_judging_again_needs_no_run_event_and_changes_no_episode(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"), RunStateEvent("finished", make.AT))
    make.write(path, make.verdict("e1", Label.WRONG), make.verdict("e1", Label.UNKNOWN, "llm"))
    with open_run(path) as reader:
        assert reader.run().state == "finished"
        assert [f.label for f in reader.episode_facts("rules")] == ["wrong"]  # the latest holds
        assert [f.label for f in reader.episode_facts("llm")] == ["unknown"]
        assert [f.label for f in reader.episode_facts("nobody")] == [None]
        assert reader.judges() == ["llm", "rules"]
        detail = reader.episode(1)
        assert detail is not None
        assert [v.label for v in detail.verdicts] == ["right", "wrong", "unknown"]


def test_the_first_event_of_a_new_file_is_its_run(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "a.memtui").start()
    with pytest.raises(StoreError, match="RunEvent"):
        writer.put(make.started("e1"))
    writer.close_sync()


def test_a_broken_file_is_loud_and_keeps_what_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in [*make.opening(), make.started("e1")]:
        writer.put(event)
    writer.commit_sync()
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE message")
        other.commit()
    writer.put(make.step("e1", 1, messages=({"role": "user"},)))
    with pytest.raises(StoreError, match="can no longer be written"):
        writer.commit_sync()
    with pytest.raises(StoreError, match="can no longer be written"):
        writer.put(make.step("e1", 2))
    with pytest.raises(StoreError, match="can no longer be written"):
        writer.close_sync()
    assert not (tmp_path / "a.memtui.lock").exists()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM episode").fetchone()[0] == 1


def test_a_full_disk_is_loud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path)
    opened = writer._open

    def small() -> sqlite3.Connection:
        connection = opened()
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 20}")
        return connection

    monkeypatch.setattr(writer, "_open", small)
    writer.start()
    for event in [*make.opening(), *make.whole_episode("e1")]:
        writer.put(event)
    writer.commit_sync()
    writer.put(make.started("e2", make.episode_id(repeat=1)))
    writer.put(make.step("e2", 1, text="x" * 1_000_000))
    with pytest.raises(StoreError, match="full"):
        writer.commit_sync()
    with pytest.raises(StoreError, match="full"):
        writer.close_sync()
    with open_run(path) as reader:
        assert reader.progress().done == 1


async def test_a_full_queue_makes_emitters_wait(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path, queue_size=50) as sink:
        for event in [*make.opening(), make.started("e1")]:
            await sink.emit(event)
        longest = 0
        for n in range(2000):
            await sink.emit(make.step("e1", n))
            longest = max(longest, sink._queue.qsize())
        await sink.commit()
    assert longest <= 50
    with open_run(path) as reader:
        assert len(reader.steps(1)) == 2000


async def test_many_tasks_commit_together(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"

    async def one(sink: RunWriter, n: int) -> None:
        for event in make.whole_episode(f"e{n}", make.episode_id(repeat=n)):
            await sink.emit(event)
        await sink.commit()

    async with RunWriter(path) as sink:
        for event in make.opening():
            await sink.emit(event)
        await asyncio.gather(*[one(sink, n) for n in range(200)])
        with open_run(path) as reader:
            assert reader.progress().done == 200
            assert reader.rev() < 100  # far fewer transactions than commits


def test_threads_may_share_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in make.opening():
        writer.put(event)

    def one(n: int) -> None:
        for event in make.whole_episode(f"e{n}", make.episode_id(repeat=n)):
            writer.put(event)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close_sync()
    with open_run(path) as reader:
        assert reader.progress().done == 16


def test_rev_grows_with_every_transaction(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in make.opening():
        writer.put(event)
    writer.commit_sync()
    revs = []
    with open_run(path) as reader:
        for n in range(3):
            for event in make.whole_episode(f"e{n}", make.episode_id(repeat=n)):
                writer.put(event)
            writer.commit_sync()
            revs.append(reader.rev())
        assert revs == sorted(set(revs))
        changed = reader.episode_facts("rules", since_rev=revs[1])
        assert [f.repeat for f in changed] == [2]
    writer.close_sync()


async def test_nothing_is_taken_after_the_close(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "a.memtui")
    with pytest.raises(StoreError, match="not open"):
        await writer.emit(make.run())
    async with writer:
        for event in make.opening():
            await writer.emit(event)
    with pytest.raises(StoreError, match="not open"):
        await writer.emit(make.started("e1"))
    with pytest.raises(StoreError, match="not open"):
        await writer.commit()
    async with writer:  # opens again
        await writer.emit(make.started("e1"))
    with open_run(writer.path) as reader:
        assert reader.progress().running == 1
