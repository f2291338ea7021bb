"""Keys do what they say, letters typed into a line run no command, and `q` asks about a child run."""

from __future__ import annotations

import shutil
import string
import threading
import time
from pathlib import Path

import pytest
from textual import events
from textual.screen import Screen

from memtui.app import MemtuiApp
from memtui.errors import UserError
from memtui.screens.dialogs import Question
from memtui.screens.episodes import EpisodesScreen
from memtui.screens.help import HelpScreen, HelpText
from memtui.screens.overview import OverviewScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.settings import Quick
from tests.store import store_events
from tests.ui.driving import opened, press, screen_text, settle


class Child:
    """A child run that only remembers what was done to it."""

    pid = 4711

    def __init__(self, running: bool = True) -> None:
        self.running = running
        self.stopped = False

    def stop(self) -> None:
        self.stopped, self.running = True, False


@pytest.mark.parametrize(("key", "stopped"), [("l", False), ("s", True)])
async def test_quit_asks_whether_to_leave_the_run_going(
    key: str, stopped: bool, run_file: Path
) -> None:
    child = Child()
    async with opened(run_file, child=child) as (app, pilot):
        await press(pilot, "q")
        assert isinstance(app.screen, Question)
        assert "4711" in screen_text(app)
        app.post_message(events.Key(key, key))
        for _ in range(200):
            if child.stopped is stopped and app.return_code is not None:
                break
            await pilot.pause(0.02)
    assert child.stopped is stopped
    assert app.return_code == 0


@pytest.mark.parametrize("key", ["c", "escape"])
async def test_quit_can_be_taken_back(key: str, run_file: Path) -> None:
    child = Child()
    async with opened(run_file, child=child) as (app, pilot):
        await press(pilot, "q", key)
        assert isinstance(app.screen, OverviewScreen)
        assert app.is_running and not child.stopped


async def test_quit_does_not_ask_once_the_child_has_ended(run_file: Path) -> None:
    async with opened(run_file, child=Child(running=False)) as (app, pilot):
        app.post_message(events.Key("q", "q"))
        await pilot.pause()
    assert app.return_code == 0


async def test_every_printable_character_typed_into_a_line_arrives_there(run_file: Path) -> None:
    printable = string.digits + string.ascii_letters + string.punctuation + " "
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "slash")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen)
        for character in printable:
            app.post_message(events.Key("x", character))
        await settle(pilot)
        assert screen.filter_line.value == printable
        assert isinstance(app.screen, EpisodesScreen) and app.is_running
        await press(pilot, "escape")
        assert not screen.filter_line.is_open
        assert app.session is not None and app.session.settings.filter == ""


async def test_budget_alpha_and_judge_move_the_rates(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        assert app.session is not None and app.overview is not None
        at_two = app.overview.cell(0, 4)
        await press(pilot, "minus")
        assert app.session.settings.budget == 1 and "Pass@1" in screen_text(app)
        at_one = app.overview.cell(0, 4)
        assert at_one is not None and at_two is not None
        assert at_one.counts.exhausted > at_two.counts.exhausted
        await press(pilot, *["minus"] * 3)
        assert app.session.settings.budget == 0
        await press(pilot, "a", "J")
        assert app.session.settings.alpha == 0.65
        assert app.session.settings.judge == "strict" and "judge strict" in screen_text(app)


async def test_enter_drills_down_and_escape_returns_to_the_same_places(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "j", "j", "l", "enter")
        episodes = app.screen
        assert isinstance(episodes, EpisodesScreen) and app.session is not None
        cell = app.session.settings.cell
        assert cell is not None and "bm25/until-confident +50" in screen_text(app)
        await press(pilot, "j", "j", "enter")
        assert isinstance(app.screen, TrajectoryScreen)
        chosen = app.screen.episode_id
        await press(pilot, "L")
        assert isinstance(app.screen, TrajectoryScreen)
        assert app.screen.episode_id != chosen
        await press(pilot, "H")
        assert app.screen.episode_id == chosen
        await press(pilot, "escape")
        assert app.screen.NAME == "Episodes" and episodes.rows.selected == chosen
        await press(pilot, "escape")
        assert isinstance(app.screen, OverviewScreen)
        assert "bm25/until-confident  at +50" in screen_text(app)


async def test_one_key_filters_keep_the_row_or_say_that_it_left(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "e")
        screen = app.screen
        assert isinstance(screen, EpisodesScreen) and app.session is not None
        assert app.session.settings.quick == "exhausted"
        await press(pilot, "j", "j")
        chosen = screen.rows.selected
        await press(pilot, "e")
        assert app.session.settings.quick == Quick.ALL and screen.rows.selected == chosen
        await press(pilot, "w")
        assert screen.rows.selected != chosen
        await press(pilot, "0", "s", "S", "slash", "escape")
        assert screen.source is not None and len(screen.source.ids()) == 360


async def test_keys_typed_ahead_reach_the_screen_they_are_meant_for(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        for key in "3ejj":
            app.post_message(events.Key(key, key))
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, EpisodesScreen) and app.session is not None
        assert app.session.settings.quick == "exhausted"
        await press(pilot, "2")
        for key in "5q":
            app.post_message(events.Key(key, key))
        await settle(pilot)
    assert app.return_code == 0


async def test_steps_panes_zoom_and_search(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "e", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        first = screen.stop
        await press(pilot, "l")
        assert screen.stop is not first
        await press(pilot, "h", "tab")
        assert screen.focused is screen.text
        await press(pilot, "z")
        assert screen.text.size.width > 100
        body = screen.text_to_page().split("\n\n", 1)[1]
        word = max(body.split(), key=len).strip(".,")
        await press(pilot, "escape", "slash", *word, "enter")
        assert screen.text.document.matches()
        await press(pilot, "n", "N", "slash", *"zzzz", "enter")
        assert not screen.text.document.matches()
        await press(pilot, "m", "M")
        assert app.is_running


async def test_help_opens_over_every_screen_and_closes(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        for key in ("2", "3", "4"):
            await press(pilot, key, "question_mark")
            assert isinstance(app.screen, HelpScreen)
            await press(pilot, "j", "pagedown", "q")
            assert not isinstance(app.screen, HelpScreen)


@pytest.mark.parametrize(("key", "title"), [("2", "overview"), ("3", "episodes"), ("5", "ladder")])
async def test_help_begins_with_the_keys_of_the_screen(
    run_file: Path, key: str, title: str
) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, key, "question_mark")
        text = app.screen.query_one(HelpText)
        lines = [text.line(index, 80).plain for index in range(text.count())]
        assert lines[1] == title and "everywhere" in lines and lines.count(title) == 1


async def test_no_line_of_the_help_is_cut_at_80_columns(run_file: Path) -> None:
    async with opened(run_file, (80, 24)) as (app, pilot):
        await press(pilot, "question_mark")
        text = app.screen.query_one(HelpText)
        lines = [text.line(index, 200) for index in range(text.count())]
        room = text.scrollable_content_region.width
        assert not [line.plain for line in lines if line.cell_len > room]


async def test_runs_of_one_open_file_are_those_beside_it(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "1")
        assert "1 Runs" in screen_text(app) and "invented" in screen_text(app)
        await press(pilot, "enter")
        assert "2 Overview" in screen_text(app)


async def test_a_folder_opens_on_its_runs_and_enter_opens_one(run_file: Path) -> None:
    async with opened(run_file.parent) as (app, pilot):
        assert "1 Runs" in screen_text(app)
        await press(pilot, "2")
        assert "1 Runs" in screen_text(app)
        await press(pilot, "enter")
        assert "2 Overview" in screen_text(app) and "invented.memtui" in screen_text(app)
        await press(pilot, "escape")
        assert "1 Runs" in screen_text(app)


async def test_copy_names_what_and_its_route_and_holds_plain_text(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        await press(pilot, "3", "y")
        assert app.clipboard.startswith("episode ") and "question " in app.clipboard
        said = " ".join(screen_text(app).split())
        assert "▌ episode " in said and "lines) — " in said
        await press(pilot, "enter", "tab", "y")
        assert "\x1b" not in app.clipboard


async def test_a_run_that_has_only_just_been_started_is_waited_for(
    run_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new.memtui"
    path.touch()

    def arrive() -> None:
        time.sleep(0.3)
        shutil.copy(run_file, path)

    thread = threading.Thread(target=arrive)
    thread.start()
    async with opened(path, child=Child()) as (app, _):
        assert "2 Overview" in screen_text(app)
    thread.join()
    with pytest.raises(UserError, match="is empty"):
        (tmp_path / "other.memtui").touch()
        MemtuiApp(tmp_path / "other.memtui")


@pytest.mark.parametrize("opens", ["colon", "question_mark", "i", "x"])
async def test_a_dialog_that_is_closed_twice_takes_no_screen_with_it(
    opens: str, run_file: Path
) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", opens)
        dialog = app.screen
        assert not isinstance(dialog, EpisodesScreen)
        assert isinstance(dialog, Screen)
        for _ in range(2):  # the second key was on its way to the dialog when the first closed it
            dialog.dismiss()
        await settle(pilot)
        assert isinstance(app.screen, EpisodesScreen)
        await press(pilot, "escape", "2")
        assert "2 Overview" in screen_text(app)


@pytest.mark.parametrize("judged", [False, True])
async def test_the_judge_key_says_what_there_is(judged: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    store_events.write(
        path, *store_events.opening(), *(store_events.whole_episode("e1") if judged else ())
    )
    async with opened(path, (100, 30), notices=True) as (app, pilot):
        await press(pilot, "J")
        assert ("every verdict is by " if judged else "no verdict was given yet") in screen_text(
            app
        )
