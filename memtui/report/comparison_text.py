"""A comparison as text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtui.metrics.intervals import Interval
from memtui.metrics.paired import CLUSTERED, MCNEMAR, PairedDifference
from memtui.metrics.scales import scale_label, scale_value
from memtui.report.comparison import ComparedScale, Comparison, setting
from memtui.report.csv_door import Value, to_csv
from memtui.report.paired_episodes import EpisodePair, PairCounts
from memtui.report.plain import table_lines, wrapped
from memtui.report.table import LEFT, RIGHT, Table, percent, scale_text
from memtui.state.told_apart import ladder_seed
from memtui.store import codec
from memtui.views.difference import p_value, signed
from memtui.views.numbers import UNKNOWN
from memtui.views.outcome import SIGNS
from memtui.views.text_door import clean_line

SCHEMA = "memtui-compare-1"
WIDEST = 40
MOST_FLIPS = 30


def comparison_text(found: Comparison) -> str:
    """Plain text."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield clean_line(f"A  {found.a.name}")
    yield clean_line(f"B  {found.b.name}")
    mode = found.a.source.mode.replace("_", " ")
    yield clean_line(
        f"pass@{found.budget} ({mode}) · judge {found.judge} · answerable items"
        + (
            f" · {'given' if found.a.source.conditional else 'filter'} {found.filter}"
            if found.filter
            else ""
        )
    )
    yield ""
    header = (
        "scale",
        *(("questions",) if found.averaged else ()),
        "pairs",
        "A",
        "B",
        "B - A",
        "95 %",
        "both",
        "only A",
        "only B",
        "neither",
        "p",
        "Holm",
        "left out",
    )
    rows = [_row(row, averaged=found.averaged) for row in found.rows]
    if len(rows) > 1:
        left_out = str(sum(row.left_out for row in found.rows))
        figures = _figures(found.total, found.counts, None, averaged=found.averaged)
        rows.append(("all", *figures, left_out))
    yield from table_lines(Table("Paired difference", header, RIGHT * len(header), tuple(rows)))
    yield from wrapped(
        "per cent and points; 95 % by paired differences, clustered by history, t(G-1)"
        + (
            "; A, B, B - A: each question once, averaged over its seeds and repeats"
            if found.averaged
            else ""
        )
        + "; both, only A, only B, neither: pairs of episodes by who passed them; p: "
        + how_tested([*(row.found for row in found.rows), found.total])
        + ", Holm over the scales shown; left out: excluded or open on one side, not asked by the other side, "
        "or asked over another history",
        "",
    )
    yield from _flips(found)
    if found.differences:
        yield ""
        settings = tuple(
            (name, _cut(setting(a)), _cut(setting(b))) for name, a, b in found.differences
        )
        yield from table_lines(Table("What differs", ("setting", "A", "B"), LEFT * 3, settings))
    for note in found.notes:
        yield from wrapped(f"- {note}", "  ")


def _flips(found: Comparison) -> Iterator[str]:
    flips = [pair for pair in found.episodes if pair.flip in ("only_a", "only_b")]
    if not flips:
        return
    yield ""
    apart, keys = found.apart, _keys(found, flips[:MOST_FLIPS])
    rows = tuple(
        (
            scale_text(pair.a.scale),
            _cut(pair.a.item),
            *([apart.mark(keys[pair.a.fact.id], pair.a.fact.repeat)] if apart.heading else []),
            pair.flip.removeprefix("only_").upper(),
            f"{SIGNS[pair.a.outcome]} {pair.a.fact.requested}",
            f"{SIGNS[pair.b.outcome]} {pair.b.fact.requested}",
            f"{pair.a.fact.id} {pair.b.fact.id}",
        )
        for pair in flips[:MOST_FLIPS]
    )
    told = (apart.heading,) if apart.heading else ()
    header = ("scale", "item", *told, "passed", "A, calls", "B, calls", "episodes")
    sides = RIGHT + LEFT * (len(header) - 1)
    yield from table_lines(Table("Flips: passed by one side only", header, sides, rows))
    if len(flips) > MOST_FLIPS:
        yield f"and {len(flips) - MOST_FLIPS} more (--json lists all)"


def _keys(found: Comparison, pairs: Sequence[EpisodePair]) -> dict[int, str]:
    """The keys of A's episodes by their ids."""
    ids = codec.to_text([pair.a.fact.id for pair in pairs])
    sql = "SELECT id,key FROM episode WHERE id IN (SELECT value FROM json_each(?))"
    return dict(found.a.source.reader.query(sql, (ids,)))


def _cut(value: str) -> str:
    return clean_line(value, width=WIDEST)


TESTS = {
    MCNEMAR: "exact McNemar",
    CLUSTERED: "difference over its clustered standard error, t(G-1), as pairs that share a question or a "
    "history are not independent",
}


def how_tested(found: Iterable[PairedDifference]) -> str:
    """Where p comes from, in words."""
    used = {one.test for one in found}
    return "; ".join(words for test, words in TESTS.items() if test in used) or "no test"


def _row(row: ComparedScale, *, averaged: bool) -> tuple[str, ...]:
    figures = _figures(row.found, row.counts, row.adjusted, averaged=averaged)
    return (scale_text(row.scale), *figures, str(row.left_out))


def _figures(
    one: PairedDifference, counted: PairCounts, adjusted: float | None, *, averaged: bool
) -> tuple[str, ...]:
    counts = (counted.both, counted.only_a, counted.only_b, counted.neither)
    return (
        *([str(one.n)] if averaged else []),
        str(counted.n),
        percent(one.mean_a),
        percent(one.mean_b),
        signed(one.difference),
        _interval(one.interval),
        *map(str, counts),
        p_value(one.p_value),
        p_value(adjusted),
    )


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    return f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The JSON document."""
    flips = [pair for pair in found.episodes if pair.flip in ("only_a", "only_b")]
    keys = _keys(found, flips)
    return {
        "schema": SCHEMA,
        "a": {"file": str(found.a.source.reader.path), "arm": found.a.arm},
        "b": {"file": str(found.b.source.reader.path), "arm": found.b.arm},
        "budget": found.budget,
        "mode": found.a.source.mode,
        "judge": found.judge,
        "filter": found.filter,
        "conditional_on": list(found.a.source.conditional),
        "scales": [
            {
                "scale": scale_value(row.scale),
                "common": row.pairs.common,
                "only_asked_a": row.pairs.only_a,
                "only_asked_b": row.pairs.only_b,
                "unequal_histories": row.unequal,
                "dropped": row.pairs.dropped,
                **_difference_document(row.found, row.counts),
                "p_holm": row.adjusted,
            }
            for row in found.rows
        ],
        "all_scales": _difference_document(found.total, found.counts),
        "only_scales_a": [scale_value(one) for one in found.only_scales[0]],
        "only_scales_b": [scale_value(one) for one in found.only_scales[1]],
        "flips": [_pair_document(pair, keys[pair.a.fact.id]) for pair in flips],
        "differences": [{"setting": name, "a": a, "b": b} for name, a, b in found.differences],
        "notes": list(found.notes),
    }


def _difference_document(one: PairedDifference, counted: PairCounts) -> dict[str, Any]:
    interval = one.interval
    return {
        "pairs": one.n,
        "pass_rate_a": one.mean_a,
        "pass_rate_b": one.mean_b,
        "difference": one.difference,
        "interval": None if interval is None else {"low": interval.low, "high": interval.high},
        "se": one.se,
        "unpaired_se": one.unpaired_se,
        "clusters": one.clusters,
        "episode_pairs": counted.n,
        "both": counted.both,
        "only_a": counted.only_a,
        "only_b": counted.only_b,
        "neither": counted.neither,
        "p_value": one.p_value,
        "test": one.test,
    }


def _pair_document(pair: EpisodePair, key: str) -> dict[str, Any]:
    return {
        "scale": scale_value(pair.a.scale),
        "item": pair.a.item,
        "seed": ladder_seed(key),
        "repeat": pair.a.fact.repeat,
        "passed_by": pair.flip.removeprefix("only_"),
        "episode_a": pair.a.fact.id,
        "episode_b": pair.b.fact.id,
        "outcome_a": pair.a.outcome.value,
        "outcome_b": pair.b.outcome.value,
        "requested_a": pair.a.fact.requested,
        "requested_b": pair.b.fact.requested,
    }


HEADER = (
    "scale",
    "pairs",
    "pass_rate_a",
    "pass_rate_b",
    "difference",
    "low",
    "high",
    "clusters",
    "episode_pairs",
    "both",
    "only_a",
    "only_b",
    "neither",
    "p_value",
    "p_holm",
    "test",
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
                row.counts.n,
                row.counts.both,
                row.counts.only_a,
                row.counts.only_b,
                row.counts.neither,
                one.p_value,
                row.adjusted,
                one.test,
            ]
        )
    return to_csv(HEADER, rows, excel=excel)
