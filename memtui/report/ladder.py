"""One question over scales and arms, without a screen: strips, flips, ranks of its evidence, what moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from memtui.errors import UserError
from memtui.metrics.regime import regime
from memtui.metrics.scales import scale_value
from memtui.query.subject import signature_of
from memtui.report.episode_lines import strip_text
from memtui.report.evidence_words import calls_compared, evidence_moves, first_rank, moved_count
from memtui.report.plain import table_lines, wrapped
from memtui.report.source import ReportSource
from memtui.report.table import LEFT, Table
from memtui.state.displacement import (
    Displacement,
    LadderEvidence,
    Moved,
    NoDisplacement,
    UnitRank,
    read_evidence,
)
from memtui.state.ladder import (
    Change,
    Ladder,
    LadderCell,
    LadderLine,
    build_ladder,
    passing_at,
    read_ladder,
)
from memtui.state.ladder_flips import Arm, Flips, flips_between_scales, seeds_of
from memtui.state.session_names import SessionName, unit_day, unit_name
from memtui.state.trajectory import units_of
from memtui.views.ladder import LOST, REGAINED
from memtui.views.numbers import UNKNOWN, plural, scale
from memtui.views.text_door import clean_line

SCHEMA = "memtui-ladder-1"
MOST_MOVED = 8
PREVIEW = 90
SIGNS = {Change.LOST: LOST, Change.REGAINED: REGAINED, Change.NONE: " "}


@dataclass(frozen=True, slots=True)
class LadderReport:
    """The ladder of one question at B."""

    source: ReportSource
    budget: int
    ladder: Ladder
    evidence: LadderEvidence
    flips: Mapping[Arm, Mapping[float, Flips]]
    """Of all questions of the filter, by arm and the larger of two neighbouring scales."""


def build_ladder_report(source: ReportSource, item_id: int, budget: int) -> LadderReport:
    """Read one question's episodes with their steps; UserError where nothing is left to show."""
    reader = source.reader
    data = read_ladder(reader, item_id)
    if data is None:
        raise UserError(f"{reader.path} holds no such question")
    kept = source.selected(budget).facts if source.filter_text else None
    passing = None if kept is None else {fact.id for fact in kept}
    ladder = build_ladder(
        data,
        [arm.key for arm in source.arms],
        source.run.scales,
        budget=budget,
        mode=source.mode,
        judge=source.judge,
        passing=passing,
    )
    if not ladder.lines:
        why = "no episode of this question passes the filter" if data.rows else "not asked yet"
        raise UserError(f"{data.item.key}: {why}")
    cells = [cell for line in ladder.lines for cell in line.asked]
    evidence = read_evidence(reader, data.item, cells, cache(reader.steps))
    flips = flips_between_scales(
        source.facts,
        source.cells,
        seeds_of(reader),
        budget,
        source.mode,
        None if kept is None else {fact.item_id for fact in kept},
    )
    return LadderReport(source, budget, ladder, evidence, flips)


# --- text ---------------------------------------------------------------------------------------


def ladder_text(report: LadderReport) -> str:
    """Plain text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: LadderReport) -> Iterator[str]:
    source, ladder = report.source, report.ladder
    item = ladder.item
    yield clean_line(f"{item.key} · {item.qtype} · history {item.cluster} · {source.reader.path}")
    yield from wrapped(f"question: {item.question}", "  ")
    yield from wrapped(f"gold: {UNKNOWN if item.gold is None else item.gold}", "  ")
    mode = source.mode.replace("_", " ")
    yield clean_line(
        f"B = {report.budget} ({mode}) · judge {source.judge}"
        + (f" · filter {source.filter_text}" if source.filter_text else "")
    )
    if ladder.left_out:
        out = plural(len(ladder.left_out), "arm")
        yield from wrapped(f"the filter leaves out {out}: {', '.join(ladder.left_out)}", "  ")
    yield ""
    yield from table_lines(_strips(report))
    yield ""
    yield from table_lines(_flips(report))
    yield ""
    yield from table_lines(_ranks(report))
    blocks = [block for line in ladder.lines for block in _moves(report, line)]
    if blocks:
        yield ""
        yield "What moved above the evidence, scale by scale"
        yield from blocks


def _strips(report: LadderReport) -> Table:
    ladder, source = report.ladder, report.source
    rows = []
    for line in ladder.lines:
        strips = []
        for cell in line.cells:
            if cell is None:
                strips.append(UNKNOWN)
                continue
            strip = strip_text(cell.row, source.judge, report.budget, source.mode)
            outside = "" if cell.inside else " (filtered)"
            strips.append(f"{SIGNS[cell.change]}{strip}{outside}")
        rows.append((ladder.name_of(line), *strips))
    passing = [f"{passed} of {n}" if n else UNKNOWN for passed, n in ladder.passing]
    rows.append(("pass", *[f" {text}" for text in passing]))
    header = ("arm", *[f" {scale(value)}" for value in ladder.scales])
    return Table(
        "Calls by scale (irrelevant sessions added)",
        header,
        LEFT * len(header),
        tuple(rows),
        "↓ passed at the next smaller scale and does not here, ↑ the other way round",
    )


def _flips(report: LadderReport) -> Table:
    """Of all questions, how many flip from the next smaller scale of the arm."""
    ladder = report.ladder
    rows = []
    for arm in dict.fromkeys((line.arm, line.conditions) for line in ladder.lines):
        found = report.flips.get(arm, {})
        cells = [None if value is None else found.get(value) for value in ladder.scales]
        rows.append(
            (
                " ".join(filter(None, arm)),
                *(
                    UNKNOWN
                    if one is None
                    else f"{LOST}{one.lost} {REGAINED}{one.regained} of {one.n}"
                    for one in cells
                ),
            )
        )
    header = ("arm", *[scale(value) for value in ladder.scales])
    which = "that pass the filter" if report.source.filter_text else "of the run"
    return Table(
        f"Questions that flip from one scale to the next ({which})",
        header,
        LEFT * len(header),
        tuple(rows),
        "of those with an outcome at both; a question run with several seeds or repeats counts for each",
    )


def _ranks(report: LadderReport) -> Table:
    ladder, ranks = report.ladder, report.evidence.ranks
    rows = []
    for line in ladder.lines:
        for unit in units_of(ladder.item.evidence):
            placed = [
                UNKNOWN if cell is None else first_rank(ranks[cell.row.id].get(unit))
                for cell in line.cells
            ]
            names = report.evidence.names
            day = unit_day(unit, names) or UNKNOWN
            rows.append((ladder.name_of(line), unit_name(unit, names), day, *placed))
    header = ("arm", "evidence", "date", *[scale(value) for value in ladder.scales])
    return Table(
        "Rank of the evidence in the first call that returned it",
        header,
        LEFT * len(header),
        tuple(rows),
        "#3 in call 1; #3@2 in call 2; #3@0 in a context given before any call; ✂ cut before the model "
        "saw it; none: never returned; (37): never returned, its session ranks 37 in the system's own "
        "ranking; (>200): not among the first 200 there",
    )


def _moves(report: LadderReport, line: LadderLine) -> Iterator[str]:
    cells = {cell.row.id: cell for cell in line.asked}
    for number, cell in cells.items():
        found = report.evidence.against.get(number)
        if found is None or cell.below is None:
            continue
        span = f"{scale(cells[cell.below].scale)} → {scale(cell.scale)}"
        start = f"{report.ladder.name_of(line)} {span}: "
        if isinstance(found, NoDisplacement):
            if found.queries_differ:
                yield from wrapped(start + "queries differ, so nothing can be said", "  ", "  ")
            continue
        if not found.worse and not found.moved:
            continue
        yield from wrapped(start + _sentence(found, report.evidence.ranks[number]), "  ", "  ")
        for moved in found.moved[:MOST_MOVED]:
            name, says = _said(report, number, moved)
            yield clean_line(
                f"    #{moved.rank:<3} was {_was(moved):<5} {name.day or UNKNOWN:<10} {name.source}  "
                f"{clean_line(says, width=PREVIEW)}"
            )
        if len(found.moved) > MOST_MOVED:
            yield f"    and {len(found.moved) - MOST_MOVED} more"


def _sentence(found: Displacement, ranks: Mapping[str, UnitRank]) -> str:
    """``same query at call 1: evidence #1 → #4; 3 irrelevant sessions moved above it``."""
    moves = ", ".join(words for words, _ in evidence_moves(found, ranks))
    return f"same query {calls_compared(found)}: evidence {moves}; {moved_count(found)}"


def _said(report: LadderReport, episode: int, moved: Moved) -> tuple[SessionName, str]:
    """What a session that moved is called, and what it says."""
    unknown = (SessionName(moved.token, None), "")
    return report.evidence.texts.get(episode, {}).get(moved.token, unknown)


def _was(moved: Moved) -> str:
    return UNKNOWN if moved.before is None else f"#{moved.before}"


# --- JSON ---------------------------------------------------------------------------------------


def ladder_document(report: LadderReport) -> dict[str, Any]:
    """The JSON document."""
    source, ladder = report.source, report.ladder
    item = ladder.item
    return {
        "schema": SCHEMA,
        "file": str(source.reader.path),
        "budget": report.budget,
        "mode": source.mode,
        "judge": source.judge,
        "filter": source.filter_text,
        "item": {
            "key": item.key,
            "question": item.question,
            "question_type": item.qtype,
            "cluster": item.cluster,
            "answerable": item.answerable,
            "gold": item.gold,
            "evidence": list(units_of(item.evidence)),
        },
        "scales": [scale_value(value) for value in ladder.scales],
        "passing": [{"pass": passed, "n": n} for passed, n in ladder.passing],
        "left_out": list(ladder.left_out),
        "flips": [
            {
                "arm": arm,
                "conditions": conditions,
                "scale": scale_value(value),
                "lost": found.lost,
                "regained": found.regained,
                "n": found.n,
            }
            for (arm, conditions), by_scale in report.flips.items()
            for value, found in by_scale.items()
        ],
        "lines": [_line_document(report, line) for line in ladder.lines],
    }


def _line_document(report: LadderReport, line: LadderLine) -> dict[str, Any]:
    return {
        "arm": line.arm,
        "conditions": line.conditions,
        "seed": None if line.variant.seed < 0 else line.variant.seed,
        "repeat": line.variant.repeat,
        "first_loss": scale_value(line.first_loss),
        "cells": [None if cell is None else _cell_document(report, cell) for cell in line.cells],
    }


def _cell_document(report: LadderReport, cell: LadderCell) -> dict[str, Any]:
    source, row = report.source, cell.row
    what = regime(signature_of(row, source.judge), report.budget, source.mode)
    return {
        "scale": scale_value(cell.scale),
        "id": row.id,
        "uid": row.uid,
        "outcome": cell.outcome.value,
        "regime": what.value,
        "change": cell.change.value or None,
        "inside_filter": cell.inside,
        "strip": strip_text(row, source.judge, report.budget, source.mode),
        "requested": row.requested,
        "t_star": row.t_star,
        "gold_found": row.gold_found,
        "gold_total": row.gold_total,
        "answer": row.answer,
        "evidence": [
            {
                "unit": one.unit,
                "name": unit_name(one.unit, report.evidence.names),
                "call": one.call,
                "rank": one.rank,
                "shown": one.shown,
                "session_rank": one.session_rank,
                "ranked": one.ranked,
            }
            for one in report.evidence.ranks[row.id].values()
        ],
        "against_smaller_scale": _against_document(report, cell),
    }


def _against_document(report: LadderReport, cell: LadderCell) -> dict[str, Any] | None:
    found = report.evidence.against.get(cell.row.id)
    if found is None:
        return None
    if isinstance(found, NoDisplacement):
        return {
            "episode": cell.below,
            "comparable": False,
            "reason": found.reason,
            "query_below": found.query_below,
            "query_here": found.query_here,
        }
    said = {one.token: _said(report, cell.row.id, one) for one in found.moved}
    return {
        "episode": cell.below,
        "comparable": True,
        "query": found.query,
        "call_below": found.call_below,
        "call_here": found.call_here,
        "evidence": [
            {"unit": unit, "rank_below": before, "rank_here": after}
            for unit, before, after in found.evidence
        ],
        "moved": [
            {
                "session": one.token,
                "source": said[one.token][0].source,
                "date": said[one.token][0].date,
                "rank_here": one.rank,
                "rank_below": one.before,
                "snippet": said[one.token][1],
            }
            for one in found.moved
        ],
    }


def only_arms(report: LadderReport, wanted: str) -> LadderReport:
    """The lines whose arm contains `wanted`; UserError for none."""
    lines = tuple(line for line in report.ladder.lines if wanted.casefold() in line.name.casefold())
    if not lines:
        names = ", ".join(dict.fromkeys(line.arm for line in report.ladder.lines))
        raise UserError(f"no arm contains {wanted!r}; arms: {names}")
    passing = tuple(passing_at(lines, column) for column in range(len(report.ladder.scales)))
    arms = {(line.arm, line.conditions) for line in lines}
    return replace(
        report,
        ladder=replace(report.ladder, lines=lines, passing=passing),
        flips={arm: found for arm, found in report.flips.items() if arm in arms},
    )
