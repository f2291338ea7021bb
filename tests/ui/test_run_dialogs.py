"""The dialogs of the list of runs as text: which configuration, its plan, what stands in the way; names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.screens import start_run
from memtui.screens.start_run import StartRun
from memtui.state.run_configurations import BegunWith, Plan, begun_with
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.run_folder import RunFolder, rewrite
from tests.ui.test_mouse import click_on

Golden = Callable[[str, str], None]
SIZES = [(60, 20), (80, 24)]
NAMES = [f"{width}x{height}" for width, height in SIZES]
PLAN = Plan(
    name="ladder of six",
    config_hash="0" * 16,
    items=1,
    episodes=30,
    arms=("bm25/search-once", "bm25/verify"),
    scales=("0", "100", "own"),
    prompt_tokens=1_234_567,
    cost=3.5,
    hours=1.25,
    missing_parts=(),
    missing_rungs=2,
    warnings=("scale 0: one call can return everything, so coverage there says nothing",) * 5,
)


@pytest.fixture
def folder(run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFolder]:
    monkeypatch.chdir(tmp_path)
    made = RunFolder(run_file, Path("runs"))
    experiment = '[data]\nname = "synthetic"\n[ladder]\nscales = [0]\n'
    for name in ("six.toml", "runs/held.toml", "runs/cut-off.toml"):
        Path(name).write_text(experiment)
    Path("wrong.toml").write_text("name = [")
    Path("elsewhere").mkdir()
    Path("elsewhere/far.toml").write_text(experiment)
    yield made
    made.close()


def planned(monkeypatch: pytest.MonkeyPatch, plan: Plan | UserError) -> None:
    async def ask(_: Path, __: Sequence[str] = ()) -> Plan:
        if isinstance(plan, UserError):
            raise plan
        return plan

    monkeypatch.setattr(start_run, "ask_for_plan", ask)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
async def test_dialogs(
    size: tuple[int, int], folder: RunFolder, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{size[0]}x{size[1]}"
    async with opened(folder.folder, size) as (app, pilot):
        await press(pilot, "j", "j", "j", "i")
        golden(f"run-names-{name}", screen_text(app))
        await press(pilot, "escape", "r", "j", "j")
        golden(f"run-configurations-{name}", screen_text(app))
        planned(monkeypatch, replace(PLAN, config_hash="1" * 16))
        await press(pilot, "enter")
        golden(f"run-plan-{name}", screen_text(app))
        await press(pilot, "escape")
        planned(monkeypatch, UserError("six.toml: \x1b[31munknown key `ladder.scals`"))
        await press(pilot, "enter")
        golden(f"run-plan-wrong-{name}", screen_text(app))


async def test_what_is_missing_stands_in_the_way(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, replace(PLAN, missing_parts=("pkg:mem0-2: memtui systems install",)))
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "r", "j", "j", "enter")
        assert "needs pkg:mem0-2" in screen_text(app) and "Enter start" not in screen_text(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, StartRun)


async def test_what_runs_already_is_not_started_again(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, PLAN)
    async with opened(folder.folder) as (app, pilot):
        await press(pilot, "r", "enter", "enter")
        assert "live.memtui is running with these very settings" in screen_text(app)
        assert isinstance(app.screen, StartRun)


async def test_an_interrupted_run_is_offered_its_own_configuration(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Path, Path, tuple[str, ...]]] = []
    monkeypatch.setattr(
        "memtui.screens.runs.RunsScreen.begin", lambda _, *what: begun.append(what), raising=True
    )
    planned(monkeypatch, replace(PLAN, config_hash="another"))
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "u")
        assert "not the settings that cut-off.memtui was begun with" in screen_text(app)
        await press(pilot, "enter", "escape")
        assert begun == []
        planned(monkeypatch, PLAN)
        await press(pilot, "u")
        assert "goes on in cut-off.memtui, 360 of 400 episodes are done" in screen_text(app)
        await press(pilot, "enter")
        assert begun == [(Path("runs/cut-off.toml"), folder.interrupted, ())]


async def test_a_run_goes_on_with_the_options_it_was_started_with(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Path, Path, tuple[str, ...]]] = []
    monkeypatch.setattr("memtui.screens.runs.RunsScreen.begin", lambda _, *what: begun.append(what))
    requested = {"data": {"limit": 3, "path": str(folder.folder.absolute())}}
    rewrite(folder.interrupted, config=json.dumps({"requested": requested}))
    planned(monkeypatch, PLAN)
    options = ("--data", str(folder.folder.absolute()), "--limit", "3")
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "u")
        assert "/runs --limit 3" in screen_text(app)
        await press(pilot, "enter")
        assert begun == [(Path("runs/cut-off.toml"), folder.interrupted, options)]
        folder.interrupted.with_suffix(".toml").unlink()
        await press(pilot, "u")
        shown = " ".join(screen_text(app).split())
        assert "/ takes its path" in shown and "memtui run CONFIG --out FILE --data" in shown


@pytest.mark.usefixtures("lasting_notices")
async def test_a_run_that_was_moved_is_not_begun_anew(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr("memtui.screens.runs.RunsScreen.begin", lambda _, *what: begun.append(what))
    planned(monkeypatch, PLAN)
    away = folder.interrupted.with_suffix(".away")
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "j", "j", "u")
        folder.interrupted.rename(away)
        await press(pilot, "enter")
        assert "is no longer there" in screen_text(app)
    assert begun == []


@pytest.mark.usefixtures("lasting_notices")
async def test_a_run_that_is_gone_before_it_is_known_how_it_was_begun_is_one_line(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, PLAN)
    monkeypatch.setattr(start_run, "begun_with", gone)
    async with opened(folder.folder, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "j", "j", "u")
        await settle(pilot)
        assert not isinstance(app.screen, StartRun) and "no run file at" in screen_text(app)


def gone(run: Path) -> BegunWith:
    return begun_with(run.with_suffix(".gone"))


@pytest.mark.parametrize("plan", [replace(PLAN, config_hash="another"), UserError("no data")])
async def test_data_that_is_gone_is_named(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, plan: Plan | UserError
) -> None:
    requested = {"data": {"limit": 3, "path": "/nowhere/data.json"}}
    rewrite(folder.interrupted, config=json.dumps({"requested": requested}))
    planned(monkeypatch, plan)
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "u")
        said = "the data it was begun with is no longer at /nowhere/data.json"
        assert said in " ".join(screen_text(app).split())


async def test_without_its_configuration_the_command_is_told(folder: RunFolder) -> None:
    folder.interrupted.with_suffix(".toml").unlink()
    rewrite(folder.interrupted, name="\x1b[31mlost")
    async with opened(folder.folder, (120, 36)) as (app, pilot):
        await press(pilot, "j", "j", "u")
        shown = " ".join(screen_text(app).split())
        assert "no configuration named lost lies in runs" in shown
        assert "memtui run CONFIG --out FILE" in shown
        await press(pilot, "enter", "escape")
        assert not isinstance(app.screen, StartRun)


async def test_a_configuration_that_is_not_listed_is_typed_with_its_limit(
    folder: RunFolder, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Path, Path, tuple[str, ...]]] = []
    asked: list[tuple[Path, tuple[str, ...]]] = []

    async def ask(*what: Any) -> Plan:
        asked.append(what)
        return replace(PLAN, config_hash="1" * 16)

    monkeypatch.setattr("memtui.screens.runs.RunsScreen.begin", lambda _, *what: begun.append(what))
    monkeypatch.setattr(start_run, "ask_for_plan", ask)
    async with opened(folder.folder) as (app, pilot):
        await press(pilot, "r", "slash", *"elsewhere/no", "enter")
        # How long ago the silent run in the list behind gave a sign is another figure every hour.
        golden("run-typed-80x24", re.sub(r"\d+d\d+h ago", "637d20h ago", screen_text(app)))
        assert "there is no file elsewhere/no" in screen_text(app) and asked == []
        await press(pilot, *["backspace"] * 2, *"far.toml --limit x", "enter")
        assert "--limit N" in screen_text(app) and asked == []
        await press(pilot, "backspace", "8", "enter")
        assert asked == [(Path("elsewhere/far.toml"), ("--limit", "8"))]
        assert "elsewhere/far.toml --limit 8" in screen_text(app)
        await press(pilot, "escape")
        assert "wrong" in screen_text(app)  # back in the list
        await press(pilot, "slash", "enter", "enter")
        assert [(config, options) for config, _, options in begun] == asked[:1]


async def test_configurations_are_clicked(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, replace(PLAN, config_hash="1" * 16))
    async with opened(folder.folder) as (app, pilot):
        await press(pilot, "r")
        dialog = app.screen
        assert isinstance(dialog, StartRun)
        await click_on(app, pilot, "/ path")
        assert "Path of a configuration" in screen_text(app)
        await click_on(app, pilot, "Esc back")
        await click_on(app, pilot, "six.toml")
        assert dialog.config is None
        await click_on(app, pilot, "six.toml")
        assert dialog.config is not None and dialog.config.name == "six.toml" and dialog.ready
        assert "Enter start" in screen_text(app)
        await click_on(app, pilot, "Esc back")
        assert dialog.config is None and app.screen is dialog
        await click_on(app, pilot, "Esc close")
        assert app.screen is not dialog
