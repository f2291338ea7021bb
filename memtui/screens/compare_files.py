"""The files of a comparison: the open one and, where the other side is elsewhere, that one too."""

from __future__ import annotations

from pathlib import Path

from memtui.errors import UserError
from memtui.report.comparison import Comparison, Side, compare
from memtui.report.source import ReportSource
from memtui.state.compare_marks import Mark, arm_of
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.store.reader import RunReader, open_run

Sides = tuple[tuple[Path, str], tuple[Path, str]]
"""(file, arm) of A and of B."""


class ComparedFiles:
    """Readers of the files that are compared; `read` runs in the reading thread."""

    def __init__(self) -> None:
        self._foreign: dict[Path, RunReader] = {}

    def close(self) -> None:
        """Let go of every file but the open one."""
        for reader in self._foreign.values():
            reader.close()
        self._foreign.clear()

    def pages(self, session: RunSession, sides: Sides) -> tuple[RunReader, RunReader]:
        """Readers of A and of B for the lines that come into view."""
        first, second = (
            session.pages if path == session.path else self._foreign[path] for path, _ in sides
        )
        return first, second

    def read(
        self,
        session: RunSession,
        settings: Settings,
        marks: tuple[Mark, Mark],
        *,
        any_history: bool,
    ) -> tuple[Sides, tuple[list[str], list[str]], Comparison | UserError]:
        """Who is compared, the arms of both files, and the comparison or why there is none.

        UserError where not even the two sides can be named.
        """
        a, b = marks
        keys = [[arm.key for arm in self._reader(session, mark.path).arms()] for mark in marks]
        if not keys[0] or not keys[1]:
            raise UserError("no arm has started yet")
        arm_a = arm_of(a, keys[0], b, keys[1])
        arm_b = arm_of(b, keys[1], Mark(a.path, arm_a), keys[0])
        sides = ((a.path, arm_a), (b.path, arm_b))
        if sides[0] == sides[1]:
            raise UserError("this file has one arm only: mark two runs on screen 1 (c)")
        found: Comparison | UserError
        try:
            first = self._source(session, settings, a.path)
            second = first if a.path == b.path else self._source(session, settings, b.path)
            found = compare(
                Side(first, arm_a), Side(second, arm_b), settings.budget,
                intersect=True, any_history=any_history,
            )  # fmt: skip
        except UserError as error:
            found = error
        return sides, (keys[0], keys[1]), found

    def _reader(self, session: RunSession, path: Path) -> RunReader:
        if path == session.path:
            return session.reader
        if path not in self._foreign:
            self._foreign[path] = open_run(path)
        return self._foreign[path]

    def _source(self, session: RunSession, settings: Settings, path: Path) -> ReportSource:
        facts = None
        if path == session.path:
            facts = list(session.facts(settings.judge).values())
        reader = self._reader(session, path)
        return ReportSource(
            reader, settings.judge, settings.filter, facts=facts, flagged=settings.flagged
        )
