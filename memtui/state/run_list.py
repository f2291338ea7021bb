"""The run files of a folder with their rates, costs, aliases and notes; what did not change is not read again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from memtui.errors import UserError
from memtui.metrics.histogram import Fold, merge
from memtui.metrics.rates import Tally, tally
from memtui.model import FLAGGED
from memtui.state.fold_facts import fold_facts
from memtui.state.freed_memory import give_back, keep_little
from memtui.state.live import told_eta, told_per_minute
from memtui.state.run_cost import Paid, paid_for
from memtui.state.settings import own_judge
from memtui.store.errors import Locked
from memtui.store.reader import RunReader
from memtui.store.side_file import NO_MARKS, Marks, SideFile, state_folder
from memtui.store.workspace import RunFolder, RunSummary, Version, stamp_of, versions_in

READ_SHARE = 10.0
"""Of a run that goes on, rates may take at most one part in so many of the time."""
LARGE = 0.1
"""Seconds of reading after which there is garbage worth looking for."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run file: what the store says of it, what the reader added, and its rates at its own B and judge."""

    summary: RunSummary
    alias: str = ""
    note: str = ""
    flagged: int = 0
    """Questions whose gold the reader flagged."""
    judge: str = ""
    """Whose verdicts the rates are of."""
    counts: Tally | None = None
    """Over all arms and scales; unanswerable items apart. None: not read yet, or not readable."""
    by_scale: tuple[tuple[float, int, int], ...] = ()
    """(scale, passed, n) over all arms; unanswerable items apart."""
    paid: Paid | None = None
    problem: str = ""
    """Why the rates of a file whose header can be read could not be read."""
    without_flagged: bool = False
    """Whether the flagged questions are out of the rates."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.summary.path

    @property
    def rate(self) -> float | None:
        """Pass@B over all arms and scales; None without a counted episode."""
        return self.counts.passed / self.counts.n if self.counts and self.counts.n else None

    @property
    def share_done(self) -> float | None:
        """Episodes done of those planned."""
        progress = self.summary.progress
        return progress.done / progress.planned if progress and progress.planned else None

    @property
    def per_minute(self) -> float | None:
        """Episodes a minute as the driving process counts them, of a run that goes on."""
        return told_per_minute(self._snapshot)

    @property
    def eta_seconds(self) -> float | None:
        """Seconds until it ends at this pace, of a run that goes on."""
        return told_eta(self._snapshot)

    @property
    def stopping(self) -> bool:
        """Whether the run was asked to stop and is about to end."""
        return self._snapshot.get("state") == "stopping"

    @property
    def _snapshot(self) -> Mapping[str, Any]:
        """What the driving process said last, of a run that goes on."""
        run = self.summary
        return run.beat.snapshot if run.live and run.beat is not None else {}


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a file's episodes, and what that depended on."""

    key: tuple[object, ...]
    without: tuple[object, ...]
    """The key without the stamp of the file."""
    line: RunLine
    at: float
    took: float


class _Shown(NamedTuple):
    """What a line was made of; the same parts make the same line."""

    run: RunSummary
    marks: Marks
    read: _Read | None
    without_flagged: bool


class RunList:
    """The files of a folder as lines; the reading is done by whoever calls, in a thread of theirs."""

    def __init__(self, folder: Path) -> None:
        self._folder = RunFolder(folder)
        self._read: dict[Path, _Read] = {}
        self._marks: dict[Path, tuple[str, SideFile, object, Marks]] = {}
        self._made: dict[Path, tuple[_Shown, RunLine]] = {}

    def glance(self, *, without_flagged: bool = False) -> list[RunLine]:
        """All files, newest first, with the rates that were read before; UserError for a missing folder.

        A line of which nothing changed is the same object as before.
        """
        runs = self._folder.look()
        try:
            apart = versions_in(state_folder())
        except OSError:
            apart = {}
        made = {}
        for run in runs:
            parts = _Shown(
                run, self._marks_of(run, apart), self._read.get(run.path), without_flagged
            )
            known = self._made.get(run.path)
            if known is not None and all(map(is_, known[0], parts)):
                made[run.path] = known
            else:
                made[run.path] = parts, _line(parts)
        self._made = made
        return [made[run.path][1] for run in runs]

    def with_rates(self, line: RunLine) -> RunLine:
        """The line with its rates; from memory where neither the file nor the flags changed."""
        run = line.summary
        if run.state == "unusable":
            return line
        marks = self._marks[run.path][3] if run.path in self._marks else NO_MARKS
        flagged = marks.bad_gold if line.without_flagged else frozenset[str]()
        without = (run.uid, run.judge, line.without_flagged, flagged)
        key = (run.stamp or None, *without)
        read = self._read.get(run.path)
        if read is not None and read.without == without:
            if run.stamp and read.key == key:
                return _with(line, read.line)
            if run.live and monotonic() - read.at < READ_SHARE * read.took:
                return _with(line, read.line)
        started = monotonic()
        stamp = stamp_of(run.path)
        keep_little()
        try:
            found = _read_rates(line, flagged)
        except (UserError, ValueError, TypeError, KeyError, AttributeError) as error:
            # The header can be read, the episodes cannot: the line says so and the others stay.
            found = replace(line, problem=str(error).replace(f"{run.path} ", "") or "unreadable")
            stamp = () if isinstance(error, Locked) else stamp
        now = monotonic()
        self._read[run.path] = _Read((stamp or None, *without), without, found, now, now - started)
        if now - started > LARGE:
            gc.collect()
        give_back()
        return found

    def _marks_of(self, run: RunSummary, apart: Mapping[str, Version]) -> Marks:
        """What the reader added to a run, read again where a side file changed. `apart`: those not beside."""
        if not run.uid:
            return NO_MARKS
        known = self._marks.get(run.path)
        side = (
            known[1] if known is not None and known[0] == run.uid else SideFile(run.path, run.uid)
        )
        versions = self._folder.versions.get(side.beside.name), apart.get(side.apart.name)
        if known is None or known[1] is not side or known[2] != versions:
            known = self._marks[run.path] = run.uid, side, versions, side.read()
        return known[3]


def _line(parts: _Shown) -> RunLine:
    run, marks, read, without_flagged = parts
    line = RunLine(
        run,
        alias=marks.aliases.get("", ""),
        note=marks.notes.get("", ""),
        flagged=len(marks.bad_gold),
        without_flagged=without_flagged,
    )
    if read is not None and read.without[:3] == (run.uid, run.judge, without_flagged):
        return _with(line, read.line)
    return line


def _with(line: RunLine, read: RunLine) -> RunLine:
    """The line with the rates of an earlier reading; itself where it has them."""
    if line.counts is read.counts and line.paid is read.paid and line.problem == read.problem:
        return line
    return replace(
        line,
        judge=read.judge,
        counts=read.counts,
        by_scale=read.by_scale,
        paid=read.paid,
        problem=read.problem,
    )


def _read_rates(line: RunLine, flagged: frozenset[str]) -> RunLine:
    run = line.summary
    budget, mode = run.budget or 0, run.mode
    with RunReader(run.path) as reader:
        judges = reader.judges()
        judge = own_judge(run.judge, judges)
        reader.leave_out(flagged)
        folds = fold_facts(reader.packed_facts(judge), mode)
        scales = {cell.id: cell.scale for cell in reader.cells()}
        paid = paid_for(reader)
    answerable = {
        key[0]: group for key, group in folds.items() if isinstance(key, tuple) and key[1]
    }
    per_scale: dict[float, list[Fold]] = {}
    for cell, group in answerable.items():
        scale = scales.get(cell)
        if scale is not None:
            per_scale.setdefault(scale, []).append(group)
    by_scale = [
        (scale, tally(merge(groups), budget, mode)) for scale, groups in sorted(per_scale.items())
    ]
    return replace(
        line,
        judge=judge,
        counts=tally(merge(list(answerable.values())), budget, mode),
        by_scale=tuple((scale, found.passed, found.n) for scale, found in by_scale),
        paid=paid,
    )


def flagged_out(line: RunLine) -> int:
    """Episodes outside n because a reader flagged their question."""
    return 0 if line.counts is None else line.counts.excluded[FLAGGED]


# --- order and search ---------------------------------------------------------------------------

STATES = ("running", "paused", "interrupted", "unknown", "finished", "unusable")
_KEYS: dict[str, tuple[Callable[[RunLine], Any], bool]] = {
    "started": (lambda line: line.summary.created_at or None, True),
    "name": (lambda line: (line.alias or line.path.stem).casefold(), False),
    "state": (lambda line: float(_state_order(line)), False),
    "progress": (lambda line: line.share_done, True),
    "pass": (lambda line: line.rate, True),
    "n": (lambda line: None if line.counts is None else float(line.counts.n), True),
    "excluded": (
        lambda line: None if line.counts is None else float(line.counts.n_excluded),
        True,
    ),
    "eta": (lambda line: line.eta_seconds, False),
    "cost": (lambda line: None if line.paid is None else line.paid.cost, True),
    "size": (lambda line: float(line.summary.size), True),
}
"""What a list can be ordered by: the value of a line, and whether the largest comes first."""
SORTS = tuple(_KEYS)


def _state_order(line: RunLine) -> int:
    state = line.summary.state
    return STATES.index(state) if state in STATES else len(STATES)


def ordered(
    lines: Iterable[RunLine], by: str = "started", *, turned: bool = False
) -> list[RunLine]:
    """The lines by one of `SORTS`; what is unknown comes last either way, equals stand by name."""
    value, falling = _KEYS[by]
    known: list[tuple[Any, RunLine]] = []
    unknown = []
    for line in sorted(lines, key=lambda line: line.path.name):
        found = value(line)
        if found is None:
            unknown.append(line)
        else:
            known.append((found, line))
    known.sort(key=lambda pair: pair[0], reverse=falling != turned)
    return [line for _, line in known] + unknown


def has_words(line: RunLine, words: str) -> bool:
    """Whether alias, file name, run name, note, data set or state contain the words, whatever their case."""
    run = line.summary
    texts = (line.alias, line.path.name, run.name, line.note, run.dataset, run.state, run.trouble)
    return any(words.casefold() in text.casefold() for text in texts)


def next_match(lines: Sequence[RunLine], words: str, at: int, by: int) -> int | None:
    """Index of the next (`by` 1) or previous (-1) line with the words, round and round; None without one."""
    for step in range(1, len(lines) + 1):
        index = (at + by * step) % len(lines)
        if has_words(lines[index], words):
            return index
    return None
