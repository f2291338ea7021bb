"""A comparison as text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui.metrics.intervals import Interval
from memtui.metrics.scales import scale_label
from memtui.report.as_json import scale_value
from memtui.report.comparison import ComparedScale, Comparison
from memtui.report.csv_door import Value, to_csv
from memtui.report.plain import table_lines, wrapped
from memtui.report.table import LEFT, RIGHT, Table, percent, scale_text
from memtui.views.numbers import UNKNOWN
from memtui.views.text_door import clean_line

SCHEMA = "memtui-compare-1"
WIDEST = 40


def comparison_text(found: Comparison) -> str:
    """Plain text."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield clean_line(f"A  {found.a.name}")
    yield clean_line(f"B  {found.b.name}")
    mode = found.a.source.mode.replace("_", " ")
    yield clean_line(
        f"pass@{found.budget} ({mode}) · judge {found.judge} · answerable items"
        + (f" · filter {found.filter}" if found.filter else "")
    )
    yield ""
    header = (
        "scale",
        "pairs",
        "A",
        "B",
        "B - A",
        "95 %",
        "only A",
        "only B",
        "p",
        "Holm",
        "left out",
    )
    rows = tuple(_row(row) for row in found.rows)
    yield from table_lines(Table("Paired difference", header, RIGHT * len(header), rows))
    yield from wrapped(
        "per cent and points; 95 % by paired differences, clustered by history, t(G-1); only A, only B: "
        "items that just one side passed; p: exact McNemar, Holm over the scales shown; left out: "
        "excluded or open on one side, and items the other side did not ask",
        "",
    )
    if found.differences:
        yield ""
        settings = tuple((name, _cut(a), _cut(b)) for name, a, b in found.differences)
        yield from table_lines(Table("What differs", ("setting", "A", "B"), LEFT * 3, settings))
    for note in found.notes:
        yield from wrapped(f"- {note}", "  ")


def _cut(value: str) -> str:
    return clean_line(value, width=WIDEST)


def _row(row: ComparedScale) -> tuple[str, ...]:
    one = row.found
    return (
        scale_text(row.scale),
        str(one.n),
        percent(one.mean_a),
        percent(one.mean_b),
        UNKNOWN if one.difference is None else f"{100 * one.difference:+.1f}",
        _interval(one.interval),
        UNKNOWN if one.only_a is None else str(one.only_a),
        UNKNOWN if one.only_b is None else str(one.only_b),
        _p(one.p_value),
        _p(row.adjusted),
        str(row.pairs.dropped + row.pairs.only_a + row.pairs.only_b),
    )


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    return f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def _p(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "a": {"file": str(found.a.source.reader.path), "arm": found.a.arm},
        "b": {"file": str(found.b.source.reader.path), "arm": found.b.arm},
        "budget": found.budget,
        "mode": found.a.source.mode,
        "judge": found.judge,
        "filter": found.filter,
        "scales": [
            {
                "scale": scale_value(row.scale),
                "pairs": row.found.n,
                "common": row.pairs.common,
                "only_asked_a": row.pairs.only_a,
                "only_asked_b": row.pairs.only_b,
                "dropped": row.pairs.dropped,
                "pass_a": row.found.mean_a,
                "pass_b": row.found.mean_b,
                "difference": row.found.difference,
                "interval": None
                if row.found.interval is None
                else {"low": row.found.interval.low, "high": row.found.interval.high},
                "se": row.found.se,
                "unpaired_se": row.found.unpaired_se,
                "clusters": row.found.clusters,
                "both": row.found.both,
                "only_a": row.found.only_a,
                "only_b": row.found.only_b,
                "neither": row.found.neither,
                "p_value": row.found.p_value,
                "p_holm": row.adjusted,
            }
            for row in found.rows
        ],
        "differences": [{"setting": name, "a": a, "b": b} for name, a, b in found.differences],
        "notes": list(found.notes),
    }


HEADER = (
    "scale",
    "pairs",
    "pass_a",
    "pass_b",
    "difference",
    "low",
    "high",
    "clusters",
    "both",
    "only_a",
    "only_b",
    "neither",
    "p_value",
    "p_holm",
)


def comparison_csv(found: Comparison, *, excel: bool = False) -> str:
    """One row per scale."""
    rows: list[list[Value]] = []
    for row in found.rows:
        one = row.found
        ends: list[Value] = (
            [None, None] if one.interval is None else [one.interval.low, one.interval.high]
        )
        rows.append(
            [
                None if row.scale is None else scale_label(row.scale),
                one.n,
                one.mean_a,
                one.mean_b,
                one.difference,
                *ends,
                one.clusters,
                one.both,
                one.only_a,
                one.only_b,
                one.neither,
                one.p_value,
                row.adjusted,
            ]
        )
    return to_csv(HEADER, rows, excel=excel)
