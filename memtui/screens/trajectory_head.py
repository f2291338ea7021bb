"""What stands above the panes of the trajectory screen: what was asked, what came of it, and why."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from memtui.screens.episode_row import closing_words, ending_of
from memtui.state.session import RunSession
from memtui.state.trajectory import Trajectory, units_of
from memtui.store.records import EpisodeRow
from memtui.views.coverage import coverage_curve, coverage_ratio
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, plural, scale
from memtui.views.outcome import outcome_style, outcome_word
from memtui.views.sentences import sentence
from memtui.views.strip import call_strip
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap

LEAST_STRIP = 12
"""Cells of the call strip: what else stands in its line gives way to them."""
SEPARATOR = "   "


def labelled(label: str) -> str:
    """A label of the block above the panes, in its column."""
    return f" {label:<7} "


def head_lines(
    found: Trajectory,
    stop: int,
    why: str,
    also: str,
    session: RunSession,
    width: int,
    rows: int,
    look: Look,
) -> list[Text]:
    """Question, gold, answer, how it ended, strip and coverage, and why: never cut away.

    `also`: what else the record says of the answer; empty for nothing.
    """
    row, item = found.detail.row, found.detail.item
    room = max(10, width - 10)
    lines = _told("Q", item.question, 2 if rows >= 24 else 1, room, look, strong=True)
    lines += _gold_and_answer(found, session, width, look)
    lines.append(_ending_line(found, stop, session, width, look))
    where = styled(labelled("episode"), look.muted)
    parts = [Text(clean_line(part, width=32)) for part in (row.arm, scale(row.scale))]
    seeds = session.header.run.seeds.get("ladder")
    if found.detail.haystack is not None and isinstance(seeds, list) and len(seeds) > 1:
        parts.append(Text(f"seed {found.detail.haystack.ladder_seed}"))
    if row.repeat or row.attempt > 1:
        parts.append(styled(f"repeat {row.repeat} attempt {row.attempt}", look.muted))
    parts += [Text(clean_line(part, width=32)) for part in (item.qtype, item.key)]
    if found.detail.haystack is not None and width >= 90:
        hay = found.detail.haystack
        said = f"{plural(hay.n_sessions, 'session')}, {hay.n_irrelevant} irrelevant"
        parts.append(styled(said, look.muted))
    for fact in parts:
        if where.cell_len + fact.cell_len <= width:  # whole, or not at all
            where.append_text(fact)
            where.append("  ")
    where.rstrip()
    lines.append(where)
    lines += marks_line(row, session, width, look)
    lines += _told("why", why, 4 if rows >= 24 else 2 if rows >= 20 else 1, room, look)
    if also:
        lines += _told("also", also, 2 if rows >= 24 else 1, room, look)
    return lines


def _told(
    label: str, text: str, most: int, room: int, look: Look, *, strong: bool = False
) -> list[Text]:
    """A labelled text in at most so many lines; what does not fit is cut behind a whole word."""
    parts = wrap(clean_line(text, width=room * (most + 1)), room)
    if len(parts) > most:
        parts = [*parts[: most - 1], sentence(" ".join(parts[most - 1 :]), room)]
    return [
        Text.assemble(
            (labelled("" if number else label), look.muted),
            (part, look.strong if strong else ""),
            end="",
            no_wrap=True,
        )
        for number, part in enumerate(parts)
    ]


def marks_line(row: EpisodeRow, session: RunSession, width: int, look: Look) -> list[Text]:
    """What the reader gave the episode or its question: one line, or none."""
    marks = session.marks
    words = []
    if row.item in marks.bad_gold:
        out = ", out of every rate" if session.settings.without_flagged else ""
        words.append(f"gold flagged as bad{out}")
    if row.key in marks.bookmarks:
        words.append("bookmark")
    note = marks.notes.get(row.key)
    line = styled(labelled("marked"), look.muted)
    line.append("   ".join(words), look.accent)
    if note:
        line.append("   " if words else "")
        line.append(clean_line(note, width=max(8, width - line.cell_len - 1)))
    return [line] if words or note else []


def _gold_and_answer(found: Trajectory, session: RunSession, width: int, look: Look) -> list[Text]:
    row, item = found.detail.row, found.detail.item
    ending = ending_of(row, session)
    gold = styled(labelled("gold"), look.muted)
    said = UNKNOWN if item.gold is None else item.gold
    if not item.answerable:
        said = f"{said}  (cannot be answered)"
    answer_text = row.answer if row.answer is not None else UNKNOWN
    style = outcome_style(ending.outcome, look)
    half = width // 2
    one_line = cell_len(clean_line(said, width=half)) + 9 < half and width >= 60
    if one_line and cell_len(clean_line(answer_text, width=width)) + 12 < width - half:
        gold.append(clean_line(said), look.gold)
        gold.append(" " * max(1, half - gold.cell_len))
        gold.append("answer ", look.muted)
        gold.append(clean_line(answer_text), style)
        return [gold]
    gold.append(clean_line(said, width=width - 11), look.gold)
    answer = styled(labelled("answer"), look.muted)
    answer.append(clean_line(answer_text, width=width - 11), style)
    return [gold, answer]


def _ending_line(found: Trajectory, stop: int, session: RunSession, width: int, look: Look) -> Text:
    """Strip, outcome, calls, evidence, verdict. Outcome and evidence are always there: what explains them
    goes first, then the strip is cut."""
    row = found.detail.row
    ending = ending_of(row, session)
    budget = session.settings.budget
    signs = row.strip or "".join(one.glyph for one in found.stops if one.is_call)
    here = found.stops[stop] if 0 <= stop < len(found.stops) else None
    current = here.call_no if here is not None and here.is_call else None
    line = styled(labelled("calls"), look.muted)
    whole = call_strip(signs[:width], budget, ending, look).cell_len
    natural = min(whole if len(signs) <= width else width, max(LEAST_STRIP, width // 2))
    for roomy in range(4, -1, -1):
        parts = _ending_parts(found, session, look, roomy)
        free = width - line.cell_len - sum(part.cell_len + len(SEPARATOR) for part in parts)
        if free >= natural:
            break
    strip = max(LEAST_STRIP, min(natural, free))
    line.append_text(call_strip(signs, budget, ending, look, width=strip, current=current))
    for part in parts:
        line.append(SEPARATOR)
        line.append_text(part)
    return line


def _ending_parts(found: Trajectory, session: RunSession, look: Look, roomy: int) -> list[Text]:
    """What follows the strip: all of it at `roomy` 4, outcome, calls and evidence at 0."""
    row, budget = found.detail.row, session.settings.budget
    ended = outcome_word(ending_of(row, session).outcome, look)
    words = closing_words(row, session).split(", ")
    if len(words) > 1 and roomy >= 2:
        ended.append(f", {words[1]}", look.muted)
    requested = row.requested if row.done else found.calls
    calls = styled(f"R {requested} of B {budget}", look.muted)
    parts = [ended, calls, _evidence(found, look, roomy)]
    said = {v.judge: v for v in found.detail.verdicts}.get(session.settings.judge)
    if said is not None and roomy >= 3:
        reason = f" ({clean_line(said.reason, width=28)})" if said.reason and roomy > 3 else ""
        parts.append(styled(f"judge: {said.label}{reason}", look.muted))
    return parts


def _evidence(found: Trajectory, look: Look, roomy: int) -> Text:
    row, item = found.detail.row, found.detail.item
    part = styled("evidence ", look.muted)
    if not item.answerable:
        why = ", the question has no answer" if roomy >= 2 else ""
        part.append(f"n/a{why}" if item.evidence else "none to find", look.muted)
        return part
    open_total = len(units_of(item.evidence)) or None
    total = row.gold_total if row.done else open_total
    got = row.gold_found if row.done else found.stops[-1].after if found.stops else 0
    part.append_text(coverage_ratio(got, total, look))
    curve = coverage_curve(found.detail.coverage, total, look, width=12)
    if curve.cell_len and roomy >= 1:
        part.append(" ")
        part.append_text(curve)
    return part
