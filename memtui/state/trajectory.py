"""One episode as a reader walks through it: stops, the hits of each against the evidence, coverage.

A *stop* is a place to stand: the context given before any call, each memory call, other tools, the
answer, an error. The decision that led to it (the model step before) goes with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.metrics import glyphs
from memtui.model import Evidence, Hit
from memtui.state.session_names import SessionName, dates_in, session_names
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeDetail, SessionRow, StepRow

WORD = re.compile(r"\w+")
_STOP_WORDS = """
a about after an and any are as at be been before but by can could did do does for from had
has have he her his how i if in into is it its me my of on or our she should so than that the
their them then there they this to was we were what when where which who whom whose why will
with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
NOT_STOPS = frozenset({"model", "judge", "ingest"})


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit as the reader sees it."""

    rank: int
    hit: Hit
    gold: bool
    """It holds evidence (a unit of the default coverage view), shown to the model or not."""
    new: bool
    """The model had not seen this block before."""

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions it was made from; its own reference where the system names none."""
        return self.hit.sources or (self.hit.ref,)


@dataclass(frozen=True, slots=True)
class Stop:
    """A place to stand in the trajectory."""

    step: StepRow
    decision: StepRow | None
    hits: tuple[HitView, ...]
    before: int
    """Evidence units in view before and after this stop."""
    after: int
    glyph: str
    """The call's sign in the strip; empty where this is not a requested call."""

    @property
    def call_no(self) -> int | None:
        """1-based number among the requested calls; 0 for given context; None for other stops."""
        return self.step.call_no

    @property
    def is_call(self) -> bool:
        """Whether it counts as a requested memory call."""
        return bool(self.step.counts_as_call)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An episode with its stops, ready to be drawn."""

    detail: EpisodeDetail
    stops: tuple[Stop, ...]
    reachable: frozenset[str] | None = None
    """Tokens of the sessions of its history; None where that is not recorded."""
    dates: Mapping[str, str] = field(default_factory=dict)
    """When each session was held, in this history: what the model was told."""
    names: Mapping[str, SessionName] = field(default_factory=dict)
    """What the sessions of the evidence are called, by token."""

    @property
    def calls(self) -> int:
        """Requested calls that have arrived so far."""
        return sum(stop.is_call for stop in self.stops)

    def first_gold_stop(self) -> int:
        """Where to begin: the first stop that brought new evidence, else the first one."""
        for index, stop in enumerate(self.stops):
            if stop.after > stop.before:
                return index
        return 0

    def next_change(self, index: int, by: int) -> int | None:
        """The next (`by` 1) or previous (-1) stop at which coverage changed."""
        at = index + by
        while 0 <= at < len(self.stops):
            if self.stops[at].after > self.stops[at].before:
                return at
            at += by
        return None

    def gold_turns(self, session: str) -> tuple[frozenset[int], bool]:
        """Gold turns of a session, and whether the session as a whole is the gold unit."""
        turns = set()
        whole = False
        for evidence in self.detail.item.evidence:
            if evidence.session != session:
                continue
            if evidence.turn is None:
                whole = True
            else:
                turns.add(evidence.turn)
        return frozenset(turns), whole and not turns

    def date_of(self, token: str, session: SessionRow | None) -> str | None:
        """When a session was held in this history; as its text has it, where no history is recorded."""
        return self.dates.get(token) or (None if session is None else session.date)

    def gold_ranks(self, index: int) -> dict[str, int]:
        """Rank of each gold unit in the hits of a stop: of its first block, where it has several."""
        return first_ranks(self.stops[index].step)


def first_ranks(step: StepRow) -> dict[str, int]:
    """Best rank of each gold unit that a step returned: a session may come back in several blocks."""
    ranks: dict[str, int] = {}
    for unit, rank in step.gold_ranks:
        ranks[unit] = min(rank, ranks.get(unit, rank))
    return ranks


def units_of(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The gold units of the default view: turns where annotated, else the session; in data order."""
    annotated = {e.session for e in evidence if e.session is not None and e.turn is not None}
    units: dict[str, None] = {}
    for e in evidence:
        if e.session is None:
            continue
        if e.turn is not None:
            units[f"{e.session}:{e.turn}"] = None
        elif e.session not in annotated:
            units[e.session] = None
    return tuple(units)


def query_words(text: str) -> frozenset[str]:
    """The words of a query worth lighting up: no stop words, nothing of one letter (but digits)."""
    return frozenset(
        word
        for word in (found.lower() for found in WORD.findall(text))
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit() or not word.isascii())
    )


def read_trajectory(reader: RunReader, episode_id: int) -> Trajectory | None:
    """Read and lay out an episode; None for one that is not in the file."""
    detail = reader.episode(episode_id)
    if detail is None:
        return None
    return in_history(reader, trajectory(detail, reader.steps(episode_id)))


def in_history(reader: RunReader, found: Trajectory) -> Trajectory:
    """The same with the sessions of its history, where the file holds them, and the names of its evidence."""
    number = found.detail.row.haystack_id
    haystack = None if number is None else reader.haystack(number)
    gold = {e.session for e in found.detail.item.evidence if e.session is not None}
    found = replace(found, names=session_names(reader, gold, haystack))
    if haystack is None:
        return found
    tokens = frozenset(token for token, _, _ in haystack.positions)
    return replace(found, reachable=tokens, dates=dates_in(haystack))


def trajectory(detail: EpisodeDetail, steps: Sequence[StepRow]) -> Trajectory:
    """Lay an episode out: which hits are gold, which are new, what each call changed."""
    gold = {e.session: e for e in detail.item.evidence if e.session is not None}
    by_session: dict[str, list[Evidence]] = {}
    for e in detail.item.evidence:
        if e.session is not None:
            by_session.setdefault(e.session, []).append(e)
    seen: set[tuple[str, int | None, int | None]] = set()
    stops: list[Stop] = []
    decision: StepRow | None = None
    covered = 0
    answerable = detail.item.answerable
    total = len(units_of(detail.item.evidence)) or None
    strip = detail.row.strip
    for step in sorted(steps, key=lambda step: step.seq):
        if step.kind == "model":
            decision = step
            continue
        if step.kind in NOT_STOPS:
            continue
        views = []
        for rank, hit in enumerate(step.hits, 1):
            block = (hit.ref, hit.first, hit.last)
            views.append(
                HitView(rank, hit, _is_gold(hit, gold, by_session), hit.shown and block not in seen)
            )
            if hit.shown:
                seen.add(block)
        if not answerable:  # what it has as evidence supports no answer: coverage is n/a
            step = replace(step, gold_new=None, gold_cum=None)
        after = covered if step.gold_cum is None else step.gold_cum
        number = step.call_no or 0
        glyph = strip[number - 1] if step.counts_as_call and 0 < number <= len(strip) else ""
        if not glyph and step.counts_as_call:
            glyph = _glyph(step, covered, after, total)
        stops.append(Stop(step, decision, tuple(views), covered, after, glyph))
        covered = after
        decision = None
    return Trajectory(detail, tuple(stops))


def _is_gold(hit: Hit, gold: dict[str, Evidence], by_session: dict[str, list[Evidence]]) -> bool:
    for session in hit.sources or (hit.ref,):
        if session not in gold:
            continue
        turns = [e.turn for e in by_session[session] if e.turn is not None]
        if not turns or hit.first is None:
            return True
        last = hit.first if hit.last is None else hit.last
        if any(hit.first <= turn <= last for turn in turns):
            return True
    return False


def _glyph(step: StepRow, before: int, after: int, total: int | None) -> str:
    """The sign of a call of an episode that is still running (its strip is not stored yet)."""
    if step.status != "ok":
        return glyphs.REFUSED
    if not step.new_hits and after == before:
        return glyphs.NOTHING_NEW
    if step.gold_cum is None:
        return glyphs.UNKNOWN
    if after > before:
        return glyphs.COMPLETE if total is not None and after == total else glyphs.NEW_EVIDENCE
    return glyphs.NO_EVIDENCE
