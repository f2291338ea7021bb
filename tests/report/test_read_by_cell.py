"""What a tab reads of every episode it reads cell by cell: all at once would take tens of megabytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memtui.report.build import report_at
from memtui.report.source import ReportSource
from memtui.store.reader import RunReader, open_run
from tests.report.generated_run import anything


def test_no_answer_of_the_file_is_longer_than_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = 0
    query = RunReader.query

    def counting(self: RunReader, *args: Any) -> list[Any]:
        nonlocal longest
        found = query(self, *args)
        longest = max(longest, len(found))
        return found

    with open_run(anything(tmp_path / "any.memtui")) as reader:
        source = ReportSource(reader)
        report_at(source, judges=False, costs=False)
        monkeypatch.setattr(RunReader, "query", counting)
        report = report_at(source, judges=True, tokens=True, costs=False)
        sizes = [cell.counts.n + cell.counts.n_excluded for cell in report.cells]
    assert report.judging and report.judging[0].both > max(sizes)
    assert any(cell.tokens_after for cell in report.cells)
    assert 0 < longest <= 2 * max(sizes), "answerable or not, a cell has one label of each judge"
