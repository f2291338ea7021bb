"""s* and the change over the ladder are the same in print, on screen and in a replay."""

from __future__ import annotations

import random
import sqlite3
from itertools import product
from pathlib import Path

import pytest

from memtui import Recorder
from memtui.report.build import report_at
from memtui.report.plain import report_text
from memtui.report.plot import overview_of
from memtui.report.source import ReportSource
from memtui.screens.replay_picture import picture_at, read_replay
from memtui.state.overview import ArmView
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.tab import Measure
from memtui.store.reader import open_run
from tests.report.generated_run import ARMS, RUNG, RunFile


def told(view: ArmView) -> tuple[object, ...]:
    change = view.change(Measure.PASS)
    return (view.s_star, None if change is None else pytest.approx(change), view.p90r)


def in_print(path: Path, alpha: float) -> list[tuple[object, ...]]:
    with open_run(path) as reader:
        report = report_at(ReportSource(reader), 2, alpha)
    return [
        (arm.s_star, None if arm.drop is None else arm.drop.difference, arm.p90r)
        for arm in report.arms
    ]


def on_screen(path: Path, alpha: float) -> list[tuple[object, ...]]:
    with open_run(path) as reader:
        return [told(view) for view in overview_of(ReportSource(reader), 2, alpha).arms]


def test_cells_with_further_conditions_are_no_rungs_and_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path, name="mine", arm="mymem/gpt", budget=2) as rec:
        for number, scale, chunk in product(range(12), (0, 10), (None, 5)):
            with rec.episode(
                question=f"Where is {number}?",
                gold="here",
                scale=scale,
                conditions={} if chunk is None else {"chunk": chunk},
            ) as episode:
                episode.answer("here", right=not (scale and chunk) and number > 1)
    assert in_print(path, 0.7) == on_screen(path, 0.7)
    with open_run(path) as reader:
        source = ReportSource(reader)
        report = report_at(source, 2, 0.7)
    (arm,) = report.arms
    assert (arm.s_star.kind, arm.s_star.value) == ("above", 10.0), "the failing cell is no rung"
    text = report_text(report)
    assert "scale=10|chunk=5" in text
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(("0 ", "10 "))]
    assert rows, "a rung is named by its scale alone"


@pytest.mark.parametrize("seed", range(6))
def test_questions_that_a_rung_lacks_are_on_no_ladder(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    run = RunFile(tmp_path / "a.memtui")
    for number in range(12):
        run.item(f"q{number}", cluster=f"c{number // dice.choice((1, 3))}")
        for arm, scale in product(ARMS[:2], RUNG):
            label = dice.choices(("right", "wrong", "unknown"), (8, 3, dice.choice((0, 1))))[0]
            run.add(arm, f"q{number}", scale, [[f"e-q{number}"]] * dice.choice((1, 2, 3)), label)
    path = run.write()
    connection = sqlite3.connect(path)
    lacking = [dice.randrange(1, 13) for _ in range(3)]
    marks = ",".join("?" * len(lacking))
    connection.execute(f"UPDATE haystack SET available=0 WHERE item_id IN ({marks})", lacking)
    connection.commit()
    connection.close()
    printed = in_print(path, 0.7)
    assert printed == on_screen(path, 0.7)
    session = RunSession(path)
    settings = Settings(budget=2, alpha=0.7, judge="deterministic-1")
    replay = read_replay(session, settings)
    end = picture_at(session, settings, replay, replay.timeline.length)
    session.close()
    assert printed == [told(view) for view in end.overview.arms]
