"""One tab of a report: its tables in every form, what it spent by the ledger, where its judges differ."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memtui.cli import main
from memtui.model import Usage
from memtui.report.as_json import report_document
from memtui.report.build import build_report, report_at
from memtui.report.plain import report_text
from memtui.report.plot import overview_of
from memtui.report.source import ReportSource
from memtui.report.tab_csv import tab_csv
from memtui.state.session import RunSession
from memtui.state.tab import TABS, Measure, Tab
from memtui.store.reader import open_run
from tests.report.generated_run import ARMS, RunFile, anything

BM25, DENSE, FULL = ARMS


def line(prompt: int | None, cost: float | None, calls: int = 1) -> str:
    """A side of a ledger row, unknown fields left out."""
    said = {"prompt": prompt, "completion": 0 if prompt is not None else None, "cost": cost}
    return json.dumps({"calls": calls} | {k: v for k, v in said.items() if v is not None})


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms, four questions; what they spent is written into the ledger by hand."""
    run = RunFile(tmp_path_factory.mktemp("runs") / "spent.memtui")
    for number in range(4):
        run.item(f"q{number}")
        for arm in (BM25, DENSE):
            label = "right" if number < 3 else "wrong"
            run.add(arm, f"q{number}", 0.0, [[f"e-q{number}"]], label, usage=Usage(7, 0, 1, 0, 0.5))
    path = run.write()
    with sqlite3.connect(path) as file:
        uids = [
            uid
            for (uid,) in file.execute(
                "SELECT e.uid FROM episode e JOIN cell c ON c.id=e.cell_id JOIN arm a ON a.id=c.arm_id"
                " WHERE a.key=? ORDER BY e.id",
                (BM25,),
            )
        ]
        rows = [
            (f"episode:{uids[0]}", "search", line(10, 0.1), line(10, 0.2), 5.0),
            (f"episode:{uids[0]}", "answer", line(100, 1.0), line(150, 1.5), 5.0),
            (f"episode:{uids[1]}", "answer", line(200, None), line(200, None), None),
            (f"episode:{uids[2]}", "answer", "not json", line(0, 0.0, 0), 5.0),
            (f"episode:{uids[3]}", "judge", line(30, 0.0), line(30, 0.3), 5.0),
            ("artifact:bm25:aa", "ingest", line(1000, 2.0), line(1000, 2.0), 9.0),
            # Made again, from the recordings: paid for once, and the same work.
            ("artifact:bm25:aa", "ingest", line(0, 0.0, 0), line(1000, 2.0), 1.0),
            ("state:nobody:x", "ingest", line(5, 0.0), line(5, 0.0), 1.0),
        ]
        file.executemany(
            "INSERT INTO ledger(owner,phase,paid,cold,wall_ms) VALUES(?,?,?,?,?)", rows
        )
    return path


def phases(found: list[dict[str, Any]], arm: str) -> dict[str, dict[str, Any]]:
    entry = next(one for one in found if one["arm"] == arm)
    return {phase["phase"]: phase for phase in entry["phases"]}


def test_the_ledger_is_summed_by_phase_and_says_what_it_does_not_know(spent: Path) -> None:
    with open_run(spent) as reader:
        document = report_document(build_report(reader, bootstrap=False))
    mine = phases(document["costs"]["cells"], BM25)
    assert list(mine) == ["search", "answer", "judge"]
    assert mine["search"]["paid"]["tokens"] == 10 and mine["search"]["cold"]["cost_usd"] == 0.2
    answer = mine["answer"]
    assert answer["paid"]["lines"] == 3 and answer["paid"]["tokens"] == 300
    assert answer["paid"]["tokens_unknown"] == 1 and answer["paid"]["cost_unknown"] == 2
    assert answer["paid"]["cost_usd"] == 1.0 and answer["cold"]["cost_usd"] == 1.5
    assert answer["wall_ms"] == 10.0 and answer["wall_unknown"] == 1
    arm = phases(document["costs"]["arms"], BM25)
    assert arm["ingest"]["paid"]["tokens"] == 1000 and arm["ingest"]["cold"]["tokens"] == 1000
    assert {one["memory"] for one in document["costs"]["ingest"]} == {"bm25", ""}
    cell = next(one for one in document["costs"]["cells"] if one["arm"] == BM25)
    assert (cell["episodes"], cell["right"]) == (4, 3)


def test_an_episode_without_a_line_counts_what_it_says_itself(spent: Path) -> None:
    with open_run(spent) as reader:
        document = report_document(build_report(reader, bootstrap=False))
    mine = phases(document["costs"]["cells"], DENSE)
    assert list(mine) == ["episode"]
    assert mine["episode"]["paid"]["tokens"] == 4 * 8 and mine["episode"]["paid"]["cost_usd"] == 2.0
    assert mine["episode"]["cold"]["tokens"] is None and mine["episode"]["cold"]["cost_usd"] is None


def test_a_filter_takes_the_costs_of_the_others_away(spent: Path) -> None:
    with open_run(spent) as reader:
        source = ReportSource(reader, filter_text="item:q0")
        found = report_at(source)
        again = report_at(source, 0)
    cell = next(one for one in found.costs.cells if one.arm == BM25)
    assert [phase.phase for phase in cell.phases] == ["search", "answer"]
    assert cell.phases[1].paid.tokens.value == 100.0 and cell.episodes == 1
    assert [one.phases for one in again.costs.cells] == [one.phases for one in found.costs.cells]


def test_the_text_says_lower_bounds_and_unknowns(spent: Path) -> None:
    with open_run(spent) as reader:
        shown = report_text(build_report(reader, bootstrap=False), Tab.COST)
    answer = next(row for row in shown.splitlines() if "answer" in row and "≥" in row)
    assert "≥300" in answer and "≥$1.00" in answer and "≥100" in answer
    episode = next(row for row in shown.splitlines() if "episode " in row and "–" in row)
    assert "32" in episode and "$2.00" in episode


def test_judges_are_held_against_each_other(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number, other in enumerate(("right", "wrong", "right", None)):
        run.item(f"q{number}")
        run.add(BM25, f"q{number}", 0.0, [[f"e-q{number}"]], "right", other_label=other)
    with open_run(run.write()) as reader:
        report = build_report(reader, bootstrap=False)
        shown = report_text(report, Tab.TRUST)
    pair = report.judging[0]
    assert (pair.both, pair.right_wrong, pair.wrong_right, pair.alone) == (3, 1, 0, 1)
    found = report.cells[0].agreement
    assert found is not None and (found.n, found.differ) == (3, 1)
    assert "1/3" in shown and f"Judge {report.judge} beside the others" in shown


def test_every_tab_is_there_in_every_form(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = anything(tmp_path / "any.memtui", 120)
    heads = {
        "reliability": "Usable scale",
        "stopping": "Stopping, answerable items",
        "trust": "Who counts, answerable items",
        "cost": "Cost by arm",
    }
    for tab in TABS:
        for form in ((), ("--md",)):
            assert main(["report", str(path), "--tab", tab.value, "--no-bootstrap", *form]) == 0
            shown = capfd.readouterr().out
            for name, head in heads.items():
                assert (head in shown) is (name == tab), (tab, form, head)
        assert main(["report", str(path), "--tab", tab.value, "--no-bootstrap", "--csv"]) == 0
        rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out, newline="")))
        assert rows and {BM25, DENSE} <= {row["arm"] for row in rows}


def test_the_rows_of_a_tab_are_exact(tmp_path: Path) -> None:
    path = anything(tmp_path / "any.memtui", 200)
    with open_run(path) as reader:
        report = build_report(reader, bootstrap=False, tokens=True)
    rows = list(csv.DictReader(io.StringIO(tab_csv(report, Tab.STOPPING), newline="")))
    for row, cell in zip(rows, report.cells, strict=True):
        parts = [int(row[f"overshoot_{name}"]) for name in ("0", "1", "2", "3_or_more")]
        assert sum(parts) == cell.stopping.covered == int(row["covered"])
        calls = [row[name] for name in row if name.startswith("complete_after_")]
        assert sum(map(int, calls)) == cell.stopping.covered and len(calls) == 8
        assert dict(cell.stopping.t_star).get(1, 0) == int(calls[0])
        assert int(row["redundant"]) == cell.stopping.redundant
    rows = list(csv.DictReader(io.StringIO(tab_csv(report, Tab.TRUST), newline="")))
    mine = [row for row in rows if row["items"] == "answerable"]
    for row, cell in zip(mine, report.cells, strict=True):
        causes = {name: int(value) for name, value in row.items() if name.startswith("excluded_")}
        assert sum(causes.values()) == cell.counts.n_excluded == int(row["excluded"])


def test_a_plot_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = anything(tmp_path / "any.memtui", 120)
    assert main(["report", str(path), "--plot", "bm25", "dense", "--measure", "covered"]) == 0
    shown = capfd.readouterr().out
    assert f"● {BM25}" in shown and f"▲ {DENSE}" in shown and "Covered@2" in shown
    assert main(["report", str(path), "--plot", "nobody"]) == 2
    assert "no arm is called 'nobody'" in capfd.readouterr().err
    assert main(["report", str(path), "--plot", "--budget", "99"]) == 2


def test_s_star_of_the_screen_is_that_of_the_report(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(10):
        run.item(f"q{number}")
        for scale in (0.0, 100.0, 200.0):
            # The pool was too small for q0 and q1 at 200: the two that are lost at 100.
            if scale == 200.0 and number < 4:
                run.haystack(f"q{number}", scale, 1, available=False)
                continue
            label = "wrong" if scale == 100.0 and number < 4 else "right"
            run.add(BM25, f"q{number}", scale, [[f"e-q{number}"]], label)
    path = run.write()
    with open_run(path) as reader:
        report = build_report(reader, bootstrap=False)
        shown = overview_of(ReportSource(reader), 2, 0.7)
    assert report.ladder_items == 6 and str(report.arms[0].s_star) == "> 200"
    assert shown.arms[0].s_star == report.arms[0].s_star
    assert report.arms[0].drop is not None
    assert shown.arms[0].change(Measure.PASS) == report.arms[0].drop.difference
    session = RunSession(path)
    folds, ladder = session.folds(session.settings), session.ladder_folds(session.settings)
    session.close()
    assert ladder is not None and len(ladder) == len(folds) == 3
