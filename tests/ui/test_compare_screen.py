"""Screen 6: who is compared, the same numbers as the command line's, flips, and both side by side."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.cli import main
from memtui.screens.compare import CompareScreen
from memtui.screens.ladder import LadderScreen
from memtui.screens.pair import PairScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.alignment import Sameness
from memtui.state.compare_marks import Mark
from memtui.state.start import Start
from memtui.store.side_file import ALIAS, BAD_GOLD, FLAG, SideFile
from tests.report.generated_run import RunFile
from tests.report.test_ladder_verb import ladder_run
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, run_one, write, written
from tests.ui.test_live_run import STORY, until

Golden = Callable[[str, str], None]
SIZES = [(60, 20), (80, 24), (120, 36)]
MARK_TWO = ("j", "c", "j", "c")
"""On the overview: dense/until-confident against bm25/until-confident."""


def compare_of(app: MemtuiApp) -> CompareScreen:
    screen = app.screen
    assert isinstance(screen, CompareScreen)
    return screen


def pair_of(app: MemtuiApp) -> PairScreen:
    screen = app.screen
    assert isinstance(screen, PairScreen)
    return screen


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_both_views_as_text(size: tuple[int, int], run_file: Path, golden: Golden) -> None:
    async with opened(run_file, size) as (app, pilot):
        await press(pilot, *MARK_TWO)
        golden(f"compare-{size[0]}x{size[1]}", screen_text(app))
        await press(pilot, "j", "enter")
        golden(f"pair-{size[0]}x{size[1]}", screen_text(app))


async def test_without_colour_and_in_ascii(
    run_file: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(run_file, ascii_only=True) as (app, pilot):
        await press(pilot, *MARK_TWO)
        assert screen_text(app).isascii()
        await press(pilot, "enter")
        assert screen_text(app).isascii()
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        golden("compare-no-colour", reversed_text(app))
        await press(pilot, "j", "enter")
        golden("pair-no-colour", reversed_text(app))


async def test_it_shows_what_the_command_line_prints(
    run_file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arms = ("dense/until-confident", "bm25/until-confident")
    assert main(["compare", str(run_file), "--arms", *arms, "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        assert screen.found is not None and screen.sides is not None
        assert tuple(arm for _, arm in screen.sides) == arms
        assert [row.found.difference for row in screen.found.rows] == [
            row["difference"] for row in printed["scales"]
        ]
        assert screen.pairs.count() == len(printed["flips"])
        assert screen.pairs.selected == printed["flips"][0]["episode_a"]
        shown = screen_text(app)
        assert f"{100 * printed['all_scales']['difference']:+.1f}" in shown


async def test_scales_flips_and_all_pairs(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        found = screen.found
        assert found is not None
        flips = screen.pairs.count()
        await press(pilot, "0")
        assert screen.pairs.count() == len(found.episodes) > flips
        await press(pilot, "full_stop", "full_stop")
        here = [pair for pair in found.episodes if pair.a.scale == found.rows[1].scale]
        assert screen.pairs.count() == len(here)
        await press(pilot, "0")
        assert screen.pairs.count() == (found.rows[1].found.only_a or 0) + (
            found.rows[1].found.only_b or 0
        )
        await press(pilot, "tab", "k", "k")
        assert screen.focused is screen.scales and screen.pairs.count() == flips
        assert "Enter its pairs" in screen_text(app).splitlines()[-1]
        await press(pilot, "enter")
        assert screen.focused is screen.pairs
        assert "Enter side by side" in screen_text(app).splitlines()[-1]


async def test_arms_change_and_sides_swap(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        assert screen.sides is not None and screen.found is not None
        first, second = screen.sides
        difference = screen.found.total.difference
        await press(pilot, "s")
        assert screen.sides == (second, first)
        assert difference is not None
        assert screen.found.total.difference == pytest.approx(-difference)
        arms = set()
        for _ in range(6):
            await press(pilot, "greater_than_sign")
            assert screen.sides is not None
            arms.add(screen.sides[1][1])
        assert len(arms) == 5 and second[1] not in arms


async def test_the_budget_moves_it_and_marks_can_be_taken_off(run_file: Path) -> None:
    async with opened(run_file, notices=True) as (app, pilot):
        await press(pilot, "c")
        assert screen_text(app).split("\n")[-1].startswith(" c compare with hybrid/until-conf")
        await press(pilot, "c")
        assert "no longer marked" in screen_text(app)
        assert "compare with" not in screen_text(app).split("\n")[-1]
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        assert screen.found is not None
        at_two = screen.found.total.mean_a
        await press(pilot, "minus", "minus")
        assert screen.found.budget == 0 and screen.found.total.mean_a != at_two


async def test_arms_are_marked_on_every_screen_that_shows_one(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "3", "s", "s", "j", "c")
        first = app.marked
        assert "/" in first
        await press(pilot, "enter", "less_than_sign", "greater_than_sign", "greater_than_sign")
        await press(pilot, "5", "j", "c")
        screen = compare_of(app)
        assert screen.sides is not None and screen.sides[0][1] == first != screen.sides[1][1]


async def test_flagged_questions_leave_both_screens(run_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "flagged.memtui"
    shutil.copy(run_file, path)
    async with opened(path) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        assert screen.found is not None
        before = screen.found.total.n
        await press(pilot, "5")
        ladder = app.screen
        assert isinstance(ladder, LadderScreen) and ladder.ladder is not None
        app.call_later(app.mark, [(FLAG, ladder.ladder.item.key, BAD_GOLD)])
        await settle(pilot)
        assert app.session is not None
        app.call_later(app.change, replace(app.session.settings, without_flagged=True))
        await until(pilot, lambda: ladder.ladder is not None and ladder.ladder.passing[0] == (0, 0))
        await press(pilot, "6")
        assert screen.found.total.n < before


async def test_coming_from_a_question_stays_with_it(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = compare_of(app)
        await press(pilot, "j", "j", "j")
        wanted = screen.pair
        assert wanted is not None
        await press(pilot, "5")
        assert isinstance(app.screen, LadderScreen)
        await press(pilot, "6")
        assert compare_of(app).pair == wanted


async def test_side_by_side_and_on_to_the_trajectory(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, *MARK_TWO, "j", "enter")
        screen = pair_of(app)
        view = screen.view
        assert view is not None
        for number in (0, 1):
            stops = [row.a if number == 0 else row.b for row in view.rows]
            assert [one for one in stops if one is not None] == list(
                range(len(view.both[number].stops))
            )
        assert view.rows[0].sameness is Sameness.EQUAL  # both ask the question first
        await press(pilot, "l", "m", "M", "tab", "j", "tab")
        right = screen.episode_id
        assert right == view.pair.b.fact.id
        await press(pilot, "enter")
        assert isinstance(app.screen, TrajectoryScreen) and app.screen.episode_id == right
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen)
        await press(pilot, "L")
        assert screen.view is not None and screen.view.pair != view.pair
        await press(pilot, "H")
        assert screen.view.pair == view.pair
        await press(pilot, "escape")
        assert compare_of(app).pair == view.pair


async def test_two_files_marked_on_the_list_of_runs(
    run_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(run_file, folder / "one.memtui")
    await write(folder / "two.memtui", Story(name="other", items=9))
    SideFile(folder / "two.memtui", "run-other").append(ALIAS, "", "the [red]other")
    monkeypatch.chdir(tmp_path)
    async with opened(Path("runs"), (120, 36), notices=True) as (app, pilot):
        await press(pilot, "c", "j", "c")
        screen = compare_of(app)
        assert screen.sides is not None and screen.found is not None
        (path_a, arm_a), (path_b, arm_b) = screen.sides
        assert {path_a.name, path_b.name} == {"one.memtui", "two.memtui"} and arm_a == arm_b
        shown = screen_text(app)
        assert "the sets differ at 5 scales   +0:" in shown and " in common" in shown
        assert f"{path_a.stem} | {path_b.stem}" in shown.split("\n")[0]
        assert "the [red]other   runs/two.memtui" in shown
        await press(pilot, "greater_than_sign")
        assert screen.sides[0][1] == screen.sides[1][1] != arm_a
        await press(pilot, "y")
        words = shlex.split(app.clipboard)
        assert words[:2] == ["memtui", str(path_a.absolute())] and str(path_b.absolute()) in words
        await press(pilot, "0", "enter", "l", "enter")
        assert isinstance(app.screen, PairScreen)
        assert "this side is in another file" in screen_text(app)
        await press(pilot, "h", "enter")
        assert isinstance(app.screen, TrajectoryScreen)


async def test_a_comparison_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    story = Story(name="judged by one", items=4, judges=("rules",))
    one = await write(tmp_path / "one.memtui", story)
    two = await write(tmp_path / "two.memtui", Story(name="by another", items=4, judges=("other",)))
    async with opened(one) as (app, pilot):
        app.call_later(app.compare, Mark(one), Mark(two))
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await settle(pilot)
        assert "no verdict of judge" in screen_text(app)
        await press(pilot, "enter", "j", "0", "s", "comma", "u", "y", "o", "R", "escape", "2")
        assert app.is_running


async def test_differently_filled_histories_are_paired_when_asked(tmp_path: Path) -> None:
    one = ladder_run(tmp_path / "one.memtui").write()
    other = ladder_run(tmp_path / "two.memtui")
    for key in ("q0", "q1"):
        for scale in (0.0, 100.0):
            other.haystack(key, scale, 1, positions=((f"e-{key}", "2026-01-09T10:00:00", "own"),))
    two = other.write()
    async with opened(one) as (app, pilot):
        app.compare(Mark(one, "bm25"), Mark(two, "bm25"))
        await settle(pilot)
        assert "no question stands over an equal history" in screen_text(app)
        assert "u pairs them all the same" in screen_text(app)
        await press(pilot, "u")
        found = compare_of(app).found
        assert found is not None and found.total.n == 4


async def test_links_open_the_same_comparison(run_file: Path) -> None:
    from memtui.errors import UserError
    from memtui.state.deep_link import marks_of
    from memtui.state.session import RunSession

    session = RunSession(run_file)
    marks = marks_of(session, ("dense/until", "bm25/until"), None)
    with pytest.raises(UserError, match="2 arms contain"):
        marks_of(session, ("dense", "bm25"), None)
    with pytest.raises(UserError, match="compare what"):
        marks_of(session, None, None)
    app = MemtuiApp(run_file, session=session, start=Start(marks=marks))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: getattr(app.screen, "sides", None) is not None)
        screen = compare_of(app)
        assert screen.sides is not None
        assert [arm for _, arm in screen.sides] == ["dense/until-confident", "bm25/until-confident"]
        await press(pilot, "y")
        assert shlex.split(app.clipboard)[-3:] == [
            "--arms", "dense/until-confident", "bm25/until-confident",
        ]  # fmt: skip


async def test_pairs_of_a_question_asked_twice_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "repeats.memtui"
    story = Story(name="repeats", items=1, arms=ARMS[:2], scales=(0.0,))
    async with written(path, story) as sink:
        item, sessions = question(0)
        for number, arm in enumerate(story.arms):
            await run_one(sink, story, arm, 0.0, item, sessions, 100 + number, repeat=1)
        await sink.commit()
    async with opened(path) as (app, pilot):
        await press(pilot, "6", "0")
        shown = screen_text(app)
        assert " rep. " in shown and shown.count(" r0 ") == shown.count(" r1 ") == 1


async def test_a_growing_run_arrives(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path) as (app, pilot):
        await press(pilot, "c", "j", "c", "0")
        screen = compare_of(app)
        assert screen.found is not None
        before, here = screen.pairs.count(), screen.pairs.selected
        item, sessions = question(0)
        for number, arm in enumerate(STORY.arms):
            await run_one(sink, STORY, arm, 0.0, item, sessions, 900 + number, repeat=7)
        await sink.commit()
        await until(pilot, lambda: screen.pairs.count() > before)
        assert screen.pairs.selected == here


async def test_scales_that_one_file_alone_has_are_named_at_80_columns(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, scales in (("long-name-of-one", (0.0, 100.0)), ("two", (0.0, 100.0, 200.0, 400.0))):
        run = RunFile(folder / f"{name}.memtui", uid=name.ljust(16))
        for number in range(4):
            run.item(f"q{number}")
            for scale in scales:
                run.add("bm25/search-once", f"q{number}", scale, [["x"]], "right")
        run.write()
    async with opened(folder, (80, 24)) as (app, pilot):
        await press(pilot, "c", "j", "c")
        shown = screen_text(app)
        row_1 = shown.splitlines()[0]
        assert "two" in row_1 and "long-name-" in row_1
        sides = compare_of(app).sides
        assert sides is not None
        with_more = "A" if sides[0][0].stem == "two" else "B"
        assert f"only {with_more} has +200, +400" in shown
