"""Vectors from the door as rows of unit length, so that a product of two is their cosine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from runners.memory.contract import Door, MemoryError_

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]

DECIMALS = 6
"""What is left of float32 after another order of summation."""


async def embedded(door: Door, texts: Sequence[str], *, phase: str) -> Vectors:
    """One row per text, in one call at the door; no call where there is nothing to embed."""
    if not texts:
        return np.zeros((0, 0), np.float32)
    rows = np.asarray(await door.embed(texts, phase=phase), np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise MemoryError_(f"the embedder returned {rows.shape} for {len(texts)} texts")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def stacked(parts: Sequence[Vectors]) -> Vectors:
    """All rows one under the other; parts without rows have no say in the width."""
    filled = [part for part in parts if len(part)]
    whole: Vectors = np.concatenate(filled) if filled else np.zeros((0, 0), np.float32)
    return whole


def cosines(rows: Vectors, vector: Vectors) -> Scores:
    """Cosine of each row with one vector, to six decimals."""
    if not len(rows):
        return np.zeros(0)
    exact: Scores = (rows @ vector).astype(np.float64)
    return np.round(exact, DECIMALS)


def min_max(scores: Scores) -> Scores:
    """Scores stretched to 0..1; all 1 where they are equal (as in the release of HippoRAG 2)."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    if high == low:
        return np.ones_like(scores)
    stretched: Scores = (scores - low) / (high - low)
    return stretched
