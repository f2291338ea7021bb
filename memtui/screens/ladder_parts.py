"""The parts of the ladder screen around its grid: the question, the cell, ranks of the evidence, what moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from memtui.metrics.scales import OWN
from memtui.report.evidence_words import calls_compared, evidence_moves, first_rank, moved_count
from memtui.screens.episode_row import closing_words, ending_of
from memtui.state.displacement import (
    Displacement,
    LadderEvidence,
    NoDisplacement,
    UnitRank,
)
from memtui.state.ladder import Ladder, LadderCell, LadderLine
from memtui.state.ladder_flips import Flips
from memtui.state.session import RunSession
from memtui.state.session_names import SessionName, unit_day, unit_name
from memtui.state.trajectory import units_of
from memtui.store.records import ItemRow
from memtui.views.columns import aligned
from memtui.views.coverage import coverage_ratio
from memtui.views.flow import flow
from memtui.views.ladder import LOST, OUTSIDE, REGAINED, rank_change
from memtui.views.look import Look
from memtui.views.marks import GOLD
from memtui.views.names import cut_apart
from memtui.views.numbers import UNKNOWN, plural, scale
from memtui.views.outcome import outcome_style, outcome_word
from memtui.views.sentences import shorten
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit
from memtui.views.wrapping import wrap
from memtui.widgets.ladder_grid import Columns

LEAST_GOLD = 14
"""Cells of the gold answer that are worth more than what kind of question it is."""


def question_lines(
    ladder: Ladder, place: tuple[int, int] | None, width: int, rows: int, look: Look
) -> list[Text]:
    """The question in at most two lines, its gold answer, what it is, what the filter leaves out."""
    item = ladder.item
    room = max(10, width - 5)
    parts = wrap(clean_line(item.question, width=room * 3), room)
    most = 2 if rows >= 24 else 1
    if len(parts) > most:
        parts = [*parts[: most - 1], clean_line(" ".join(parts[most - 1 :]), width=room)]
    lines = [
        Text.assemble((" Q  " if not n else "    ", look.muted), (part, look.strong), end="")
        for n, part in enumerate(parts)
    ]
    tail = _tail(ladder, place, width, look)
    gold = styled(" gold ", look.muted)
    said = UNKNOWN if item.gold is None else item.gold
    if not item.answerable:
        said = f"{said}  (cannot be answered)"
    beside = width - tail.cell_len - 8
    if beside < min(LEAST_GOLD, cell_len(clean_line(said, width=LEAST_GOLD))):
        tail, beside = Text(end=""), width - 8  # the gold has the line
    gold.append(clean_line(said, width=beside), look.gold)
    gap = width - gold.cell_len - tail.cell_len - 1
    if gap >= 0:
        gold.append(" " * gap)
        gold.append_text(tail)
    lines.append(gold)
    return lines


def _tail(ladder: Ladder, place: tuple[int, int] | None, width: int, look: Look) -> Text:
    """What is known of the question beside its gold, the least needed left out where the line is short."""
    item, out = ladder.item, len(ladder.left_out)
    parts = [(clean_line(item.qtype, width=22), False), (clean_line(item.key, width=20), False)]
    if place is not None:
        parts.append((f"question {place[0]} of {place[1]}", False))
    if out:
        parts.append((f"the filter leaves out {plural(out, 'arm')}", True))
    while len(parts) > 1 and sum(cell_len(said) + 3 for said, _ in parts) > width - 8 - LEAST_GOLD:
        parts.pop(0)
    tail = Text(end="", no_wrap=True)
    for said, warns in parts:
        tail.append(f"   {said}", look.budget if warns else look.muted)
    return tail


def flips_line(
    ladder: Ladder, flips: Mapping[float, Flips] | None, shape: Columns, look: Look
) -> Text:
    """Of all questions, how many flip on the arm under the cursor from the next smaller scale to each."""
    text = Text(" ", end="", no_wrap=True)
    what = "questions" if len(ladder.variants) < 2 else "runs"
    text.append(fit(f"{what} that flip", shape.name), look.muted)
    for column in shape.indices:
        value = ladder.scales[column]
        found = None if flips is None or value is None else flips.get(value)
        text.append("  ")
        if found is None:
            text.append(" " * shape.strip)
            continue
        said = Text.assemble(
            (f"{LOST}{found.lost} ", look.bad if found.lost else look.muted),
            (f"{REGAINED}{found.regained}", look.good if found.regained else look.muted),
            end="",
        )
        if said.cell_len + len(f" of {found.n}") <= shape.strip:
            said.append(f" of {found.n}", look.muted)
        text.append_text(aligned(said, shape.strip, "left"))
    return text


def passing_line(ladder: Ladder, shape: Columns, look: Look) -> Text:
    """How many arms pass at each scale, under their columns."""
    text = Text(" ", end="", no_wrap=True)
    lines = "arms" if len(ladder.variants) < 2 else "lines"
    said = f"{lines} shown that pass" if ladder.left_out else f"{lines} that pass"
    text.append(fit(said, shape.name), look.muted)
    for column in shape.indices:
        passed, n = ladder.passing[column]
        text.append("  ")
        text.append(fit(f"{passed}/{n}" if n else UNKNOWN, shape.strip), look.muted)
    return text


def cell_lines(
    ladder: Ladder, line: LadderLine, cell: LadderCell | None, session: RunSession, width: int,
    look: Look,
) -> list[Text]:  # fmt: skip
    """What is known of the episode under the cursor, in at most two lines."""
    head = styled(" ", look.muted)
    head.append(clean_line(ladder.name_of(line), width=40), look.accent)
    if cell is None:
        head.append("   not run at this scale", look.muted)
        return [head]
    row = cell.row
    head.append(f" at {scale(cell.scale)}  ", look.accent)
    ending = ending_of(row, session)
    head.append_text(outcome_word(ending.outcome, look))
    words = closing_words(row, session).split(", ")
    if len(words) > 1:
        head.append(f", {words[1]}", look.muted)
    parts = [
        Text.assemble(
            ("R ", look.muted), (str(row.requested), ""),
            (f" of B {session.settings.budget}", look.muted), end="",
        )
    ]  # fmt: skip
    if row.answerable:
        coverage = styled("evidence ", look.muted)
        coverage.append_text(coverage_ratio(row.gold_found, row.gold_total, look))
        if row.t_star is not None:
            coverage.append(f" complete at call {row.t_star}", look.muted)
        parts.append(coverage)
    if not cell.inside:
        parts.append(styled(f"{OUTSIDE} outside the filter", look.budget))
    answer = UNKNOWN if row.answer is None else row.answer
    said = styled("answer ", look.muted)
    said.append(clean_line(answer, width=max(12, width // 2)), outcome_style(ending.outcome, look))
    facts = flow([*parts, said], width - 1)
    room = width - head.cell_len - 3
    if len(facts) == 1 and facts[0].cell_len <= room:
        head.append("  ")
        head.append_text(facts[0])
        return [head]
    return [head, facts[0]]


def rank_lines(
    item: ItemRow, line: LadderLine, column: int, evidence: LadderEvidence | None, shape: Columns,
    most: int, look: Look,
) -> list[Text]:  # fmt: skip
    """A line per unit of evidence: its rank at each scale, under the columns of the grid."""
    units = units_of(item.evidence)
    if not units:
        return [styled(" no evidence is annotated", look.muted)]
    if evidence is None:
        return [styled(f" {GOLD} …", look.muted)]
    lines = []
    rest = f" +{len(units) - most} more" if len(units) > most else ""
    names = _named(units, evidence, shape.name - 2 - len(rest))
    for number, (unit, name) in enumerate(zip(units[:most], names, strict=False), 1):
        text = styled(f" {GOLD} ", look.gold)
        more = (
            rest if number == most else ""
        )  # beside the name: behind the last scale may be no room
        text.append(fit(name, shape.name - 2 - len(more)) + more, look.muted)
        before: int | None = None
        for place in shape.indices:
            cell = line.cells[place]
            text.append(" ")
            if cell is None:
                text.append(fit(f" {UNKNOWN}", shape.strip + 1), look.faint)
                continue
            found = evidence.ranks.get(cell.row.id, {}).get(unit)
            rank = None if found is None else found.rank
            text.append(*rank_change(before, rank, look))
            text.append(fit(first_rank(found), shape.strip), look.fresh if rank else look.muted)
            before = rank if rank is not None else before
        lines.append(text)
    return lines


def _named(units: Sequence[str], evidence: LadderEvidence, width: int) -> list[str]:
    """What the units of evidence are called, with the dates of their sessions where there is room for all."""
    names = [unit_name(unit, evidence.names) for unit in units]
    dated = [
        f"{name} {unit_day(unit, evidence.names) or ''}".rstrip()
        for unit, name in zip(units, names, strict=True)
    ]
    return cut_apart(dated if all(cell_len(name) <= width for name in dated) else names, width)


def moved_lines(
    cell: LadderCell | None, line: LadderLine, evidence: LadderEvidence | None, width: int,
    most: int, look: Look,
) -> list[Text]:  # fmt: skip
    """What moved above the evidence since the next smaller scale, or why that cannot be said."""
    if cell is None or evidence is None or most < 1:
        return []
    found = evidence.against.get(cell.row.id)
    if cell.below is None or found is None:
        what = "a question's own history is no rung" if cell.scale == OWN else "the smallest scale"
        return [styled(f" {what}: nothing to compare with", look.muted)]
    below = next((c.scale for c in line.cells if c is not None and c.row.id == cell.below), None)
    head = styled(f" {scale(below)} → {scale(cell.scale)}  ", look.accent)
    if isinstance(found, NoDisplacement):
        head = styled(head.plain.strip(), look.accent)
        reason = styled(found.reason, look.strong if found.queries_differ else look.muted)
        if not found.queries_differ:
            return flow([head, reason], width)[:most]
        lines = flow(
            [head, reason, styled("nothing can be said about what moved", look.muted)], width
        )
        for value, query in ((below, found.query_below), (cell.scale, found.query_here)):
            text = styled(f"   {scale(value):<6} ", look.muted)
            text.append(clean_line(query or "", width=max(8, width - 11)))
            lines.append(text)
        return _cut(lines, width)[:most]
    head = styled(head.plain.strip(), look.accent)
    *said, moved = _summary(found, evidence.ranks.get(cell.row.id, {}), look)
    lines = flow([head, *said, moved], width)
    if len(lines) > 1 and found.moved:
        # Few words where a line is dear: the sessions that are meant are listed below.
        lines = flow([head, *said, styled(f"{len(found.moved)} above it", look.strong)], width)
    return _cut(
        [
            *lines,
            *_sessions(cell, found, evidence, width, look),
        ],
        width,
    )[:most]


def _cut(lines: Sequence[Text], width: int) -> list[Text]:
    return [shorten(line, width) for line in lines]


def _summary(found: Displacement, ranks: Mapping[str, UnitRank], look: Look) -> list[Text]:
    query = styled("same query", look.strong)
    query.append(f" {calls_compared(found)}", look.muted)
    text = styled("evidence ", look.muted)
    for number, (words, lost) in enumerate(evidence_moves(found, ranks)):
        text.append(", " if number else "", look.muted)
        text.append(words, look.budget if lost else look.gold)
    moved = styled(moved_count(found), look.strong if found.moved else look.muted)
    return [query, text, moved]


def _sessions(
    cell: LadderCell, found: Displacement, evidence: LadderEvidence, width: int, look: Look
) -> list[Text]:
    texts = evidence.texts.get(cell.row.id, {})
    unknown = (SessionName(UNKNOWN, None), "")
    said = [texts.get(moved.token, unknown) for moved in found.moved]
    room = 12 if width < 100 else 20 if width < 160 else 32
    names = cut_apart([name.source for name, _ in said], room)
    longest = max(map(cell_len, names), default=0)
    lines = []
    for moved, (name, says), shown in zip(found.moved, said, names, strict=True):
        text = styled(f"   #{moved.rank:<3}", look.budget)
        was = "new" if moved.before is None else f"#{moved.before}"
        text.append(f" was {was:<4}" if moved.before is not None else f" {was:<8}", look.muted)
        text.append(f" {name.day or UNKNOWN:<10}", look.muted)
        if width >= 70:
            text.append(f" {fit(shown, longest)}", look.muted)
        text.append("  ")
        text.append(clean_line(says, width=max(8, width - text.cell_len - 1)))
        lines.append(text)
    return lines
