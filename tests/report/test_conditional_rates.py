"""Rates of episodes that a filter chose by what they did say so, everywhere, and have no s*."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.metrics.usable_scale import CONDITIONAL
from memtui.report.as_json import report_document
from memtui.report.build import build_report
from memtui.report.comparison import Side, compare
from memtui.report.comparison_text import comparison_document, comparison_text
from memtui.report.plain import report_text
from memtui.report.plot import overview_of
from memtui.report.source import ReportSource
from memtui.store.reader import open_run
from memtui.views.numbers import usable_label
from tests.report.generated_run import ARMS, RUNG, RunFile
from tests.ui.driving import opened, press, screen_text, settle

BM25, DENSE, _ = ARMS
GIVEN, PLAIN = "out:pass,exhausted", "type:single scale>=0"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms that pass less and less; one episode in eight has no verdict, so s* stays withheld."""
    run = RunFile(tmp_path_factory.mktemp("runs") / "given.memtui", scales=RUNG)
    for number in range(8):
        run.item(f"q{number}")
        for arm in (BM25, DENSE):
            for place, scale in enumerate(RUNG):
                label = None if number == 0 else "right" if number > 2 * place else "wrong"
                run.add(arm, f"q{number}", scale, [["x"]] * (1 + 2 * (number == 1)), label)
    return run.write()


def test_the_report_says_so_first_and_withholds_s_star(path: Path) -> None:
    with open_run(path) as reader:
        report = build_report(reader, flt=GIVEN)
        plain = build_report(reader, flt=PLAIN)
    document = report_document(report)
    assert document["conditional_on"] == ["out"] and "conditional" in document["notes"][0]
    assert {arm["s_star"] for arm in document["arms"]} == {str(CONDITIONAL)}
    assert {arm["s_star_detail"]["kind"] for arm in document["arms"]} == {"withheld"}
    assert {arm["s_star_distribution"] is None for arm in document["arms"]} == {True}
    assert "all rates are given out" in report_text(report)
    assert report_document(plain)["conditional_on"] == [] and not any(
        "conditional" in n for n in plain.notes
    )


def test_the_rates_on_screen_have_no_s_star_either(path: Path) -> None:
    with open_run(path) as reader:
        given = overview_of(ReportSource(reader, filter_text=GIVEN), 2, 0.7)
        assert {usable_label(arm.s_star) for arm in given.arms} == {"withheld"}
        assert {arm.s_star for arm in given.arms} == {CONDITIONAL}
        plain = overview_of(ReportSource(reader, filter_text=PLAIN), 2, 0.7)
        assert CONDITIONAL not in {arm.s_star for arm in plain.arms}


def test_a_comparison_says_so(path: Path) -> None:
    with open_run(path) as reader:
        source = ReportSource(reader, filter_text="out:pass,wrong")
        found = compare(Side(source, BM25), Side(source, DENSE), intersect=True)
    assert comparison_document(found)["conditional_on"] == ["out"]
    assert "conditional" in found.notes[0] and "given out:pass,wrong" in comparison_text(found)


async def test_row_1_says_what_rates_are_given_and_counts_are_of_what_passes(path: Path) -> None:
    async with opened(path, (120, 36)) as (app, pilot):
        shown = screen_text(app)
        assert "rates given" not in shown and "6 unjudged" in shown
        await press(pilot, "3", "slash", *GIVEN, "enter", "2")
        await settle(pilot)
        shown = screen_text(app)
        assert f"rates given {GIVEN}" in shown.splitlines()[0]
        assert "the filter chooses by outcome" in shown
        assert "unjudged" not in shown, "row 1, the note and the cell count the same episodes"
        assert "! 6" not in shown
        await press(pilot, "6")
        assert f"rates given {GIVEN}" in screen_text(app).splitlines()[0]
        await press(pilot, "3")
        assert "rates given" not in screen_text(app).splitlines()[0]
