"""A run that is killed, stopped or interrupted at any point loses nothing it acknowledged."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.engine.kill_target import ITEMS
from tests.engine.tiny import rows

REPOSITORY = Path(__file__).resolve().parents[2]
PLANNED = ITEMS * 2


class Target:
    """The other process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, command: str) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@contextmanager
def target(run_file: Path, log: Path, pause: float) -> Iterator[Target]:
    command = [sys.executable, "-m", "tests.engine.kill_target"]
    process = subprocess.Popen(
        [*command, str(run_file), str(log), str(pause)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )
    try:
        yield Target(process)
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def entries(log: Path) -> list[list[str]]:
    return [line.split(" ", 2) for line in log.read_text().splitlines()] if log.exists() else []


def check_after_kill(run_file: Path, log: Path) -> int:
    """Integrity, and every acknowledged attempt is in the file; returns how many are."""
    if not run_file.exists() or run_file.stat().st_size == 0:
        assert not any(kind == "ack" for kind, *_ in entries(log))
        return 0
    with closing(sqlite3.connect(run_file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name='episode'").fetchone():
            assert not any(kind == "ack" for kind, *_ in entries(log))
            return 0
        found = dict(connection.execute("SELECT uid, done FROM episode").fetchall())
    acknowledged = [uid for kind, uid, _ in entries(log) if kind == "ack"]
    assert [uid for uid in acknowledged if found.get(uid) != 1] == []
    return len(acknowledged)


def counts(run_file: Path) -> list[object]:
    """What a report is made of, by cell."""
    return rows(
        run_file,
        "SELECT c.conditions, e.end_reason, e.requested, e.t_star, v.label, count(*) FROM episode e"
        " JOIN cell c ON c.id=e.cell_id LEFT JOIN verdict v ON v.episode_id=e.id"
        " WHERE e.counts=1 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5",
    )


@pytest.mark.slow
def test_killed_twenty_times_and_continued(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"kill points drawn with seed {seed}")  # noqa: T201 - shown when the test fails
    draw = random.Random(seed)
    whole, run_file, log = tmp_path / "whole.memtui", tmp_path / "a.memtui", tmp_path / "log"
    with target(whole, tmp_path / "other", 0.0) as other:
        other.ask("run")
        assert other.ask("wait") == 0
    with target(run_file, log, 0.02) as killed:
        acknowledged = 0
        for _ in range(20):
            before = acknowledged
            pid = killed.ask("run")
            # Some before the file is there, some while it is resumed, most in the middle of episodes.
            time.sleep(draw.choice([0.01, 0.05, 0.1, 0.2]) * draw.random() * 3)
            os.kill(pid, signal.SIGKILL)
            assert killed.ask("wait") in (-signal.SIGKILL, 0)
            acknowledged = check_after_kill(run_file, log)
            assert acknowledged >= before
            print(acknowledged, "acknowledged")  # noqa: T201 - as above
        killed.ask("run")
        assert killed.ask("wait") == 0
    check_after_kill(run_file, log)
    assert counts(run_file) == counts(whole)
    assert rows(run_file, "SELECT count(*) FROM episode WHERE counts=1") == [(PLANNED,)]
    assert rows(run_file, "SELECT count(*) FROM episode WHERE done=0") == [(0,)]
    assert rows(run_file, "SELECT state FROM run") == [("finished",)]
    lost = rows(run_file, "SELECT DISTINCT end_reason FROM episode WHERE counts=0")
    assert lost in ([], [("interrupted",)])
    finished: set[str] = set()
    for kind, _, key in entries(log):
        assert kind == "ack" or key not in finished, f"{key} ran again after it was acknowledged"
        if kind == "ack":
            finished.add(key)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_cleanly_and_running_again_continues(tmp_path: Path, number: int) -> None:
    run_file, log = tmp_path / "a.memtui", tmp_path / "log"
    with target(run_file, log, 0.05) as stopped:
        pid = stopped.ask("run")
        while not any(kind == "ack" for kind, *_ in entries(log)):
            time.sleep(0.02)
        os.kill(pid, number)
        assert stopped.ask("wait") == 130
        assert rows(run_file, "SELECT state FROM run") == [("interrupted",)]
        assert rows(run_file, "SELECT count(*) FROM episode WHERE done=0") == [(0,)]
        check_after_kill(run_file, log)


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    run_file, log = tmp_path / "a.memtui", tmp_path / "log"
    with target(run_file, log, 60.0) as stopped:
        pid = stopped.ask("run")
        while len(entries(log)) < 3:
            time.sleep(0.02)
        os.kill(pid, signal.SIGINT)
        time.sleep(0.1)
        os.kill(pid, signal.SIGINT)
        assert stopped.ask("wait") == 130
    assert rows(run_file, "SELECT end_reason, count(*) FROM episode GROUP BY 1") == [
        ("cancelled", 3)
    ]
