"""`/`, `n` and `N` find in lists and texts."""

from __future__ import annotations

from pathlib import Path

from memtui.screens.compare import CompareScreen
from tests.ui.driving import opened, press, screen_text


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
