"""The selection of a list is an id: what becomes of it when the rows around it change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is in a list: the id under the cursor, its index, and the first visible index."""

    id: int | None
    index: int
    top: int


def carried_over(
    old: Sequence[int], new: Sequence[int], place: Place, *, follow_top: bool = False
) -> tuple[Place, bool]:
    """The place after `old` became `new`, and whether the selected row is still there.

    The row keeps its distance from the top of the window, so nothing moves under the reader's eyes.
    Where it is gone its next neighbour takes over, else the previous one. With `follow_top` a cursor on
    the first row stays on the first row.
    """
    if not new:
        return Place(None, 0, 0), place.id is None
    if place.id is None or not old:
        return Place(new[0], 0, 0), True
    offset = place.index - place.top
    if follow_top and place.index == 0:
        return Place(new[0], 0, 0), True
    index = _index(new, place.id, place.index)
    if index is not None:
        return Place(place.id, index, max(0, index - offset)), True
    present = set(new)
    neighbours = chain(islice(old, place.index + 1, None), reversed(old[: place.index]))
    for row_id in neighbours:
        if row_id in present:
            at = new.index(row_id)
            return Place(row_id, at, max(0, at - offset)), False
    at = min(place.index, len(new) - 1)
    return Place(new[at], at, max(0, at - offset)), False


def _index(ids: Sequence[int], row_id: int, guess: int) -> int | None:
    if guess < len(ids) and ids[guess] == row_id:
        return guess
    try:
        return ids.index(row_id)
    except ValueError:
        return None
