"""Tokens spent after the evidence was complete, per cell, from the steps of a run file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from memtui.metrics.outcome import standing
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

_SQL = (
    "SELECT count(DISTINCT e.id),"
    " sum(ifnull(json_extract(s.usage,'$.prompt')+json_extract(s.usage,'$.completion'),0)),"
    " sum(json_extract(s.usage,'$.prompt') IS NULL OR json_extract(s.usage,'$.completion') IS NULL)"
    " FROM episode e JOIN step s ON s.episode_id=e.id AND s.kind='model'"
    " WHERE e.id IN (SELECT value FROM json_each(?)) AND (s.usage IS NULL OR json_valid(s.usage))"
    " AND s.seq>(SELECT min(t.seq) FROM step t WHERE t.episode_id=e.id AND t.call_no=e.t_star)"
)


def tokens_after_coverage(
    reader: RunReader, facts: Collection[EpisodeFact], mode: str
) -> dict[int, tuple[int, int, int]]:
    """{cell: (tokens, episodes, steps of unknown usage)} of every model step after the call that completed
    the evidence, over the answerable episodes that count.

    The last of these is the answer, which any agent needs. A step without usage is counted as unknown,
    so that the sum is a lower bound and says so.
    """
    covered: dict[int, list[int]] = defaultdict(list)
    for fact in facts:
        if fact.t_star is None or not fact.answerable:
            continue
        if standing(fact.end_reason, fact.label, fact.done, mode).counted:
            covered[fact.cell_id].append(fact.id)
    found: dict[int, tuple[int, int, int]] = {}
    for cell, ids in covered.items():  # cell by cell: SQLite would sort all steps at once
        episodes, tokens, unknown = reader.query(_SQL, (codec.to_text(ids),))[0]
        if episodes:
            found[cell] = (tokens, episodes, unknown)
    return found
