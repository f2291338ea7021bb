"""Where the judges of a run file differ: against the judge of the report, and in each cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from memtui.metrics.judging import Agreement, JudgePair, Labels, agreement, judge_pair
from memtui.model import FLAGGED
from memtui.report.selection import Selection
from memtui.report.source import ReportSource


class Judging:
    """Verdicts of all judges on the episodes of a selection; empty where there is one judge only."""

    def __init__(self, source: ReportSource, selection: Selection) -> None:
        self.pairs: tuple[JudgePair, ...] = ()
        """The judge of the report against each other one."""
        self.cells: Mapping[int, Agreement] = {}
        """By cell, answerable and unanswerable items together."""
        others = [judge for judge in source.judges if judge != source.judge]
        if not others:
            return
        labels: dict[str, Labels] = {
            judge: dict(
                source.reader.query(
                    "SELECT episode_id,label FROM verdict WHERE judge=? ORDER BY id", (judge,)
                )
            )
            for judge in (source.judge, *others)
        }
        ids: dict[int, list[int]] = defaultdict(list)
        for fact in selection.facts:
            if fact.done and fact.end_reason != FLAGGED:
                ids[fact.cell_id].append(fact.id)
        everyone = [episode for cell in ids.values() for episode in cell]
        self.pairs = tuple(
            judge_pair(source.judge, other, (labels[source.judge], labels[other]), everyone)
            for other in others
        )
        self.cells = {cell: agreement([*labels.values()], mine) for cell, mine in ids.items()}
