"""Two trajectories side by side: which step of one stands beside which step of the other.

A global alignment (Needleman and Wunsch 1970): order is kept, every step appears exactly once, equal
queries attract most, similar ones by their share of terms, and steps of different kinds never pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memtui.metrics.similarity import terms
from memtui.model import Hit
from memtui.state.trajectory import Stop

EQUAL_SCORE = 2.0
PAIR_SCORE = 0.1
"""What standing side by side is worth where nothing else speaks for it: an unrelated query at the same
place is better read beside the other than below it."""
LARGEST = 250_000
"""Pairs of steps that are weighed; in a longer middle part steps are paired by place."""


class Sameness(StrEnum):
    """How two steps that stand side by side relate."""

    EQUAL = "equal"
    """The same query of the same tool (white space and case apart), or another step of the same kind."""
    DIFFERENT = "different"
    """Another query."""
    ONLY_A = "only_a"
    ONLY_B = "only_b"


@dataclass(frozen=True, slots=True)
class Action:
    """What alignment looks at: steps of another `kind` never pair, `key` makes them equal."""

    kind: str
    key: str
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """One row: an index on each side, None where that side has no step here."""

    a: int | None
    b: int | None
    sameness: Sameness


def action_of(stop: Stop) -> Action:
    """What a stop of a trajectory is to the alignment."""
    step = stop.step
    kind = "call" if stop.is_call else step.kind
    if not stop.is_call:
        return Action(kind, step.name)
    query = step.query or ""
    return Action(kind, f"{step.name}\n{' '.join(query.casefold().split())}", terms(query))


def align(a: Sequence[Action], b: Sequence[Action]) -> list[AlignedRow]:
    """Rows in order: each index of `a` and of `b` in exactly one of them, increasing on both sides."""
    start = 0
    while start < min(len(a), len(b)) and _same(a[start], b[start]):
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and _same(a[-1 - end], b[-1 - end]):
        end += 1
    rows = [AlignedRow(n, n, Sameness.EQUAL) for n in range(start)]
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    pairs = _weighed if len(middle_a) * len(middle_b) <= LARGEST else _by_place
    for one, other in pairs(middle_a, middle_b):
        rows.append(
            AlignedRow(
                None if one is None else start + one,
                None if other is None else start + other,
                _sameness(middle_a, middle_b, one, other),
            )
        )
    rows += [AlignedRow(len(a) - n, len(b) - n, Sameness.EQUAL) for n in range(end, 0, -1)]
    return rows


def _same(one: Action, other: Action) -> bool:
    return (one.kind, one.key) == (other.kind, other.key)


def _sameness(
    a: Sequence[Action], b: Sequence[Action], one: int | None, other: int | None
) -> Sameness:
    if one is None:
        return Sameness.ONLY_B
    if other is None:
        return Sameness.ONLY_A
    return Sameness.EQUAL if _same(a[one], b[other]) else Sameness.DIFFERENT


def score(one: Action, other: Action) -> float | None:
    """What it is worth to set two steps side by side; None where they must not be."""
    if one.kind != other.kind:
        return None
    if one.key == other.key:
        return EQUAL_SCORE
    union = len(one.terms | other.terms)
    return PAIR_SCORE + (len(one.terms & other.terms) / union if union else 0.0)


_Pairs = list[tuple[int | None, int | None]]


def _weighed(a: Sequence[Action], b: Sequence[Action]) -> _Pairs:
    """The alignment of most worth, by dynamic programming from the end; ties pair as early as possible."""
    width = len(b) + 1
    best = [[0.0] * width for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(len(b) - 1, -1, -1):
            most = max(below[j], row[j + 1])
            worth = score(a[i], b[j])
            row[j] = most if worth is None else max(most, worth + below[j + 1])
    pairs: _Pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        worth = score(a[i], b[j])
        if worth is not None and best[i][j] <= worth + best[i + 1][j + 1] + 1e-9:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] <= best[i + 1][j] + 1e-9:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    pairs += [(rest, None) for rest in range(i, len(a))]
    pairs += [(None, rest) for rest in range(j, len(b))]
    return pairs


def _by_place(a: Sequence[Action], b: Sequence[Action]) -> _Pairs:
    """Steps of the same kind at the same place; the rest of either side alone."""
    pairs: _Pairs = []
    for place in range(max(len(a), len(b))):
        one = place if place < len(a) else None
        other = place if place < len(b) else None
        if one is not None and other is not None and a[place].kind != b[place].kind:
            pairs += [(one, None), (None, other)]
        else:
            pairs.append((one, other))
    return pairs


@dataclass(frozen=True, slots=True)
class HitRow:
    """The hits of two calls at one rank, and whether the other call has the same block anywhere."""

    rank: int
    in_both_a: bool
    in_both_b: bool


def compare_hits(a: Sequence[Hit], b: Sequence[Hit]) -> list[HitRow]:
    """One row per rank of the longer list; a block is the same when session and turns are."""
    left, right = {_block(hit) for hit in a}, {_block(hit) for hit in b}
    return [
        HitRow(
            place + 1,
            place < len(a) and _block(a[place]) in right,
            place < len(b) and _block(b[place]) in left,
        )
        for place in range(max(len(a), len(b)))
    ]


def _block(hit: Hit) -> tuple[str, int | None, int | None]:
    return hit.ref, hit.first, hit.last
