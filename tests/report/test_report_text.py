"""Text, Markdown and CSV of reports: aligned, literal, exact."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.report.as_csv import HEADER, report_csv
from memtui.report.build import build_report
from memtui.report.csv_door import BOM, FORMULA_STARTS, LONGEST, guarded, to_csv
from memtui.report.markdown import escaped, report_markdown
from memtui.report.model import Report
from memtui.report.plain import report_text, table_lines
from memtui.report.table import Table
from memtui.store.reader import open_run
from tests.report.generated_run import ARMS, HOSTILE, RunFile, anything


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = anything(tmp_path_factory.mktemp("runs") / "any.memtui")
    with open_run(path) as reader:
        return build_report(reader, by="question_type", tokens=True)


def test_plain_text_names_what_the_numbers_depend_on(report: Report) -> None:
    text = report_text(report)
    for part in (
        "B = 2 (post hoc)",
        "alpha .70",
        "judge deterministic-1",
        "coverage finest/shown",
        "excluded",
        "Reliability, answerable items",
        "Usable scale",
        "Failure regimes at B = 2",
        "Stopping",
        "Items without an answer",
        "question type: temporal",
        "Histories",
        "evidence age",
        "Notes",
    ):
        assert part in text
    assert "\x1b" not in text and "\t" not in text
    assert text.endswith("\n")


def test_prose_is_wrapped_and_numbers_stand_in_columns(report: Report) -> None:
    lines = report_text(report).splitlines()
    at = lines.index("Reliability, answerable items")
    table = []
    for line in lines[at + 3 :]:
        if not line or line.startswith("per cent"):
            break
        table.append(line)
    assert len(table) == len(report.cells)
    assert len({cell_len(line) for line in table}) == 1
    at = lines.index("Notes")
    assert all(len(line) <= 100 for line in lines[at:])


def test_tables_align_wide_characters_by_cells() -> None:
    table = Table("T", ("name", "n"), "<>", (("日本語", "1"), ("abc", "22"), ("e\u0301x", "3")))
    rows = list(table_lines(table))[1:]
    assert len({cell_len(row) for row in rows}) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_outside_text_is_literal_and_on_one_line(tmp_path: Path, text: str) -> None:
    run = RunFile(tmp_path / "a.memtui", name=text)
    run.item("q", qtype=text)
    run.add(ARMS[0], "q", 0.0, [["e-q"]])
    run.arm(ARMS[0], note=text)
    with open_run(run.write()) as reader:
        found = build_report(reader, by="question_type", bootstrap=False)
    plain = report_text(found)
    assert not any(ord(c) < 32 and c != "\n" for c in plain)
    assert f"question type: {text.splitlines()[0]}"[:18] in plain
    marked = report_markdown(found)
    assert not any(ord(c) < 32 and c != "\n" for c in marked)
    columns = {
        len(line.replace("\\|", "").split("|"))
        for line in marked.splitlines()
        if line.startswith("| bm25") and "✓" not in line
    }
    assert columns


def test_markdown_tables_have_as_many_cells_as_columns(report: Report) -> None:
    lines = report_markdown(report).splitlines()
    width = 0
    for line in lines:
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(line.replace("\\|", "").split("|"))
        width = width or cells
        assert cells == width
    assert escaped("a|b*c`<i>") == "a\\|b\\*c\\`\\<i\\>"


def test_csv_of_a_report_holds_integers(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(report_csv(report), newline="")))
    assert tuple(rows[0]) == HEADER
    answerable = [row for row in rows if row["items"] == "answerable" and not row["group"]]
    assert len(answerable) == len(report.cells)
    for row, cell in zip(answerable, report.cells, strict=True):
        assert int(row["pass"]) == cell.counts.passed
        assert int(row["pass"]) + int(row["exhausted"]) + int(row["wrong"]) == int(row["n"])
        if row["pass_rate"]:
            assert float(row["pass_rate"]) == cell.rates["pass"].value
        regimes = sum(int(value) for name, value in row.items() if name.startswith("regime_"))
        assert regimes == cell.counts.n + cell.counts.n_excluded + cell.counts.pending
    assert any(row["items"] == "unanswerable" for row in rows)
    assert any(row["group"] == "question_type=temporal" for row in rows)


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    [
        "=1+1",
        "+49",
        "-2",
        "@x",
        "\tx",
        "\rx",
        "line1\nline2",
        "日本語",
        "0123",
        "1e5",
        'a"b,c',
        "gpt4_2e5",
    ]
)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_exact_csv_comes_back_as_it_was(rows: list[list[str]]) -> None:
    text = to_csv(("a", "b"), rows)
    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == rows
    assert text.count("\r\n") >= len(rows) + 1


@given(st.lists(st.tuples(CELLS, st.integers() | st.floats(allow_nan=False)), max_size=5))
def test_spreadsheet_csv_guards_text_and_leaves_numbers(
    rows: list[tuple[str, int | float]],
) -> None:
    text = to_csv(("a", "b"), rows, excel=True)
    assert text.encode("utf-8").startswith(b"\xef\xbb\xbf")
    back = list(csv.reader(io.StringIO(text.removeprefix(BOM), newline="")))[1:]
    for (written, number), (read, value) in zip(rows, back, strict=True):
        assert not read.startswith(FORMULA_STARTS)
        assert read == ("'" + written if written.startswith(FORMULA_STARTS) else written)
        assert type(number)(value) == number


def test_cells_are_cut_at_what_a_spreadsheet_holds() -> None:
    long = "x" * 40_000
    assert len(guarded(long)) == LONGEST and guarded(long).endswith("…[cut]")
    assert to_csv(("a",), [[long]]).splitlines()[1] == long
    assert len(guarded("=" + long)) == LONGEST


def test_unknown_values_are_empty_cells_and_negative_numbers_stay_numbers() -> None:
    assert to_csv(("a", "b"), [[None, -0.5]], excel=True) == f"{BOM}a,b\r\n,-0.5\r\n"
