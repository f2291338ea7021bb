"""Screen 4: what must stay on it at every size, and what gives way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from memtui.app import MemtuiApp
from memtui.metrics.explain import why_it_ended
from memtui.model import Evidence
from memtui.query.subject import signature_of
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.trajectory import read_trajectory
from memtui.store.reader import open_run
from tests.report.generated_run import RunFile
from tests.ui.driving import opened, press, screen_text, settle

LONG = "answer_60e8941a_abs_with_a_long_name"
SIZES = [(80, 24), (100, 30), (120, 36), (200, 60)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Episode 1: complete at call 2 of 18; episode 2: nothing found, right all the same."""
    made = RunFile(tmp_path_factory.mktemp("trajectory") / "a.memtui", judge="deterministic-v1")
    gold = tuple(Evidence(f"{LONG}_{n}", f"e{n}", 0) for n in (1, 2))
    made.haystack("q", 0.0, 1, positions=(("f9", "2026-01-02T10:00:00", "filler"),))
    made.item(
        "q",
        evidence=gold,
        gold="text of f9",
        question="Which of the two trips came first, Paris or Rome?",
    )
    calls = [["e1", "f1", "f2"], ["e2", "f3"], *[["f4", "f5"]] * 16]
    queries = ["which trip came first", *[f"trip came first {n} paris rome" for n in range(17)]]
    made.add("dense/until-confident", "q", 0.0, calls, "right", queries=queries)
    made.add("bm25/verify", "q", 0.0, [["f1"], ["f2"]], "right", queries=queries[:2])
    return made.write()


def why_of(run: Path, episode: int) -> str:
    found = read_trajectory(open_run(run), episode)
    assert found is not None
    row = found.detail.row
    return why_it_ended(signature_of(row, "deterministic-v1"), row.gold_found, 2)


def flat(shown: str) -> str:
    return " ".join(shown.split())


async def shown_episode(app: MemtuiApp, pilot: Pilot[Any], episode: int) -> TrajectoryScreen:
    """The trajectory screen with an episode on it, at rest."""
    await press(pilot, "3", "enter")
    screen = app.screen
    assert isinstance(screen, TrajectoryScreen)
    screen.show_episode(episode)
    await settle(pilot)
    return screen


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_same_is_said_at_every_size(size: tuple[int, int], run: Path) -> None:
    async with opened(run, size) as (app, pilot):
        screen = await shown_episode(app, pilot, 1)
        await press(pilot, *"lll")
        shown = screen_text(app)
        line = next(line for line in shown.split("\n") if line.startswith(" calls "))
        assert "exhausted" in line and "evidence 2/2" in line and "R 18 of B 2" in line
        assert "◔✓" in line and "◈◆│" in line
        assert flat(why_of(run, 1)) in flat(shown)
        for words in (
            "call 4 of 18",
            "asked, returned, shown 12 2 2",
            "evidence 2 → 2 of 2",
            "complete since call 2: 2 after it",
            "near call 3: ",
            "took 12 ms",
            "hits  2",
            "2 of 2 not returned",
        ):
            assert words in shown, shown
        names = [f"★ {LONG}_1", f"★ {LONG}_2"] if size[0] >= 120 else ["_1,", "_2 not in"]
        assert all(name in shown for name in names), shown
        screen.show_episode(2)
        await settle(pilot)
        assert flat(why_of(run, 2)) in flat(screen_text(app))
        also = "also The gold answer's words also stand in 1 session outside the evidence: f9 t1"
        assert f"{also} (2026-01-02)." in flat(screen_text(app))


async def test_the_score_stands_beside_the_hits_from_120_columns_on(run: Path) -> None:
    for size in ((80, 24), (120, 36)):
        async with opened(run, size) as (app, pilot):
            screen = await shown_episode(app, pilot, 1)
            found = screen.found
            assert found is not None
            for view in found.stops[0].hits:
                assert f"{view.hit.score:>6.2f}" in screen_text(app)


async def test_the_steps_are_as_wide_as_their_rows_need(run: Path) -> None:
    async with opened(run, (200, 60)) as (app, pilot):
        screen = await shown_episode(app, pilot, 1)
        rows = [line.split("│")[0] for line in screen_text(app).split("\n")]
        assert any("trip came first 16 paris rome" in row for row in rows)
        assert screen.steps.region.width < 40
        assert abs(screen.hits.region.width - screen.text.region.width) <= 1


@pytest.mark.usefixtures("lasting_notices")
async def test_find_in_the_hits_and_in_the_text(run: Path) -> None:
    async with opened(run, (120, 36), notices=True) as (app, pilot):
        screen = await shown_episode(app, pilot, 1)
        assert screen.focused is screen.hits and screen.hits.selected == 1
        await press(pilot, "slash", *"OF f", "enter")
        assert screen.focused is screen.hits and screen.hits.selected == 2
        assert "OF f in 2 of 3" in screen_text(app)
        await press(pilot, "n")
        assert screen.hits.selected == 3
        await press(pilot, "n")
        assert screen.hits.selected == 3 and "no further hit that way" in screen_text(app)
        await press(pilot, "N")
        assert screen.hits.selected == 2
        await press(pilot, "l")  # what is searched for goes on to the next call
        assert "OF f in 1 of 2" in screen_text(app)
        await press(pilot, "tab", "slash", "ctrl+u", *"text of", "enter")
        assert screen.text.has_focus
        await press(pilot, "escape", "slash", "ctrl+u", *"zzz", "enter")
        assert "no hit of this call has it" in screen_text(app)
        assert "zzz in 0 of 2" in screen_text(app)


async def test_a_zoomed_pane_has_all_the_width_and_gives_it_back(run: Path) -> None:
    async with opened(run, (120, 36)) as (app, pilot):
        await press(pilot, "3", "enter")
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen)
        panes: tuple[Widget, ...] = (screen.hits, screen.text, screen.steps)
        before = [pane.region.width for pane in panes]
        for pane in panes:
            assert screen.focused is pane
            await press(pilot, "z")
            assert pane.region.width == 120 and ("call 1 of" in screen_text(app)) == (
                pane is screen.hits
            )
            await press(pilot, "z", "tab")
        assert [pane.region.width for pane in panes] == before


async def test_another_size_of_the_terminal_shares_the_width_anew(run: Path) -> None:
    async with opened(run, (120, 36)) as (app, pilot):
        screen = await shown_episode(app, pilot, 1)
        narrow = screen.steps.region.width
        await pilot.resize_terminal(200, 60)
        await settle(pilot)
        assert screen.steps.region.width > narrow
        rows = [line.split("│")[0] for line in screen_text(app).split("\n")]
        assert any("trip came first 16 paris rome" in row for row in rows)


async def test_a_step_without_hits_leaves_its_text_their_room(run: Path) -> None:
    async with opened(run, (120, 36)) as (app, pilot):
        screen = await shown_episode(app, pilot, 2)
        await press(pilot, "l", "l")
        assert screen.stop is not None and not screen.stop.hits
        assert not screen.hits.region.width and screen.text.has_focus
        assert screen.text.region.width == 119 - screen.steps.region.width
        await press(pilot, "tab", "enter")
        assert screen.text.has_focus or screen.steps.has_focus
        await press(pilot, "h")
        assert screen.hits.region.width
        await press(pilot, "l", "h")
        assert screen.hits.has_focus or screen.steps.has_focus
