"""The writer killed with SIGKILL at random points under load: the file is whole, nothing acknowledged is lost."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from memtui.store.check import check_file
from memtui.store.reader import open_run
from tests.store import store_events as make

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20


@pytest.mark.slow
def test_killed_twenty_times_under_load(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    rng = random.Random(5)
    acknowledged: set[str] = set()
    for round_ in range(KILLS):
        worker = subprocess.Popen(
            [sys.executable, "-m", "tests.store.kill_writer", str(path), str(round_)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.0, 0.25))
        worker.kill()
        worker.wait()
        # A line that was cut short was written after its commit all the same, but is not whole.
        acknowledged.update(line for line in worker.stdout if line.endswith("\n"))
        worker.stdout.close()
    acknowledged = {line.strip() for line in acknowledged}
    assert len(acknowledged) > KILLS
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with open_run(path) as reader:
        rows = reader.query("SELECT uid FROM episode WHERE counts=1 AND done=1")
        stored = {r[0] for r in rows}
        assert acknowledged <= stored
        assert reader.query(
            "SELECT count(*) FROM episode e WHERE counts=1 AND"
            " (SELECT count(*) FROM step WHERE episode_id=e.id)<>5"
        ) == [(0,)]
    # Only the last kill left attempts open; each start closed those of the one before.
    assert {p.kind for p in check_file(path)} <= {"unfinished_attempt", "interrupted"}
    make.write(path, make.run(planned=1_000_000))
    with open_run(path) as reader:
        assert reader.progress().running == 0
