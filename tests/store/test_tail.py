"""Following a live file: changes are told once, nothing is held, the log stays short."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from memtui.store.errors import StoreError
from memtui.store.events import HeartbeatEvent, LogEvent, RunStateEvent
from memtui.store.log_size import LogWatch
from memtui.store.reader import open_run
from memtui.store.tail import Tail
from memtui.store.writer import RunWriter
from tests.store import store_events as make


@pytest.fixture
def live(tmp_path: Path) -> RunWriter:
    writer = RunWriter(tmp_path / "a.memtui").start()
    for event in make.opening():
        writer.put(event)
    writer.commit_sync()
    return writer


def test_each_change_is_told_once(live: RunWriter) -> None:
    tail = Tail(live.path)
    assert tail.poll() is None
    live.put(make.started("e1"))
    live.commit_sync()
    found = tail.poll()
    assert found is not None
    assert (found.episodes, found.stepped, found.declared) == ((1,), (), True)  # a new cell
    assert tail.poll() is None
    live.put(make.step("e1", 1))
    live.put(make.step("e1", 2))
    live.commit_sync()
    found = tail.poll()
    assert found is not None
    assert (found.episodes, found.stepped) == ((), (1,))
    live.put(make.verdict("e1"))
    live.put(make.finished("e1"))
    live.put(LogEvent(make.AT, "info", "note", "hello"))
    live.put(HeartbeatEvent(make.AT, 1, "host", {}))
    live.commit_sync()
    found = tail.poll()
    assert found is not None
    assert (found.episodes, found.judged, found.stepped) == ((1,), (1,), ())
    assert (found.events, found.heartbeat, found.run) == (True, True, False)
    assert not found.ended
    tail.close()
    live.close_sync()


def test_starting_on_a_large_file_tells_nothing_old(live: RunWriter) -> None:
    for n in range(50):
        for event in make.whole_episode(f"e{n}", make.episode_id(repeat=n)):
            live.put(event)
    live.commit_sync()
    tail = Tail(live.path)
    assert tail.poll() is None
    tail.close()
    live.close_sync()


def test_a_lost_count_is_a_change(live: RunWriter) -> None:
    for event in make.whole_episode("e1"):
        live.put(event)
    live.commit_sync()
    tail = Tail(live.path)
    for event in make.whole_episode("e2", make.episode_id(attempt=2)):
        live.put(event)
    live.commit_sync()
    found = tail.poll()
    assert found is not None
    assert sorted(found.episodes) == [1, 2]
    tail.close()
    live.close_sync()


def test_the_end_of_a_run_lets_the_writer_leave_wal_mode(live: RunWriter) -> None:
    reader = open_run(live.path)
    tail = Tail(live.path, readers=(reader,))
    live.put(RunStateEvent("finished", make.AT))
    live.commit_sync()
    found = tail.poll()
    assert found is not None
    assert found.ended
    live.close_sync()
    assert [p.name for p in live.path.parent.iterdir()] == ["a.memtui"]
    assert tail.poll() is None
    assert reader.run().state == "finished"  # opens again by itself
    reader.close()
    again = RunWriter(live.path).start()
    again.put(make.run())  # a resume
    for event in make.whole_episode("e1"):
        again.put(event)
    again.commit_sync()
    found = tail.poll()
    assert found is not None
    assert found.episodes == (1,)
    tail.close()
    again.close_sync()


def test_a_viewer_that_does_not_let_go_leaves_a_whole_file(live: RunWriter) -> None:
    stubborn = open_run(live.path)
    for event in make.whole_episode("e1"):
        live.put(event)
    live.close_sync()
    data = live.path.read_bytes()  # the log is folded in: the file alone is the run
    stubborn.close()
    copy = live.path.with_name("copy.memtui")
    copy.write_bytes(data)
    with open_run(copy) as reader:
        assert reader.progress().done == 1


def test_a_removed_and_a_replaced_file_are_noticed(live: RunWriter) -> None:
    path = live.path
    live.close_sync()
    tail = Tail(path)
    path.unlink()
    found = tail.poll()
    assert found is not None
    assert found.gone
    assert tail.poll() is None
    path.write_bytes(b"")  # a new run begins: not a run file yet
    assert tail.poll() is None
    path.unlink()
    make.write(path, *make.opening(uid="run-2"), *make.whole_episode("e1"))
    found = tail.poll()
    assert found is not None
    assert found.replaced
    assert found.episodes == (1,)
    tail.close()


@pytest.mark.parametrize("other", ["another run", "an older copy"])
def test_what_was_copied_over_a_file_is_another(live: RunWriter, other: str) -> None:
    """`cp` writes into the file that is there: to the system it stays the same one."""
    path, second = live.path, live.path.with_name("second.memtui")
    uid = {"uid": "run-2"} if other == "another run" else {}
    make.write(second, *make.opening(**uid), RunStateEvent("interrupted", make.AT))
    for event in [*make.whole_episode("e1"), RunStateEvent("finished", make.AT)]:
        live.put(event)
    live.close_sync()
    tail = Tail(path)
    inode = path.stat().st_ino
    path.write_bytes(second.read_bytes())
    assert path.stat().st_ino == inode
    found = tail.poll()
    assert found is not None and found.replaced
    assert tail.poll() is None
    tail.close()


def test_a_file_that_was_emptied_is_no_new_one(live: RunWriter) -> None:
    path = live.path
    live.put(RunStateEvent("finished", make.AT))
    live.close_sync()
    tail = Tail(path)
    os.truncate(path, 0)
    with pytest.raises(StoreError, match="is empty"):
        tail.poll()
    tail.close()


def test_a_deleted_file_that_is_there_again_between_two_polls(live: RunWriter) -> None:
    path = live.path
    tail = Tail(path)
    live.close_sync()
    path.rename(path.with_name("old.memtui"))
    make.write(path, *make.opening(uid="run-2"))
    found = tail.poll()
    assert found is not None
    assert found.replaced
    tail.close()


def test_an_idle_poll_asks_one_pragma(live: RunWriter) -> None:
    tail = Tail(live.path)
    tail.poll()
    asked: list[str] = []
    assert tail._connection is not None
    tail._connection.set_trace_callback(asked.append)
    for _ in range(100):
        assert tail.poll() is None
    assert set(asked) == {"PRAGMA data_version"}
    tail.close()
    live.close_sync()


def test_the_log_stays_bounded_while_a_reader_polls(live: RunWriter) -> None:
    path = live.path
    log = path.with_name("a.memtui-wal")
    live.put(make.started("e1"))

    def produce() -> None:
        for n in range(4000):
            live.put(make.step("e1", n, text="x" * 3000))
            if n % 20 == 0:
                time.sleep(0.005)

    thread = threading.Thread(target=produce)
    thread.start()
    tail, reader = Tail(path), open_run(path)
    largest = polled = changed = 0
    while polled < 200 or thread.is_alive():
        polled += 1
        if tail.poll() is not None:
            changed += 1
            reader.episode_facts("rules")
            reader.episode_rows(reader.episode_ids())
        largest = max(largest, log.stat().st_size)
        time.sleep(0.005)
    thread.join()
    live.commit_sync()
    steps = reader.query("SELECT count(*) FROM step")[0][0]
    tail.close()
    reader.close()
    live.close_sync()
    assert steps == 4000
    assert changed > 10
    assert path.stat().st_size > 12_000_000
    assert largest < 8_000_000


def test_a_pinned_log_is_said_in_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=wal")
        connection.execute("CREATE TABLE filler(x)")
        with closing(sqlite3.connect(path, isolation_level=None)) as pinning:
            pinning.execute("BEGIN")
            pinning.execute("SELECT count(*) FROM run").fetchone()
            watch = LogWatch(connection, path, limit=100_000, every=0.0)
            for _ in range(3):
                connection.execute("INSERT INTO filler VALUES(zeroblob(150000))")
                watch.after_commit()
            texts = connection.execute("SELECT text FROM event WHERE kind='log_size'").fetchall()
            assert 1 <= len(texts) <= 2  # once per doubling
            pinning.execute("COMMIT")
        watch.after_commit()
        assert watch.size() == 0
