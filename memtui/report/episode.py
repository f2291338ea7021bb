"""One episode in text: what was asked, what each call brought, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from memtui.metrics.explain import why_it_ended
from memtui.metrics.outcome import outcome
from memtui.metrics.regime import flags, overshoot, regime
from memtui.metrics.scales import scale_value
from memtui.metrics.stopping import tokens_after
from memtui.query.subject import signature_of
from memtui.report.as_json import usage_document
from memtui.report.episode_lines import strip_text
from memtui.report.failures import by_judges
from memtui.report.plain import wrapped
from memtui.report.step_record import decision_sections, request_sections, verdict_sections
from memtui.report.table import scale_text
from memtui.state.answer_elsewhere import Elsewhere, answer_elsewhere, elsewhere_words
from memtui.state.gold_places import gold_places, nearest_query
from memtui.state.query_terms import taken_over
from memtui.state.trajectory import Stop, Trajectory, in_history, trajectory
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeDetail, StepRow
from memtui.store.side_file import SideFile
from memtui.views.marks import CUT, GOLD, NEW, SEEN
from memtui.views.numbers import UNKNOWN, duration, money, ratio
from memtui.views.outcome import REGIME_WORDS
from memtui.views.text_door import clean_line

SCHEMA = "memtui-episode-1"
LONG = 600
MOST_LINES = 40
SAID_ABOVE = ("query", "blocks", "evidence")
"""Sections of a call that its own lines hold already."""


class EpisodeReport:
    """An episode with everything its text and its JSON document need."""

    def __init__(
        self, reader: RunReader, detail: EpisodeDetail, budget: int, judge: str, *, context: bool
    ) -> None:
        self.detail = detail
        self.budget = budget
        self.judge = judge
        self.mode = reader.run().mode
        self.file = str(reader.path)
        self.steps: list[StepRow] = reader.steps(detail.row.id)
        self.trajectory: Trajectory = in_history(reader, trajectory(detail, self.steps))
        self.messages = {
            step.id: reader.messages(step.id) for step in self.steps if step.kind == "model"
        }
        self.elsewhere = answer_elsewhere(reader, detail)
        self.text_of = cache(lambda token: reader.sessions([token]).get(token))
        self.marks = SideFile(reader.path, reader.run().uid).read()
        self.signature = signature_of(detail.row, judge)
        self.regime = regime(self.signature, budget, self.mode)
        own = flags(self.signature, budget, self.mode, context=context)
        self.flags = (*own, *by_judges(detail.row))
        self.why = why_it_ended(
            self.signature, detail.row.gold_found, budget, self.mode, context=context
        )
        self.tokens_after = tokens_after(map(_tokens, self.steps), detail.row.t_star)

    @property
    def strip(self) -> str:
        """The call strip with bar and closing signs."""
        return strip_text(self.detail.row, self.judge, self.budget, self.mode)


def _tokens(step: StepRow) -> tuple[int | None, int | None, bool]:
    usage = step.usage
    tokens = None
    if usage is not None and usage.prompt is not None and usage.completion is not None:
        tokens = usage.prompt + usage.completion
    return step.call_no, tokens, step.kind == "model"


def episode_text(report: EpisodeReport) -> str:
    """Plain text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: EpisodeReport) -> Iterator[str]:
    detail = report.detail
    row, item = detail.row, detail.item
    attempts = len(detail.attempts)
    yield clean_line(
        f"episode {row.id} · {row.arm} · scale {scale_text(row.scale)} · {row.conditions} · repeat "
        f"{row.repeat}"
        + (f" · attempt {row.attempt} of {attempts}" if attempts > 1 else "")
        + ("" if row.counts or not row.done else " · not counted")
    )
    yield clean_line(
        " · ".join(("item " + item.key, *filter(None, (item.qtype,)), f"history {item.cluster}"))
    )
    yield from _field("question", item.question)
    if item.question_date:
        yield from _field("asked on", item.question_date)
    yield from _field("gold", UNKNOWN if item.gold is None else item.gold)
    if item.tempting is not None:
        yield from _field("tempting", item.tempting)
    yield from _field("answer", UNKNOWN if row.answer is None else row.answer)
    for verdict in _latest(detail):
        yield from _field(
            f"judge {verdict[0]}", verdict[1] + (f" ({verdict[2]})" if verdict[2] else "")
        )
    for name, value in marks_of(report):
        yield from _field(name, value)
    if detail.haystack is not None:
        header = detail.haystack
        yield clean_line(
            f"history: {header.n_sessions} sessions, {header.n_irrelevant} irrelevant, {header.tokens} "
            f"tokens ({header.tokenizer}), seed {header.ladder_seed}, dates {header.date_policy}"
        )
    yield ""
    yield clean_line(f"{report.strip}  {REGIME_WORDS[report.regime]} at B = {report.budget}")
    yield from wrapped(report.why, "")
    yield clean_line(_facts(report))
    if words := elsewhere_words(report.elsewhere):
        yield from wrapped(clean_line(words), "")
    yield ""
    for index in range(len(report.trajectory.stops)):
        yield from _stop(report, index)
    for head, body in verdict_sections(detail.verdicts, report.judge):
        yield from _section(head, body)
    if row.error:
        yield from _field("error", row.error)


def _field(name: str, value: str) -> Iterator[str]:
    cut = value if len(value) <= LONG else value[:LONG] + f"… ({len(value)} characters)"
    yield from wrapped(f"{name}: {clean_line(cut)}", "  ")


def _latest(detail: EpisodeDetail) -> list[tuple[str, str, str]]:
    latest = {verdict.judge: verdict for verdict in detail.verdicts}
    return [(v.judge, v.label, v.reason) for v in latest.values()]


def _facts(report: EpisodeReport) -> str:
    row = report.detail.row
    parts = [
        f"{row.requested} of {report.budget} calls",
        f"evidence {ratio(row.gold_found, row.gold_total)}",
    ]
    if row.t_star is not None:
        parts.append(f"complete at call {row.t_star}")
    beyond = overshoot(report.signature)
    if beyond:
        parts.append(f"+{beyond} after")
    if report.tokens_after is not None and (report.tokens_after[0] or report.tokens_after[1]):
        known, unknown = report.tokens_after
        parts.append(f"{'≥ ' if unknown else ''}{known} tokens after")
    parts.append(f"end {row.end_reason or 'none yet'}")
    if report.flags:
        parts.append(f"flags {', '.join(report.flags)}")
    parts.append(duration(row.wall_ms))
    if row.cost is not None:
        parts.append(money(row.cost))
    return " · ".join(parts)


def marks_of(report: EpisodeReport) -> list[tuple[str, str]]:
    """What a reader gave the episode or its question."""
    marks, row = report.marks, report.detail.row
    found = []
    if row.item in marks.bad_gold:
        found.append(("flagged", "the gold of its question is bad, says a reader"))
    if row.key in marks.bookmarks:
        found.append(("bookmark", "yes"))
    if row.key in marks.notes:
        found.append(("note", marks.notes[row.key]))
    return found


def _section(head: str, body: str) -> Iterator[str]:
    """A section of the record, its lines below one another, as far as a terminal wants them."""
    lines = body.split("\n")
    yield from _field(f"   {clean_line(head)}", lines[0])
    for line in lines[1:MOST_LINES]:
        yield from wrapped(f"       {clean_line(line[:LONG])}", "         ")
    if len(lines) > MOST_LINES:
        yield f"       … {len(lines) - MOST_LINES} lines more (--json has all)"


def _stop(report: EpisodeReport, index: int) -> Iterator[str]:
    stop = report.trajectory.stops[index]
    step = stop.step
    total = report.detail.row.gold_total
    before = report.trajectory.stops[index - 1] if index else None
    messages = [] if stop.decision is None else report.messages.get(stop.decision.id, [])
    if stop.decision is not None:
        for head, body in decision_sections(stop, messages, before):
            yield from _section(head, body)
    if step.kind == "answer":
        return
    name = step.kind if step.call_no is None else f"call {step.call_no}"
    if step.kind == "context":
        name = "context"
    parts = [stop.glyph or " ", name, step.name]
    if step.status != "ok":
        parts.append(step.status)
    if step.query is not None:
        parts.append(f'"{clean_line(step.query, width=70)}"')
    if step.similarity is not None:
        parts.append(f"({step.similarity_kind} {step.similarity:.2f} of an earlier query)")
    yield clean_line("  ".join(part for part in parts if part))
    if stop.hits:
        marks = " ".join(_marks(stop, place) for place in range(len(stop.hits)))
        coverage = "n/a" if total is None else f"{stop.before} → {stop.after} of {total}"
        asked = "" if step.k_asked is None else f"k {step.k_asked}, "
        shown = sum(view.hit.shown for view in stop.hits)
        yield clean_line(
            f"     {asked}returned {len(stop.hits)}, shown {shown}, new {step.new_hits or 0} · evidence "
            f"{coverage}"
        )
        yield clean_line(f"     {marks}")
    for place in gold_places(report.trajectory, index):
        name = place.full_name
        where = f"{GOLD} {name} at" if place.rank is not None else f"{name}:"
        yield clean_line(f"     {where} {place.words}")
    for head, body in request_sections(report.trajectory, index, None, report.text_of):
        if head not in SAID_ABOVE:
            yield from _section(head, body)


def _marks(stop: Stop, place: int) -> str:
    view = stop.hits[place]
    second = CUT if not view.hit.shown else NEW if view.new else SEEN
    return (GOLD if view.gold else "") + second


def episode_document(report: EpisodeReport) -> dict[str, Any]:
    """The JSON document: the episode and its steps, hits by their opaque names."""
    detail = report.detail
    row, item = detail.row, detail.item
    stops = {stop.step.id: stop for stop in report.trajectory.stops}
    places = {stop.step.id: index for index, stop in enumerate(report.trajectory.stops)}
    return {
        "schema": SCHEMA,
        "file": report.file,
        "budget": report.budget,
        "mode": report.mode,
        "judge": report.judge,
        "id": row.id,
        "uid": row.uid,
        "key": row.key,
        "arm": row.arm,
        "scale": scale_value(row.scale),
        "conditions": row.conditions,
        "repeat": row.repeat,
        "attempt": row.attempt,
        "attempts": list(detail.attempts),
        "counts": row.counts,
        "done": row.done,
        "item": {
            "key": item.key,
            "question": item.question,
            "question_type": item.qtype,
            "question_date": item.question_date,
            "cluster": item.cluster,
            "answerable": item.answerable,
            "gold": item.gold,
            "tempting": item.tempting,
            "flags": list(item.flags),
            "evidence": [
                {"raw": e.raw, "session": e.session, "turn": e.turn, "status": str(e.status)}
                for e in item.evidence
            ],
        },
        "answer": row.answer,
        "answer_raw": detail.answer_raw,
        "end_reason": row.end_reason,
        "error": row.error,
        "outcome": outcome(report.signature, report.budget, report.mode).value,
        "regime": report.regime.value,
        "flags": list(report.flags),
        "why": report.why,
        "strip": report.strip,
        "requested": row.requested,
        "executed": row.executed,
        "first_hit": row.first_hit,
        "t_star": row.t_star,
        "gold_found": row.gold_found,
        "gold_total": row.gold_total,
        "coverage": list(detail.coverage),
        "views": detail.views,
        "tokens_after": None if report.tokens_after is None else report.tokens_after[0],
        "usage": usage_document(detail.usage),
        "wall_ms": row.wall_ms,
        "verdicts": [
            {"judge": v.judge, "label": v.label, "reason": v.reason, "raw": v.raw, "at": v.at}
            for v in detail.verdicts
        ],
        "marks": dict(marks_of(report)),
        "answer_elsewhere": elsewhere_document(report.elsewhere),
        "steps": [
            _step_document(step, stops.get(step.id))
            | _record_document(report, step, places.get(step.id))
            for step in report.steps
        ],
    }


def elsewhere_document(found: Elsewhere | None) -> dict[str, Any] | None:
    """Sessions outside the evidence that hold the words of the gold answer; null: not looked for."""
    if found is None:
        return None
    return {
        "sessions_holding": found.holding,
        "sessions_looked": found.looked,
        "sessions": found.sessions,
        "places": [
            {"session": p.session, "source": p.source, "date": p.date, "turn": p.turn}
            for p in found.places
        ],
    }


def _record_document(report: EpisodeReport, step: StepRow, index: int | None) -> dict[str, Any]:
    """Raw texts, messages, the runner's own figures, and where each gold unit stands."""
    found = report.trajectory
    near = None if index is None else nearest_query(found, index)
    taken = None if index is None else taken_over(found, index, report.text_of)
    return {
        "raw": step.raw,
        "messages": report.messages.get(step.id, []),
        "data": step.data,
        "nearest_call": None if near is None else near[0],
        "query_terms": None
        if taken is None
        else {
            "kept": list(taken.kept),
            "from_results": list(taken.from_results),
            "added": list(taken.added),
        },
        "gold_places": [
            {
                "unit": p.unit,
                "raw": p.raw,
                "name": p.name,
                "date": p.day,
                "rank": p.rank,
                "shown": p.shown if p.rank is not None else None,
                "in_history": p.in_history,
                "session_rank": p.session_rank,
                "ranked": p.ranked,
            }
            for p in ([] if index is None else gold_places(found, index))
        ],
    }


def _step_document(step: StepRow, stop: Stop | None) -> dict[str, Any]:
    return {
        "seq": step.seq,
        "kind": step.kind,
        "name": step.name,
        "status": step.status,
        "call_no": step.call_no,
        "query": step.query,
        "similarity": step.similarity,
        "similarity_kind": step.similarity_kind,
        "k_asked": step.k_asked,
        "k_returned": step.k_returned,
        "k_shown": step.k_shown,
        "gold_new": None if stop is None else stop.step.gold_new,
        "gold_cum": None if stop is None else stop.step.gold_cum,
        "new_hits": step.new_hits,
        "gold_ranks": [{"unit": unit, "rank": rank} for unit, rank in step.gold_ranks],
        "hits": [
            {
                "ref": view.hit.ref,
                "first": view.hit.first,
                "last": view.hit.last,
                "score": view.hit.score,
                "shown": view.hit.shown,
                "gold": view.gold,
                "new": view.new,
            }
            for view in (stop.hits if stop is not None else ())
        ],
        "text": step.text,
        "usage": usage_document(step.usage),
        "wall_ms": step.wall_ms,
    }
