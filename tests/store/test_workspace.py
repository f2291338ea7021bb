"""The files of a folder: read again only when they changed, in the state that lease and clock prove."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.store import lease
from memtui.store.reader import RunReader
from memtui.store.workspace import RunFolder, summarise
from tests.store import store_events as make

HOLDER = """
import sys, time
from pathlib import Path
from memtui.store import lease
held = lease.acquire(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def written(path: Path, *statements: str, old: bool = True) -> Path:
    """A finished run with something done to it; `old`: long enough ago for its times to say something."""
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    if old:
        age(path)
    return path


def age(path: Path) -> None:
    os.utime(path, (time.time() - 100, time.time() - 100))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are opened."""
    names: list[str] = []
    plain = RunReader._open

    def counted(self: RunReader) -> sqlite3.Connection:
        names.append(self.path.name)
        return plain(self)

    monkeypatch.setattr(RunReader, "_open", counted)
    return names


def test_a_file_is_opened_again_only_when_it_changed(tmp_path: Path, opened: list[str]) -> None:
    a, b = written(tmp_path / "a.memtui"), written(tmp_path / "b.memtui")
    (tmp_path / "bad.memtui").write_text("no database, but long enough to be one" * 9)
    age(tmp_path / "bad.memtui")
    folder = RunFolder(tmp_path)
    assert [run.path.name for run in folder.look()][-1] == "bad.memtui"
    assert sorted(opened) == ["a.memtui", "b.memtui", "bad.memtui"]
    opened.clear()
    assert len(folder.look()) == 3 and opened == []
    with closing(sqlite3.connect(b)) as connection, connection:
        connection.execute("UPDATE run SET name='other'")
    assert {run.path: run.name for run in folder.look()}[b] == "other"
    assert opened == ["b.memtui"]
    a.unlink()
    assert len(folder.look()) == 2


def test_a_file_written_to_just_now_is_not_trusted(tmp_path: Path, opened: list[str]) -> None:
    written(tmp_path / "a.memtui", old=False)
    folder = RunFolder(tmp_path)
    folder.look()
    folder.look()
    assert opened == ["a.memtui"] * 2


def test_what_lies_in_the_log_of_a_run_that_is_written_is_seen(tmp_path: Path) -> None:
    path = written(tmp_path / "a.memtui")
    folder = RunFolder(tmp_path)
    assert folder.look()[0].name != "in the log"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        age(path)
        folder.look()
        connection.execute("UPDATE run SET name='in the log'")
        connection.commit()
        assert folder.look()[0].name == "in the log"


@pytest.mark.parametrize(
    ("held", "silent", "state"),
    [
        (True, 0, "running"),
        (True, 3600, "running"),
        (False, 0, "running"),  # it may be driven from another machine
        (False, 3600, "interrupted"),
    ],
)
def test_a_run_is_believed_while_its_lease_is_held_or_its_beat_is_fresh(
    held: bool, silent: int, state: str, tmp_path: Path
) -> None:
    at = datetime.now(UTC) - timedelta(seconds=silent)
    beat = f"INSERT OR REPLACE INTO heartbeat VALUES (1,'{at.isoformat()}',1,'h','{{}}')"
    path = written(tmp_path / "a.memtui", "UPDATE run SET state='running'", beat)
    folder = RunFolder(tmp_path)
    lock = lease.acquire(path) if held else None
    for _ in range(2):  # read, and from memory
        run = folder.look()[0]
        assert run.state == state and run.said == "running"
        assert run.heartbeat_age is not None and abs(run.heartbeat_age - silent) < 60
    if lock is not None:
        lock.release()
        assert folder.look()[0].state == ("interrupted" if silent else "running")


@pytest.mark.parametrize(
    ("statement", "trouble"),
    [
        ("DELETE FROM run", "empty"),
        ("PRAGMA application_id=7", "no run file"),
        ("UPDATE run SET created_at=x'ff00'", "damaged"),
        ("UPDATE run SET config='{'", "damaged"),
        ("UPDATE run SET dataset='[]'", "damaged"),
    ],
)
def test_one_broken_file_says_why_and_hides_no_other(
    statement: str, trouble: str, tmp_path: Path
) -> None:
    written(tmp_path / "good.memtui")
    bad = written(tmp_path / "bad.memtui", statement)
    runs = RunFolder(tmp_path).look()
    assert [run.path.name for run in runs] == ["good.memtui", "bad.memtui"]
    assert runs[1].state == "unusable" and runs[1].trouble == trouble
    assert runs[1].problem and str(bad) not in runs[1].problem


def test_troubles_of_files_that_are_no_database(tmp_path: Path) -> None:
    cut = written(tmp_path / "cut.memtui")
    cut.write_bytes(cut.read_bytes()[:9_000])
    (tmp_path / "empty.memtui").touch()
    (tmp_path / "prose.memtui").write_text("episodes: none, this is prose\n" * 100)
    found = {run.path.stem: run.trouble for run in RunFolder(tmp_path).look()}
    assert found == {"cut": "damaged", "empty": "empty", "prose": "no run file"}
    assert summarise(tmp_path / "gone.memtui").trouble == "unreadable"


def test_a_file_that_may_be_read_again_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.memtui")
    with monkeypatch.context() as patched:
        patched.setattr("memtui.store.connect.os.access", lambda *_: False)
        found = summarise(path)
        assert found.trouble == "unreadable" and found.stamp == ()
    assert summarise(path).state != "unusable"


def test_a_newer_version_that_lacks_what_is_needed_is_named_so(tmp_path: Path) -> None:
    path = written(tmp_path / "a.memtui", "PRAGMA user_version=99")
    assert "newer memtui" in summarise(path).warning and not summarise(path).trouble
    assert summarise(path).newer
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE run RENAME COLUMN judge TO judges")
    assert summarise(path).trouble == "newer version" and summarise(path).newer


def test_the_kernel_says_who_holds_a_lease(tmp_path: Path) -> None:
    path = written(tmp_path / "a.memtui")
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        owner = lease.owner(path)
        assert owner == (process.pid, socket.gethostname())
        assert lease.holder(path) == f"process {process.pid} on {socket.gethostname()}"
        if Path("/proc/locks").exists():
            assert lease.holds(path, process.pid) is True
            assert lease.holds(path, os.getpid()) is False
        assert lease.holds(path, process.pid, tmp_path / "no such list") is None
        process.kill()
    assert lease.owner(path) is None and lease.holder(path) is None


def test_a_copy_in_a_folder_of_copies_is_a_run_of_its_own(tmp_path: Path) -> None:
    first = written(tmp_path / "a.memtui")
    shutil.copy(first, tmp_path / "b.memtui")
    age(tmp_path / "b.memtui")
    assert [run.uid for run in RunFolder(tmp_path).look()] == [summarise(first).uid] * 2
