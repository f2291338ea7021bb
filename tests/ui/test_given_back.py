"""What a screen took for its figures is let go when it has them, and when nobody looks at it any more."""

from __future__ import annotations

from pathlib import Path

from memtui.screens.compare import CompareScreen
from tests.ui.driving import opened, press
from tests.ui.test_compare_screen import MARK_TWO


async def test_a_comparison_keeps_the_facts_of_its_two_arms_alone(run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *MARK_TWO)
        screen = app.screen
        assert isinstance(screen, CompareScreen) and screen.found is not None
        assert app.session is not None
        source = screen.found.a.source
        assert source is screen.found.b.source
        arms = {source.cells[fact.cell_id].arm for fact in source.facts}
        assert arms == {screen.found.a.arm, screen.found.b.arm}
        assert 0 < len(source.facts) < len(app.session.facts(source.judge)) / 2
