"""What a reader of the numbers has to know: alarms, and caveats that the data call for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from memtui.metrics.alarm import MINIMUM, THRESHOLD, Alarm, abnormal_mix
from memtui.metrics.explain import CAUSES
from memtui.metrics.histogram import Fold
from memtui.metrics.intervals import FEW_CLUSTERS, TOO_FEW_CLUSTERS
from memtui.metrics.outcome import JUDGE, standing
from memtui.metrics.scales import scale_label
from memtui.model import BudgetMode, EndReason, RunState
from memtui.report.model import Report
from memtui.report.source import ReportSource
from memtui.store.reader import DECLARED_SUBSETS
from memtui.store.records import EpisodeFact

NORMAL_ENDS = frozenset({EndReason.ANSWERED, EndReason.FORCED})
FEW_SEEDS = 3


def alarms_of(source: ReportSource, folds: Mapping[Hashable, Fold]) -> tuple[Alarm, ...]:
    """Alarms for an abnormal mix over the whole file and per arm, thresholds from the run."""
    share, minimum = _thresholds(source.run.config)
    arm_of = {cell.id: cell.arm for cell in source.cells.values()}
    totals: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for key, group in folds.items():
        if not isinstance(key, tuple):
            continue
        cell, answerable = key[0], key[1]
        for signature, count in group.signatures.items():
            held = standing(signature.end_reason, signature.label, signature.done, source.mode)
            if held.pending:
                continue
            found = []
            if signature.end_reason not in NORMAL_ENDS:
                found.append(f"end with {signature.end_reason}")
            if signature.abstained and answerable:
                found.append("abstain although the question has an answer")
            if held.cause == JUDGE:
                found.append("have a verdict the judge could not decide")
            for where in ("all arms", arm_of[cell]):
                totals[where] += count
                for kind in found:
                    kinds[where, kind] += count
    alarms: list[Alarm] = []
    everywhere: set[str] = set()
    for (where, kind), count in sorted(kinds.items(), key=lambda pair: pair[0][0] != "all arms"):
        if kind in everywhere:
            continue
        found_alarms = abnormal_mix(
            {f"{where}: {kind}": (count, totals[where])}, threshold=share, minimum=minimum
        )
        if found_alarms and where == "all arms":
            everywhere.add(kind)
        alarms += found_alarms
    return tuple(alarms)


def _thresholds(config: Mapping[str, Any]) -> tuple[float, int]:
    for part in (config, *(v for v in config.values() if isinstance(v, Mapping))):
        alarm = part.get("alarm")
        if isinstance(alarm, Mapping):
            share, minimum = alarm.get("share"), alarm.get("minimum")
            return (
                float(share) if isinstance(share, (int, float)) else THRESHOLD,
                minimum if isinstance(minimum, int) else MINIMUM,
            )
    return THRESHOLD, MINIMUM


def notes_of(report: Report, source: ReportSource, facts: Sequence[EpisodeFact]) -> tuple[str, ...]:
    """Caveats in the order of their weight; each states what the data show."""
    notes = [
        *_state(report),
        *_exclusions(report),
        *_clusters(report),
        *_histories(report, source),
        *_coverage(report, source),
        *_items(source, facts),
        *_judges(report),
    ]
    notes += [f"{arm.key}: {arm.note}" for arm in report.arms if arm.note]
    return tuple(dict.fromkeys(notes))


def _state(report: Report) -> list[str]:
    notes = []
    progress = report.progress
    if report.state != RunState.FINISHED:
        notes.append(
            f"the run is {report.state}: {progress.done} of {progress.planned} episodes done, "
            "rates and s* may still move"
        )
    elif progress.done < progress.planned:
        notes.append(f"{progress.done} of {progress.planned} planned episodes are in the file")
    if report.run.mode == BudgetMode.HARD:
        notes.append(
            f"hard budget of {report.run.budget}: agents were told it and further calls refused; not "
            "comparable with post hoc runs, and R is known only up to the refusal"
        )
    return notes


def _exclusions(report: Report) -> list[str]:
    totals = report.totals
    notes = []
    if totals.n_excluded:
        causes = ", ".join(
            f"{count} because {CAUSES.get(cause, cause)}"
            for cause, count in sorted(totals.excluded.items(), key=lambda pair: -pair[1])
        )
        notes.append(f"{totals.n_excluded} episodes are outside n: {causes}")
    if totals.system_failed:
        notes.append(
            f"{totals.system_failed} episodes in which the system under test broke are inside n, not "
            "passed"
        )
    return notes


def _clusters(report: Report) -> list[str]:
    few = {
        robust.clusters
        for cell in report.cells
        if (robust := cell.rates["pass"].clustered) is not None and robust.clusters < FEW_CLUSTERS
    }
    if not few:
        return []
    low = min(few)
    if low < TOO_FEW_CLUSTERS:
        return [
            f"too few clusters: questions share only {low} histories, so no interval here can be "
            "trusted"
        ]
    return [
        f"questions share {low} histories: intervals are cluster-robust with t({low - 1}), cluster "
        "bootstrap beside them"
    ]


def _histories(report: Report, source: ReportSource) -> list[str]:
    notes = []
    for rung in report.rungs:
        label = scale_label(rung.scale)
        if rung.unavailable:
            notes.append(
                f"scale {label}: the pool was too small for {rung.unavailable} of "
                f"{rung.histories} histories"
            )
        if rung.borrowed:
            notes.append(
                f"scale {label}: {rung.borrowed} fillers are borrowed, evidence of other questions"
            )
        if rung.contaminated:
            notes.append(
                f"scale {label}: {rung.contaminated} fillers were left out because their text contains "
                "the gold answer"
            )
    if report.ladder_items is not None:
        notes.append(f"s* and drops use the {report.ladder_items} questions that every rung has")
    seeds = max((rung.seeds for rung in report.rungs if rung.scale > 0), default=0)
    if 0 < seeds < FEW_SEEDS:
        how_many = "one ladder seed" if seeds == 1 else f"{seeds} ladder seeds"
        notes.append(
            f"{how_many}: questions share the draw of fillers, so they are not fully independent"
        )
    return notes


def _coverage(report: Report, source: ReportSource) -> list[str]:
    notes = []
    forms = {arm.form for arm in report.arms}
    if len(forms) > 1:
        notes.append(
            f"arms return text of different form ({', '.join(sorted(forms))}): do not compare their "
            "coverage"
        )
    blind = [arm.key for arm in report.arms if arm.provenance == "none"]
    if blind:
        notes.append(f"coverage is n/a for {', '.join(blind)}: hits cannot be traced to sessions")
    k = _blocks_per_call(source.run.config)
    trivial = [
        rung
        for rung in report.rungs
        if k is not None and rung.smallest is not None and k >= rung.smallest
    ]
    if trivial and k is not None:
        scales = ", ".join(scale_label(rung.scale) for rung in trivial)
        low = min(rung.smallest or 0 for rung in trivial)
        notes.append(
            f"scale {scales}: some histories hold no more sessions than the {k} blocks of a call (down "
            f"to {low}), so coverage there is trivial"
        )
    return notes


def _blocks_per_call(config: Mapping[str, Any]) -> int | None:
    for part in (config, *(v for v in config.values() if isinstance(v, Mapping))):
        k = part.get("k")
        if isinstance(k, int) and not isinstance(k, bool):
            return k
    return None


def _items(source: ReportSource, facts: Sequence[EpisodeFact]) -> list[str]:
    notes = []
    flagged = {fact.item_id for fact in facts if fact.flagged and fact.answerable}
    everything = {fact.item_id for fact in facts if fact.answerable}
    if flagged:
        notes.append(
            f"{len(flagged)} of {len(everything)} answerable questions have a known defect; rates "
            "without them stand beside"
        )
    for name in sorted(DECLARED_SUBSETS):
        inside = {i for i, flags in source.item_flags.items() if name in flags} & everything
        if inside and inside != everything:
            notes.append(
                f"{len(inside)} of {len(everything)} answerable questions are {name}: "
                f"--filter flag:{name} reports these alone"
            )
    return notes


def _judges(report: Report) -> list[str]:
    others = [judge for judge in report.judges if judge != report.judge]
    return [f"other judges in this file, never pooled: {', '.join(others)}"] if others else []
