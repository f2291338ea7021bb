"""At which rank the evidence came back, per cell, from the steps of a run file."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection

from memtui.metrics.outcome import standing
from memtui.query.rank_sql import COUNTED_RANKS
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

BINS = (("1", 1), ("2-3", 3), ("4-5", 5), ("6-12", 12), ("13+", None))
"""Ranks that are counted together, and the last of each."""
NEVER = "never"


def evidence_ranks(
    reader: RunReader, facts: Collection[EpisodeFact], mode: str
) -> dict[int, Counter[str]]:
    """{cell: {bin: episodes}} by the best rank at which any call returned a piece of evidence, shown to the
    model or not, over the answerable episodes that count and whose coverage is known; `NEVER` where none came
    back."""
    known: dict[int, array[int]] = {}
    for fact in facts:
        if fact.gold_total is None or not fact.answerable:
            continue
        if standing(fact.end_reason, fact.label, fact.done, mode).counted:
            known.setdefault(fact.cell_id, array("q")).append(fact.id)
    found: dict[int, Counter[str]] = {}
    for cell, ids in known.items():  # cell by cell: SQLite would sort all steps at once
        counts = found[cell] = Counter({NEVER: len(ids)})
        for rank, n in reader.query(COUNTED_RANKS, (codec.to_text(list(ids)),)):
            if rank is not None:
                counts[bin_of(rank)] += n
                counts[NEVER] -= n
    return found


def bin_of(rank: int | None) -> str:
    """The name of the bin a rank falls into."""
    if rank is None:
        return NEVER
    return next(name for name, last in BINS if last is None or rank <= last)
