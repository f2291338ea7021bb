"""Repeats are not independent: where all end alike, print and screen show the interval of the questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.metrics.intervals import wilson
from memtui.report.as_json import report_document
from memtui.report.build import report_at
from memtui.report.plain import report_text
from memtui.report.plot import overview_of
from memtui.report.source import ReportSource
from memtui.screens.overview_parts import cell_facts
from memtui.state.tab import Measure
from memtui.store.reader import open_run
from memtui.views.look import NO_COLOUR
from tests.report.generated_run import ARMS, RunFile


def test_print_and_screen_mark_it_alike(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(8):
        run.item(f"q{number}", answerable=number < 5)
        for repeat in range(4):
            run.add(ARMS[0], f"q{number}", 0.0, [[f"e-q{number}"]], "right", repeat=repeat)
    with open_run(run.write()) as reader:
        source = ReportSource(reader)
        report = report_at(source, 2, 0.7)
        overview = overview_of(source, 2, 0.7)
    text = " ".join(report_text(report).split())
    assert "[56.6, 100.0]*" in text and "[43.9, 100.0]*" in text
    assert text.count("* all histories agree, Wilson over questions instead") == 2
    (cell,) = report_document(report)["cells"]
    assert cell["intervals"]["pass"]["shown"] == "wilson-questions"
    assert cell["intervals"]["pass"]["wilson_questions"] == {
        "low": pytest.approx(0.5655, abs=1e-4),
        "high": 1,
    }
    arm = overview.arms[0]
    view = overview.cell(0, 0)
    assert view is not None
    assert view.share(Measure.PASS).interval == wilson(5, 5)
    assert view.share(Measure.COVERED).interval == wilson(5, 5)
    assert view.share(Measure.ABSTAINED).interval == wilson(3, 3)
    shown = " ".join(line.plain for line in cell_facts(arm, view, 80, NO_COLOUR))
    assert "pass 20 of 20  100 % (57–100*, all histories agree)" in shown
    assert "abstained 12 of 12  100 % (44–100*, all histories agree)" in shown
