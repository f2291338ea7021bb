"""What the text pane reads: the session of a hit with its evidence lit, or what a step said."""

from __future__ import annotations

import contextlib

from rich.text import Text

from memtui.errors import UserError
from memtui.report.step_record import (
    Reading,
    Section,
    decision_sections,
    request_sections,
    verdict_sections,
)
from memtui.screens.session_texts import SessionTexts
from memtui.screens.trajectory_parts import step_words
from memtui.state.answer_elsewhere import Elsewhere
from memtui.state.session import RunSession
from memtui.state.trajectory import HitView, Stop, Trajectory, query_words
from memtui.views.look import Look
from memtui.views.marks import CUT, GOLD
from memtui.views.session_text import PlainText, SessionText
from memtui.views.styled import styled
from memtui.views.text_door import clean_line


def hit_at(stop: Stop, rank: int | None) -> HitView | None:
    """The hit at a rank of a stop; None where there is none."""
    return stop.hits[rank - 1] if rank is not None and 1 <= rank <= len(stop.hits) else None


def block_of(view: HitView, turns: int) -> tuple[int, int] | None:
    """The turns a hit holds; None where it holds the whole session."""
    first = view.hit.first
    if first is None:
        return None
    last = first if view.hit.last is None else view.hit.last
    return (first, last) if last - first + 1 < turns else None


def readable(
    found: Trajectory,
    stop: Stop,
    rank: int | None,
    texts: SessionTexts,
    find: str,
    look: Look,
) -> tuple[SessionText | PlainText, Text]:
    """The document for the hit at `rank` (or for the step itself) and the facts beside its name."""
    view = hit_at(stop, rank)
    if view is None:
        document = PlainText(_step_sections(found, stop), find=find)
        return document, styled(clean_line(step_words(stop), width=40), look.muted)
    token = view.sessions[0]
    row = texts.get(token)
    if row is None or view.hit.text is not None:
        body = view.hit.text or f"the text of session {token} is not in the file"
        return PlainText([("", body)], find=find), styled(f"hit {view.rank}", look.muted)
    turns, whole = found.gold_turns(token)
    document_of_session = SessionText(
        row.turns,
        evidence=turns,
        all_evidence=whole,
        block=block_of(view, len(row.turns)),
        words=query_words(stop.step.query or found.detail.item.question),
        find=find,
    )
    facts = Text(end="", no_wrap=True)
    name = clean_line(row.source or token, width=32)
    if turns:
        lit = ", ".join(f"t{turn + 1}" for turn in sorted(turns)[:6])
        facts.append(f"{GOLD} {name} {lit}", look.gold)
    else:
        facts.append(f"{GOLD} {name}" if whole else name, look.gold if whole else look.muted)
    date = found.date_of(token, row)
    facts.append(f"  {(date or 'no date')[:16].replace('T', ' ')}", look.muted)
    if not view.hit.shown:
        facts.append(f"   {CUT} not shown to the model", look.missing)
    return document_of_session, facts


def _step_sections(found: Trajectory, stop: Stop) -> list[tuple[str, str]]:
    """What there is to read at a step without hits, as (heading, text)."""
    step, decision = stop.step, stop.decision
    sections = []
    if step.kind == "answer":
        sections.append(("answer", step.text))
        if step.raw != step.text:
            sections.append(("as it came", step.raw))
    else:
        sections += [("said", step.text), ("raw", step.raw)]
    if decision is not None:
        sections += [("reasoning", decision.text), ("raw reply", decision.raw)]
    for verdict in found.detail.verdicts:
        said = f"{verdict.label}  {verdict.reason}\n{verdict.raw}".strip()
        sections.append((f"judge {clean_line(verdict.judge, width=40)}", said))
    if found.detail.row.error:
        sections.append(("error", found.detail.row.error))
    return sections


def whole_text(found: Trajectory, stop: Stop, rank: int | None, texts: SessionTexts) -> str:
    """All of the text of which the pane shows a part; control bytes are still in it."""
    view = hit_at(stop, rank)
    if view is None:
        return as_text(_step_sections(found, stop))
    row = texts.get(view.sessions[0])
    if view.hit.text is not None or row is None:
        return view.hit.text or ""
    turns, whole = found.gold_turns(row.token)
    parts = []
    for number, turn in enumerate(row.turns):
        mark = f"{GOLD} " if whole or number in turns else ""
        parts.append(f"{mark}[{number + 1}] {turn.role}: {turn.text}")
    date = found.date_of(row.token, row) or ""
    return f"session {row.source or row.token}  {date}\n\n" + "\n\n".join(parts)


def as_text(sections: list[Section]) -> str:
    """Sections as one text; control bytes are still in it."""
    return "\n\n".join(f"{head}\n{body}" for head, body in sections if body)


def record_of(
    found: Trajectory,
    index: int,
    reading: Reading,
    session: RunSession,
    elsewhere: Elsewhere | None,
    texts: SessionTexts,
) -> list[Section]:
    """What the record holds of a step, other than the text of its hits."""
    stop = found.stops[index]
    if reading is Reading.REQUEST:
        return request_sections(found, index, elsewhere, texts.get)
    if reading is Reading.JUDGE:
        return verdict_sections(found.detail.verdicts, session.settings.judge)
    messages = []
    if stop.decision is not None:
        with contextlib.suppress(UserError):  # the app says what is wrong with the file
            messages = session.pages.messages(stop.decision.id)
    return decision_sections(stop, messages, found.stops[index - 1] if index else None)


def record_title(stop: Stop, reading: Reading, look: Look) -> Text:
    """The facts beside the pane's name while it shows the record."""
    what = {
        Reading.DECISION: "the decision that led to",
        Reading.REQUEST: "the record of",
        Reading.JUDGE: "what the judges said; at",
    }[reading]
    where = f"call {stop.call_no}" if stop.is_call else clean_line(step_words(stop), width=24)
    return Text.assemble((f"{what} ", look.muted), (where, look.accent), end="")
