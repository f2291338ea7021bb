"""Starting, stopping and continuing a real run from the list of runs, and what is said when that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.cli.open import say_what_goes_on
from memtui.screens.overview import OverviewScreen
from memtui.screens.runs import RunsScreen
from memtui.screens.start_run import StartRun
from memtui.state import child_run
from memtui.store import lease
from memtui.store.workspace import summarise
from tests.ui.driving import opened, press, screen_text, settle

CONFIG = """
name = "small"
[data]
name = "synthetic"
keys = ["syn-q01", "syn-q06", "syn-q09", "syn-q10"]
[ladder]
scales = [0, 20]
[budget]
calls = 2
[matrix]
memory = ["bm25"]
agent = ["search-once", "verify"]
[output]
pace = {pace}
"""
WRONG = """name = "small"
[data]
name = "synthetic"
[ladder]
scals = [1]
"""
PATIENCE = 90.0
"""Seconds that a run may take on a busy machine; none of them is waited for in vain."""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as it is now: a run goes on only under the code that began it, and somebody may be
    working on that meanwhile."""
    root, here = Path(__file__).resolve().parents[2], tmp_path_factory.mktemp("code")
    for room in ("memtui", "runners"):
        shutil.copytree(root / room, here / room)
    return here


@pytest.fixture
def workspace(tmp_path: Path, code: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for runs with a configuration beside it; what still runs at the end is ended."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(code))
    monkeypatch.setattr(child_run, "_started", [])
    (tmp_path / "runs").mkdir()
    configure(CONFIG.format(pace=1))
    yield Path("runs")
    for child in child_run.still_running():
        child.stop()


def configure(text: str, name: str = "small.toml") -> str:
    """Write a file of the working folder; its absolute path."""
    path = Path(name)
    path.write_text(text)
    path.chmod(0o755)
    return str(path.absolute())


async def until(pilot: Pilot[Any], what: Callable[[], bool], seen: Callable[[], object]) -> None:
    limit = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < limit, seen()
        await pilot.pause(0.05)
    await settle(pilot)


def state(app: MemtuiApp) -> str:
    assert isinstance(app.screen, RunsScreen)
    app.screen.look_again()
    line = app.screen.selected_line()
    return "" if line is None else line.summary.state


@pytest.mark.slow
async def test_a_run_is_started_followed_stopped_and_continued_to_its_end(workspace: Path) -> None:
    out = workspace / "small.memtui"
    async with opened(workspace, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "r")
        assert "small.toml" in screen_text(app)
        await press(pilot, "enter")
        shown = screen_text(app)
        assert (
            "16 episodes   no language model is asked" in shown and "writes small.memtui" in shown
        )
        await press(pilot, "enter")
        assert isinstance(app.screen, OverviewScreen), screen_text(app)
        assert app.session is not None and app.session.path == out and app.session.header.live
        (child,) = child_run.still_running()
        assert os.getsid(child.pid) == child.pid != os.getsid(0)

        await press(pilot, "1")
        await until(pilot, lambda: state(app) == "running", lambda: screen_text(app))
        await press(pilot, "t")
        assert f"Process {child.pid} on this machine" in screen_text(app)
        await press(pilot, "n", "t", "escape")
        assert child.running
        await press(pilot, "t", "y")
        await until(pilot, lambda: state(app) == "interrupted", lambda: screen_text(app))
        await until(pilot, lambda: not child.running, lambda: child.log.read_text())
        assert child.exit_code == 130
        run = summarise(out)
        assert run.progress is not None and run.progress.done < 16
        with pytest.raises(ProcessLookupError):  # no zombie is left of it
            os.kill(child.pid, 0)

        configure(CONFIG.format(pace=100))
        await press(pilot, "u")
        assert isinstance(app.screen, StartRun)
        shown = " ".join(screen_text(app).split())
        assert f"goes on in small.memtui, {run.progress.done} of 16" in shown, screen_text(app)
        await press(pilot, "enter")
        await until(
            pilot, lambda: summarise(out).state == "finished", lambda: child.log.read_text()
        )
    assert "stopped: " in child.log.read_text() and "finished: 16 of 16" in child.log.read_text()


async def test_a_child_that_fails_is_told_in_one_line_with_its_log(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(workspace, (120, 36), notices=True) as (app, pilot):
        assert isinstance(app.screen, RunsScreen)
        configure(WRONG)
        app.screen.begin(Path("small.toml"), workspace / "small.memtui")
        await settle(pilot)
        app.screen._look_at_children()
        await settle(pilot)
        shown = " ".join(screen_text(app).split())
        assert "small.memtui ended early" in shown and "ladder.scals" in shown
        assert "small.log" in shown
        said: list[str] = []
        monkeypatch.setattr(app, "say", lambda words, **_: said.append(words))
        app.screen._look_at_children()
        assert said == []  # once is enough
        assert not (workspace / "small.memtui").exists()


async def test_a_configuration_that_is_wrong_is_told_before_anything_is_started(
    workspace: Path,
) -> None:
    configure(WRONG)
    configure("name = ", "broken.toml")
    configure('[project]\nname = "other"\n', "pyproject.toml")
    async with opened(workspace) as (app, pilot):
        await press(pilot, "r")
        shown = screen_text(app)
        assert "pyproject" not in shown and "broken.toml is not TOML" in shown
        await press(pilot, "enter")
        assert "broken.toml is not TOML" in screen_text(app)  # nothing to ask a plan of
        await press(pilot, "j", "enter")
        assert "did you mean scales?" in " ".join(screen_text(app).split())
        await press(pilot, "enter")
        assert isinstance(app.screen, StartRun) and child_run.still_running() == []
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, RunsScreen)


async def test_leaving_the_dialog_ends_the_process_that_makes_the_plan(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = configure("#!/bin/sh\nexec sleep 60\n", "slow")
    monkeypatch.setattr("memtui.state.run_configurations.sys.executable", slow)
    async with opened(workspace) as (app, pilot):
        app.post_message(_key("r"))
        await pilot.pause(0.3)
        app.post_message(_key("enter"))
        await pilot.pause(0.3)
        assert "asking for its plan" in screen_text(app)
        assert _children("sleep 60")
        app.post_message(_key("escape"))
        await until(pilot, lambda: not _children("sleep 60"), lambda: screen_text(app))
        assert isinstance(app.screen, RunsScreen)


def _key(name: str) -> Any:
    from textual import events

    return events.Key(name, name if len(name) == 1 else None)


def _children(command: str) -> list[str]:
    """Processes below this one that run a command."""
    found = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [line for line in found.stdout.split("\n") if command in line]


async def test_a_run_that_does_not_listen_is_asked_again_with_sigterm(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, run_file: Path
) -> None:
    from memtui.screens import run_control
    from memtui.state.stop_run import Writer
    from tests.ui.run_folder import beat, copy

    path = copy(run_file, workspace, "deaf", 3, state="running")
    beat(path, state="running")
    held = lease.acquire(path)
    sent: list[tuple[Writer, bool]] = []
    writer = Writer(path, 4711)
    monkeypatch.setattr(run_control, "writer_of", lambda _: writer)
    monkeypatch.setattr(
        run_control, "signal_writer", lambda who, at_once: sent.append((who, at_once))
    )
    async with opened(workspace, notices=True) as (app, pilot):
        await press(pilot, "t")
        assert "SIGINT" in screen_text(app)
        await press(pilot, "y", "t")
        assert "SIGTERM" in screen_text(app)
        await press(pilot, "n")
        assert sent == [(writer, False)]
        await press(pilot, "t", "y")
        assert sent == [(writer, False), (writer, True)]
    held.release()


def test_runs_that_go_on_are_named_when_the_app_has_ended(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say_what_goes_on()
    assert capsys.readouterr().err == ""
    process = subprocess.Popen(["sleep", "60"])
    out = workspace / "small\x1b[31m.memtui"
    monkeypatch.setattr(child_run, "_started", [child_run.ChildRun(process, out, Path("a.log"))])
    say_what_goes_on()
    said = capsys.readouterr().err
    assert said.startswith("runs/small.memtui goes on (process ") and "\x1b" not in said
    assert f"process {process.pid}" in said and said.count("\n") == 1
    process.kill()
    process.wait()
    say_what_goes_on()
    assert capsys.readouterr().err == ""
