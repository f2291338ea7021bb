"""Everything the record holds of one step, as (heading, text) sections: screens and `memtui show` alike.

Bodies are outside text, uncut; headings are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from memtui.model import Usage
from memtui.state.answer_elsewhere import Elsewhere, elsewhere_words
from memtui.state.gold_places import gold_places, nearest_query
from memtui.state.query_terms import TextOf, taken_over, taken_over_words
from memtui.state.trajectory import Stop, Trajectory
from memtui.store.records import StepRow, VerdictRow
from memtui.views.numbers import UNKNOWN, duration, money

Section = tuple[str, str]

CUT_WORDS = {
    "k": "more blocks came than the agent is shown",
    "tokens": "the observation was full",
    "block": "a single block was too long",
}
OWN_FACTS = frozenset({"cut", "ranked", "gold_session_ranks", "attempts", "traceback"})
"""Facts of a step that have a section of their own."""


class Reading(StrEnum):
    """What the text pane reads."""

    TEXT = "text"
    DECISION = "decision"
    REQUEST = "request"
    JUDGE = "judge"


def usage_words(usage: Usage | None, wall_ms: float | None, attempts: object = None) -> str:
    """Tokens, cost, time and attempts of a step; `–` for what is unknown."""
    parts = []
    if usage is not None and (usage.calls or usage.prompt or usage.completion):
        prompt = UNKNOWN if usage.prompt is None else str(usage.prompt)
        reply = UNKNOWN if usage.completion is None else str(usage.completion)
        parts.append(f"tokens {prompt} in, {reply} out")
        if usage.cached:
            parts.append(f"{usage.cached} cached")
        if usage.reasoning:
            parts.append(f"{usage.reasoning} reasoning")
        parts.append(f"cost {money(usage.cost)}")
    elif usage is not None:
        parts.append("no model was asked")
    else:
        parts.append("tokens not recorded")
    if wall_ms is not None:
        parts.append(f"took {duration(wall_ms)}")
    known = attempts if attempts is not None else (usage.attempts if usage is not None else 0)
    if known:
        parts.append(f"attempts {known}")
    return ", ".join(parts)


def message_sections(messages: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The messages that a step added to the conversation."""
    sections = []
    for number, message in enumerate(messages, 1):
        role = message.get("role")
        body = message.get("content")
        rest = {k: v for k, v in message.items() if k not in ("role", "content") and v}
        text = body if isinstance(body, str) else "" if body is None else _json(body)
        if rest:
            text = f"{text}\n{_json(rest)}".strip()
        sections.append((f"message {number} of {len(messages)} added", f"{role}: {text}"))
    return sections


def decision_sections(
    stop: Stop, messages: Sequence[Mapping[str, Any]], before: Stop | None
) -> list[Section]:
    """What the model decided at a step: its reasoning, raw reply, the messages added, what was cut.

    `before`: the stop whose result it had just seen.
    """
    decision = stop.decision
    if decision is None:
        said = "the agent decided nothing here" if stop.is_call else ""
        note = said or "no decision of the agent is recorded for this step"
        return [("decision", note)]
    attempts = decision.data.get("attempts")
    sections = [
        ("reasoning", decision.text or "(none recorded)"),
        ("raw reply", decision.raw or "(none recorded)"),
        ("used", usage_words(decision.usage, decision.wall_ms, attempts)),
    ]
    facts = {k: v for k, v in decision.data.items() if k not in OWN_FACTS and v is not None}
    if decision.status != "ok":
        sections.insert(0, ("status", decision.status))
    if facts:
        sections.append(("the agent's own figures", _facts(facts)))
    if before is not None and (cut := cut_words(before)):
        sections.append((f"cut before this decision (call {before.call_no})", cut))
    sections += message_sections(messages) or [("messages added", "none recorded for this step")]
    return sections


def cut_words(stop: Stop) -> str:
    """Blocks that a call returned and the model never saw, and why; empty where it saw all."""
    lost = [view for view in stop.hits if not view.hit.shown]
    if not lost:
        return ""
    reason = CUT_WORDS.get(str(stop.step.data.get("cut", "")), "")
    ranks = ", ".join(str(view.rank) for view in lost[:12]) + (" …" if len(lost) > 12 else "")
    gold = [str(view.rank) for view in lost if view.gold]
    words = f"{len(lost)} of {len(stop.hits)} blocks, ranks {ranks}"
    if reason:
        words += f": {reason}"
    if gold:
        words += f"\nevidence among them at rank {', '.join(gold)}"
    return words


def request_sections(
    found: Trajectory, index: int, elsewhere: Elsewhere | None, text_of: TextOf | None = None
) -> list[Section]:
    """What was asked of the memory at a step and what came of it; `text_of`: see `taken_over`."""
    stop = found.stops[index]
    step = stop.step
    if step.kind not in ("memory_call", "context"):
        sections = [("raw", step.raw), ("said", step.text)]
    else:
        places = gold_places(found, index)
        facts = {k: v for k, v in step.data.items() if k not in OWN_FACTS and v not in (None, "")}
        sections = [
            ("evidence", "\n".join(f"{p.full_name}: {p.words}" for p in places)),
            ("raw request", step.raw or "(none recorded)"),
            ("query", "" if step.query is None or step.query in step.raw else step.query),
            ("nearest earlier query", nearness(found, index) or ""),
            ("terms of the query", taken_over_words(taken_over(found, index, text_of))),
            ("blocks", _blocks(step)),
            ("cut", cut_words(stop)),
            ("the system's own figures", _facts(facts)),
            ("what it said", step.text),
            ("traceback", str(step.data.get("traceback") or "")),
        ]
    sections.append(("used", usage_words(step.usage, step.wall_ms, step.data.get("attempts"))))
    sections.append(("the answer elsewhere", elsewhere_words(elsewhere)))
    return [section for section in sections if section[1]]


def nearness(found: Trajectory, index: int) -> str | None:
    """How near a query is to the nearest earlier one, and which that is; None for the first."""
    step = found.stops[index].step
    if step.similarity is None or not step.similarity_kind:
        return None
    words = f"{step.similarity:.2f}, {step.similarity_kind}"
    nearest = nearest_query(found, index)
    return words if nearest is None else f"{words}; call {nearest[0]}: {nearest[1]}"


def verdict_sections(verdicts: Sequence[VerdictRow], shown: str) -> list[Section]:
    """What every judge said, the one whose verdicts are shown first, with its raw reply."""
    ordered = sorted(verdicts, key=lambda verdict: (verdict.judge != shown, verdict.id))
    sections = []
    for verdict in ordered:
        used = "" if verdict.usage is None else usage_words(verdict.usage, None)
        said = f"{verdict.label}" + (f" ({verdict.reason})" if verdict.reason else "")
        raw = verdict.raw or "(no reply of a model: a rule decided)"
        lines = [said, f"raw reply: {raw}", used, verdict.at]
        sections.append((f"judge {verdict.judge}", "\n".join(line for line in lines if line)))
    return sections or [("judge", "no verdict yet")]


def _blocks(step: StepRow) -> str:
    asked, returned, shown = (
        UNKNOWN if k is None else str(k) for k in (step.k_asked, step.k_returned, step.k_shown)
    )
    new = UNKNOWN if step.new_hits is None else str(step.new_hits)
    return f"asked for {asked}, returned {returned}, shown {shown}, new {new}; {step.status}"


def _facts(facts: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else _json(value)}"
        for name, value in facts.items()
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
