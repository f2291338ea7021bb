"""The report of a run as it was at a moment of its recording: the headless twin of a replay.

Only what the facts of the ended episodes say is reported: the ledger and the other judges' verdicts have
no place in the recorded order.
"""

from __future__ import annotations

from functools import cached_property

from memtui.errors import UserError
from memtui.metrics.facts import DEFAULT_VIEW
from memtui.report.build import report_at
from memtui.report.model import Report
from memtui.report.source import ReportSource, seen_from
from memtui.state.replay import Replay, clock
from memtui.state.timeline import VERDICT, read_timeline
from memtui.store.reader import RunReader
from memtui.store.records import Progress


def moment_from(text: str) -> float:
    """Seconds of ``12:34``, ``1:02:03`` or ``90``; UserError for anything else."""
    parts = text.strip().split(":")
    if not 1 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"--until is a time of the run such as 12:34 or 1:02:03; got {text!r}")
    seconds = 0
    for part in parts:
        seconds = seconds * 60 + int(part[:9])
    return float(seconds)


class EarlierSource(ReportSource):
    """The facts of a run file at a moment, seconds since its first start, pauses left out."""

    def __init__(
        self,
        reader: RunReader,
        moment: float,
        judge: str | None = None,
        filter_text: str = "",
        coverage: str = DEFAULT_VIEW,
        flagged: str | None = None,
    ) -> None:
        """As `ReportSource`; UserError for a filter over verdicts that were given only later."""
        super().__init__(reader, judge, filter_text, flagged=flagged)
        facts = {fact.id: fact for fact in self.facts}
        timeline = read_timeline(reader, self.judge, facts, self.left_out)
        replay = Replay(timeline, self.run.mode, self.run.planned)
        replay.go_to(moment)
        if self.filter_text and VERDICT in timeline.kinds[replay.happened :]:
            raise UserError(
                "--filter cannot be told what it would have found then: verdicts were given later"
            )
        self.moment, self.length = replay.moment, timeline.length
        self.coverage, self.facts = coverage, replay.facts()
        self._then = replay.progress
        if coverage != DEFAULT_VIEW:
            self.facts = seen_from(reader, self.facts, coverage)

    @cached_property
    def progress(self) -> Progress:
        """How far the run was."""
        return self._then

    @cached_property
    def state(self) -> str:
        """What is reported instead of the state the run is in now."""
        return f"as it was at {clock(self.moment)} of {clock(self.length)}"


def report_until(
    reader: RunReader,
    budget: int | None = None,
    alpha: float | None = None,
    judge: str | None = None,
    by: str | None = None,
    flt: str | None = None,
    *,
    moment: float,
    coverage: str = DEFAULT_VIEW,
    bootstrap: bool = True,
    tokens: bool = False,
    flagged: str | None = None,
) -> Report:
    """As `build_report`, over what had ended `moment` seconds into the run; without costs and other judges."""
    source = EarlierSource(reader, moment, judge, flt or "", coverage, flagged)
    report = report_at(
        source, budget, alpha, by, bootstrap=bootstrap, tokens=tokens, judges=False, costs=False
    )
    report.until = source.moment
    return report
