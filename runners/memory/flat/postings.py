"""The inverted index that prepared sessions share: counts of words, and nothing computed from them.

Word counts depend on one session's content alone, so they are taken once however many haystacks
hold the session. Document frequencies, mean lengths and everything else a ranking needs are *not*
here: they are taken over the members of one haystack when it is searched, so that a session outside
it cannot be felt.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Counts = npt.NDArray[np.intc]
Floats = npt.NDArray[np.float64]


class Occurrences(NamedTuple):
    """Where the words of a query occur: three parallel arrays, ordered by word, then block.

    Entry i says that word `word[i]` (its place in the query) occurs `times[i]` times in `block[i]`
    (its number in the postings, or its place in a haystack).
    """

    word: Ints
    block: Ints
    times: Counts


def _joined(arrays: Sequence[array[int]]) -> Counts:
    """One numpy array of several growing ones. A copy: a shared buffer would forbid them to grow."""
    return np.frombuffer(b"".join(arrays), dtype=np.intc)


class Postings:
    """Word counts of numbered blocks, addressed by word.

    Blocks are only ever added. Eight bytes are kept per distinct word of a block, plus the
    vocabulary.
    """

    __slots__ = ("_blocks", "_counts", "_kept", "_kept_at", "_lengths", "_lengths_kept", "_words")

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._blocks: list[array[int]] = []
        self._counts: list[array[int]] = []
        self._lengths = array("i")
        self._kept: dict[tuple[str, ...], Occurrences | None] = {}
        self._kept_at = 0
        self._lengths_kept: Floats = np.empty(0)

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self._lengths)

    def add(self, block: Sequence[str]) -> int:
        """Add the words of one block; returns its number."""
        number = len(self._lengths)
        self._lengths.append(len(block))
        vocabulary, blocks, counts = self._words, self._blocks, self._counts
        for word, count in Counter(block).items():
            at = vocabulary.get(word)
            if at is None:
                vocabulary[word] = len(blocks)
                blocks.append(array("i", (number,)))
                counts.append(array("i", (count,)))
            else:
                blocks[at].append(number)
                counts[at].append(count)
        return number

    def members(self, numbers: Ints) -> Members:
        """The blocks of one haystack, in its order; a block may be there twice."""
        return Members(self, numbers)

    def lengths(self, numbers: Ints) -> Floats:
        """Number of words of each block."""
        if len(self._lengths_kept) != len(self):
            self._lengths_kept = _joined([self._lengths]).astype(np.float64)
        return self._lengths_kept[numbers]

    def occurrences(self, words: tuple[str, ...]) -> Occurrences | None:
        """Where distinct `words` occur, in any block; None if nowhere.

        Kept for the last few queries, because the histories of a ladder are asked the same.
        """
        if self._kept_at != len(self) or len(self._kept) > 64:
            self._kept_at = len(self)
            self._kept.clear()
        if words not in self._kept:
            self._kept[words] = self._look_up(words)
        return self._kept[words]

    def _look_up(self, words: tuple[str, ...]) -> Occurrences | None:
        known = [
            (place, at)
            for place, word in enumerate(words)
            if (at := self._words.get(word)) is not None
        ]
        if not known:
            return None
        blocks = [self._blocks[at] for _, at in known]
        places = np.repeat([place for place, _ in known], [len(one) for one in blocks])
        return Occurrences(
            places,
            # numpy gathers by 64-bit indices several times faster than by others.
            _joined(blocks).astype(np.int64),
            _joined([self._counts[at] for _, at in known]),
        )


class Members:
    """Which blocks of the postings one haystack holds, and where.

    Only the blocks present when the haystack was opened are of any concern to it.
    """

    __slots__ = ("_numbers", "_places", "_postings", "copies", "original")

    def __init__(self, postings: Postings, numbers: Ints) -> None:
        self._postings = postings
        self._numbers = numbers
        order = np.arange(len(numbers))
        # For each block of the postings its place among the members, or -1.
        self._places = np.full(len(postings), -1, dtype=np.int64)
        self._places[numbers] = order
        standing = self._places[numbers]
        repeats = not bool((standing == order).all())
        self.original: Ints | None = standing if repeats else None
        """Where the haystack holds a block twice: for each member, the one that stands for it."""
        self.copies: Ints | None = None
        """Then: how many members each one stands for, itself included; 0 for the others."""
        if repeats:
            self.copies = np.bincount(standing, minlength=len(order)).astype(np.int64)

    def __len__(self) -> int:
        """Number of members."""
        return len(self._numbers)

    def lengths(self) -> Floats:
        """Number of words of each member."""
        return self._postings.lengths(self._numbers)

    def find(self, words: tuple[str, ...]) -> Occurrences | None:
        """Where distinct `words` occur among the members, by their places; None if nowhere.

        All words go through one pass over their posting lists: the cost is that of the lists, which
        are short against a haystack's text, and of a constant number of array operations.
        """
        everywhere = self._postings.occurrences(words)
        if everywhere is None or not len(self._numbers):
            return None
        if len(self._places) < len(self._postings):
            added = len(self._postings) - len(self._places)
            self._places = np.concatenate((self._places, np.full(added, -1, dtype=np.int64)))
        place = self._places[everywhere.block]
        (kept,) = (place >= 0).nonzero()
        return Occurrences(everywhere.word[kept], place[kept], everywhere.times[kept])
