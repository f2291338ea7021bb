"""Where the judges of a run file differ: against the judge of the report, and in each cell."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from memtui.metrics.judging import Agreement, JudgePair, Labels, agreement, judge_pair
from memtui.model import FLAGGED
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact


class Judging:
    """Verdicts of all judges on the same episodes; empty where there is one judge only."""

    def __init__(
        self, reader: RunReader, judge: str, judges: Sequence[str], facts: Collection[EpisodeFact]
    ) -> None:
        """`judge` is the one of the report; reads all verdicts of the file."""
        self.pairs: tuple[JudgePair, ...] = ()
        """The judge of the report against each other one."""
        self.cells: Mapping[int, Agreement] = {}
        """By cell, answerable and unanswerable items together."""
        others = [one for one in judges if one != judge]
        if not others:
            return
        ids: dict[int, array[int]] = defaultdict(lambda: array("q"))
        for fact in facts:
            if fact.done and fact.end_reason != FLAGGED:
                ids[fact.cell_id].append(fact.id)
        pairs: dict[str, JudgePair] = {one: judge_pair(judge, one, ({}, {}), ()) for one in others}
        cells = {}
        for cell, mine in ids.items():  # cell by cell: all labels at once take tens of megabytes
            labels = {one: _labels(reader, one, mine) for one in (judge, *others)}
            cells[cell] = agreement([*labels.values()], mine)
            for other, so_far in pairs.items():
                found = judge_pair(judge, other, (labels[judge], labels[other]), mine)
                pairs[other] = so_far.and_on(found)
        self.pairs, self.cells = tuple(pairs.values()), cells


def _labels(reader: RunReader, judge: str, episodes: array[int]) -> Labels:
    """The latest label of a judge on each of these episodes."""
    rows = reader.query(
        "SELECT episode_id,label FROM verdict WHERE judge=?"
        " AND episode_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id,id",
        (judge, codec.to_text(list(episodes))),
    )
    return dict(rows)
