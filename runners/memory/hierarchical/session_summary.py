"""LiCoMemory's session summaries: a few keys to find a session by, and its themes.

A session that is longer than a model reads at a time is summarised part by part, each part as an
addition to the summary so far, as the release adds new exchanges.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Date

from memtui.model import Turn
from runners.memory import rule_extractor
from runners.memory.chunking import packed_turns
from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt

MOST_KEYS = 5
"""The short date of the session among them."""

SUMMARY = {
    "type": "object",
    "properties": {
        "keys": {"type": "array", "items": {"type": "string"}},
        "themes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "summary": {"type": "string"}},
                "required": ["title", "summary"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["keys", "themes"],
    "additionalProperties": False,
}

_FORM = f"""\
keys: at most {MOST_KEYS - 1} short strings that the conversation can be found by (personal facts,
dates and places, a common topic).
themes: one entry per distinct topic, wherever it comes up: a short title, and a summary of what the
user said (preferences, questions, constraints) and then of what the assistant recommended.
About 150 to 220 words in all, in the third person, only what is said in the conversation; what is
personal to the user matters most. Reply with JSON: {{"keys": [...], "themes": [...]}}."""

_SUMMARISE = f"Summarise a conversation between a user and an assistant by topics.\n{_FORM}"
_ADD = (
    "Update the summary of a conversation with its next part: add to the themes there are, and new "
    f"keys and themes only for what is new. Reply with the whole summary.\n{_FORM}"
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a session is about, without its date."""

    keys: tuple[str, ...] = ()
    themes: tuple[tuple[str, str], ...] = ()
    """Titles and summaries."""

    def text(self, keys: Sequence[str]) -> str:
        """The summary as it is shown; `keys` are those at its place in a haystack."""
        lines = [f"Keys: {', '.join(keys)}", *(f"{title}: {told}" for title, told in self.themes)]
        return "\n".join(lines)


def parts(turns: Sequence[Turn], tokens: int) -> list[str]:
    """What the model is given of a session, one part per completion."""
    return [chunk.text for chunk in packed_turns(turns, tokens)]


async def summarise(
    door: Door, turns: Sequence[Turn], *, part_tokens: int, max_tokens: int, attempts: int
) -> tuple[Summary, list[Extracted]]:
    """The summary of a session by a language model; what an unreadable reply held is left out."""
    summary = Summary()
    asked = []
    for part in parts(turns, part_tokens):
        so_far = {
            "keys": list(summary.keys),
            "themes": [{"title": title, "summary": told} for title, told in summary.themes],
        }
        messages = (
            prompt(
                _ADD, f"Summary:\n{json.dumps(so_far, ensure_ascii=False)}\n\nNext part:\n{part}"
            )
            if summary.themes
            else prompt(_SUMMARISE, part)
        )
        found = await extract(
            door, messages, SUMMARY, phase="ingest", max_tokens=max_tokens, attempts=attempts
        )
        asked.append(found)
        if found.usable:
            summary = _read(found.value["keys"], found.value["themes"])
    return summary, asked


def _read(keys: list[str], themes: list[dict[str, str]]) -> Summary:
    named = dict.fromkeys(key.strip() for key in keys if key.strip())
    told = [(t["title"].strip(), t["summary"].strip()) for t in themes]
    return Summary(tuple(named)[: MOST_KEYS - 1], tuple((a, b) for a, b in told if b))


def summary_by_rule(turns: Sequence[Turn]) -> Summary:
    """The summary of a session without a model: its most central statements."""
    said = [fact.text for fact in rule_extractor.facts(turns)]
    title, told, tags = rule_extractor.summary(said)
    return Summary(tuple(tags[: MOST_KEYS - 1]), ((title, told),)) if told else Summary()


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def short_date(iso: str) -> str | None:
    """`2023-05-04…` as `May 4th`, the form in which the release puts a date among the keys."""
    try:
        day = Date.fromisoformat(iso[:10])
    except ValueError:
        return None
    ending = "th" if 11 <= day.day <= 13 else _ENDINGS.get(day.day % 10, "th")
    return f"{_MONTHS[day.month - 1]} {day.day}{ending}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
