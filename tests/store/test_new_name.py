"""Where a new file cannot be: one line says why, and nothing half-written is left behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.errors import UserError
from memtui.state.new_file import free_name, plain_name, write_new
from memtui.store.copy import export_copy
from memtui.store.reader import open_run
from tests.store import store_events as make

Writer = Callable[[Path], None]
TAKEN: dict[str, Callable[[Path], None]] = {
    "a link to nowhere": lambda path: path.symlink_to(path.parent / "nowhere"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to a file": lambda path: path.symlink_to(path.parent / "run.memtui"),
    "a pipe": lambda path: os.mkfifo(path),
    "a folder": lambda path: path.mkdir(),
    "a file": lambda path: path.touch(),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    return path


@pytest.fixture(params=["text", "copy"])
def write(request: pytest.FixtureRequest, run: Path) -> Writer:
    if request.param == "text":
        return lambda path: write_new(path, "text")
    return lambda path: export_copy(run, path)


@pytest.mark.parametrize("kind", TAKEN)
def test_a_name_that_is_taken_stays_what_it_is(kind: str, write: Writer, tmp_path: Path) -> None:
    target = tmp_path / "target"
    TAKEN[kind](target)
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.iterdir()}
    with pytest.raises(UserError, match="target exists already: choose another name") as error:
        write(target)
    assert error.value.exit_code == 2
    assert {path: path.lstat().st_mtime_ns for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("n" * 300, "file name too long"),
        ("n" * 5000, "file name too long"),
        ("no/where", "there is no folder"),
        ("run.memtui/below", "there is no folder"),
        ("/proc/new", "/proc cannot be written"),
    ],
)
def test_why_no_file_can_be_there_is_one_short_line(
    target: str, why: str, write: Writer, run: Path
) -> None:
    before = [*run.parent.iterdir()]
    with pytest.raises(UserError, match=why) as error:
        write(run.parent / target)
    assert len(str(error.value)) < 400 and error.value.exit_code == 3
    assert [*run.parent.iterdir()] == before


def test_the_longest_name_is_written(write: Writer, tmp_path: Path) -> None:
    write(tmp_path / ("n" * 255))
    assert (tmp_path / ("n" * 255)).stat().st_size and not [*tmp_path.glob(".*")]


def test_a_full_disk_leaves_nothing(
    write: Writer, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UserError, match="no space left on device"):
        write(run.parent / "target")
    assert not [*run.parent.glob(".*")]


@pytest.mark.parametrize("kind", TAKEN)
def test_the_verb_says_it_in_one_line(
    kind: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "target"
    TAKEN[kind](target)
    code = main(["export", str(run), str(target)])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    if kind == "a folder":  # the copy goes into it
        assert code == 0 and (target / "run.memtui").is_file()
        return
    assert code == 2 and "exists already" in said
    with open_run(run) as reader:
        assert reader.progress().done == 1


def test_the_verb_refuses_a_name_that_is_too_long(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(run), str(run.parent / ("n" * 300))]) == 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "file name too long" in said


def test_a_proposed_name_is_free_and_fits_whatever_the_run_is_called(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "nowhere")
    assert free_name(tmp_path, "a", "txt").name == "a-2.txt"
    assert len(f"{plain_name('記憶' * 60)}-trajectory-99.json".encode()) <= 255
    assert free_name(tmp_path, "記憶" * 60, "json").suffix == ".json"
