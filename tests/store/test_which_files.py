"""Which files are opened, to read and to write, and what is said of the others."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.store import connect, lease, migrate
from memtui.store.errors import StoreError
from memtui.store.filesystem import filesystem_type
from memtui.store.reader import open_run
from memtui.store.schema import APPLICATION_ID, SCHEMA_VERSION
from memtui.store.writer import RunWriter
from tests.store import store_events as make


def alter(path: Path, *statements: str) -> Path:
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def newer(path: Path) -> Path:
    return alter(path, f"PRAGMA user_version={SCHEMA_VERSION + 1}")


def without_version(path: Path) -> Path:
    return alter(path, "PRAGMA user_version=0")


def of_another_program(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE moz_places(id INTEGER)")
        connection.execute("PRAGMA application_id=252006")
        connection.commit()
    return path


def text(path: Path) -> Path:
    path.write_text("episodes: none, this is prose\n" * 100, encoding="utf-8")
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@pytest.mark.parametrize(
    ("build", "reading", "writing"),
    [
        (newer, "", "newer memtui"),
        (without_version, "another program", "another program"),
        (of_another_program, "another program", "another program"),
        (text, "not an SQLite file", "not an SQLite file"),
        (folder, "is a folder", "is a folder"),
    ],
)
def test_refused_in_one_line_with_the_bytes_untouched(
    tmp_path: Path, build: Callable[[Path], Path], reading: str, writing: str
) -> None:
    path = build(tmp_path / "a.memtui")
    before = digest(path)
    if reading:
        with pytest.raises(StoreError, match=reading) as caught:
            open_run(path)
        assert caught.value.exit_code == 3
        assert "\n" not in str(caught.value)
    with pytest.raises(StoreError, match=writing) as caught:
        RunWriter(path).start()
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)
    assert digest(path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.memtui"]


def test_a_newer_file_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    path = newer(tmp_path / "a.memtui")
    with open_run(path) as reader:
        assert "newer memtui" in reader.warning
        assert reader.progress().done == 1
    other = alter(tmp_path / "b.memtui", "PRAGMA user_version=99", "DROP TABLE run")
    with pytest.raises(StoreError, match=r"newer memtui.*lacks"):
        open_run(other)


def test_missing_and_empty_files(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no run file"):
        open_run(tmp_path / "nothing.memtui")
    empty = tmp_path / "empty.memtui"
    empty.touch()
    with pytest.raises(StoreError, match="is empty"):
        open_run(empty)
    make.write(empty, *make.opening())  # nothing is lost by writing to it
    with open_run(empty) as reader:
        assert reader.run().uid == "run-1"


def test_a_file_without_its_run_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path)
    with pytest.raises(StoreError, match="holds no run yet"):
        open_run(path)


def test_an_older_file_is_migrated_after_a_backup(tmp_path: Path) -> None:
    path = alter(tmp_path / "a.memtui", "PRAGMA user_version=1")
    before = digest(path)

    def add_column(database: object) -> None:
        database["run"].add_column("motto", str)  # type: ignore[index]  # an sqlite_utils.Database

    def rewrite(database: object) -> None:
        database["item"].transform(rename={"gold_raw": "gold_source"})  # type: ignore[index]  # as above

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found = connect.identity(connection)
        steps = {1: add_column, 2: rewrite}
        backup = migrate.prepare(connection, path, found, migrations=steps, version=3)
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 3
        assert connection.execute("SELECT motto FROM run").fetchone() == (None,)
        assert connection.execute("SELECT gold_source FROM item").fetchone() == ('"in May"',)
    assert backup is not None
    assert backup.name == "a.memtui.v1.bak"
    with open_run(backup) as reader:
        assert reader.progress().done == 1
    assert digest(path) != before


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = alter(tmp_path / "a.memtui")

    def half(database: object) -> None:
        database["run"].add_column("motto", str)  # type: ignore[index]  # an sqlite_utils.Database
        raise RuntimeError("no")

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        found = connect.identity(connection)
        with pytest.raises(StoreError, match="it is unchanged"):
            migrate.prepare(connection, path, found, migrations={1: half}, version=2)
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
    with open_run(path) as reader:
        assert reader.progress().done == 1
        assert not reader.query("SELECT 1 FROM pragma_table_info('run') WHERE name='motto'")


def test_the_header_says_whose_file_it_is(tmp_path: Path) -> None:
    path = alter(tmp_path / "a.memtui")
    with closing(sqlite3.connect(path)) as connection:
        found = connect.identity(connection)
    assert found.application_id == APPLICATION_ID
    assert found.version == SCHEMA_VERSION


# -- where it lies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("durable", "level"), [(False, 1), (True, 2)])
def test_durable_waits_for_the_disk(tmp_path: Path, durable: bool, level: int) -> None:
    writer = RunWriter(tmp_path / "a.memtui", durable=durable)
    with closing(writer._open()) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == level
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.memtui"
    with pytest.raises(StoreError, match=f"network file system .{kind}.") as caught:
        RunWriter(path, filesystem=lambda _: kind).start()
    assert caught.value.exit_code == 3
    assert list(tmp_path.iterdir()) == []


def test_a_network_file_system_is_written_without_a_log_when_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    monkeypatch.setenv("MEMTUI_ALLOW_NETWORK_FS", "1")
    writer = RunWriter(path, filesystem=lambda _: "nfs4").start()
    for event in make.opening():
        writer.put(event)
    writer.commit_sync()
    assert not path.with_name("a.memtui-wal").exists()
    with open_run(path) as reader:
        assert reader.query("PRAGMA journal_mode") == [("delete",)]
    writer.close_sync()


def test_the_answer_of_the_journal_pragma_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
            return super().execute(sql.replace("journal_mode=wal", "journal_mode"), *args)  # type: ignore[arg-type]  # passed on

    real = sqlite3.connect

    def stubborn(*args: object, **options: object) -> sqlite3.Connection:
        return real(*args, factory=Stubborn, **options)  # type: ignore[call-overload, no-any-return]  # passed on

    monkeypatch.setattr("memtui.store.writer.sqlite3.connect", stubborn)
    with pytest.raises(StoreError, match="no write-ahead log"):
        RunWriter(tmp_path / "a.memtui").start()


def test_mount_points_are_matched_by_the_longest_prefix(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/a / ext4 rw 0 0\nserver:/x /mnt/with\\040space nfs4 rw 0 0\n/dev/b /mnt xfs rw 0 0\n"
    )
    assert filesystem_type(Path("/mnt/with space/runs/a"), mounts) == "nfs4"
    assert filesystem_type(Path("/mnt/with"), mounts) == "xfs"
    assert filesystem_type(Path("/home"), mounts) == "ext4"
    assert filesystem_type(Path("/home"), tmp_path / "absent") is None


# -- one writer ------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_with_exit_code_2(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    first = RunWriter(path).start()
    with pytest.raises(UserError, match=f"being written by process {os.getpid()}") as caught:
        RunWriter(path).start()
    assert caught.value.exit_code == 2
    script = (
        "import sys; from pathlib import Path\n"
        "from memtui.errors import UserError\nfrom memtui.store.writer import RunWriter\n"
        "try:\n    RunWriter(Path(sys.argv[1])).start()\n"
        "except UserError as error:\n    print(error); sys.exit(error.exit_code)\n"
    )
    other = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert other.returncode == 2, other.stderr
    assert other.stdout.count("\n") == 1
    first.close_sync()
    RunWriter(path).start().close_sync()  # free again


def test_a_look_at_the_lease_does_not_take_it(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    assert lease.holder(path) is None
    writer = RunWriter(path).start()
    holder = lease.holder(path)
    assert holder is not None
    assert str(os.getpid()) in holder
    writer.close_sync()
    assert lease.holder(path) is None
    lease.lock_path(path).write_text("12345 gone\n")  # left behind by a killed process
    assert lease.holder(path) is None
    RunWriter(path).start().close_sync()


# -- folders that cannot be written ------------------------------------------------------------------


READ = """
import os, sys
from memtui.errors import UserError
from memtui.store.reader import open_run
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    print(open_run(sys.argv[1]).progress().done)
except UserError as error:
    print(error)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize("live", [False, True])
def test_a_folder_that_cannot_be_written(live: bool) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        place = Path(name)
        path = place / "a.memtui"
        writer = RunWriter(path).start()
        for event in [*make.opening(), *make.whole_episode("e1")]:
            writer.put(event)
        writer.commit_sync()
        if live:
            # Without its shared memory, as on other media or in a partial copy.
            path.with_name("a.memtui-shm").unlink()
        else:
            writer.close_sync()
        place.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=False
        )
        place.chmod(0o755)
        if live:
            writer.close_sync()
    if live:
        assert done.returncode == 3, done.stderr
        assert "its folder cannot be written" in done.stdout
        assert done.stdout.count("\n") == 1
    else:
        assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
