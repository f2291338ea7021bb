"""Packed facts counted and folded: what rates and facets are read from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import compress
from operator import and_

from memtui.metrics.histogram import fold_numbered
from memtui.metrics.signature import Signature
from memtui.state.overview import Folds
from memtui.store.packed_facts import Course, PackedFacts


def fold_facts(
    facts: PackedFacts,
    mode: str,
    *,
    chosen: Collection[int] | None = None,
    of_cells: Collection[int] | None = None,
    by_type: bool = False,
) -> Folds:
    """Fold by (cell id, answerable), with `by_type` by (cell id, answerable, question type).

    `chosen` are the ids to fold and `of_cells` the cells, None for all. Costs about 1 µs an episode.
    """
    cells, items, courses = _columns(facts, chosen, of_cells)
    about = [facts.about[item] for item in items]
    answerable = [one[2] for one in about]
    number_of, signatures = _numbered(facts.table, courses)
    numbers = [number_of[one + one + may] for one, may in zip(courses, answerable, strict=True)]
    named: dict[Hashable, Hashable] = {}
    by = (
        zip(cells, answerable, (one[1] for one in about), strict=True)
        if by_type
        else zip(cells, answerable, strict=True)
    )
    keys = [named.setdefault(key, key) for key in by]  # each key kept once, not once per episode
    return fold_numbered(numbers, signatures, keys, [one[0] for one in about], mode, items)


def count_signatures(
    facts: PackedFacts, context_cells: Collection[int], chosen: Collection[int] | None = None
) -> tuple[Counter[tuple[bool, int, Signature]], Counter[int]]:
    """Episodes by (in a cell of `context_cells`, question type, signature), and by cell id.

    `chosen` are the ids to count, None for all.
    """
    cells, items, courses = _columns(facts, chosen)
    of_item = {item: (about[1], about[2]) for item in set(items) if (about := facts.about[item])}
    of_cell = {cell: cell in context_cells for cell in set(cells)}
    number_of, signatures = _numbered(facts.table, courses)
    counted: Counter[tuple[bool, int, Signature]] = Counter()
    for (context, course, (qtype, answerable)), count in Counter(
        zip(map(of_cell.__getitem__, cells), courses, map(of_item.__getitem__, items), strict=True)
    ).items():
        counted[context, qtype, signatures[number_of[course + course + answerable]]] += count
    return counted, Counter(cells)


def course_signature(course: Course, answerable: int = 1) -> Signature:
    """The signature of an episode of an answerable, or unanswerable, item that took this course."""
    return Signature(
        done=course.done,
        end_reason=course.end_reason,
        requested=course.requested,
        first_hit=course.first_hit,
        t_star=course.t_star,
        gold_total=course.gold_total,
        answerable=answerable,
        label=course.label,
        forced=course.forced,
        abstained=course.abstained,
        redundant=int(bool(course.redundant)),
    )


def _columns(
    facts: PackedFacts, chosen: Collection[int] | None, of_cells: Collection[int] | None = None
) -> tuple[array[int], array[int], array[int]]:
    """Cells, items and courses of the chosen episodes."""
    columns = (facts.cell_ids, facts.item_ids, facts.courses)
    if chosen is None and of_cells is None:
        return columns
    wanted = [True] * len(facts) if chosen is None else [one in chosen for one in facts.ids]
    if of_cells is not None:
        inside = map(frozenset(of_cells).__contains__, facts.cell_ids)
        wanted = list(map(and_, wanted, inside))
    first, second, third = (array("q", compress(column, wanted)) for column in columns)
    return first, second, third


def _numbered(table: Sequence[Course], courses: Iterable[int]) -> tuple[list[int], list[Signature]]:
    """For each course, first of an unanswerable then of an answerable item, the number of its signature; only
    for these courses, which are few where a filter chose the episodes."""
    known: dict[Signature, int] = {}
    numbers = [0] * (2 * len(table))
    for course in sorted(set(courses)):
        for answerable in (0, 1):
            signature = course_signature(table[course], answerable)
            numbers[2 * course + answerable] = known.setdefault(signature, len(known))
    return numbers, list(known)
