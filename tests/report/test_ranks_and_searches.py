"""How deep the evidence came back, and the calls made against the call that completed it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memtui.metrics.outcome import standing
from memtui.query.subject import subject_of
from memtui.report.as_json import report_document
from memtui.report.build import build_report
from memtui.report.plain import report_text
from memtui.report.ranks import bin_of
from memtui.store.reader import open_run
from tests.report.generated_run import ARMS, RunFile, anything

BM25, DENSE, _ = ARMS


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anything(tmp_path_factory.mktemp("runs") / "any.memtui", 300)


def test_both_equal_recounting_episode_by_episode(everything: Path) -> None:
    with open_run(everything) as reader:
        report = build_report(reader, tokens=True, bootstrap=False)
        ranks: dict[int, Counter[str]] = {}
        searches: dict[int, Counter[tuple[int | None, int]]] = {}
        for number in reader.episode_ids():
            subject = subject_of(reader, number)
            assert subject is not None
            row = subject.row
            held = standing(row.end_reason, row.labels.get(report.judge), int(row.done))
            if row.gold_total is None or not held.counted:
                continue
            ranks.setdefault(row.cell_id, Counter())[bin_of(subject.best_rank)] += 1
            searches.setdefault(row.cell_id, Counter())[row.t_star, row.requested] += 1
        assert sum(map(Counter.total, ranks.values())) > 50
        for cell in report.cells:
            assert +Counter(cell.ranks or {}) == ranks.get(cell.cell_id, Counter())
            found = {(complete, made): n for complete, made, n in cell.stopping.searches}
            assert found == searches.get(cell.cell_id, {})
            assert sum(found.values()) == cell.stopping.coverage_n


def test_tables_and_document(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "r.memtui")
    for number in range(4):
        run.item(f"q{number}")
    deep = [*"abcdef"]
    run.add(BM25, "q0", 0.0, [["e-q0"]], "right")
    run.add(BM25, "q1", 0.0, [["x"], [*deep, "e-q1"], ["x"]], "wrong")
    run.add(BM25, "q2", 0.0, [["x"], ["y"]], "wrong")
    run.add(BM25, "q3", 0.0, [["e-q3"], ["x"]], "right")
    with open_run(run.write()) as reader:
        report = build_report(reader, tokens=True)
        plain = build_report(reader)
    (cell,) = report_document(report)["cells"]
    assert cell["stopping"]["evidence_ranks"] == {
        "1": 2, "2-3": 0, "4-5": 0, "6-12": 1, "13+": 0, "never": 1,
    }  # fmt: skip
    assert [tuple(one.values()) for one in cell["stopping"]["searches"]] == [
        (1, 1, 1), (1, 2, 1), (2, 3, 1), (None, 2, 1),
    ]  # fmt: skip
    lines = [line.split() for line in report_text(report).splitlines()]
    assert [BM25, "1", "1", "1", "0", "2"] in lines and ["never", "0", "1", "0", "1"] in lines
    assert ["2", "0", "1", "1"] in lines, "nobody stops before the call that completes it"
    assert "Rank of the evidence" in report_text(report)
    assert "Rank of the evidence" not in report_text(plain), "steps are read where it is asked for"
