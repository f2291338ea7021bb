"""Rank of the evidence along the scales, and what moved above it when the same query was asked twice.

Histories of a ladder are nested: a larger scale holds every session of a smaller one and more. Under an
equal query, whatever stands above the evidence at the larger scale and did not at the smaller one is an
irrelevant session that displaced it. Under another query nothing can be said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtui.model import Hit, Turn
from memtui.state.ladder import LadderCell
from memtui.state.session_names import SessionName, session_names
from memtui.state.trajectory import first_ranks, query_words, units_of
from memtui.store.reader import RunReader
from memtui.store.records import ItemRow, StepRow

SNIPPET = 300
"""Characters of a snippet at most."""
LOOKED_AT = 4_000
"""Characters of a turn that are searched for a query word."""
LEAD = 24
"""Characters kept before the first query word."""


@dataclass(frozen=True, slots=True)
class UnitRank:
    """Where a unit of evidence first came back, or where its session stood when it never did."""

    unit: str
    call: int | None
    """The call that first returned it, 0 for a context given before any call; None: none did."""
    rank: int | None
    shown: bool
    """False: cut before the model saw it."""
    session_rank: int | None = None
    """Of what was never returned: rank of its session in the system's own ranking at the first call, where
    the runner recorded one."""
    ranked: int | None = None
    """Sessions of that ranking."""


@dataclass(frozen=True, slots=True)
class Moved:
    """An irrelevant session that stands above evidence at the larger scale only."""

    token: str
    first: int | None
    last: int | None
    text: str | None
    """What was returned, where it is not a verbatim copy of turns."""
    rank: int
    before: int | None
    """Its rank at the smaller scale; None where it was not returned there."""


@dataclass(frozen=True, slots=True)
class Displacement:
    """Two calls with an equal query at two scales of one line, compared."""

    call_below: int
    call_here: int
    query: str
    evidence: tuple[tuple[str, int | None, int | None], ...]
    """(unit, rank at the smaller scale, rank at the larger one); None: not returned."""
    moved: tuple[Moved, ...]
    """By rank."""

    @property
    def worse(self) -> bool:
        """Whether a unit of evidence lost rank or is gone."""
        return any(
            before is not None and (after is None or after > before)
            for _, before, after in self.evidence
        )


@dataclass(frozen=True, slots=True)
class NoDisplacement:
    """Why two episodes cannot be compared call by call."""

    reason: str
    query_below: str | None = None
    """First queries of the two, where they differ."""
    query_here: str | None = None

    @property
    def queries_differ(self) -> bool:
        """Whether both asked, but never the same."""
        return self.query_here is not None


@dataclass(frozen=True, slots=True)
class LadderEvidence:
    """What the steps of some cells of a ladder say of its evidence, by id of the episode."""

    ranks: Mapping[int, Mapping[str, UnitRank]]
    """By unit of evidence."""
    against: Mapping[int, Displacement | NoDisplacement]
    """Compared with the next smaller scale; the lowest scale has none."""
    texts: Mapping[int, Mapping[str, tuple[SessionName, str]]]
    """(name, snippet) of each session that moved."""
    names: Mapping[str, SessionName]
    """What the sessions of the evidence are called."""


def read_evidence(
    reader: RunReader,
    item: ItemRow,
    cells: Iterable[LadderCell],
    steps: Callable[[int], Sequence[StepRow]],
) -> LadderEvidence:
    """Read whole lines of a ladder; `steps` gives those of an episode, and is asked twice for some."""
    units = units_of(item.evidence)
    ranks: dict[int, Mapping[str, UnitRank]] = {}
    against: dict[int, Displacement | NoDisplacement] = {}
    texts: dict[int, Mapping[str, tuple[SessionName, str]]] = {}
    for cell in cells:
        number = cell.row.id
        here = steps(number)
        ranks[number] = unit_ranks(here, units)
        if cell.below is not None:
            found = against[number] = displacement(steps(cell.below), here, item)
            texts[number] = moved_texts(reader, cell.row.haystack_id, found)
    gold = {e.session for e in item.evidence if e.session is not None}
    return LadderEvidence(ranks, against, texts, session_names(reader, gold, None))


def calls_of(steps: Sequence[StepRow]) -> list[StepRow]:
    """The memory calls of an episode in order."""
    return [s for s in sorted(steps, key=lambda s: s.seq) if s.counts_as_call]


def unit_ranks(steps: Sequence[StepRow], units: Sequence[str] = ()) -> dict[str, UnitRank]:
    """By unit of evidence: the first call that returned it, and its rank there.

    Of `units` that never came back, those whose place in the system's own ranking was recorded.
    """
    found: dict[str, UnitRank] = {}
    for step in sorted(steps, key=lambda s: s.seq):
        if step.kind != "context" and not step.counts_as_call:
            continue
        for unit, rank in step.gold_ranks:
            if unit not in found:
                shown = step.hits[rank - 1].shown if 0 < rank <= len(step.hits) else True
                found[unit] = UnitRank(unit, step.call_no or 0, rank, shown)
    ranking = next((step.data for step in calls_of(steps) if "ranked" in step.data), {})
    ranked, named = ranking.get("ranked"), ranking.get("gold_session_ranks")
    for unit in units:
        if unit not in found and isinstance(ranked, int) and isinstance(named, dict):
            place = named.get(unit.partition(":")[0])
            session_rank = place if isinstance(place, int) else None
            found[unit] = UnitRank(unit, None, None, False, session_rank, ranked)
    return found


def displacement(
    below: Sequence[StepRow], here: Sequence[StepRow], item: ItemRow
) -> Displacement | NoDisplacement:
    """What moved above the evidence from the smaller to the larger scale of a line.

    Calls are paired by equal query (white space and case apart) of the same tool; of several pairs the
    first in which evidence lost rank is taken, else the first.
    """
    units = units_of(item.evidence)
    if not units:
        return NoDisplacement("no evidence is annotated")
    lower, upper = calls_of(below), calls_of(here)
    if not lower or not upper:
        if not lower and not upper:
            return NoDisplacement("no query was asked: the memory gives a context")
        return NoDisplacement("no query was asked at one of the two scales")
    sessions = {e.session for e in item.evidence if e.session is not None}
    known: dict[tuple[str, str], StepRow] = {}
    for step in lower:
        known.setdefault(_key(step), step)
    pairs = [(known[_key(step)], step) for step in upper if _key(step) in known]
    if not pairs:
        return NoDisplacement("queries differ", lower[0].query or "", upper[0].query or "")
    found = [_compare(one, other, units, sessions) for one, other in pairs]
    return next((one for one in found if one.worse), found[0])


def _key(step: StepRow) -> tuple[str, str]:
    return step.name, " ".join((step.query or "").casefold().split())


def _compare(
    below: StepRow, here: StepRow, units: Sequence[str], sessions: Collection[str]
) -> Displacement:
    ranks_below, ranks_here = first_ranks(below), first_ranks(here)
    above_below = best_ranks(below.hits, sessions)
    above_here = best_ranks(here.hits, sessions)
    moved: dict[str, Moved] = {}
    for unit in units:
        limit_below, limit_here = ranks_below.get(unit), ranks_here.get(unit)
        if limit_below is None:
            continue  # it was not there to be displaced
        for token, (rank, hit) in above_here.items():
            if limit_here is not None and rank > limit_here:
                continue
            before = above_below.get(token)
            if before is not None and before[0] < limit_below:
                continue  # it stood above already
            moved[token] = Moved(
                token, hit.first, hit.last, hit.text, rank, None if before is None else before[0]
            )
    return Displacement(
        below.call_no or 0,
        here.call_no or 0,
        here.query or "",
        tuple((unit, ranks_below.get(unit), ranks_here.get(unit)) for unit in units),
        tuple(sorted(moved.values(), key=lambda one: (one.rank, one.token))),
    )


def best_ranks(hits: Sequence[Hit], sessions: Collection[str]) -> dict[str, tuple[int, Hit]]:
    """Best rank of each irrelevant session among the hits of a call."""
    found: dict[str, tuple[int, Hit]] = {}
    for rank, hit in enumerate(hits, 1):
        names = hit.sources or (hit.ref,)
        if any(name in sessions for name in names):
            continue
        for name in names:
            found.setdefault(name, (rank, hit))
    return found


def moved_texts(
    reader: RunReader, haystack_id: int | None, found: Displacement | NoDisplacement | None
) -> dict[str, tuple[SessionName, str]]:
    """Of each session that moved: its name and date in the larger history, and what it says about the query."""
    if not isinstance(found, Displacement) or not found.moved:
        return {}
    tokens = [moved.token for moved in found.moved]
    sessions = reader.sessions(tokens)
    history = None if haystack_id is None else reader.haystack(haystack_id)
    names = session_names(reader, tokens, history)
    texts: dict[str, tuple[SessionName, str]] = {}
    for moved in found.moved:
        session = sessions.get(moved.token)
        turns = () if session is None else session.turns
        texts[moved.token] = (names[moved.token], snippet(turns, moved, found.query))
    return texts


def snippet(turns: Sequence[Turn], moved: Moved, query: str) -> str:
    """The text of what moved that shares most words with the query, from a little before the first."""
    if moved.text:
        return moved.text[:SNIPPET]
    words = query_words(query)
    first = moved.first or 0
    last = len(turns) - 1 if moved.first is None else moved.first
    if moved.last is not None:
        last = moved.last
    inside = [turn.text[:LOOKED_AT] for turn in turns[max(0, first) : last + 1] if turn.text]
    if not inside:
        return ""
    best = max(inside, key=lambda text: len(words & query_words(text)))
    lowered = best.lower()
    places = [place for word in words if (place := lowered.find(word)) >= 0]
    at = min(places, default=0)
    if at > 2 * LEAD:
        cut = best.find(" ", at - LEAD, at)
        return "…" + best[cut + 1 if cut >= 0 else at : at + SNIPPET]
    return best[:SNIPPET]
