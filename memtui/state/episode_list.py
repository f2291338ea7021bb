"""Which episodes a list shows, in which order: ids, from facts that are already in memory.

At 100,000 episodes a one-key filter takes a few milliseconds: what depends on B is worked out once per B,
by look-up, and only the order asked for is sorted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter
from typing import Any

from memtui.metrics.outcome import outcome
from memtui.model import Outcome
from memtui.state.settings import Quick, Settings, SortKey
from memtui.store.records import CellRow, EpisodeCost, EpisodeFact

_Key = tuple[str | None, str | None, int, int]
_KEY: Callable[[EpisodeFact], _Key] = attrgetter("end_reason", "label", "done", "requested")


class _Outcomes(dict[_Key, Outcome]):
    """The outcome at one B by everything it depends on, each combination worked out once."""

    def __init__(self, budget: int, mode: str) -> None:
        super().__init__()
        self._budget, self._mode = budget, mode
        self.example: EpisodeFact | None = None

    def __missing__(self, key: _Key) -> Outcome:
        assert self.example is not None
        end, label, done, requested = key
        fact = self.example._replace(end_reason=end, label=label, done=done, requested=requested)
        found = self[key] = outcome(fact, self._budget, self._mode)
        return found


class FactIndex:
    """The facts of a file, newest first, with their outcomes at the reader's B."""

    def __init__(self, facts: Iterable[EpisodeFact], mode: str) -> None:
        self._rows = sorted(facts, key=attrgetter("id"), reverse=True)
        self._keys = list(map(_KEY, self._rows))
        self._mode = mode
        self._budget: int | None = None
        self._outcomes: list[Outcome] = []

    def outcomes(self, budget: int) -> list[Outcome]:
        """One outcome per fact, in the order of the index."""
        if budget != self._budget:
            table = _Outcomes(budget, self._mode)
            table.example = self._rows[0] if self._rows else None
            self._outcomes = list(map(table.__getitem__, self._keys))
            self._budget = budget
        return self._outcomes

    def select(
        self,
        settings: Settings,
        cells: Mapping[int, CellRow],
        costs: Mapping[int, EpisodeCost],
        passing: Collection[int] | None = None,
    ) -> tuple[list[int], dict[Quick, int]]:
        """Ids that pass cell, `passing` and the one-key filter, in order; and what each such filter keeps.

        `passing` are the ids that satisfy the filter line; None without one.
        """
        outcomes = self.outcomes(settings.budget)
        pairs: Iterable[tuple[EpisodeFact, Outcome]] = zip(self._rows, outcomes, strict=True)
        if settings.cell is None and passing is None:
            counts = Counter(outcomes)
        else:
            cell = settings.cell
            pairs = [
                (fact, what)
                for fact, what in pairs
                if (cell is None or fact.cell_id == cell)
                and (passing is None or fact.id in passing)
            ]
            counts = Counter(what for _, what in pairs)
        wanted = settings.quick.outcome
        if wanted is None:
            rows = [fact for fact, _ in pairs]
        else:
            rows = [fact for fact, what in pairs if what is wanted]
        return _ordered(rows, settings, cells, costs), {
            quick: sum(counts.values()) if quick.outcome is None else counts[quick.outcome]
            for quick in Quick
        }


def _ordered(
    rows: list[EpisodeFact],
    settings: Settings,
    cells: Mapping[int, CellRow],
    costs: Mapping[int, EpisodeCost],
) -> list[int]:
    """Ids in the chosen order; `rows` come newest first. Ties by id, so that rows never jump."""
    backwards = settings.reversed
    if settings.sort is SortKey.NEWEST:
        ids = [fact.id for fact in rows]
        return ids[::-1] if backwards else ids
    rows = rows[::-1]  # oldest first: a stable sort then breaks ties by id
    if settings.sort in (SortKey.COST, SortKey.TIME):
        name = "cost" if settings.sort is SortKey.COST else "wall_ms"
        return _unknown_last(rows, costs, name, backwards)
    keys: dict[SortKey, Callable[[EpisodeFact], Any]] = {
        SortKey.SCALE: lambda f: cells[f.cell_id].scale or 0.0,
        SortKey.ARM: lambda f: (cells[f.cell_id].arm, cells[f.cell_id].scale or 0.0),
        SortKey.CALLS: lambda f: -f.requested,
        SortKey.QUESTION: attrgetter("item_id"),
    }
    rows.sort(key=keys[settings.sort])
    ids = [fact.id for fact in rows]
    return ids[::-1] if backwards else ids


def _unknown_last(
    rows: list[EpisodeFact], costs: Mapping[int, EpisodeCost], name: str, backwards: bool
) -> list[int]:
    """By a cost, largest first (smallest first backwards); what is unknown comes last either way."""
    read = attrgetter(name)
    known: list[tuple[float, int]] = []
    unknown: list[int] = []
    for fact in rows:
        cost = costs.get(fact.id)
        value = None if cost is None else read(cost)
        if value is None:
            unknown.append(fact.id)
        else:
            known.append((value if backwards else -value, fact.id))
    known.sort()
    return [one for _, one in known] + unknown
