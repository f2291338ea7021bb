"""Everything that happened to the attempts of a run, in the order in which it was recorded.

The order is that of the file: starts by id, ends and verdicts by transaction. Clock times only set the
pace: a clock that was set back, a missing time or a negative duration moves nothing out of its order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memtui.store.attempts import (
    NEVER_COUNTED,
    AttemptRow,
    LabelRow,
    SetAside,
    attempts,
    labels,
    set_aside,
)
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

START, END, VERDICT = 0, 1, 2

PAUSE = 1.0
"""Seconds that are left of a time in which nothing that ended by itself was under way."""
LONGEST = 3600.0
"""Seconds between two happenings that are believed while something was under way."""
SET_BACK = 5.0
"""Seconds by which a time may lie behind the latest before the clock is held to have been set back."""


class _Event(NamedTuple):
    kind: int
    episode: int
    label: str | None
    clock: float | None


@dataclass(slots=True)
class Timeline:
    """What happened, as parallel columns, and the facts it happened to."""

    moments: array[float] = field(default_factory=lambda: array("d"))
    """Seconds since the first start, never falling."""
    kinds: array[int] = field(default_factory=lambda: array("b"))
    episodes: array[int] = field(default_factory=lambda: array("q"))
    labels: list[str | None] = field(default_factory=list)
    facts: dict[int, EpisodeFact] = field(default_factory=dict)
    """By attempt: counted, running and set aside."""
    counted: frozenset[int] = frozenset()
    """Attempts that counted from their end on, if only until another one replaced them."""
    replaces: dict[int, int] = field(default_factory=dict)
    """An attempt -> the earlier attempt of the same episode that it replaced."""
    started: dict[int, float] = field(default_factory=dict)
    """Moment of each start."""
    pauses: int = 0
    """Times in which nothing was under way, left out of the moments."""

    @property
    def length(self) -> float:
        """The moment of the last happening."""
        return self.moments[-1] if self.moments else 0.0

    def ends_between(self, after: float, until: float) -> int:
        """Happenings in a span that are the end of an attempt."""
        low, high = bisect_right(self.moments, after), bisect_right(self.moments, until)
        return self.kinds[low:high].count(END)


def read_timeline(
    reader: RunReader,
    judge: str,
    facts: Mapping[int, EpisodeFact],
    left_out: Collection[str] = (),
) -> Timeline:
    """The timeline of a file: `facts` are those of `episode_facts`, of the same judge and `left_out`."""
    return build_timeline(
        attempts(reader), labels(reader, judge), facts, set_aside(reader, left_out)
    )


def build_timeline(
    rows: Sequence[AttemptRow],
    verdicts: Sequence[LabelRow],
    facts: Mapping[int, EpisodeFact],
    aside: Sequence[SetAside] = (),
) -> Timeline:
    """Put everything in its order and give it a moment."""
    known = {row.id: row for row in rows}
    replaced = {one.fact.id: one.replaced_by for one in aside if one.replaced_by is not None}
    line = Timeline(
        facts={**{id: fact for id, fact in facts.items() if id in known}, **{a.fact.id: a.fact for a in aside}},
        counted=frozenset([*(row.id for row in rows if row.counts and row.done), *replaced]),
        replaces={later: earlier for earlier, later in replaced.items()},
    )  # fmt: skip
    alive = {
        row.id
        for row in rows
        if row.done and row.finished_at and row.end_reason not in NEVER_COUNTED
    }
    moment, reference, under_way = 0.0, None, 0
    for event in _in_order(rows, verdicts, replaced.keys()):
        if event.episode not in line.facts:
            continue
        if event.clock is not None:
            if reference is None or event.clock < reference - SET_BACK:
                reference = event.clock
            step = event.clock - reference
            if step > 0:
                most = LONGEST if under_way else PAUSE
                line.pauses += step > most
                moment += min(step, most)
                reference = event.clock
        if event.kind == START:
            line.started[event.episode] = moment
            under_way += event.episode in alive
        elif event.kind == END:
            under_way -= event.episode in alive
        line.moments.append(moment)
        line.kinds.append(event.kind)
        line.episodes.append(event.episode)
        line.labels.append(event.label)
    return line


def _in_order(
    rows: Sequence[AttemptRow], verdicts: Sequence[LabelRow], replaced: Collection[int]
) -> Iterator[_Event]:
    """Starts by id between ends and verdicts by transaction; a start comes before its own end."""
    known = {row.id: row for row in rows}
    label: dict[int, str] = {}
    later: list[LabelRow] = []
    for verdict in verdicts:
        row = known.get(verdict.episode)
        if row is None:
            continue
        if not row.done or verdict.rev <= row.rev:
            label[verdict.episode] = verdict.label
        else:
            later.append(verdict)
    ends: list[tuple[int, float, _Event]] = []
    moved: list[_Event] = []
    for row in rows:
        if row.done:
            clock = seconds_of(row.finished_at)
            event = _Event(END, row.id, label.get(row.id), clock)
            if row.id in replaced:
                moved.append(event)
            else:
                ends.append((row.rev, clock or 0.0, event))
    for verdict in later:
        event = _Event(VERDICT, verdict.episode, verdict.label, seconds_of(verdict.at))
        ends.append((verdict.rev, event.clock or 0.0, event))
    # Of one transaction the clock knows the order; between transactions it has no say.
    ends.sort(key=lambda end: end[:2])
    ordered = _with_moved([event for _, _, event in ends], moved)
    starts = iter([_Event(START, row.id, None, seconds_of(row.started_at)) for row in rows])
    waiting = next(starts, None)
    begun: set[int] = set()
    now: float | None = None
    for event in ordered:
        while waiting is not None and (
            event.episode not in begun or _between(now, waiting.clock, event.clock)
        ):
            begun.add(waiting.episode)
            now = waiting.clock or now
            yield waiting
            waiting = next(starts, None)
        now = event.clock or now
        yield event
    while waiting is not None:
        yield waiting
        waiting = next(starts, None)


def _with_moved(ends: list[_Event], moved: Sequence[_Event]) -> list[_Event]:
    """Ends whose transaction was that of their replacement, put where their clock says."""
    ordered: list[_Event] = []
    waiting = deque(sorted(moved, key=lambda one: one.clock or 0.0))
    for event in ends:
        while waiting and (event.clock is not None and (waiting[0].clock or 0.0) < event.clock):
            ordered.append(waiting.popleft())
        ordered.append(event)
    return [*ordered, *waiting]


def _between(now: float | None, start: float | None, end: float | None) -> bool:
    """Whether a start belongs before an end; one that lies far behind was made by a clock set back."""
    if start is None or end is None or start > end:
        return False
    return now is None or start >= now - SET_BACK


def seconds_of(at: str | None) -> float | None:
    """Seconds since the epoch; None for a time that is missing or not to be read."""
    try:
        return datetime.fromisoformat(at or "").timestamp()
    except (ValueError, OverflowError, OSError):
        return None
