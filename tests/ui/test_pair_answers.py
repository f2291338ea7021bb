"""Side by side, a row of answers shows both answers and what each judge made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.screens.pair import PairScreen
from tests.report.generated_run import RunFile
from tests.ui.driving import opened, press, screen_text

SIZES = [(80, 24), (120, 36), (200, 60)]
LONG = "the museum by the river " * 4


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = RunFile(tmp_path_factory.mktemp("answers") / "a.memtui", scales=(0.0,))
    made.item("q")
    made.add(
        "bm25/search-once", "q", 0.0, [["a"]], "right", answer=f"{LONG}in Paris", queries=["x"]
    )
    made.add(
        "dense/search-once", "q", 0.0, [["b"]], "wrong", answer=f"{LONG}in [b]Rome[/]",
        queries=["x"], other_label="right",
    )  # fmt: skip
    return made.write()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_both_answers_stand_whole_with_their_verdicts(
    size: tuple[int, int], run: Path
) -> None:
    async with opened(run, size) as (app, pilot):
        await press(pilot, "6", "enter", "G")
        assert isinstance(app.screen, PairScreen)
        shown = screen_text(app).split("\n")
        start = max(n for n, line in enumerate(shown) if line.startswith(" answer "))
        below = shown[start + 1 :]
        sides = [
            " ".join(" ".join(line.partition("│")[side] for line in below).split())
            for side in (0, 2)
        ]
        assert sides[0].startswith(f"{LONG}in Paris judge deterministic-1: right")
        assert sides[1].startswith(f"{LONG}in [b]Rome[/] judge deterministic-1: wrong")
        lit = [
            segment.text.strip()
            for strip in app.screen._compositor.render_strips()[start + 1 :]
            for segment in strip
            if segment.style and segment.style.underline
        ]
        assert set(lit) == {"Paris", "Rome", "b"}
