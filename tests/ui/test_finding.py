"""`/`, `n` and `N` find in lists and texts."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from memtui.screens.compare import CompareScreen
from memtui.screens.episodes import EpisodesScreen
from tests.ui.driving import opened, press, screen_text
from tests.ui.test_live_run import until


async def test_a_question_is_found_among_the_pairs(run_file: Path) -> None:
    async with opened(run_file, (100, 30)) as (app, pilot):
        await press(pilot, "6", "0")
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        (pairs, reader), rows = screen.pairs_listed(), screen.pairs
        assert reader is not None
        items = {pair.a.fact.item_id for pair in pairs}
        (key, question), *_ = reader.query(
            "SELECT key, question FROM item WHERE id=?", (pairs[-1].a.fact.item_id,)
        )
        assert len(items) > 1
        await press(pilot, "slash", *key.replace("-", "~"), "enter")
        before = rows.cursor
        await press(pilot, "slash", "escape")
        assert isinstance(app.screen, CompareScreen)
        screen._find = str(question)
        places = [
            n for n, pair in enumerate(pairs) if pair.a.fact.item_id == pairs[-1].a.fact.item_id
        ]
        await press(pilot, "n")
        first = rows.cursor
        assert first in places and first != before
        await press(pilot, "n")
        assert rows.cursor in places
        await press(pilot, "N")
        assert rows.cursor == first
        await press(pilot, "slash", "ctrl+u", *"zzzz", "enter")
        assert rows.cursor == first and "Compare" in screen_text(app)


@pytest.mark.usefixtures("lasting_notices")
async def test_matches_of_a_filter_are_found_among_all_episodes(run_file: Path) -> None:
    async with opened(run_file, (80, 24), notices=True) as (app, pilot):
        await press(pilot, "3", "n")
        assert "nothing was looked for yet" in screen_text(app)
        screen, session = app.screen, app.session
        assert isinstance(screen, EpisodesScreen) and session is not None
        everything = [*screen.listed()]
        await press(pilot, "slash", *"out:exhausted calls>4", "enter")
        matching = [*screen.listed()]
        assert 2 < len(matching) < len(everything)
        first = screen.rows.cursor
        await press(pilot, "n")
        assert screen.rows.cursor == first + 1
        await press(pilot, "0")
        assert [*screen.listed()] == everything
        app.clear_notifications()  # one may lie over the line that is looked at
        await until(pilot, lambda: "n N find out:exhausted calls>4" in screen_text(app))
        walked = []
        for _ in matching:
            await press(pilot, "n")
            walked.append(screen.rows.selected)
        assert sorted(one for one in walked if one is not None) == sorted(matching)
        places = [everything.index(one) for one in walked if one is not None]
        assert sum(b < a for a, b in itertools.pairwise(places)) <= 1  # once round
        await press(pilot, "N")
        assert screen.rows.selected == walked[-2]
