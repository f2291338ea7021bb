"""What the filter line says of the fields it knows: while one is typed, on Tab, and in the help."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.query.manual import meanings
from memtui.widgets.filter_line import FilterLine
from tests.ui.driving import opened, press, screen_text
from tests.ui.test_live_run import until


async def test_names_that_begin_so_stand_with_what_they_mean(run_file: Path) -> None:
    async with opened(run_file, (80, 24)) as (app, pilot):
        await press(pilot, "3", "slash")
        assert "overshoot>0" in screen_text(app) and " over>0" not in screen_text(app)
        await press(pilot, *"ov")
        said = [f"{name:<11}{meaning}" for name, meaning in meanings("ov")]
        await until(pilot, lambda: all(one in screen_text(app) for one in said))
        assert len(meanings("ov")) == 2
        await press(pilot, *"er>")
        await until(pilot, lambda: "1..3" in screen_text(app))
        assert f"over       {dict(meanings())['over']}" in screen_text(app), "and once it is chosen"


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36)])
async def test_tab_on_an_empty_line_lists_all_fields_in_turn(
    size: tuple[int, int], run_file: Path
) -> None:
    async with opened(run_file, size) as (app, pilot):
        await press(pilot, "3", "slash")
        seen: set[str] = set()
        for _ in range(12):
            await press(pilot, "tab")
            shown = screen_text(app)
            seen |= {name for name, said in meanings() if f" {name:<11}{said[:30]}" in shown}
        assert seen == {name for name, _ in meanings()}
        await press(pilot, *"out:wrong", "space", "tab")
        assert "of 34; Tab" in shown or size[1] > 60
        assert f" {'out':<11}outcome" in screen_text(app), "after a word, too"
        assert app.screen.query_one(FilterLine).value == "out:wrong "
        await press(pilot, "enter")
        assert f" {'out':<11}outcome" not in screen_text(app)


async def test_the_help_says_what_each_field_means(run_file: Path) -> None:
    async with opened(run_file, (120, 36)) as (app, pilot):
        await press(pilot, "3", "question_mark", "slash", *"what can be filtered", "enter")
        shown = screen_text(app)
    assert "what can be filtered by" in shown
    assert meanings("out")[0][1] in shown


async def test_a_flag_is_completed(run_file: Path) -> None:
    async with opened(run_file, (80, 24)) as (app, pilot):
        await press(pilot, "3", "slash", *"flag:judg", "tab")
        assert app.screen.query_one(FilterLine).value == "flag:judges_differ"


async def test_what_overshoots_is_offered_before_what_is_over_budget(run_file: Path) -> None:
    async with opened(run_file, (80, 24)) as (app, pilot):
        await press(pilot, "3", "slash", *"ov", "tab")
        assert app.screen.query_one(FilterLine).value == "overshoot:"
