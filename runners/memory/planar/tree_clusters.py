"""Partition of a tree's nodes into clusters of limited size: recursive k-means, then small ones joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from runners.memory.vectors import Vectors

ROUNDS = 25
Members = list[int]


def kmeans(rows: Vectors, clusters: int) -> npt.NDArray[np.intp]:
    """Cluster of each row, by Lloyd's rounds on the unit sphere (spherical k-means).

    Without chance: the first centre is the row next to the mean, each further one the row farthest from
    all centres so far. A cluster that runs empty stays empty.
    """
    mean = rows.mean(axis=0)
    centres = [int(np.round(rows @ mean, 6).argmax())]
    nearest = rows @ rows[centres[0]]
    while len(centres) < clusters:
        centres.append(int(np.round(nearest, 6).argmin()))
        np.maximum(nearest, rows @ rows[centres[-1]], out=nearest)
    centre = rows[centres].astype(np.float64)
    labels = np.full(len(rows), -1)
    for _ in range(ROUNDS):
        found = np.round(rows @ centre.T, 6).argmax(axis=1)
        if (found == labels).all():
            break
        labels = found
        for number in range(clusters):
            members = rows[labels == number]
            if len(members):
                total = members.sum(axis=0, dtype=np.float64)
                centre[number] = total / (np.linalg.norm(total) or 1.0)
    return labels


def partition(rows: Vectors, *, least: int, most: int) -> list[Members]:
    """Row numbers in clusters of at most `most`, in the order of their first members.

    What is larger is cut by k-means again and again; what is smaller than `least` is joined to the
    cluster nearest by its mean that still has room. One that finds none stays small.
    """
    if not len(rows):
        return []
    clusters: list[Members] = []
    waiting: list[Members] = [list(range(len(rows)))]
    while waiting:
        members = waiting.pop()
        if len(members) <= most:
            clusters.append(members)
            continue
        labels = kmeans(rows[members], -(-len(members) // most))
        parts = [[m for m, at in zip(members, labels, strict=True) if at == c] for c in set(labels)]
        if len(parts) == 1:
            # Nothing tells them apart: cut by age.
            parts = [members[i : i + most] for i in range(0, len(members), most)]
        waiting.extend(parts)
    return sorted(_joined(rows, sorted(clusters), least, most))


def _joined(rows: Vectors, clusters: list[Members], least: int, most: int) -> list[Members]:
    while True:
        small = min(
            (c for c in clusters if len(c) < least), key=lambda c: (len(c), c), default=None
        )
        if small is None:
            return clusters
        others = [c for c in clusters if c is not small]
        room = [c for c in others if len(c) + len(small) <= most]
        if not room:
            # Put aside, so that the next smallest gets its turn.
            rest = _joined(rows, others, least, most)
            return [small, *rest]
        mean = _mean(rows, small)
        target = max(room, key=lambda c: (round(float(mean @ _mean(rows, c)), 6), [-m for m in c]))
        clusters = [c for c in others if c is not target]
        clusters.append(sorted([*target, *small]))


def _mean(rows: Vectors, members: Sequence[int]) -> Vectors:
    total: Vectors = rows[list(members)].mean(axis=0)
    return total
