"""The run files of a folder with their rates; a file that did not change is not read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.errors import UserError
from memtui.metrics.histogram import merge
from memtui.metrics.rates import Tally, tally
from memtui.state.overview import fold_cells
from memtui.store.reader import RunReader
from memtui.store.workspace import RunSummary, list_runs


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run file: what the store says of it, and its rates at its own B and judge."""

    summary: RunSummary
    counts: Tally | None = None
    by_scale: tuple[tuple[float, int, int], ...] = ()
    """(scale, passed, n) over all arms; unanswerable items apart."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.summary.path

    def same_file(self, other: RunSummary) -> bool:
        """Whether nothing was written since."""
        mine = self.summary
        return (mine.size, mine.modified, mine.state) == (other.size, other.modified, other.state)


def read_runs(folder: Path) -> list[RunLine]:
    """The files at a glance, newest first, still without rates; UserError for a missing folder."""
    return [RunLine(summary) for summary in list_runs(folder)]


def with_rates(line: RunLine, known: Mapping[Path, RunLine]) -> RunLine:
    """The line with its rates, from `known` where the file did not change."""
    before = known.get(line.path)
    if before is not None and before.counts is not None and before.same_file(line.summary):
        return before
    if line.summary.state == "unusable":
        return line
    budget = line.summary.budget or 0
    mode = line.summary.mode
    try:
        with RunReader(line.path) as reader:
            facts = reader.episode_facts(line.summary.judge)
            scales = {cell.id: cell.scale for cell in reader.cells()}
    except UserError:
        return line  # the next look at the folder says what is wrong with it
    folds = fold_cells(facts, mode)
    answerable = {
        key[0]: group for key, group in folds.items() if isinstance(key, tuple) and key[1]
    }
    per_scale: dict[float, list[Tally]] = {}
    for cell, group in answerable.items():
        scale = scales.get(cell)
        if scale is not None:
            per_scale.setdefault(scale, []).append(tally(group, budget, mode))
    return RunLine(
        line.summary,
        tally(merge(list(answerable.values())), budget, mode),
        tuple(
            (scale, sum(t.passed for t in tallies), sum(t.n for t in tallies))
            for scale, tallies in sorted(per_scale.items())
        ),
    )
