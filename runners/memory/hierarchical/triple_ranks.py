"""LiCoMemory's rankings: entities, sessions, and the two that order triples.

The figures are those of the release (config/Memory.yaml, query/query_processor.py and
query/triple_reranker.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as Date
from statistics import median

import numpy as np

from runners.memory.vectors import DECIMALS, Scores, Vectors

NAME_WEIGHT, TYPE_WEIGHT = 0.7, 0.3
BONUS = 0.2
BEST_KEYS = 3
LEAST_SESSION = 0.01


def entity_scores(
    rows: Vectors, types: Sequence[str], asked: Vectors, asked_types: Sequence[str]
) -> Scores:
    """For each entity the best of 0.7 cosine + 0.3 (same type) over what was asked for.

    `rows`: entities x dimensions, `asked`: the question's entities and the question x dimensions.
    """
    if not len(rows):
        return np.zeros(0)
    same = np.array([[one == other for other in asked_types] for one in types], float)
    close = np.round((rows @ asked.T).astype(np.float64), DECIMALS)
    scores: Scores = (NAME_WEIGHT * close + TYPE_WEIGHT * same).max(axis=1)
    return scores


def entity_bonus(ranks: dict[int, int], source: int, target: int) -> float:
    """1 / (rank + 1) of the better-ranked end (ranks from 0); an end that is not ranked comes last."""
    last = len(ranks)
    return max(1.0 / (ranks.get(end, last) + 1) for end in (source, target))


def session_score(asked: Vectors, keys: Vectors) -> float:
    """Mean of the three best cosines between what was asked for and a session's keys; 0 for none."""
    if not len(asked) or not len(keys):
        return 0.0
    close = np.sort((asked @ keys.T).astype(np.float64), axis=None)[-BEST_KEYS:]
    return round(float(close.mean()), DECIMALS)


def simple_rank(
    triples: Sequence[float], sessions: Sequence[float], summary_weight: float
) -> list[float]:
    """SimpleRank: (1 - w) of the triple's cosine and w of its session's score."""
    return [
        (1 - summary_weight) * triple + summary_weight * session
        for triple, session in zip(triples, sessions, strict=True)
    ]


def cogni_rank(
    triples: Sequence[float],
    sessions: Sequence[float],
    gaps: Sequence[float],
    summary_weight: float,
    rerank_k: float,
) -> list[float]:
    """CogniRank, the paper's unified rerank: the same sum times exp(-(gap / median gap) ^ k).

    `gaps` are days between a triple's newest session and the question (0 where either is unknown);
    the median is at least 1, and a session without a score counts 0.01.
    """
    middle = max(median(gaps), 1.0) if gaps else 1.0
    floored = [session or LEAST_SESSION for session in sessions]
    meant = simple_rank(triples, floored, summary_weight)
    return [
        score * float(np.exp(-((gap / middle) ** rerank_k)))
        for score, gap in zip(meant, gaps, strict=True)
    ]


def days_between(one: str | None, other: str | None) -> float:
    """Days between two ISO dates, whichever is first; 0 where one is unknown or no date."""
    try:
        gap = Date.fromisoformat((one or "")[:10]) - Date.fromisoformat((other or "")[:10])
    except ValueError:
        return 0.0
    return float(abs(gap.days))
