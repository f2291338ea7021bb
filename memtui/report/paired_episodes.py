"""Episodes of two sides that asked the same question over the same history: what a comparison pairs.

Within one run file a history is the same when it is the same row. Between two files it is the same when
it holds the same sessions (by their content) on the same dates in the same order: opaque names depend on
the run and are no help.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from memtui.metrics.outcome import outcome
from memtui.model import Outcome
from memtui.report.source import ReportSource
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

_KEPT: WeakKeyDictionary[RunReader, tuple[tuple[str, int], dict[int, str]]] = WeakKeyDictionary()

History = str | int | None
"""What makes two histories equal; None where none was recorded."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One answerable question as one side asked it."""

    scale: float | None
    item: str
    cluster: str
    history: History
    fact: EpisodeFact
    outcome: Outcome

    @property
    def passed(self) -> bool | None:
        """Whether it passed; None = excluded or pending."""
        if self.outcome in (Outcome.EXCLUDED, Outcome.PENDING):
            return None
        return self.outcome is Outcome.PASS


@dataclass(frozen=True, slots=True)
class EpisodePair:
    """The same question over the same history on both sides (the same repeat of it)."""

    a: Asked
    b: Asked

    @property
    def flip(self) -> str:
        """`only_a` or `only_b` passed, `both`, `neither`, or `open` where a side is not counted."""
        left, right = self.a.passed, self.b.passed
        if left is None or right is None:
            return "open"
        if left and right:
            return "both"
        if left:
            return "only_a"
        return "only_b" if right else "neither"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of episodes by who passed them; what is open or excluded on a side is not counted."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def n(self) -> int:
        """All that are counted."""
        return self.both + self.only_a + self.only_b + self.neither


def count_pairs(pairs: Iterable[EpisodePair]) -> PairCounts:
    """The counts of some pairs."""
    found = Counter(pair.flip for pair in pairs)
    return PairCounts(found["both"], found["only_a"], found["only_b"], found["neither"])


@dataclass(frozen=True, slots=True)
class Matched:
    """Both sides, as far as their histories are equal."""

    a: tuple[Asked, ...]
    b: tuple[Asked, ...]
    unequal: Mapping[float | None, int]
    """Per scale: questions both sides asked, but never over an equal history."""
    left_out: int
    """Episodes of common questions over a history that the other side has not."""


def asked(
    source: ReportSource, arm: str, budget: int, contents: Mapping[int, str] | None
) -> list[Asked]:
    """Answerable questions of an arm that pass the filter, at B.

    `contents` gives a key for each history where two files are compared, else None.
    """
    cells = {cell.id: cell.scale for cell in source.cells.values() if cell.arm == arm}
    rows = source.reader.query("SELECT id,key,cluster FROM item")
    items = {number: (key, cluster) for number, key, cluster in rows}
    facts = [
        fact
        for fact in source.selected(budget).facts
        if fact.cell_id in cells and fact.answerable and fact.item_id in items
    ]
    histories: dict[int, int | None] = dict(
        source.reader.query(
            "SELECT id,haystack_id FROM episode WHERE id IN (SELECT value FROM json_each(?))",
            (codec.to_text([fact.id for fact in facts]),),
        )
    )
    found = []
    for fact in facts:
        number = histories.get(fact.id)
        history: History = number
        if contents is not None and number is not None:
            history = contents.get(number)
        key, cluster = items[fact.item_id]
        what = outcome(fact, budget, source.mode)
        found.append(Asked(cells[fact.cell_id], key, cluster, history, fact, what))
    return found


def contents_of(reader: RunReader) -> dict[int, str]:
    """{history: digest of its sessions, dates and order}, comparable between run files.

    Kept per reader for as long as no history is added: a reader who moves B asks again and again.
    """
    uid, last = reader.query("SELECT (SELECT uid FROM run),(SELECT max(id) FROM haystack)")[0]
    before = _KEPT.get(reader)
    if before is not None and before[0] == (uid, last):
        return before[1]
    known: dict[str, str] = dict(reader.query("SELECT token,sha FROM session"))
    found = {}
    for number, packed in reader.query("SELECT id,z FROM haystack"):
        places = [
            (known.get(token, token), date or "") for token, date, _ in codec.unpack_json(packed)
        ]
        found[number] = hashlib.sha256(codec.to_json(places)).hexdigest()
    _KEPT[reader] = ((uid, last), found)
    return found


def matched(a: Sequence[Asked], b: Sequence[Asked], *, any_history: bool = False) -> Matched:
    """Keep what stands over equal histories on both sides; questions of one side alone stay."""
    if any_history:
        return Matched(tuple(a), tuple(b), {}, 0)
    left, right = _histories(a), _histories(b)
    unequal: dict[float | None, int] = {}
    for place in left.keys() & right.keys():
        if not left[place] & right[place]:
            unequal[place[0]] = unequal.get(place[0], 0) + 1

    def kept(
        mine: Sequence[Asked], other: Mapping[tuple[float | None, str], set[History]]
    ) -> tuple[Asked, ...]:
        return tuple(
            one
            for one in mine
            if (place := (one.scale, one.item)) not in other or one.history in other[place]
        )

    first, second = kept(a, right), kept(b, left)
    return Matched(first, second, unequal, len(a) + len(b) - len(first) - len(second))


def _histories(side: Iterable[Asked]) -> dict[tuple[float | None, str], set[History]]:
    found: dict[tuple[float | None, str], set[History]] = {}
    for one in side:
        found.setdefault((one.scale, one.item), set()).add(one.history)
    return found


def episode_pairs(
    a: Sequence[Asked], b: Sequence[Asked], *, any_history: bool
) -> tuple[EpisodePair, ...]:
    """Pairs by scale, question, history and repeat, in the order of A's scales and questions."""

    def key(one: Asked) -> tuple[float | None, str, History, int]:
        return one.scale, one.item, None if any_history else one.history, one.fact.repeat

    others: dict[tuple[float | None, str, History, int], list[Asked]] = {}
    for one in sorted(b, key=lambda one: one.fact.id):
        others.setdefault(key(one), []).append(one)
    pairs = []
    order = sorted(
        a, key=lambda one: (one.scale is None, one.scale or 0.0, one.fact.item_id, one.fact.id)
    )
    for one in order:
        waiting = others.get(key(one))
        if waiting:
            pairs.append(EpisodePair(one, waiting.pop(0)))
    return tuple(pairs)
