"""What a reader of the numbers has to know: alarms, and caveats that the data call for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.metrics.explain import CAUSES
from memtui.metrics.intervals import FEW_CLUSTERS, TOO_FEW_CLUSTERS
from memtui.metrics.scales import scale_label
from memtui.model import BudgetMode, RunState
from memtui.report.model import Report
from memtui.report.selection import Selection
from memtui.report.source import ReportSource
from memtui.store.reader import DECLARED_SUBSETS
from memtui.views.numbers import count

FEW_SEEDS = 3


def notes_of(report: Report, source: ReportSource, selection: Selection) -> tuple[str, ...]:
    """Caveats in the order of their weight; each states what the data show."""
    notes = [
        *(f"{note}; s* is withheld" for note in conditional_notes(report.conditional)),
        *_state(report),
        *_exclusions(report),
        *_clusters(report),
        *_histories(report),
        *_coverage(report, source),
        *_items(source, selection),
        *_data(report),
        *_judges(report),
    ]
    return (*dict.fromkeys(notes), *_arms(report))


def conditional_notes(chosen_by: tuple[str, ...]) -> list[str]:
    """What rates of episodes are that a filter chose by what they did."""
    if not chosen_by:
        return []
    return [
        f"the filter chooses episodes by what they did ({', '.join(chosen_by)}): every rate is conditional on "
        "that, and none says how reliable an arm is"
    ]


def _arms(report: Report) -> list[str]:
    """What arms say of themselves; a note that several share is printed once."""
    by_note: dict[str, list[str]] = {}
    for arm in report.arms:
        if arm.note:
            by_note.setdefault(arm.note, []).append(arm.key)
    everyone = len(report.arms)
    return [
        f"{'all arms' if len(keys) == everyone > 1 else ', '.join(keys)}: {note}"
        for note, keys in by_note.items()
    ]


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


def _histories(report: Report) -> list[str]:
    notes = []
    for rung in report.rungs:
        if rung.unavailable:
            notes.append(
                f"scale {scale_label(rung.scale)}: the pool was too small for {rung.unavailable} of "
                f"{rung.histories} histories"
            )
    borrowed = [(rung.scale, rung.borrowed) for rung in report.rungs if rung.borrowed]
    if borrowed:
        notes.append(f"borrowed fillers, evidence of other questions: {_at_scales(borrowed)}")
    left_out = [(rung.scale, rung.contaminated) for rung in report.rungs if rung.contaminated]
    if left_out:
        notes.append(
            f"fillers left out because their text contains the gold answer: {_at_scales(left_out)}"
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


def _at_scales(counts: list[tuple[float, int]]) -> str:
    return ", ".join(f"{count(many)} at scale {scale_label(scale)}" for scale, many in counts)


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


def _data(report: Report) -> list[str]:
    """What was found when the data set was read, such as an unexpected digest or lines left out."""
    notes = report.run.dataset.get("notes", ())
    return [f"data: {note}" for note in notes] if isinstance(notes, list) else []


def _items(source: ReportSource, selection: Selection) -> list[str]:
    notes = []
    flagged = selection.flagged_items
    everything = selection.answerable_items
    if flagged:
        notes.append(
            f"{len(flagged)} of {len(everything)} answerable questions have a known defect; rates "
            "without them stand beside"
        )
    if source.left_out:
        notes.append(
            f"{len(source.left_out)} questions whose gold a reader flagged are left out of every rate"
        )
    elif source.marks.bad_gold:
        notes.append(
            f"a reader flagged the gold of {len(source.marks.bad_gold)} questions: "
            "--flagged exclude leaves them out of every rate"
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
