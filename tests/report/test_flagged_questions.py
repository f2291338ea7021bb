"""Questions whose gold a reader flagged: in every rate, or in none, in screens and reports alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.metrics.outcome import standing
from memtui.model import FLAGGED
from memtui.report.as_json import report_document
from memtui.report.build import build_report
from memtui.report.plot import overview_of
from memtui.report.source import ReportSource
from memtui.screens.overview_parts import cell_facts
from memtui.state.deep_link import choose
from memtui.state.overview import build_overview
from memtui.state.session import RunSession
from memtui.store.reader import open_run
from memtui.store.side_file import BAD_GOLD, FLAG, SideFile
from memtui.views.look import NO_COLOUR
from tests.report.generated_run import ARMS, RunFile, anything

FLAGGED_KEYS = frozenset({"q1", "q4", "q7"})


@pytest.fixture
def flagged_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = anything(tmp_path / "any.memtui", 600)
    with open_run(path) as reader:
        side = SideFile(path, reader.run().uid)
    for key in sorted(FLAGGED_KEYS):
        side.append(FLAG, key, BAD_GOLD)
    return path


def test_rates_are_those_of_the_other_questions(flagged_run: Path) -> None:
    with open_run(flagged_run) as reader:
        without = build_report(reader, 2, flagged="exclude", bootstrap=False)
        apart = ",".join(sorted(FLAGGED_KEYS))
        included = build_report(reader, 2, flagged="include", bootstrap=False)
        by_hand = build_report(reader, 2, flt="-flag:bad_gold", bootstrap=False)
    assert apart and without.totals.excluded[FLAGGED] > 0
    assert included.totals.excluded[FLAGGED] == 0
    named = {(c.arm, c.conditions): c.counts for c in by_hand.cells}
    for cell in without.cells:
        other = named[cell.arm, cell.conditions]
        mine = cell.counts
        assert (mine.n, mine.passed, mine.exhausted, mine.wrong) == (
            other.n, other.passed, other.exhausted, other.wrong,
        )  # fmt: skip
    s_stars = [
        [str(arm["s_star"]) for arm in report_document(r)["arms"]] for r in (without, by_hand)
    ]
    assert s_stars[0] == s_stars[1]
    assert any("left out of every rate" in note for note in without.notes)
    assert any("--flagged exclude" in note for note in included.notes)


def test_screens_and_report_agree(flagged_run: Path) -> None:
    session = RunSession(flagged_run)
    try:
        choose(session, flagged="exclude")
        run, settings = session.header.run, session.settings
        overview = build_overview(
            session.header.arms, session.header.cells, run.scales, session.folds(settings),
            budget=settings.budget, alpha=settings.alpha, mode=run.mode,
        )  # fmt: skip
    finally:
        session.close()
    with open_run(flagged_run) as reader:
        report = build_report(reader, flagged="exclude", bootstrap=False)
    counts = {cell.cell_id: cell.counts for cell in report.cells}
    shown = [view for arm in overview.arms for view in arm.cells if view is not None]
    assert shown and all(
        (view.counts.passed, view.counts.n) == (counts[view.cell_id].passed, counts[view.cell_id].n)
        for view in shown
        if view.cell_id in counts
    )
    assert overview.flagged >= report.totals.excluded[FLAGGED] > 0


def test_taking_them_back_in_reads_the_facts_anew(flagged_run: Path) -> None:
    session = RunSession(flagged_run)
    try:
        judge = session.settings.judge
        before = dict(session.facts(judge))
        choose(session, flagged="exclude")
        out = session.facts(judge)
        changed = [i for i, fact in out.items() if fact != before[i]]
        assert changed and all(out[i].end_reason == FLAGGED for i in changed)
        choose(session)
        assert session.facts(judge) == before
    finally:
        session.close()


def test_the_verb_and_its_json(flagged_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for words in ([], ["--flagged", "include"], ["--flagged", "exclude"]):
        assert main(["report", str(flagged_run), "--json", "--no-bootstrap", *words]) == 0
        found.append(json.loads(capsys.readouterr().out)["totals"]["n"])
    assert found[0] == found[1] > found[2] > 0


def test_a_flagged_end_stands_for_nothing_else() -> None:
    assert standing(FLAGGED, "right", 1).cause == FLAGGED
    assert not standing(FLAGGED, "right", 1).counted
    assert standing(FLAGGED, None, 0).pending


def test_a_source_says_what_it_leaves_out(flagged_run: Path) -> None:
    with open_run(flagged_run) as reader:
        assert ReportSource(reader, flagged="exclude").left_out == FLAGGED_KEYS
        assert ReportSource(reader).left_out == frozenset()
        assert not any(f.end_reason == FLAGGED for f in ReportSource(reader).facts)


def test_a_cell_of_flagged_questions_only_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run = RunFile(tmp_path / "a.memtui")
    run.item("q1")
    run.add(ARMS[0], "q1", 0.0, [["e-q1"]])
    path = run.write()
    with open_run(path) as reader:
        SideFile(path, reader.run().uid).append(FLAG, "q1", BAD_GOLD)
        overview = overview_of(ReportSource(reader, flagged="exclude"), 2, 0.7)
    view = overview.cell(0, 0)
    assert view is not None and view.n == 0
    shown = " ".join(line.plain for line in cell_facts(overview.arms[0], view, 80, NO_COLOUR))
    assert "excluded 1 (1 flagged)" in shown
