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

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Postings:
    """Word counts of numbered blocks, addressed by word.

    Blocks are only ever added, with rising numbers, so each posting list is sorted by block. Eight
    bytes are kept per distinct word of a block, plus the vocabulary.
    """

    __slots__ = ("_blocks", "_counts", "_lengths", "_words")

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._blocks: list[array[int]] = []
        self._counts: list[array[int]] = []
        self._lengths = array("i")

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

    def lengths(self, members: Ints) -> Ints:
        """Number of words of each block in `members`."""
        # Copied, not viewed: an exported buffer would forbid the array to grow.
        return np.array(self._lengths, dtype=np.int64)[members]

    def counts(self, word: str, members: Ints) -> Ints | None:
        """How often `word` occurs in each block of `members`, in their order; None if in no block.

        `members` may be in any order and may name a block twice.
        """
        at = self._words.get(word)
        if at is None:
            return None
        blocks = np.array(self._blocks[at], dtype=np.int64)
        places = np.searchsorted(blocks, members)
        places[places == len(blocks)] = 0
        counts = np.array(self._counts[at], dtype=np.int64)[places]
        counts[blocks[places] != members] = 0
        return counts
