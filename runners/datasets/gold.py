"""Gold answers: the raw value kept, one canonical text beside it, and what they are contained in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memtui.model import EvidenceStatus
from runners.datasets.contract import SourceItem, SourceSession
from runners.normalise import normalise

SPAN_ANSWERABLE = "span_answerable"
"""Flag of the declared subset: the gold stands verbatim in the evidence, so a span can answer."""

ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")


def canonical_gold(raw: Any) -> str | None:
    """The gold as text: numbers printed, lists joined by commas, edges and zero-width marks trimmed.

    None for a missing gold. The raw value is kept beside it, so nothing is altered silently.
    """
    if raw is None:
        return None
    if isinstance(raw, str):
        return ZERO_WIDTH.sub("", raw).strip()
    if isinstance(raw, bool):
        return "yes" if raw else "no"
    if isinstance(raw, int | float):
        return str(raw)
    if isinstance(raw, list | tuple):
        return ", ".join(text for value in raw if (text := canonical_gold(value)) is not None)
    return json.dumps(raw, ensure_ascii=False, sort_keys=True)


def is_span_answerable(item: SourceItem, sessions: Mapping[str, SourceSession]) -> bool:
    """Whether the normalised gold is a run of words of the normalised evidence.

    Looked for in the evidence turns, or in the whole session where no turn is annotated. Whole words:
    the gold 2 is not contained in 2022. An unanswerable item is never in the subset.
    """
    gold = normalise(item.gold) if item.answerable and item.gold else ""
    if not gold:
        return False
    needle = f" {gold} "
    for evidence in item.evidence:
        if evidence.session_id is None or evidence.status is EvidenceStatus.DANGLING:
            continue
        session = sessions.get(evidence.session_id)
        if session is None:
            continue
        turns = session.turns if evidence.turn is None else (session.turns[evidence.turn],)
        # what was said and what the image showed, not who said it
        text = "\n".join(f"{turn.text}\n{turn.caption}" for turn in turns)
        if needle in f" {normalise(text)} ":
            return True
    return False


def gold_elsewhere(gold: str, evidence: Iterable[str], others: Mapping[str, str]) -> list[str]:
    """Sessions outside the evidence whose text contains the gold, where no evidence text does.

    A hint that a label names the wrong session. Short golds (below four characters) occur by chance
    and are not looked for. Texts are compared in lower case, as whole words.
    """
    if len(gold) < 4:
        return []
    word = re.compile(rf"(?<!\w){re.escape(gold.lower())}(?!\w)")
    if any(word.search(text.lower()) for text in evidence):
        return []
    return [key for key, text in others.items() if word.search(text.lower())]


def with_declared_subset(
    items: Iterable[SourceItem], sessions: Mapping[str, SourceSession]
) -> tuple[SourceItem, ...]:
    """The items, those of the declared subset carrying its flag."""
    return tuple(
        replace(item, flags=(*item.flags, SPAN_ANSWERABLE))
        if SPAN_ANSWERABLE not in item.flags and is_span_answerable(item, sessions)
        else item
        for item in items
    )


def count_declared(items: Iterable[SourceItem]) -> dict[str, int]:
    """`items`, `answerable` and `span_answerable` of a data set, the counts a report must state."""
    counts = {"items": 0, "answerable": 0, SPAN_ANSWERABLE: 0}
    for item in items:
        counts["items"] += 1
        counts["answerable"] += item.answerable
        counts[SPAN_ANSWERABLE] += SPAN_ANSWERABLE in item.flags
    return counts
