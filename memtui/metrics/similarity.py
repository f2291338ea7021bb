"""How much a query repeats an earlier one of the same episode: a value and a kind.

Redundant reformulation is a named failure of agents (step repetition, MAST FM-1.3, arXiv 2503.13657).
The comparison is lexical on purpose: it needs no model, costs microseconds and means the same in every
arm. Paraphrases are caught by result overlap instead (`Facts.redundant`), not here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

EXACT = "exact"
"""The same text, case and white space apart."""
REORDERED = "reordered"
"""The same terms in another order or with other punctuation."""
NARROWED = "narrowed"
"""All terms of the earlier query and some more."""
BROADENED = "broadened"
"""Some terms of the earlier query and no others."""
OVERLAP = "overlap"
"""Shares terms, adds some, drops some."""
DIFFERENT = "different"
"""No term in common with any earlier query."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


class Similarity(NamedTuple):
    """Nearest earlier query: `value` in 0..1 (None for the first), `kind`, its 1-based number."""

    value: float | None
    kind: str
    nearest: int | None


def terms(query: str) -> frozenset[str]:
    """Terms of a query: case-folded words, runs of CJK characters as overlapping bigrams."""
    found: set[str] = set()
    for word in _WORD.findall(query.casefold()):
        rest = word
        for run in _CJK.findall(word):
            rest = rest.replace(run, " ")
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        found.update(rest.split())
    return frozenset(found)


class QueryHistory:
    """Queries of one episode in order; `add` finds the nearest earlier one.

    Equal queries and equal term sets are kept once, and only sets that share a term are compared: an
    episode of thousands of repeated searches stays cheap.
    """

    def __init__(self) -> None:
        self._count = 0
        self._texts: dict[str, int] = {}
        """Plain text -> number of the latest query that reads so."""
        self._sets: dict[frozenset[str], int] = {}
        """Term set -> number of the latest query that has it."""
        self._holding: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        """Term -> the distinct sets that hold it."""

    def add(self, query: str) -> Similarity:
        """Similarity to the nearest earlier query (ties: the latest), then remember this one.

        The value is the Jaccard index of the two term sets; 1.0 for texts that are equal after
        case folding and white-space collapse even when they hold no term at all.
        """
        plain = " ".join(query.casefold().split())
        mine = terms(query)
        found = self._nearest(plain, mine)
        self._count += 1
        self._texts[plain] = self._count
        if mine not in self._sets:
            for term in mine:
                self._holding[term].append(mine)
        self._sets[mine] = self._count
        return found

    def _nearest(self, plain: str, mine: frozenset[str]) -> Similarity:
        if not self._count:
            return Similarity(None, "", None)
        same = self._texts.get(plain)
        if same is not None:
            return Similarity(1.0, EXACT, same)
        related = {other for term in mine for other in self._holding.get(term, ())}
        if not related:
            return Similarity(0.0, DIFFERENT, self._count)
        candidates = (_compare(mine, other, self._sets[other]) for other in related)
        return max(candidates, key=lambda found: (found.value or 0.0, found.nearest or 0))


def _compare(mine: frozenset[str], other: frozenset[str], number: int) -> Similarity:
    value = len(mine & other) / len(mine | other)
    if mine == other:
        kind = REORDERED
    elif mine > other:
        kind = NARROWED
    elif mine < other:
        kind = BROADENED
    else:
        kind = OVERLAP
    return Similarity(value, kind, number)
