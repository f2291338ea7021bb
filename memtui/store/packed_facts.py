"""The facts of a whole run in a few bytes each: what every screen counts, filters and sorts.

A hundred thousand episodes do a few thousand different things. What an episode did (its `Course`) is kept
once and named by a number; an episode is five integers. Outcomes, rates and orders are worked out per
course, so that they cost the same for ten episodes as for a hundred thousand.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, ValuesView
from itertools import compress
from typing import NamedTuple

from memtui.store.records import EpisodeFact

ItemFacts = tuple[int, int, int, int]
"""Of an item: cluster, question type, answerable, flagged (see `EpisodeFact`)."""

_COLUMNS = ("ids", "revs", "cell_ids", "item_ids", "courses")
_WIDEST = 1 << 31
_DONE, _FLAGGED = EpisodeFact._fields.index("done"), EpisodeFact._fields.index("flagged")


class Course(NamedTuple):
    """What an episode did and how it was judged: the fields of `EpisodeFact` that are no identity."""

    done: int
    end_reason: str | None
    requested: int
    executed: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    gold_found: int | None
    redundant: int
    zero_yield: int
    forced: int
    abstained: int
    repeat: int
    attempt: int
    label: str | None


class PackedFacts(Mapping[int, EpisodeFact]):
    """Facts by episode id, oldest (smallest id) first; a fact is put together when it is asked for.

    The columns `ids`, `revs`, `cell_ids`, `item_ids` and `courses` are parallel. `table[course]` says what a
    course is and `counts[course]` how many episodes took it (0 for one that no episode takes any more).
    `about[item]` are the `ItemFacts`. Columns are read in the thread that calls `put` and `drop`, or
    copied there.
    """

    __slots__ = (
        "_numbers", "about", "cell_ids", "counts", "courses", "ids", "item_ids", "revs", "table",
    )  # fmt: skip

    def __init__(self) -> None:
        # Four bytes a number; eight from the first one on that needs them.
        self.ids = array("i")
        self.revs = array("i")
        self.cell_ids = array("i")
        self.item_ids = array("i")
        self.courses = array("i")
        self.table: list[Course] = []
        self.counts: list[int] = []
        self.about: Mapping[int, ItemFacts] = {}
        self._numbers: dict[Course, int] = {}

    # --- reading --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids)

    def __getitem__(self, episode_id: int) -> EpisodeFact:
        at = self.position(episode_id)
        if at is None:
            raise KeyError(episode_id)
        return self.at(at)

    def position(self, episode_id: int) -> int | None:
        """Where an episode stands in the columns; None for one that is not here."""
        at = bisect_left(self.ids, episode_id)
        return at if at < len(self.ids) and self.ids[at] == episode_id else None

    def at(self, position: int) -> EpisodeFact:
        """The fact at a position of the columns."""
        item = self.item_ids[position]
        cluster, qtype, answerable, flagged = self.about[item]
        *course, label = self.table[self.courses[position]]
        return EpisodeFact._make(
            (self.ids[position], self.revs[position], self.cell_ids[position], item, cluster, qtype,
             answerable, *course, flagged, label)
        )  # fmt: skip

    def values(self) -> ValuesView[EpisodeFact]:
        """All facts, oldest first, one after the other: a list of them takes thirty times the room."""
        return FactValues(self)

    def of_cells(self, cells: Collection[int]) -> list[EpisodeFact]:
        """The facts of some cells (ids), oldest first."""
        wanted = frozenset(cells)
        return [self.at(at) for at, cell in enumerate(self.cell_ids) if cell in wanted]

    def only(self, chosen: Collection[int] | None = None) -> PackedFacts:
        """These facts, or those among them whose ids are `chosen`, for another thread: what is put here
        or dropped later does not change them."""
        found = PackedFacts()
        found.table, found._numbers, found.about = self.table[:], self._numbers.copy(), self.about
        kept = None if chosen is None else [one in chosen for one in self.ids]
        for name in _COLUMNS:
            column = getattr(self, name)
            if kept is not None:
                column = array(column.typecode, compress(column, kept))
            setattr(found, name, column[:])
        times = Counter(found.courses)
        found.counts = [times[course] for course in range(len(found.table))]
        return found

    # --- writing --------------------------------------------------------------------------------

    def extend(
        self,
        course: Course,
        ids: Sequence[int],
        revs: Sequence[int],
        cells: Sequence[int],
        items: Sequence[int],
    ) -> None:
        """Add episodes of one course that are not here yet, in any order; `sort` when all are there."""
        try:
            columns = [array(self.ids.typecode, one) for one in (ids, revs, cells, items)]
        except OverflowError:
            self._widen()
            columns = [array("q", one) for one in (ids, revs, cells, items)]
        number = self._number(course)
        self.counts[number] += len(ids)
        columns.append(array(self.ids.typecode, [number]) * len(ids))
        for name, more in zip(_COLUMNS, columns, strict=True):
            getattr(self, name).extend(more)

    def sort(self) -> None:
        """Bring the columns into the order of the ids."""
        if len(self.ids) < 2:
            return
        order = array("i", sorted(range(len(self.ids)), key=self.ids.__getitem__))
        for name in _COLUMNS:
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, map(column.__getitem__, order)))

    def put(self, facts: Iterable[EpisodeFact]) -> None:
        """Add facts, or replace those of the same episode."""
        for fact in facts:
            numbers = (fact.id, fact.rev, fact.cell_id, fact.item_id)
            if max(numbers) >= _WIDEST or min(numbers) < -_WIDEST:
                self._widen()
            course = self._number(Course._make((*fact[_DONE:_FLAGGED], fact.label)))
            at = bisect_left(self.ids, fact.id)
            if at < len(self.ids) and self.ids[at] == fact.id:
                self.counts[self.courses[at]] -= 1
                self.revs[at], self.cell_ids[at], self.item_ids[at] = (
                    fact.rev,
                    fact.cell_id,
                    fact.item_id,
                )
                self.courses[at] = course
            else:
                self.ids.insert(at, fact.id)
                self.revs.insert(at, fact.rev)
                self.cell_ids.insert(at, fact.cell_id)
                self.item_ids.insert(at, fact.item_id)
                self.courses.insert(at, course)
            self.counts[course] += 1

    def drop(self, ids: Iterable[int]) -> None:
        """Forget episodes; ids that are not here are ignored."""
        for episode_id in ids:
            at = self.position(episode_id)
            if at is not None:
                self.counts[self.courses[at]] -= 1
                for column in (self.ids, self.revs, self.cell_ids, self.item_ids, self.courses):
                    del column[at]

    def _widen(self) -> None:
        for name in _COLUMNS:
            setattr(self, name, array("q", getattr(self, name)))

    def _number(self, course: Course) -> int:
        number = self._numbers.setdefault(course, len(self._numbers))
        if number == len(self.table):
            self.table.append(course)
            self.counts.append(0)
        return number


class FactValues(ValuesView[EpisodeFact]):
    """The facts one by one, oldest first; `packed` are they as they are kept."""

    def __init__(self, facts: PackedFacts) -> None:
        super().__init__(facts)
        self.packed = facts

    def __iter__(self) -> Iterator[EpisodeFact]:
        facts = self.packed
        about, make = facts.about, EpisodeFact._make
        table = [(course[:-1], course.label) for course in facts.table]
        for episode, rev, cell, item, course in zip(
            facts.ids, facts.revs, facts.cell_ids, facts.item_ids, facts.courses, strict=True
        ):
            cluster, qtype, answerable, flagged = about[item]
            did, label = table[course]
            yield make((episode, rev, cell, item, cluster, qtype, answerable, *did, flagged, label))
