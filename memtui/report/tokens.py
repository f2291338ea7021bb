"""Tokens spent after the evidence was complete, per cell, from the steps of a run file."""

from __future__ import annotations

from collections.abc import Collection

from memtui.metrics.outcome import standing
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

_SQL = (
    "SELECT e.cell_id,count(DISTINCT e.id),"
    " sum(ifnull(json_extract(s.usage,'$.prompt')+json_extract(s.usage,'$.completion'),0)),"
    " sum(json_extract(s.usage,'$.prompt') IS NULL OR json_extract(s.usage,'$.completion') IS NULL)"
    " FROM episode e JOIN step s ON s.episode_id=e.id AND s.kind='model'"
    " WHERE e.id IN (SELECT value FROM json_each(?)) AND (s.usage IS NULL OR json_valid(s.usage))"
    " AND s.seq>(SELECT min(t.seq) FROM step t WHERE t.episode_id=e.id AND t.call_no=e.t_star)"
    " GROUP BY e.cell_id"
)


def tokens_after_coverage(
    reader: RunReader, facts: Collection[EpisodeFact], mode: str
) -> dict[int, tuple[int, int, int]]:
    """{cell: (tokens, episodes, steps of unknown usage)} of every model step after the call that completed
    the evidence, over the answerable episodes that count.

    The last of these is the answer, which any agent needs. A step without usage is counted as unknown,
    so that the sum is a lower bound and says so.
    """
    covered = [
        fact.id
        for fact in facts
        if fact.t_star is not None
        and fact.answerable
        and standing(fact.end_reason, fact.label, fact.done, mode).counted
    ]
    rows = reader.query(_SQL, (codec.to_text(covered),))
    return {cell: (tokens, episodes, unknown) for cell, episodes, tokens, unknown in rows}
