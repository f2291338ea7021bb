"""A finished run as it was at a moment: an ordered prefix of what happened, folded as it grows.

Nothing is copied and nothing is written; going on costs only what ended meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from memtui.metrics.growing_folds import GrowingFolds
from memtui.state.live import FEED, Dock, InFlight, Troubles
from memtui.state.overview import Folds
from memtui.state.timeline import END, START, Timeline
from memtui.store.records import EpisodeFact, EpisodeRow, Progress

SPEEDS = (1, 2, 5, 10, 30, 60, 120, 300, 600)
"""Seconds of the run in one second of the reader."""
RATE_SPAN = 60.0
"""Seconds of the run over which endings per minute are counted."""
NAMED = 24
"""Attempts under way that are looked up to be shown."""


def faster(speed: int, by: int) -> int:
    """The next speed up (1) or down (-1); the last one stays."""
    at = SPEEDS.index(speed) if speed in SPEEDS else 0
    return SPEEDS[max(0, min(len(SPEEDS) - 1, at + by))]


def nearest_speed(wanted: float) -> int:
    """The speed that is nearest to what was asked for."""
    return min(SPEEDS, key=lambda speed: abs(speed - wanted))


def clock(seconds: float) -> str:
    """``12:34`` or ``1:02:03``."""
    whole = int(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


class Replay:
    """A timeline up to a moment.

    `only`: episodes that pass the filter line; others are not folded. `unfilled`: ids of the items that some
    rung lacks, which are no part of the ladder.
    """

    def __init__(
        self,
        timeline: Timeline,
        mode: str,
        planned: int,
        only: Collection[int] | None = None,
        unfilled: Collection[int] = (),
    ) -> None:
        self.timeline = timeline
        self._mode, self._planned, self._only = mode, planned, only
        self._unfilled = frozenset(unfilled)
        self._rewind()

    def _rewind(self) -> None:
        self.moment = 0.0
        self._next = 0
        self._folds = GrowingFolds(self._mode)
        self._ladder_folds = GrowingFolds(self._mode) if self._unfilled else None
        self._shown: dict[int, EpisodeFact] = {}
        self._in_flight: dict[int, None] = {}
        self._latest: deque[int] = deque(maxlen=FEED)
        self._done = 0
        self._attempts = 0
        self._not_counted = 0

    # --- moving ---------------------------------------------------------------------------------

    @property
    def happened(self) -> int:
        """How many happenings of the timeline lie behind."""
        return self._next

    @property
    def over(self) -> bool:
        """Whether everything has happened."""
        return self._next >= len(self.timeline.moments)

    def go_to(self, moment: float) -> None:
        """The run as it was at that moment, what happened at it included."""
        line = self.timeline
        moment = max(0.0, min(moment, line.length))
        if moment < self.moment:
            self._rewind()
        self.moment = moment
        while self._next < len(line.moments) and line.moments[self._next] <= moment:
            at = self._next
            self._apply(line.kinds[at], line.episodes[at], line.labels[at])
            self._next += 1
        for episode in self._in_flight:
            if episode not in self._shown:
                self._show(episode, _pending(line.facts[episode]))

    def _apply(self, kind: int, episode: int, label: str | None) -> None:
        fact = self.timeline.facts[episode]
        if kind == START:
            self._attempts += 1
            self._in_flight[episode] = None  # shown once we are there, if it is still under way
        elif kind == END:
            self._in_flight.pop(episode, None)
            if episode not in self.timeline.counted:
                self._not_counted += 1
                self._show(episode, None)
                return
            earlier = self.timeline.replaces.get(episode)
            if earlier is not None and earlier in self._shown:
                self._show(earlier, None)
                self._not_counted += 1
            else:
                self._done += 1
            self._show(episode, fact._replace(label=label))
            self._latest.append(episode)
        elif episode in self._shown and episode not in self._in_flight:
            self._show(episode, fact._replace(label=label))

    def _show(self, episode: int, fact: EpisodeFact | None) -> None:
        """Take out of the folds what was shown of an attempt, and put in what is shown of it now."""
        before = self._shown.pop(episode, None)
        if fact is not None:
            self._shown[episode] = fact
        if self._only is not None and episode not in self._only:
            return
        for folds in (self._folds, self._ladder_folds):
            for one, change in ((before, GrowingFolds.take), (fact, GrowingFolds.put)):
                if folds is None or one is None:
                    continue
                if folds is self._folds or one.item_id not in self._unfilled:
                    change(folds, one, (one.cell_id, one.answerable), one.cluster, one.item_id)

    # --- what is shown --------------------------------------------------------------------------

    def folds(self) -> Folds:
        """What had ended, folded for the overview; attempts under way are pending in it."""
        return self._folds.folds()

    def ladder_folds(self) -> Folds | None:
        """The same over the questions that every rung has; None where no rung lacks one."""
        return None if self._ladder_folds is None else self._ladder_folds.folds()

    def facts(self) -> list[EpisodeFact]:
        """Everything counted or under way at the moment."""
        return list(self._shown.values())

    @property
    def progress(self) -> Progress:
        """How far the run was."""
        return Progress(
            planned=self._planned,
            done=self._done,
            running=len(self._in_flight),
            attempts=self._attempts,
            not_counted=self._not_counted,
        )

    @property
    def in_flight(self) -> list[int]:
        """The attempts that had started and not ended, the oldest first, as many as are named."""
        return list(self._in_flight)[:NAMED]

    @property
    def latest(self) -> list[int]:
        """The latest endings that counted, newest first."""
        return list(reversed(self._latest))

    def dock(
        self,
        rows: Mapping[int, EpisodeRow],
        last_steps: Mapping[int, tuple[str, int | None]],
        judge: str,
        troubles: Troubles,
    ) -> Dock:
        """The dock as of the moment. `last_steps`: kind of the last step taken so far, and its call."""
        line, moment = self.timeline, self.moment
        span = min(RATE_SPAN, moment)
        ended = line.ends_between(moment - span, moment)
        flights = tuple(
            InFlight(
                arm=rows[one].arm,
                item=rows[one].item,
                scale=rows[one].scale,
                doing=_done_last(last_steps.get(one)),
                seconds=moment - line.started[one],
                calls=(last_steps.get(one) or ("", None))[1],
            )
            for one in self.in_flight
            if one in rows
        )
        progress = self.progress
        return Dock(
            state="replay", age=None, done=progress.done, planned=progress.planned,
            running=progress.running, per_minute=ended / span * 60 if span > 0 and ended else None,
            eta_seconds=None, paced=None, retries=None, tokens=None, cost=None, known_cost=None,
            in_flight_total=progress.running, in_flight=flights, limits=(), errors=(), last_log=None,
            feed=tuple(self._as_of(rows[one], judge) for one in self.latest if one in rows),
            troubles=troubles,
        )  # fmt: skip

    def _as_of(self, row: EpisodeRow, judge: str) -> EpisodeRow:
        """The line with the verdict it had at the moment, if it had one."""
        fact = self._shown.get(row.id)
        label = None if fact is None else fact.label
        return replace(row, labels={} if label is None else {judge: label})


def steps_so_far(
    found: Sequence[tuple[int, str, float | None, int | None]], elapsed: Mapping[int, float]
) -> dict[int, tuple[str, int | None]]:
    """The last step of each attempt within `elapsed` seconds since its start.

    `found`: (attempt, kind, seconds since its start or None, call), by attempt and seq. A step without
    a usable time counts as taken when the next one is.
    """
    last: dict[int, tuple[str, int | None]] = {}
    waiting: dict[int, tuple[str, int | None]] = {}
    for episode, kind, seconds, call in found:
        before = waiting.pop(episode, None) or last.get(episode)
        step = (kind, call if call is not None else before[1] if before else None)
        if seconds is None:
            waiting[episode] = step
        elif seconds <= elapsed.get(episode, 0.0):
            last[episode] = step
    return last


_LAST = {
    "model": "decided",
    "memory_call": "searched",
    "answer": "answered",
    "ingest": "ingested",
    "context": "read its context",
    "judge": "judged",
    "tool": "used a tool",
    "error": "failed",
}


def _done_last(step: tuple[str, int | None] | None) -> str:
    """What the record says it did last; what it is doing now is on no record."""
    return "started" if step is None else _LAST.get(step[0], step[0])


def _pending(fact: EpisodeFact) -> EpisodeFact:
    """The fact of an attempt that has only started."""
    return fact._replace(
        done=0, end_reason=None, requested=0, executed=0, first_hit=None, t_star=None,
        gold_total=None, gold_found=None, redundant=0, zero_yield=0, forced=0, abstained=0,
        label=None,
    )  # fmt: skip
