"""Facets: how many episodes have each value of the fields worth counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memtui.metrics.outcome import outcome
from memtui.metrics.regime import coverage_after, flags, regime
from memtui.metrics.scales import scale_label
from memtui.metrics.signature import Signature
from memtui.query.subject import Environment
from memtui.store.records import CellRow

FACETS = ("out", "regime", "cov", "verdict", "end", "arm", "scale", "type", "flag")


def facets(
    counted: Mapping[tuple[bool, int, Signature], int],
    by_cell: Mapping[int, int],
    cells: Mapping[int, CellRow],
    qtypes: Sequence[str],
    environment: Environment,
) -> dict[str, Counter[str]]:
    """{field: {value: episodes}} of episodes counted by context arm or not, question type and signature, and by cell.

    Every value is one the filter understands. Costs nothing per episode: what a signature means is worked
    out once.
    """
    by_signature: Counter[Signature] = Counter()
    by_type: Counter[int] = Counter()
    flag_counts: Counter[str] = Counter()
    for (context, qtype, signature), count in counted.items():
        by_signature[signature] += count
        by_type[qtype] += count
        for name in flags(signature, environment.budget, environment.mode, context=context):
            flag_counts[name] += count
    found: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for signature, count in by_signature.items():
        found["out"][outcome(signature, environment.budget, environment.mode).value] += count
        found["regime"][regime(signature, environment.budget, environment.mode).value] += count
        found["cov"][coverage_after(signature, None)] += count
        found["verdict"][signature.label or "none"] += count
        found["end"][signature.end_reason or "none"] += count
    for cell, count in by_cell.items():
        row = cells[cell]
        found["arm"][row.arm] += count
        found["scale"]["none" if row.scale is None else scale_label(row.scale)] += count
    for number, count in by_type.items():
        found["type"][qtypes[number]] += count
    found["flag"] = flag_counts
    return found
