"""The figures of a tab of the overview: a report at the reader's choices, made in a thread of its own.

The report is the one that `memtui report` prints, so screen and print agree figure for figure. The run
file is read over a connection of its own: neither the rates nor the lists wait for a tab.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from memtui.report.build import report_at
from memtui.report.model import Report
from memtui.report.source import ReportSource
from memtui.state.settings import Settings
from memtui.state.tab import Tab
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact


@dataclass(frozen=True, slots=True)
class Wanted:
    """What figures depend on: another file, choice or data version asks for others."""

    path: Path
    version: int
    tab: Tab
    budget: int
    alpha: float
    judge: str | None
    filter: str
    flagged: str
    steps: bool
    """Whether the steps of every episode are read too: the tokens after t* take a while."""


def wanted_by(
    path: Path, version: int, tab: Tab, settings: Settings, judges: tuple[str, ...]
) -> Wanted:
    """What a tab needs at the reader's choices, steps apart; no judge while none has given a verdict."""
    return Wanted(
        path, version, tab, settings.budget, settings.alpha,
        settings.judge if settings.judge in judges else None, settings.filter, settings.flagged, False,
    )  # fmt: skip


class TabFigures:
    """Makes reports one after the other; the newest wish counts, what was read serves every B."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memtui-tab")
        self._source: ReportSource | None = None
        self._read_for: tuple[object, ...] = ()
        self._newest: Wanted | None = None

    async def report(self, wanted: Wanted) -> Report | None:
        """The figures; None where something else was wanted before this was begun."""
        self._newest = wanted
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._make, wanted)

    def hurry(self, wanted: Wanted) -> None:
        """Something else is wanted: end a reading that serves it no more."""
        newest = self._newest
        self._newest = wanted
        source = self._source
        if newest is not None and source is not None and _choices(newest) != _choices(wanted):
            source.reader.interrupt()

    def _make(self, wanted: Wanted) -> Report | None:
        if wanted is not self._newest:
            return None
        if self._read_for != _read_for(wanted) or self._source is None:
            self.forget()
            source = _source(wanted)
            self._source, self._read_for = source, _read_for(wanted)
        source = self._source
        try:
            return report_at(
                source,
                wanted.budget,
                wanted.alpha,
                tokens=wanted.steps,
                judges=wanted.tab is Tab.TRUST,
                costs=wanted.tab is Tab.COST,
            )
        finally:
            # Nothing is held between two questions: a writer that ends may fold its log in.
            source.reader.release()

    def forget(self) -> None:
        """Let go of what was read."""
        self._source, self._read_for = None, ()

    def close(self) -> None:
        """End the thread."""
        self._newest = None
        if self._source is not None:
            self._source.reader.interrupt()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _source(wanted: Wanted) -> ReportSource:
    """The file at these choices; its facts packed, so that a hundred thousand take a few megabytes."""
    reader = RunReader(wanted.path)

    def read(judge: str) -> Collection[EpisodeFact]:
        return reader.packed_facts(judge).values()

    return ReportSource(reader, wanted.judge, wanted.filter, read=read, flagged=wanted.flagged)


def _choices(wanted: Wanted) -> tuple[object, ...]:
    return wanted.path, wanted.tab, wanted.judge, wanted.filter, wanted.flagged


def _read_for(wanted: Wanted) -> tuple[object, ...]:
    return wanted.path, wanted.version, wanted.judge, wanted.filter, wanted.flagged
