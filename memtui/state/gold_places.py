"""Where each piece of evidence stands at one call: its rank, or that it was there and not returned."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.metrics.similarity import QueryHistory
from memtui.state.session_names import unit_day, unit_name
from memtui.state.trajectory import Trajectory, units_of

MOST_QUERIES = 300
"""Earlier queries that are compared again to say which one is nearest."""


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """One gold unit at one call."""

    unit: str
    raw: str
    """What the data set calls it: outside text."""
    name: str
    """Its session by the data set's id, and the turn: outside text, see `unit_name`; as `raw` where the file
    does not hold the session."""
    day: str | None
    """The date of its session in this history."""
    rank: int | None
    """1-based rank among the blocks returned; None where it is not among them."""
    shown: bool
    """The block at that rank reached the model."""
    in_history: bool | None
    """Its session is among those the episode could reach; None where the history is not recorded."""
    session_rank: int | None
    """Rank of its session in the system's own ranking, where the runner recorded one."""
    ranked: int | None
    """Sessions of that ranking; None without one."""

    @property
    def full_name(self) -> str:
        """``conv-44/session_6 t4 (D6:4, 2023-05-20)``: with what the data set calls it, where that is more."""
        session = self.name.rpartition(" t")[0] or self.name
        own = self.raw.startswith(session) or self.raw == self.unit
        beside = ("" if own else self.raw, self.day or "")
        known = ", ".join(filter(None, beside))
        return f"{self.name} ({known})" if known else self.name

    @property
    def words(self) -> str:
        """Its place in a few words, without its name."""
        if self.rank is not None:
            return f"rank {self.rank}" + ("" if self.shown else ", cut before the model saw it")
        if self.in_history is False:
            return "not in this history"
        if self.session_rank is not None:
            return f"not returned; its session ranks {self.session_rank} of {self.ranked}"
        if self.ranked is not None:
            return f"not returned, nor among the first {self.ranked} ranked"
        return "in history, not returned" if self.in_history else "not returned"


def gold_places(found: Trajectory, index: int) -> list[GoldPlace]:
    """The places of all gold units at a stop, in the order of the data set; none where it is no call."""
    stop = found.stops[index]
    if stop.step.kind not in ("memory_call", "context"):
        return []
    ranks = found.gold_ranks(index)
    ranked = stop.step.data.get("ranked")
    named = stop.step.data.get("gold_session_ranks")
    raws: dict[str, str] = {}
    for evidence in found.detail.item.evidence:
        if evidence.session is not None:
            raws.setdefault(f"{evidence.session}:{evidence.turn}", evidence.raw)
            raws.setdefault(evidence.session, evidence.raw)
    places = []
    for unit in units_of(found.detail.item.evidence):
        session = unit.partition(":")[0]
        deep = named.get(session) if isinstance(named, dict) else None
        rank = ranks.get(unit)
        hit = stop.hits[rank - 1].hit if rank is not None and rank <= len(stop.hits) else None
        raw = raws.get(unit, unit)
        told = session in found.names and found.names[session].source != session
        places.append(
            GoldPlace(
                unit,
                raw,
                unit_name(unit, found.names) if told else raw,
                unit_day(unit, found.names),
                rank,
                hit is None or hit.shown,
                None if found.reachable is None else session in found.reachable,
                deep if isinstance(deep, int) else None,
                ranked if isinstance(ranked, int) else None,
            )
        )
    return places


def nearest_query(found: Trajectory, index: int) -> tuple[int, str] | None:
    """(call number, query) of the earlier call that this one's query is nearest to; None without one."""
    stop = found.stops[index]
    if stop.step.query is None or not stop.step.similarity:
        return None  # the first one, or one that shares no term
    earlier = [s for s in found.stops[:index] if s.is_call and s.step.query is not None]
    if not earlier or len(earlier) > MOST_QUERIES:
        return None
    best: tuple[float, int, str] | None = None
    for one in earlier:
        history = QueryHistory()
        history.add(one.step.query or "")
        value = history.add(stop.step.query).value or 0.0
        if best is None or value >= best[0]:
            best = (value, one.call_no or 0, one.step.query or "")
    return None if best is None else best[1:]
