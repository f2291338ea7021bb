"""Which episodes a list shows, in which order: ids, from packed facts that are already in memory.

What a filter or an order depends on is worked out once per course, cell or question; the episodes
themselves are only looked up, so that at 100,000 of them a key costs a few milliseconds.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import compress
from operator import and_, attrgetter
from typing import Any, TypeVar

from memtui.metrics.outcome import outcome
from memtui.model import Outcome
from memtui.state.fold_facts import course_signature
from memtui.state.settings import Quick, Settings, SortKey
from memtui.store.packed_facts import Course, PackedFacts
from memtui.store.records import CellRow

OUTCOME_ORDER = (
    Outcome.WRONG, Outcome.EXHAUSTED, Outcome.EXCLUDED, Outcome.PASS, Outcome.PENDING,
)  # fmt: skip
"""What is looked for first when a list is sorted by outcome."""


class FactIndex:
    """The ids of a file's episodes for any choice of the reader."""

    def __init__(self, facts: PackedFacts, mode: str) -> None:
        self.facts = facts
        self._mode = mode
        self._budget: int | None = None
        self._outcomes: list[Outcome] = []
        self._of_outcome: dict[Outcome, array[int]] = {}
        """The courses that come out so, at the same B."""

    def outcomes(self, budget: int) -> list[Outcome]:
        """One outcome per course."""
        table = self.facts.table
        if budget != self._budget:
            self._budget, self._outcomes = budget, []
            self._of_outcome = {what: array("q") for what in Outcome}
        for number in range(len(self._outcomes), len(table)):
            what = outcome(course_signature(table[number]), budget, self._mode)
            self._outcomes.append(what)
            self._of_outcome[what].append(number)
        return self._outcomes

    def select(
        self,
        settings: Settings,
        cells: Mapping[int, CellRow],
        passing: Collection[int] | None = None,
        in_file_order: array[int] | None = None,
    ) -> tuple[Sequence[int], dict[Quick, int]]:
        """Ids that pass cell, `passing` and the one-key filter, in order; and what each such filter keeps.

        `passing` are the ids that satisfy the filter line, None without one; `in_file_order` all ids in the
        order of a column of the file (`FileOrders`), where the list is to have it.
        """
        facts = self.facts
        outcomes = self.outcomes(settings.budget)
        kept = _mask(facts, settings.cell, passing)
        counts: Counter[Outcome] = Counter()
        if kept is None:
            times = facts.counts.__getitem__
            counts.update(
                {what: sum(map(times, those)) for what, those in self._of_outcome.items()}
            )
        else:
            for course, number in Counter(compress(facts.courses, kept)).items():
                counts[outcomes[course]] += number
        wanted = settings.quick.outcome
        if wanted is not None:
            quick = map([what is wanted for what in outcomes].__getitem__, facts.courses)
            kept = [*quick] if kept is None else [*map(and_, kept, quick)]
        return self._ordered(settings, cells, kept, in_file_order), {
            quick: sum(counts.values()) if quick.outcome is None else counts[quick.outcome]
            for quick in Quick
        }

    def _ordered(
        self,
        settings: Settings,
        cells: Mapping[int, CellRow],
        kept: list[bool] | None,
        in_file_order: array[int] | None,
    ) -> Sequence[int]:
        """Ids in the chosen order. Ties by id, so that rows never jump."""
        facts, backwards = self.facts, settings.reversed
        ids = facts.ids if kept is None else array("q", compress(facts.ids, kept))
        if settings.sort is SortKey.NEWEST:
            return ids[:] if backwards else ids[::-1]
        if in_file_order is not None:
            if kept is None:
                return in_file_order
            among = set(ids).__contains__
            return array(in_file_order.typecode, compress(in_file_order, map(among, in_file_order)))
        ranks = self._ranks(settings, cells)
        if kept is not None:
            ranks = [*compress(ranks, kept)]
        same = [array("q") for _ in range(max(ranks, default=-1) + 1)]
        for rank, one in zip(ranks, ids, strict=True):
            same[rank].append(one)
        found = array("q")
        for those in same:
            found += those
        return found[::-1] if backwards and settings.sort not in _VALUES else found

    def _ranks(self, settings: Settings, cells: Mapping[int, CellRow]) -> list[int]:
        """For each episode its place in the order, from 0; equal ones share a place."""
        facts, sort = self.facts, settings.sort
        if sort is SortKey.QUESTION:
            rank = _ranked(set(facts.item_ids), lambda item: item)
            return [*map(rank.__getitem__, facts.item_ids)]
        if sort is SortKey.TYPE:
            types = {item: facts.about[item][1] for item in set(facts.item_ids)}
            rank = _ranked(types, lambda item: (types[item], item))
            return [*map(rank.__getitem__, facts.item_ids)]
        if sort in (SortKey.SCALE, SortKey.ARM):
            named = sort is SortKey.ARM
            rank = _ranked(
                set(facts.cell_ids),
                lambda one: (cells[one].arm if named else "", cells[one].scale or 0.0),
            )
            return [*map(rank.__getitem__, facts.cell_ids)]
        outcomes = self.outcomes(settings.budget)
        courses = range(len(facts.table))
        value = _VALUES.get(sort)
        if value is None:
            plain: Mapping[SortKey, Callable[[int], Any]] = {
                SortKey.OUTCOME: lambda one: OUTCOME_ORDER.index(outcomes[one]),
                SortKey.CALLS: lambda one: -facts.table[one].requested,
                SortKey.REDUNDANT: lambda one: -facts.table[one].redundant,
            }
            rank = _ranked(courses, plain[sort])
        else:
            rank = _ranked(courses, _unknown_last(facts.table, value, settings.reversed))
        if sort in _VALUES:
            return self._evidence_ranks(rank)
        return [*map(rank.__getitem__, facts.courses)]

    def _evidence_ranks(self, rank: Mapping[int, int]) -> list[int]:
        """There is no evidence to cover where the question has no answer: unknown, so last."""
        facts = self.facts
        last = max(rank.values(), default=0) + 1
        may = [facts.about[item][2] for item in facts.item_ids]
        return [rank[one] if ok else last for one, ok in zip(facts.courses, may, strict=True)]


def _mask(
    facts: PackedFacts, cell: int | None, passing: Collection[int] | None
) -> list[bool] | None:
    """Which episodes are in the cell and pass the filter line; None: all."""
    masks = []
    if cell is not None:
        masks.append([one == cell for one in facts.cell_ids])
    if passing is not None:
        masks.append([one in passing for one in facts.ids])
    if not masks:
        return None
    return masks[0] if len(masks) == 1 else [*map(and_, *masks)]


K = TypeVar("K", bound=Hashable)
_Value = Callable[[Course], float | None]

_VALUES: Mapping[SortKey, _Value] = {
    SortKey.T_STAR: attrgetter("t_star"),
    SortKey.OVERSHOOT: lambda f: (
        None if f.t_star is None or f.gold_total is None else f.t_star - f.requested
    ),
    SortKey.COVERAGE: lambda f: (
        f.gold_found / f.gold_total if f.gold_total and f.gold_found is not None else None
    ),
}
"""Columns whose value may be unknown: what they sort by, smallest first."""


def _unknown_last(
    table: Sequence[Course], value_of: _Value, backwards: bool
) -> Callable[[int], tuple[bool, float]]:
    """By a value, turned round when `backwards`; what is unknown comes last either way."""

    def key(course: int) -> tuple[bool, float]:
        value = value_of(table[course])
        if value is None:
            return True, 0.0
        return False, -value if backwards else value

    return key


def _ranked(ones: Iterable[K], key: Callable[[K], Any]) -> dict[K, int]:
    """The place of each one when sorted by `key`; equal ones share a place."""
    keys = {one: key(one) for one in ones}
    places = {value: number for number, value in enumerate(sorted(set(keys.values())))}
    return {one: places[value] for one, value in keys.items()}
