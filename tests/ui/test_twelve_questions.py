"""docs/twelve-questions.md, key by key, on a run made here: every answer is read off the screen."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.cli import main
from memtui.metrics.explain import why_it_ended
from memtui.query.subject import signature_of
from memtui.report.build import build_report
from memtui.report.model import Cell
from memtui.report.step_record import nearness
from memtui.screens.base import MemtuiScreen
from memtui.screens.keys import key_named
from memtui.screens.overview import OverviewScreen
from memtui.screens.trajectory import TrajectoryScreen
from memtui.state.answer_elsewhere import answer_elsewhere, elsewhere_words
from memtui.state.gold_places import gold_places
from memtui.state.tab import Tab
from memtui.state.trajectory import Trajectory
from memtui.store.reader import RunReader, open_run
from memtui.store.records import EpisodeRow
from memtui.views.numbers import percent, scale
from tests.ui.driving import opened, screen_text, settle
from tests.ui.test_episode_list import listed

PAGE = Path(__file__).parents[2] / "docs" / "twelve-questions.md"
NAMED = {"Enter": "enter", "Esc": "escape", "Tab": "tab", "/": "slash"}
CONFIG = """
name = "twelve"
k = 3
repeats = 2
judges = ["deterministic"]

[data]
name = "synthetic"
limit = 45
options = { fillers = 150 }

[ladder]
scales = [0, 100]

[budget]
calls = 2

[matrix]
memory = ["bm25"]
agent = ["search-once", "until-confident"]
"""
BUDGET = 2


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of embedded agents over invented conversations."""
    folder = tmp_path_factory.mktemp("twelve")
    config = folder / "twelve.toml"
    config.write_text(CONFIG, encoding="utf-8")
    out = folder / "twelve.memtui"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["run", str(config), "--out", str(out), "--full-speed"]) == 0
    return out


def walks() -> dict[int, list[list[str]]]:
    """Question -> its lists of keys, as the page has them."""
    found: dict[int, list[list[str]]] = {}
    number = 0
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        if match := re.match(r"## (\d+)\. ", line):
            number = int(match[1])
        elif line.startswith("Keys: "):
            found.setdefault(number, []).append(re.findall(r"`([^`]+)`", line))
    return found


async def walk(pilot: Pilot[Any], keys: list[str]) -> None:
    """Press keys; a longer word that is no key is typed."""
    for key in keys:
        if len(key) == 1 or key in NAMED:
            pilot.app.post_message(
                events.Key(NAMED.get(key) or key_named(key), key if len(key) == 1 else None)
            )
        else:
            for character in key:
                pilot.app.post_message(events.Key(character, character))
        await settle(pilot)


class Asked:
    """What stands on the screen, and the truth beside it."""

    def __init__(self, app: MemtuiApp, reader: RunReader) -> None:
        self.app, self.reader = app, reader
        self.shown = screen_text(app)
        self.flat = " ".join(self.shown.split())
        panes = [line.rsplit("│", 1)[-1] for line in self.shown.split("\n")]
        self.last_pane = " ".join(" ".join(panes).split())
        self.judge = reader.run().judge
        rows = reader.episode_rows(reader.episode_ids())
        self.rows: list[EpisodeRow] = list(rows.values())

    @property
    def found(self) -> Trajectory:
        screen = self.app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.found is not None
        return screen.found

    @property
    def item(self) -> str:
        """The question at hand."""
        screen = self.app.screen
        assert isinstance(screen, MemtuiScreen)
        return next(row.item for row in self.rows if row.id == screen.episode_id)

    @property
    def index(self) -> int:
        """The step the reader stands on."""
        screen = self.app.screen
        assert isinstance(screen, TrajectoryScreen) and screen.stop is not None
        return self.found.stops.index(screen.stop)

    def cells(self) -> list[tuple[Cell, str]]:
        """The cells of the scale in the first table of a tab of the overview, each with its row."""
        at = re.search(r" at (\+\d+)", self.shown)
        assert at is not None, self.shown
        lines = self.shown.split("\n")
        return [
            (cell, next(line for line in lines if line.startswith(f" {cell.arm}")))
            for cell in build_report(self.reader, BUDGET, bootstrap=False).cells
            if scale(cell.scale) == at[1]
        ]

    def label(self, row: EpisodeRow) -> str | None:
        return row.labels.get(self.judge)

    def says(self, words: str) -> None:
        """The words stand on the screen, whatever lines they were broken into."""
        plain = " ".join(words.split())
        assert plain in self.flat or plain in self.last_pane, f"{words!r} is not on\n{self.shown}"

    def says_why(self) -> str:
        row = self.found.detail.row
        why = why_it_ended(signature_of(row, self.judge), row.gold_found, BUDGET)
        self.says(why.rstrip("."))
        return why


def overshoot(row: EpisodeRow) -> int:
    known = row.t_star is not None and row.gold_total is not None and row.answerable
    return row.requested - (row.t_star or 0) if known else 0


def kept_searching(asked: Asked) -> None:
    row = asked.found.detail.row
    assert row.first_hit == 1 and overshoot(row) > 0
    why = asked.says_why()
    assert "after call 1" in why
    assert row.strip.startswith("◆")
    asked.says(f"R {row.requested} of B {BUDGET}")


def when_complete(asked: Asked) -> None:
    row = asked.found.detail.row
    assert row.t_star is not None and row.t_star > 1
    asked.says(f"R {row.requested} of B {BUDGET}")
    assert f"after call {row.t_star}" in asked.says_why()
    assert "evidence 0 → 1 of" in asked.flat


def after_the_evidence(asked: Asked) -> None:
    for cell, row in asked.cells():
        for bucket in cell.stopping.buckets:
            assert not bucket.n or f"{percent(bucket.p_right)} ({bucket.n})" in row, asked.shown
    assert any(bucket.n for cell, _ in asked.cells() for bucket in cell.stopping.buckets[1:])


def shares(row: str) -> list[str]:
    """Redundant and gave up early, of how many: the last two in a row of the tab Stopping."""
    return re.findall(r"(?<= )\d+/\d+", row)[-2:]


def stopped_early(asked: Asked) -> None:
    for cell, row in asked.cells():
        assert shares(row)[1] == f"{cell.stopping.gave_up_early}/{cell.stopping.n}", asked.shown
    assert any(cell.stopping.gave_up_early for cell, _ in asked.cells())


def brought_nothing(asked: Asked) -> None:
    for cell, row in asked.cells():
        assert shares(row)[0] == f"{cell.stopping.redundant}/{cell.stopping.n}", asked.shown
    assert any(cell.stopping.redundant for cell, _ in asked.cells())


def what_rates_rest_on(asked: Asked) -> None:
    for cell, row in asked.cells():
        assert row.split()[1:3] == [str(cell.counts.n), str(cell.counts.n_excluded)], asked.shown


def did_it_hurt(asked: Asked) -> None:
    row = asked.found.detail.row
    assert overshoot(row) > 0 and asked.label(row) == "wrong" and row.requested <= BUDGET
    why = asked.says_why()
    assert f"complete after call {row.t_star}, {overshoot(row)} call" in why


def which_part(asked: Asked) -> None:
    places = gold_places(asked.found, asked.index)
    missing = [place for place in places if place.rank is None]
    assert missing and len(missing) < len(places)
    for place in places:
        asked.says(f"{place.full_name}: {place.words}")


def wrong_though_covered(asked: Asked) -> None:
    covered = [r for r in asked.rows if r.answerable and r.t_star is not None]
    wrong = [r for r in covered if asked.label(r) == "wrong" and r.requested <= BUDGET]
    assert wrong and listed(asked.shown) == len(wrong)
    asked.says(f"w wrong {len(wrong)}")
    asked.says("cov:covered")


def without_evidence(asked: Asked) -> None:
    lucky = [
        r
        for r in asked.rows
        if r.answerable and r.gold_total and r.t_star is None
        and asked.label(r) == "right" and r.requested <= BUDGET
    ]  # fmt: skip
    assert listed(asked.shown) == len(lucky)


def answer_outside(asked: Asked) -> None:
    words = elsewhere_words(answer_elsewhere(asked.reader, asked.found.detail))
    assert words
    asked.says(words)


def gave_up(asked: Asked) -> None:
    row = asked.found.detail.row
    assert row.t_star is None and row.requested < BUDGET
    why = asked.says_why()
    assert f"it stopped with {BUDGET - row.requested} call" in why


def out_of_budget(asked: Asked) -> None:
    over = [r for r in asked.rows if r.requested > BUDGET and asked.label(r) in ("right", "wrong")]
    assert over and listed(asked.shown) == len(over)
    covered = sum(r.answerable and r.t_star is not None and r.t_star <= BUDGET for r in over)
    assert covered
    asked.says(f"exhausted_covered {covered}")


def redundant(asked: Asked) -> None:
    row = asked.found.detail.row
    assert row.redundant > 0 and "·" in row.strip
    index = asked.index
    step = asked.found.stops[index].step
    near = nearness(asked.found, index)
    assert near is not None and step.new_hits is not None
    asked.says(near)
    asked.says(f"new {step.new_hits}")


def buried(asked: Asked) -> None:
    places = gold_places(asked.found, asked.index)
    assert places and all(place.rank is None and place.in_history for place in places)
    assert all(place.ranked for place in places)
    asked.says(f"{places[0].full_name}: {places[0].words}")


def along_the_scales(asked: Asked) -> None:
    asked.says("5 Ladder")
    for agent in ("search-once", "until-confident"):
        row = next(line for line in asked.shown.split("\n") if line.startswith(f" bm25/{agent}"))
        assert len(re.findall(r"│[◔✓✗∅!]", row)) + len(re.findall(r"│[^ ]+[✓✗]", row)) >= 2, row
    asked.says("+0 +100")


def outside_every_rate(asked: Asked) -> None:
    why = asked.says_why()
    assert why.startswith("Excluded: ")
    (verdict, *_) = asked.found.detail.verdicts
    asked.says(f"{verdict.label} ({verdict.reason})")


def does_it_repeat(asked: Asked) -> None:
    asked.says("bm25/until-confident r0")
    item = asked.item
    shown = next(line for line in asked.shown.split("\n") if "until-confident r0" in line)
    strips = {
        r.scale: r.strip
        for r in asked.rows
        if r.item == item and r.repeat == 0 and "until" in r.arm
    }
    assert len(strips) == 2
    for strip in strips.values():
        assert strip[:BUDGET] in shown.replace(" ", ""), shown


ANSWERS: dict[int, list[Callable[[Asked], None]]] = {
    1: [kept_searching],
    2: [when_complete],
    3: [after_the_evidence, did_it_hurt],
    4: [which_part],
    5: [wrong_though_covered],
    6: [without_evidence, answer_outside],
    7: [stopped_early, gave_up],
    8: [out_of_budget],
    9: [brought_nothing, redundant],
    10: [buried],
    11: [along_the_scales],
    12: [what_rates_rest_on, outside_every_rate, does_it_repeat],
}


def test_the_page_answers_all_twelve() -> None:
    found = walks()
    assert {number: len(keys) for number, keys in found.items()} == {
        number: len(checks) for number, checks in ANSWERS.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_answer_stands_on_the_screen(size: tuple[int, int], twelve: Path) -> None:
    found = walks()
    async with opened(twelve, size) as (app, pilot):
        with open_run(twelve) as reader:
            for number, checks in ANSWERS.items():
                for keys, check in zip(found[number], checks, strict=True):
                    await walk(pilot, keys)
                    check(Asked(app, reader))
                await walk(pilot, ["Esc", "Esc", "Esc", "3", "Esc", "3", "0", "2"])
                overview = app.screen
                assert isinstance(overview, OverviewScreen)
                while overview.tab is not Tab.RELIABILITY:
                    await walk(pilot, ["["])
