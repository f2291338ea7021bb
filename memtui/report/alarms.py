"""Which ends are abnormal in a run file, and where they are abnormally many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from memtui.metrics.alarm import (
    ABSTAINED,
    ALL_ARMS,
    MINIMUM,
    NORMAL_ENDS,
    THRESHOLD,
    Alarm,
    is_abnormal,
)
from memtui.metrics.histogram import Fold
from memtui.metrics.outcome import JUDGE
from memtui.model import FLAGGED
from memtui.state.live import Troubles
from memtui.store.records import CellRow


def abnormal_ends(
    folds: Mapping[Hashable, Fold],
    cells: Mapping[int, CellRow],
    config: Mapping[str, object],
    mode: str,
) -> tuple[Alarm, ...]:
    """Alarms over all arms and per arm, at the thresholds of the run's configuration.

    What rings over all arms is not repeated for each.
    """
    share, minimum = _thresholds(config)
    arm_of = {cell.id: cell.arm for cell in cells.values()}
    totals: Counter[str] = Counter()
    answerables: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for key, group in folds.items():
        if not isinstance(key, tuple):
            continue
        cell, answerable = key[0], key[1]
        for (end_reason, abstained, cause), count in group.steady(mode).ends.items():
            if cause == FLAGGED:
                continue  # the reader took it out
            found = []
            if end_reason not in NORMAL_ENDS:
                found.append(f"end with {end_reason}")
            if abstained and answerable:
                found.append(ABSTAINED)
            if cause == JUDGE:
                found.append("have a verdict the judge could not decide")
            for where in (ALL_ARMS, arm_of[cell]):
                totals[where] += count
                answerables[where] += count * bool(answerable)
                for kind in found:
                    kinds[where, kind] += count
    alarms: list[Alarm] = []
    everywhere: set[str] = set()
    for (where, kind), count in sorted(kinds.items(), key=lambda pair: pair[0][0] != ALL_ARMS):
        if kind in everywhere:
            continue
        n = (answerables if kind == ABSTAINED else totals)[where]
        if is_abnormal(count, n, threshold=share, minimum=minimum):
            alarms.append(Alarm(where, kind, count, n))
            if where == ALL_ARMS:
                everywhere.add(kind)
    return tuple(alarms)


def troubles_of(
    folds: Mapping[Hashable, Fold],
    cells: Mapping[int, CellRow],
    config: Mapping[str, object],
    mode: str,
) -> Troubles:
    """Exclusions by cause and alarms of the episodes that were folded by (cell, answerable)."""
    return Troubles(excluded_by_cause(folds, mode), abnormal_ends(folds, cells, config, mode))


def excluded_by_cause(folds: Mapping[Hashable, Fold], mode: str) -> tuple[tuple[str, int], ...]:
    """(cause, episodes), the most first."""
    excluded: Counter[str] = Counter()
    for group in folds.values():
        excluded.update(group.steady(mode).excluded)
    return tuple(sorted(excluded.items(), key=lambda pair: (-pair[1], pair[0])))


def _thresholds(config: Mapping[str, object]) -> tuple[float, int]:
    for part in (config, *(v for v in config.values() if isinstance(v, Mapping))):
        alarm = part.get("alarm")
        if isinstance(alarm, Mapping):
            share, minimum = alarm.get("share"), alarm.get("minimum")
            return (
                float(share) if isinstance(share, (int, float)) else THRESHOLD,
                minimum if isinstance(minimum, int) else MINIMUM,
            )
    return THRESHOLD, MINIMUM
