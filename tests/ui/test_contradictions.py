"""A file that is edited into a contradiction while it is open: one line wherever it is met, no traceback."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.screens import pager
from memtui.screens.notices import Notices
from memtui.state.compare_marks import Mark
from tests.ui.driving import opened, press, screen_text, settle
from tests.ui.make_run import Story, write

CHOICES = "UPDATE arm SET config='[1]'"
NUMBERS = "UPDATE episode SET requested='many', t_star='soon'"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the app said, in order."""
    heard: list[str] = []

    def say(self: Notices, app: object, message: str, *, error: bool) -> None:
        heard.append(message)

    monkeypatch.setattr(Notices, "say", say)
    monkeypatch.setattr(pager, "page", lambda text, command: None)
    return heard


@pytest.fixture
async def run(tmp_path: Path) -> Path:
    return await write(tmp_path / "a.memtui", Story(items=3))


def edit(app: MemtuiApp, path: Path, statement: str) -> None:
    """Change the file as another program would; what was read of it is let go of."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    assert app.session is not None
    for reader in app.session.readers:
        reader.release()


@pytest.mark.parametrize("keys", [["o"], ["x", "j", "enter"], ["x", "c", "enter"]])
@pytest.mark.parametrize("replay", [False, True])
async def test_the_pager_and_an_export_say_it(
    run: Path, said: list[str], keys: list[str], replay: bool
) -> None:
    async with opened(run) as (app, pilot):
        if replay:
            app.replay(600.0)
            await settle(pilot)
            await press(pilot, "space")
        before = {*run.parent.iterdir()}
        edit(app, run, CHOICES)
        await press(pilot, *keys)
        await settle(pilot)
        assert app.is_running
        assert [one for one in said if "contradicts itself" in one and "memtui check" in one]
        assert {*run.parent.iterdir()} == before


async def test_a_drawing_says_it_and_the_app_goes_on(run: Path, said: list[str]) -> None:
    async with opened(run) as (app, pilot):
        await press(pilot, "3", "j")
        edit(app, run, NUMBERS)
        await press(pilot, "5")
        await settle(pilot)
        assert app.is_running and any("contradicts itself" in one for one in said)


async def test_the_other_file_of_a_comparison_is_named(
    run: Path, said: list[str], tmp_path: Path
) -> None:
    other = await write(tmp_path / "b.memtui", Story(items=3))
    async with opened(run, (100, 30)) as (app, pilot):
        edit(app, other, NUMBERS)
        screen = app.screen_named("compare")
        screen.show_marks(Mark(run), Mark(other))  # type: ignore[attr-defined]  # it is the comparison
        await press(pilot, "6")
        await settle(pilot)
        shown = screen_text(app)
        assert app.is_running and f"{other}: the file contradicts itself" in shown.replace("\n", "")


async def test_what_breaks_with_a_drawing_ends_the_app_in_one_line(run: Path) -> None:
    """What draws rows or answers a message cannot go on once it has failed."""
    async with opened(run) as (app, pilot):
        await press(pilot, "3")
        edit(app, run, NUMBERS)
        for _ in range(2):
            app._handle_exception(
                TypeError("'>' not supported between instances of 'str' and 'int'")
            )
        await pilot.pause()
    assert app.return_code == 3 and len(app.parting) == 1
    assert "contradicts itself" in app.parting[0] and app._exception is None
