"""The figures of a tab of the overview: a report at the reader's choices, made in a thread of its own.

The report is the one that `memtui report` prints, so screen and print agree figure for figure. Facts are
those that were read for the rates and the lists; what a tab needs besides is read over a connection of its
own, so that neither of them waits for it.
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
from memtui.state.session import RunSession, Shared
from memtui.state.settings import Settings
from memtui.state.tab import Tab
from memtui.store.blame import blaming
from memtui.store.connect import TIMEOUT
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
        self._patience = TIMEOUT

    async def report(self, session: RunSession, wanted: Wanted) -> Report | None:
        """The figures; None where something else was wanted before this was begun. UserError where the
        file cannot be read, or the reader has chosen otherwise meanwhile."""
        self._newest = wanted
        self._patience = session.reader.patience  # where it waited in vain, nobody waits again
        read = None
        if self._read_for != _read_for(wanted):
            read = await session.ask(session.shared, session.settings)
            if wanted is not self._newest:
                return None  # or nothing at all is wanted any more: `close`
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._make, wanted, read
        )

    def hurry(self, wanted: Wanted) -> None:
        """Something else is wanted: end a reading that serves it no more."""
        newest = self._newest
        self._newest = wanted
        source = self._source
        if newest is not None and source is not None and _choices(newest) != _choices(wanted):
            source.reader.interrupt()

    def _make(self, wanted: Wanted, read: Shared | None) -> Report | None:
        if wanted is not self._newest:
            return None
        with blaming(wanted.path):
            return self._made(wanted, read)

    def _made(self, wanted: Wanted, read: Shared | None) -> Report:
        if self._read_for != _read_for(wanted) or self._source is None:
            self.forget()
            source = _source(wanted, read, self._patience)
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


def _source(wanted: Wanted, read: Shared | None, patience: float) -> ReportSource:
    """The file at these choices, with the facts that were read under them."""
    reader, given = RunReader(wanted.path, patience=patience), False

    def facts(judge: str) -> Collection[EpisodeFact]:
        nonlocal given
        given = read is not None and (read.judge, read.left_out) == (judge, reader.left_out)
        # Else no judge has given a verdict, or another process flagged a question this moment.
        packed = read.facts if given and read is not None else reader.packed_facts(judge)
        return packed.values()

    source = ReportSource(reader, wanted.judge, wanted.filter, read=facts, flagged=wanted.flagged)
    if given and read is not None and read.folds is not None and not wanted.filter:
        source.selected(wanted.budget).folds = read.folds
    return source


def _choices(wanted: Wanted) -> tuple[object, ...]:
    return wanted.path, wanted.tab, wanted.judge, wanted.filter, wanted.flagged


def _read_for(wanted: Wanted) -> tuple[object, ...]:
    return wanted.path, wanted.version, wanted.judge, wanted.filter, wanted.flagged
