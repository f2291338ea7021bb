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

OUTCOME_ORDER = (
    Outcome.WRONG, Outcome.EXHAUSTED, Outcome.EXCLUDED, Outcome.PASS, Outcome.PENDING,
)  # fmt: skip
"""What is looked for first when a list is sorted by outcome."""

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
        by_outcome = settings.sort is SortKey.OUTCOME
        table = dict(zip(self._keys, outcomes, strict=True)) if by_outcome else {}
        return _ordered(rows, settings, cells, costs, table), {
            quick: sum(counts.values()) if quick.outcome is None else counts[quick.outcome]
            for quick in Quick
        }


def _ordered(
    rows: list[EpisodeFact],
    settings: Settings,
    cells: Mapping[int, CellRow],
    costs: Mapping[int, EpisodeCost],
    outcomes: Mapping[_Key, Outcome],
) -> list[int]:
    """Ids in the chosen order; `rows` come newest first. Ties by id, so that rows never jump."""
    backwards = settings.reversed
    if settings.sort is SortKey.NEWEST:
        ids = [fact.id for fact in rows]
        return ids[::-1] if backwards else ids
    rows = rows[::-1]  # oldest first: a stable sort then breaks ties by id
    value = _values(settings, costs).get(settings.sort)
    if value is not None:
        return _unknown_last(rows, value, backwards)
    keys: dict[SortKey, Callable[[EpisodeFact], Any]] = {
        SortKey.SCALE: lambda f: cells[f.cell_id].scale or 0.0,
        SortKey.ARM: lambda f: (cells[f.cell_id].arm, cells[f.cell_id].scale or 0.0),
        SortKey.TYPE: lambda f: (f.qtype, f.item_id),
        SortKey.OUTCOME: lambda f: OUTCOME_ORDER.index(outcomes[_KEY(f)]),
        SortKey.CALLS: lambda f: -f.requested,
        SortKey.REDUNDANT: lambda f: -f.redundant,
        SortKey.QUESTION: attrgetter("item_id"),
    }
    rows.sort(key=keys[settings.sort])
    ids = [fact.id for fact in rows]
    return ids[::-1] if backwards else ids


_Value = Callable[[EpisodeFact], float | None]


def _values(settings: Settings, costs: Mapping[int, EpisodeCost]) -> dict[SortKey, _Value]:
    """Columns whose value may be unknown: what they sort by, smallest first."""

    def cost(read: Callable[[EpisodeCost], float | None]) -> _Value:
        def of(fact: EpisodeFact) -> float | None:
            found = costs.get(fact.id)
            value = None if found is None else read(found)
            return None if value is None else -value

        return of

    return {
        SortKey.COST: cost(attrgetter("cost")),
        SortKey.TIME: cost(attrgetter("wall_ms")),
        SortKey.TOKENS: cost(_tokens),
        SortKey.T_STAR: attrgetter("t_star"),
        SortKey.OVERSHOOT: lambda f: (
            None
            if f.t_star is None or f.gold_total is None or not f.answerable
            else f.t_star - f.requested
        ),
        SortKey.COVERAGE: lambda f: (
            f.gold_found / f.gold_total if f.gold_total and f.gold_found is not None else None
        ),
    }


def _tokens(cost: EpisodeCost) -> float | None:
    if cost.prompt_tokens is None or cost.completion_tokens is None:
        return None
    return cost.prompt_tokens + cost.completion_tokens


def _unknown_last(rows: list[EpisodeFact], value_of: _Value, backwards: bool) -> list[int]:
    """By a value, turned round when `backwards`; what is unknown comes last either way."""
    known: list[tuple[float, int]] = []
    unknown: list[int] = []
    for fact in rows:
        value = value_of(fact)
        if value is None:
            unknown.append(fact.id)
        else:
            known.append((-value if backwards else value, fact.id))
    known.sort()
    return [one for _, one in known] + unknown
