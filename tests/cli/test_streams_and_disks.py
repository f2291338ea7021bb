"""What a shell, a cron job or a full disk does to the command line: one line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.store.copy import export_copy
from memtui.store.errors import StoreError
from memtui.store.reader import open_run
from tests.store import store_events as make


def shell(command: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run `memtui` as a shell would: `command` follows the program's name."""
    line = f'"{sys.executable}" -m memtui {command}'
    return subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        env={**os.environ, **variables},
        cwd=Path(__file__).parents[2],
        timeout=120,
        check=False,
    )


def one_line(error: bytes) -> bool:
    return error.count(b"\n") == 1 and error.startswith(b"memtui: ")


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    return path


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("verb", ["--help", "systems", "run --example", "report {}", "failures {}"])
def test_a_full_disk_behind_the_output_is_one_line(run_file: Path, verb: str) -> None:
    done = shell(f"{verb.format(run_file)} >/dev/full")
    assert done.returncode == 3
    assert one_line(done.stderr), done.stderr
    assert b"No space left" in done.stderr


@pytest.mark.parametrize("verb", ["systems", "doctor", "run --example", "report {}"])
def test_closed_streams_are_silent(run_file: Path, verb: str) -> None:
    done = shell(f"{verb.format(run_file)} <&- >&- 2>&-")
    assert done.returncode == 0


@pytest.mark.parametrize("verb", ["systems", "doctor", "data list", "report {}"])
def test_an_ascii_terminal_stops_no_verb(run_file: Path, verb: str) -> None:
    done = shell(verb.format(run_file), PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_who_leaves_ends_it_quietly(run_file: Path) -> None:
    done = shell(f"report '{run_file}' --no-bootstrap | head -1")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert main(["demo", "--plain", "--folder", str(tmp_path / "file" / "runs")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert one_line(captured.err.encode()), captured.err


def test_a_copy_that_cannot_be_written_names_its_target(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = run_file.parent / "missing" / "b.memtui"

    def read_only(self: Path, missing_ok: bool = False) -> None:
        raise OSError(30, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(StoreError, match=r"b\.memtui cannot be written"):
        export_copy(run_file, target)
    with open_run(run_file) as reader:
        assert reader.progress().done == 1


def test_a_target_is_named_like_that_of_cp(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for words, made in (
        ((str(folder),), folder / "a.memtui"),
        ((str(folder / "b.memtui"),), folder / "b.memtui"),
        (("--copy", str(folder / "c.memtui")), folder / "c.memtui"),
    ):
        assert main(["export", str(run_file), *words]) == 0
        assert f"copied to {made}" in capsys.readouterr().err
        with open_run(made) as reader:
            assert reader.progress().done == 1
    for wrong in ((), ("x", "--copy", "y"), (str(folder),)):
        assert main(["export", str(run_file), *wrong]) == 2
        assert one_line(capsys.readouterr().err.encode())


def test_a_full_disk_under_a_new_run_is_one_line_and_leaves_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    from memtui.errors import UserError

    with pytest.raises(UserError, match="No space left on device") as caught:
        make.write(tmp_path / "a.memtui", *make.opening())
    assert caught.value.exit_code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_error_that_nobody_can_read_keeps_its_code(tmp_path: Path) -> None:
    done = shell(f"report '{tmp_path / 'missing'}' >/dev/full 2>/dev/full")
    assert done.returncode == 3
