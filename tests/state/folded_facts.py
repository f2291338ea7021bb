"""The folds of a file counted from its facts all at once, to hold against those made piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.metrics.histogram import fold
from memtui.state.overview import Folds
from memtui.store.records import EpisodeFact


def fold_cells(facts: Sequence[EpisodeFact], mode: str) -> Folds:
    """Fold the facts of a file by cell, answerable and unanswerable items apart."""
    cells, clusters = [(f.cell_id, f.answerable) for f in facts], [f.cluster for f in facts]
    return fold(facts, cells, clusters, mode, [f.item_id for f in facts])
