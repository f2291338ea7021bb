"""A report of the run as it was at a moment: the rates of what had ended, and nothing else."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.errors import UserError
from memtui.model import Label
from memtui.report.as_json import report_document
from memtui.report.build import report_at
from memtui.report.model import Report
from memtui.report.source import ReportSource
from memtui.report.tab_csv import tab_csv
from memtui.report.until import moment_from, report_until
from memtui.state.tab import Tab
from memtui.store.events import VerdictEvent
from memtui.store.reader import open_run
from tests.ui.make_run import ARMS, Story, at, write, written

STORY = Story(name="then", items=5, arms=ARMS[:3], scales=(0.0, 100.0))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 episodes: one starts each second and takes ten."""
    return asyncio.run(write(tmp_path_factory.mktemp("then") / "then.memtui", STORY))


def test_only_what_had_ended_is_in_it(run: Path) -> None:
    with open_run(run) as reader:
        report = report_until(reader, moment=14.0, bootstrap=False)
    assert (report.progress.done, report.progress.running, report.until) == (5, 10, 14.0)
    assert report.state == "as it was at 0:14 of 0:39"
    counted = sum(cell.counts.n + cell.counts.n_excluded for cell in report.cells)
    apart = sum(cell.counts.n + cell.counts.n_excluded for cell in report.unanswerable)
    assert counted + apart == 5
    assert report.judging == () and report.costs.arms == ()


def test_at_its_end_it_says_what_the_report_says(run: Path) -> None:
    with open_run(run) as reader:
        then = report_document(report_until(reader, moment=1e6, bootstrap=False))
        now = report_document(report_at(ReportSource(reader), judges=False, costs=False))
    for key in ("cells", "arms", "unanswerable", "totals", "alarms"):
        assert then[key] == now[key], key


@pytest.mark.parametrize("tab", [None, Tab.RELIABILITY, Tab.STOPPING])
def test_its_rows_say_of_which_moment_they_are(run: Path, tab: Tab | None) -> None:
    def moments(report: Report) -> set[str]:
        return {
            row["until"] for row in csv.DictReader(io.StringIO(tab_csv(report, tab), newline=""))
        }

    with open_run(run) as reader:
        assert moments(report_until(reader, moment=14.0, bootstrap=False)) == {"14.0"}
        assert moments(report_at(ReportSource(reader))) == {""}


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90.0), ("12:34", 754.0), ("1:02:03", 3723.0), ("0:00", 0.0)]
)
def test_times_of_a_run(text: str, seconds: float) -> None:
    assert moment_from(text) == seconds


@pytest.mark.parametrize("text", ["", "x", "1:2:3:4", "-5", "1.5", "1:", "٣"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UserError, match="12:34"):
        moment_from(text)


def test_the_verb_prints_it(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run), "--until", "0:14", "--json", "--no-bootstrap"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["run"]["until"] == 14.0 and found["run"]["done"] == 5
    assert main(["report", str(run), "--until", "0:14", "--no-bootstrap"]) == 0
    assert "as it was at 0:14 of 0:39 · 5 of 30 episodes" in capsys.readouterr().out
    for more in (["--tab", "cost"], ["--plot"]):
        assert main(["report", str(run), "--until", "0:14", *more]) == 2
        assert "--until" in capsys.readouterr().err


async def test_a_filter_over_verdicts_of_later_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "late.memtui"
    async with written(path, STORY) as sink:
        uid = "hybrid/until-confident 0 " + (await first_item(path)) + " 0"
        await sink.emit(VerdictEvent(uid, "rules", Label.WRONG, at(900)))
        await sink.commit()
    with open_run(path) as reader:
        with pytest.raises(UserError, match="later"):
            report_until(reader, moment=20.0, flt="out:wrong", bootstrap=False)
        report_until(reader, moment=20.0, bootstrap=False)


async def first_item(path: Path) -> str:
    with open_run(path) as reader:
        return reader.items()[0].key
