"""How a conversation is cut into windows that an embedder of limited input can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Window(NamedTuple):
    """A run of word pieces, of which the last `fresh` are not in the window before."""

    pieces: list[int]
    fresh: int


def windows(turns: Iterable[Sequence[int]], size: int, overlap: int) -> Iterator[Window]:
    """Windows of at most `size` word pieces that together hold every piece of every turn.

    A window ends at the border of a turn: turns are packed whole, as many as fit. Only a turn longer
    than a window is cut, and only there do neighbouring windows share `overlap` pieces, so that a
    sentence on the cut is whole in one of them.
    """
    current: list[int] = []
    shared = 0
    for turn in turns:
        if len(current) + len(turn) <= size:
            current.extend(turn)
            continue
        if current:
            yield Window(current, len(current) - shared)
        start = shared = 0
        while len(turn) - start > size:
            yield Window(list(turn[start : start + size]), size - shared)
            start += size - overlap
            shared = overlap
        current = list(turn[start:])
    if current:
        yield Window(current, len(current) - shared)
