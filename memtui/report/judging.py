"""Where the judges of a run file differ: against the judge of the report, and in each cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from memtui.metrics.judging import Agreement, JudgePair, Labels, agreement, judge_pair
from memtui.model import FLAGGED
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
        labels: dict[str, Labels] = {
            one: dict(
                reader.query(
                    "SELECT episode_id,label FROM verdict WHERE judge=? ORDER BY id", (one,)
                )
            )
            for one in (judge, *others)
        }
        ids: dict[int, list[int]] = defaultdict(list)
        for fact in facts:
            if fact.done and fact.end_reason != FLAGGED:
                ids[fact.cell_id].append(fact.id)
        everyone = [episode for cell in ids.values() for episode in cell]
        self.pairs = tuple(
            judge_pair(judge, other, (labels[judge], labels[other]), everyone) for other in others
        )
        self.cells = {cell: agreement([*labels.values()], mine) for cell, mine in ids.items()}
