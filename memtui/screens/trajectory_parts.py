"""The parts of the trajectory screen: what stands above the panes, and the lines of steps."""

from __future__ import annotations

from collections.abc import Hashable

from rich.cells import cell_len
from rich.text import Text

from memtui.screens.episode_row import closing_words, ending_of
from memtui.state.gold_places import gold_places
from memtui.state.session import RunSession
from memtui.state.trajectory import Stop, Trajectory, units_of
from memtui.store.records import EpisodeRow
from memtui.views.coverage import coverage_curve, coverage_ratio
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.marks import GOLD
from memtui.views.numbers import UNKNOWN, duration, plural, scale
from memtui.views.outcome import outcome_style, outcome_word
from memtui.views.strip import call_strip, call_style
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, cut
from memtui.views.wrapping import wrap


def labelled(label: str) -> str:
    """A label of the block above the panes, in its column."""
    return f" {label:<7} "


def head_lines(
    found: Trajectory, stop: int, why: str, session: RunSession, width: int, rows: int, look: Look
) -> list[Text]:
    """Question, gold, answer, how it ended, strip and coverage, and why: never cut away."""
    row, item = found.detail.row, found.detail.item
    lines: list[Text] = []
    room = max(10, width - 10)
    question = wrap(clean_line(item.question, width=room * 3), room)
    most = 2 if rows >= 24 else 1
    if len(question) > most:
        question = [*question[: most - 1], clean_line(" ".join(question[most - 1 :]), width=room)]
    for number, part in enumerate(question):
        lines.append(
            Text.assemble(
                (labelled("Q" if not number else ""), look.muted), (part, look.strong), end=""
            )
        )
    lines += _gold_and_answer(found, session, width, look)
    lines.append(_ending_line(found, stop, session, width, look))
    where = styled(labelled("episode"), look.muted)
    parts = [Text(clean_line(part, width=32)) for part in (row.arm, scale(row.scale))]
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
    most = 3 if rows >= 24 else 2 if rows >= 20 else 1
    sentence = wrap(clean_line(why), room)
    if len(sentence) > most:
        sentence = [*sentence[: most - 1], cut(" ".join(sentence[most - 1 :]), room)]
    for number, part in enumerate(sentence):
        lines.append(
            Text.assemble((labelled("why" if not number else ""), look.muted), (part, ""), end="")
        )
    return lines


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
    row = found.detail.row
    ending = ending_of(row, session)
    budget = session.settings.budget
    signs = row.strip or "".join(one.glyph for one in found.stops if one.is_call)
    here = found.stops[stop].call_no if 0 <= stop < len(found.stops) else None
    current = here if here and found.stops[stop].is_call else None
    line = styled(labelled("calls"), look.muted)
    line.append_text(
        call_strip(signs, budget, ending, look, width=max(12, width // 3), current=current)
    )
    line.append("   ")
    line.append_text(outcome_word(ending.outcome, look))
    words = closing_words(row, session).split(", ")
    if len(words) > 1:
        line.append(f", {words[1]}", look.muted)
    requested = row.requested if row.done else found.calls
    line.append(f"   R {requested} of B {budget}", look.muted)
    units = units_of(found.detail.item.evidence)
    covered = found.stops[-1].after if found.stops else 0
    open_total = (len(units) or None) if found.detail.item.answerable else None
    total = row.gold_total if row.done else open_total
    got = row.gold_found if row.done else covered
    part = styled("   evidence ", look.muted)
    if found.detail.item.answerable:
        part.append_text(coverage_ratio(got, total, look))
        curve = coverage_curve(found.detail.coverage, total, look, width=12)
        fits = line.cell_len + part.cell_len + 1 + curve.cell_len <= width
        if curve.cell_len and fits:  # the curve goes before the ratio does
            part.append(" ")
            part.append_text(curve)
    else:
        nothing = not found.detail.item.evidence
        part.append("none to find" if nothing else "n/a, the question has no answer", look.muted)
    if line.cell_len + part.cell_len <= width:
        line.append_text(part)
    verdicts = {v.judge: v for v in found.detail.verdicts}
    said = verdicts.get(session.settings.judge)
    if said is not None:
        reason = f" ({clean_line(said.reason, width=28)})" if said.reason else ""
        judge = styled(f"   judge: {said.label}{reason}", look.muted)
        if line.cell_len + judge.cell_len <= width:
            line.append_text(judge)
    return line


class StopSource:
    """The steps of an episode as rows; the id of a row is its index."""

    def __init__(self, found: Trajectory, look: Look) -> None:
        self._found = found
        self._look = look
        self._ids = list(range(len(found.stops)))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        stop, look = self._found.stops[index], self._look
        text = Text(" ", end="", no_wrap=True)
        if stop.is_call:
            text.append(f"{stop.call_no:>2} ", look.muted)
            text.append(f"{stop.glyph or '·'} ", call_style(stop.glyph, look))
        elif stop.step.kind == "context":
            text.append(" 0 ", look.muted)
            text.append("◦ ", look.muted)
        else:
            text.append("   ")
            text.append("▸ ", look.accent)
        gained = stop.after - stop.before
        tail = f" +{gained}" if gained else ""
        words = step_words(stop)
        text.append(clean_line(words, width=max(4, width - text.cell_len - len(tail))))
        if tail:
            text.append(" " * max(0, width - text.cell_len - len(tail)))
            text.append(tail, look.gold)
        return text


def step_words(stop: Stop) -> str:
    """A step in a few words: its query, or what it is."""
    step = stop.step
    if step.kind == "memory_call":
        return step.query if step.query else f"{step.name or 'call'} ({step.status})"
    if step.kind == "context":
        return f"context of {step.k_returned or 0} blocks"
    if step.kind == "answer":
        return "forced answer" if step.status == "forced" else "answer"
    if step.kind == "error":
        return f"{step.name or 'error'}: {step.status}"
    return step.name or step.kind


def call_lines(
    found: Trajectory, index: int, session: RunSession, width: int, look: Look
) -> list[Text]:
    """What one call was: query, nearness, k, coverage before and after, place against t* and B."""
    stop = found.stops[index]
    step = stop.step
    if step.kind not in ("memory_call", "context"):
        return []
    lines = []
    query = Text(" ", end="", no_wrap=True)
    if step.kind == "context":
        query.append("given before any call", look.muted)
    else:
        query.append(clean_line(step.query or "(no query)", width=width - 2), look.accent)
    lines.append(query)
    lines += flow(_call_parts(found, stop, session, look), width)[:3]
    named = evidence_parts(found, index, look)
    return [*lines, *flow(named, width)[:2]] if named else lines


def _call_parts(found: Trajectory, stop: Stop, session: RunSession, look: Look) -> list[Text]:
    step = stop.step
    parts: list[Text] = []

    def say(label: str, value: str) -> None:
        parts.append(Text.assemble((f"{label} ", look.muted), value, end=""))

    ks = [UNKNOWN if k is None else str(k) for k in (step.k_asked, step.k_returned, step.k_shown)]
    if step.kind == "memory_call":
        say("asked, returned, shown", " ".join(ks))
    else:
        say("blocks, shown", " ".join(ks[1:]))
    total = found.detail.row.gold_total
    if step.gold_cum is None or total is None:
        say("evidence", "n/a")
    else:
        change = styled("evidence ", look.muted)
        change.append(
            f"{stop.before} → {stop.after} of {total}",
            look.gold if stop.after > stop.before else "",
        )
        parts.append(change)
    if step.status != "ok":
        parts.append(styled(clean_line(step.status, width=20), look.bad))
    if step.similarity is not None and step.similarity_kind and stop.call_no and stop.call_no > 1:
        say(
            "like an earlier query",
            f"{step.similarity:.2f} {clean_line(step.similarity_kind, width=14)}",
        )
    t_star = found.detail.row.t_star
    if stop.is_call and t_star is not None and stop.call_no is not None and stop.call_no > t_star:
        parts.append(
            styled(f"complete since call {t_star}: {stop.call_no - t_star} after it", look.budget)
        )
    if stop.is_call and stop.call_no is not None and stop.call_no > session.settings.budget:
        parts.append(styled("beyond the budget", look.budget))
    if step.wall_ms is not None:
        say("took", duration(step.wall_ms))
    return parts


def missing_evidence(found: Trajectory, index: int, look: Look) -> Text:
    """Ranks of the evidence in this call, and what it did not return: `★ at rank 2   1 not returned`."""
    places = gold_places(found, index)
    ranks = sorted(place.rank for place in places if place.rank is not None)
    absent = [place for place in places if place.rank is None]
    text = Text(end="", no_wrap=True)
    if ranks:
        text.append(f"{GOLD} at rank {', '.join(map(str, ranks[:6]))}", look.gold)
    if absent:
        text.append("  " if ranks else "")
        text.append(f"{len(absent)} of {len(places)} not returned", look.muted)
    return text


def evidence_parts(found: Trajectory, index: int, look: Look) -> list[Text]:
    """Each piece of evidence by name with its place at this call, the missing ones first."""
    places = sorted(gold_places(found, index), key=lambda place: place.rank is not None)
    if len(places) == 1 and places[0].rank is not None and places[0].shown:
        return []  # the pane's title says it
    return [
        Text.assemble(
            (
                f"{GOLD} {clean_line(place.raw, width=18)} ",
                look.gold if place.rank else look.missing,
            ),
            (place.words, look.muted),
            end="",
        )
        for place in places[:4]
    ]
