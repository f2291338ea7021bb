"""The files of a comparison: the open one and, where the other side is elsewhere, that one too."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path

from memtui.errors import UserError
from memtui.report.comparison import Comparison, Side, compare
from memtui.report.source import ReportSource
from memtui.state.compare_marks import Mark, arm_of
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.store.blame import blaming
from memtui.store.reader import RunReader, open_run
from memtui.store.records import EpisodeFact
from memtui.store.side_file import SideFile
from memtui.store.tail import Tail

Sides = tuple[tuple[Path, str], tuple[Path, str]]
"""(file, arm) of A and of B."""


class ComparedFiles:
    """Readers of the files that are compared; `read` runs in the reading thread."""

    def __init__(self) -> None:
        self._foreign: dict[Path, RunReader] = {}
        self._tails: dict[Path, Tail] = {}
        self._side_files: dict[Path, tuple[SideFile, tuple[int, ...]]] = {}
        self._lock = threading.Lock()
        """Held while the tails are asked: they are closed by the thread of the screen."""

    def close(self) -> None:
        """Let go of every file but the open one."""
        with self._lock:
            for tail in self._tails.values():
                tail.close()
            self._tails.clear()
            self._side_files.clear()
            for reader in self._foreign.values():
                reader.close()
            self._foreign.clear()

    def changed(self) -> bool:
        """Whether a file that is not the open one has other episodes, verdicts or flags than before.

        UserError where one cannot be read any more.
        """
        found = False
        with self._lock:
            for path, tail in self._tails.items():
                changes = tail.poll()
                if changes is None:
                    continue
                if changes.gone:
                    raise UserError(
                        f"{path.name} was removed; what is on screen is the last that was read"
                    )
                found |= changes.replaced or changes.declared
                found |= bool(changes.episodes or changes.judged)
            for path, (side_file, stamp) in self._side_files.items():
                now = side_file.stamp()
                found |= now != stamp
                self._side_files[path] = (side_file, now)
        return found

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
        with blaming(*(mark.path for mark in marks)):
            return self._compared(session, settings, *marks, any_history)

    def _compared(
        self, session: RunSession, settings: Settings, a: Mark, b: Mark, any_history: bool
    ) -> tuple[Sides, tuple[list[str], list[str]], Comparison | UserError]:
        keys = [[arm.key for arm in self._reader(session, mark.path).arms()] for mark in (a, b)]
        if not keys[0] or not keys[1]:
            raise UserError("no arm has started yet")
        arm_a = arm_of(a, keys[0], b, keys[1])
        arm_b = arm_of(b, keys[1], Mark(a.path, arm_a), keys[0])
        sides = ((a.path, arm_a), (b.path, arm_b))
        if sides[0] == sides[1]:
            raise UserError("this file has one arm only: mark two runs on screen 1 (c)")
        found: Comparison | UserError
        try:
            if a.path == b.path:
                first = second = self._source(session, settings, a.path, arm_a, arm_b)
            else:
                first = self._source(session, settings, a.path, arm_a)
                second = self._source(session, settings, b.path, arm_b)
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
        reader = self._foreign.get(path)
        if reader is None:
            reader = open_run(path)
            side_file = SideFile(path, reader.run().uid)
            with self._lock:
                # Before anything is read: what is written from now on is noticed.
                self._tails[path] = Tail(path, [reader])
                self._side_files[path] = (side_file, side_file.stamp())
                self._foreign[path] = reader
        return reader

    def _source(
        self, session: RunSession, settings: Settings, path: Path, *arms: str
    ) -> ReportSource:
        """A file with the facts of these arms: of all of them the comparison, which is kept for as long
        as the file is open, would hold a hundred times as many."""
        reader = self._reader(session, path)

        def read(judge: str) -> Collection[EpisodeFact]:
            here = path == session.path
            return (session.facts(judge) if here else reader.packed_facts(judge)).values()

        source = ReportSource(
            reader, settings.judge, settings.filter, read=read, flagged=settings.flagged
        )
        source.keep_arms(arms)
        return source
