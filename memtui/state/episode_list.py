"""Which episodes a list shows, in which order: ids, from facts that are already in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memtui.metrics.outcome import outcome
from memtui.model import Outcome
from memtui.state.settings import Quick, Settings, SortKey
from memtui.store.records import CellRow, EpisodeCost, EpisodeFact


def kept(facts: Iterable[EpisodeFact], settings: Settings, mode: str) -> list[EpisodeFact]:
    """The facts that pass cell and quick filter, in the order given."""
    rows = list(facts)
    if settings.cell is not None:
        rows = [fact for fact in rows if fact.cell_id == settings.cell]
    wanted = settings.quick.outcome
    if wanted is None:
        return rows
    known: dict[tuple[str | None, str | None, int, int], Outcome] = {}
    found = []
    for fact in rows:
        key = (fact.end_reason, fact.label, fact.done, fact.requested)
        what = known.get(key)
        if what is None:
            what = known[key] = outcome(fact, settings.budget, mode)
        if what is wanted:
            found.append(fact)
    return found


def ordered(
    facts: list[EpisodeFact],
    settings: Settings,
    cells: Mapping[int, CellRow],
    costs: Mapping[int, EpisodeCost],
) -> list[int]:
    """Ids in the chosen order; ties by id, so that rows never jump. Unknown costs come last."""
    last = float("inf")
    backwards = settings.reversed

    def unknown_last(value: float | None, *, largest_first: bool) -> float:
        if value is None:
            return last
        return -value if largest_first != backwards else value

    keys: dict[SortKey, Callable[[EpisodeFact], Any]] = {
        SortKey.SCALE: lambda f: cells[f.cell_id].scale or 0.0,
        SortKey.ARM: lambda f: (cells[f.cell_id].arm, cells[f.cell_id].scale or 0.0),
        SortKey.CALLS: lambda f: -f.requested,
        SortKey.QUESTION: lambda f: f.item_id,
    }
    if settings.sort is SortKey.NEWEST:
        return sorted((fact.id for fact in facts), reverse=not backwards)
    if settings.sort is SortKey.COST:
        return _by(facts, lambda f: unknown_last(_cost(costs, f.id), largest_first=True))
    if settings.sort is SortKey.TIME:
        return _by(facts, lambda f: unknown_last(_time(costs, f.id), largest_first=True))
    ids = _by(facts, keys[settings.sort])
    return ids[::-1] if backwards else ids


def _by(facts: list[EpisodeFact], key: Callable[[EpisodeFact], Any]) -> list[int]:
    return [fact.id for fact in sorted(facts, key=lambda fact: (key(fact), fact.id))]


def _cost(costs: Mapping[int, EpisodeCost], episode: int) -> float | None:
    found = costs.get(episode)
    return None if found is None else found.cost


def _time(costs: Mapping[int, EpisodeCost], episode: int) -> float | None:
    found = costs.get(episode)
    return None if found is None else found.wall_ms


def counts_by_quick(facts: Iterable[EpisodeFact], budget: int, mode: str) -> dict[Quick, int]:
    """How many episodes each quick filter keeps."""
    counts = dict.fromkeys(Quick, 0)
    known: dict[tuple[str | None, str | None, int, int], Outcome] = {}
    for fact in facts:
        key = (fact.end_reason, fact.label, fact.done, fact.requested)
        what = known.get(key)
        if what is None:
            what = known[key] = outcome(fact, budget, mode)
        counts[Quick.ALL] += 1
        if what.value in (Quick.EXHAUSTED, Quick.WRONG, Quick.EXCLUDED):
            counts[Quick(what.value)] += 1
    return counts
