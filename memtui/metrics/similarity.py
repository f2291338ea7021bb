"""How much a query repeats an earlier one of the same episode: a value and a kind.

Redundant reformulation is a named failure of agents (step repetition, MAST FM-1.3, arXiv 2503.13657).
The comparison is lexical on purpose: it needs no model, costs microseconds and means the same in every
arm. Paraphrases are caught by result overlap instead (`Facts.redundant`), not here.
"""

from __future__ import annotations

import re
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
    """Queries of one episode in order; `add` compares each with all earlier ones."""

    def __init__(self) -> None:
        self._earlier: list[tuple[str, frozenset[str]]] = []

    def add(self, query: str) -> Similarity:
        """Similarity to the nearest earlier query (ties: the latest), then remember this one.

        The value is the Jaccard index of the two term sets; 1.0 for texts that are equal after
        case folding and white-space collapse even when they hold no term at all.
        """
        plain = " ".join(query.casefold().split())
        mine = terms(query)
        best = Similarity(None, "", None)
        for number, (other_plain, other) in enumerate(self._earlier, 1):
            if plain == other_plain:
                candidate = Similarity(1.0, EXACT, number)
            else:
                candidate = _compare(mine, other, number)
            if best.value is None or candidate.value is None or _rank(candidate) >= _rank(best):
                best = candidate
        self._earlier.append((plain, mine))
        return best


def _rank(similarity: Similarity) -> tuple[float, bool]:
    return (similarity.value or 0.0, similarity.kind == EXACT)


def _compare(mine: frozenset[str], other: frozenset[str], number: int) -> Similarity:
    union = len(mine | other)
    common = len(mine & other)
    value = common / union if union else 0.0
    if not common:
        kind = DIFFERENT
    elif mine == other:
        kind = REORDERED
    elif mine > other:
        kind = NARROWED
    elif mine < other:
        kind = BROADENED
    else:
        kind = OVERLAP
    return Similarity(value, kind, number)
