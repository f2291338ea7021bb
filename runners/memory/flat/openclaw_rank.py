"""The arithmetic of OpenClaw's memory search: weighted legs, decay with age, marginal relevance.

Written after `extensions/memory-core` of the openclaw package (hybrid.ts, temporal-decay.ts, mmr.ts);
MMR is Carbonell & Goldstein, "The Use of MMR, Diversity-Based Reranking" (SIGIR 1998).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from runners.memory.flat.search import Scores, best

DAY_SECONDS = 86_400.0


def text_scores(relevance: Scores) -> Scores:
    """BM25 relevance squeezed into 0..1, r / (1 + r); 0 where a block holds no word of the query."""
    held = np.where(np.isfinite(relevance), np.maximum(relevance, 0.0), 0.0)
    scores: Scores = held / (1.0 + held)
    return scores


def merge_legs(
    vector: Scores, text: Scores, *, vector_weight: float, text_weight: float, candidates: int
) -> Scores:
    """Weighted sum of the two legs over the `candidates` best blocks of each; -inf for all others.

    A block that only one leg brings has 0 from the other. -inf in a leg means that it does not match
    there at all.
    """
    merged = np.full(len(vector), -np.inf)
    legs = ((vector, vector_weight), (text, text_weight))
    kept = [best(leg, candidates) for leg, _ in legs]
    for blocks in kept:
        merged[blocks] = 0.0
    for blocks, (leg, weight) in zip(kept, legs, strict=True):
        merged[blocks] += weight * leg[blocks]
    return merged


def age_days(date: str | None, now: str | None) -> float | None:
    """Days from the start of `date`'s day to `now` (both ISO 8601, no offset); None if unknown.

    A day that lies ahead of `now` has age 0.
    """
    try:
        started = datetime.fromisoformat((date or "")[:10])
        asked = datetime.fromisoformat(now or "").replace(tzinfo=None)
    except ValueError:
        return None
    return max((asked - started).total_seconds() / DAY_SECONDS, 0.0)


def decay(age: float | None, half_life: float | None) -> float:
    """What is left of a score after `age` days: half of it after each half-life.

    1 where the age is not known, and for no half-life: what has no date does not age.
    """
    if age is None or not half_life:
        return 1.0
    return math.exp(-math.log(2.0) / half_life * age)


def jaccard(one: frozenset[str], others: Sequence[frozenset[str]]) -> Scores:
    """Shared words by all words, for one set against each of the others; two empty sets are alike."""
    shared = np.fromiter((len(one & other) for other in others), np.float64, len(others))
    sizes = np.fromiter(map(len, others), np.float64, len(others))
    union = len(one) + sizes - shared
    alike: Scores = np.divide(shared, union, out=np.ones(len(others)), where=union > 0)
    return alike


def marginal_relevance(
    relevance: npt.NDArray[np.float64], words: Sequence[frozenset[str]], trade: float
) -> Iterator[tuple[int, float]]:
    """Indices in the order of maximal marginal relevance, with the score each was taken for.

    Each step takes the item that maximises `trade * r - (1 - trade) * s`: r is its relevance stretched
    to 0..1 over all items (1 where they are equal), s its largest Jaccard similarity to what was taken.
    `relevance` comes best first; of equal items the earlier one is taken. Scores never rise.
    """
    if not len(relevance):
        return
    low, high = float(relevance.min()), float(relevance.max())
    stretched = np.ones(len(relevance)) if high == low else (relevance - low) / (high - low)
    nearest = np.zeros(len(relevance))
    left = np.ones(len(relevance), dtype=bool)
    for _ in range(len(relevance)):
        gain = np.where(left, trade * stretched - (1.0 - trade) * nearest, -np.inf)
        # Rounded, so that items that differ by an order of summation alone stay in their order.
        taken = int(np.round(gain, 9).argmax())
        yield taken, float(gain[taken])
        left[taken] = False
        if trade < 1.0:
            np.maximum(nearest, jaccard(words[taken], words), out=nearest)
