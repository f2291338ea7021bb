"""The key hints of a footer: whole hints or none, `?` and `q` always."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from memtui.views.look import Look


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and what it does here; the most useful ones come first."""

    key: str
    label: str


NAMED = ("Enter", "Esc", "Tab", "Space", "PgDn", "PgUp", "Home", "End")
_RANGE = re.compile(r"\d-\d")
ALWAYS = (Hint("?", "help"), Hint("q", "quit"))


def fitting(hints: Sequence[Hint], width: int, *, always: Sequence[Hint] = ALWAYS) -> list[Hint]:
    """The hints that fit in `width` cells: dropped whole from the end, `always` kept."""

    def cells(hint: Hint) -> int:
        return cell_len(hint.key) + 1 + cell_len(hint.label) + 2

    room = width - 1 - sum(cells(hint) for hint in always)
    kept: list[Hint] = []
    for hint in hints:
        if cells(hint) > room:
            break
        room -= cells(hint)
        kept.append(hint)
    return [*kept, *always]


def renamed(hints: Sequence[Hint], keys: Mapping[str, str]) -> list[Hint]:
    """The hints with the keys of the reader's configuration; `keys`: what stands for each of ours."""
    return [Hint(_renamed(hint.key, keys), hint.label) for hint in hints] if keys else [*hints]


def _renamed(key: str, keys: Mapping[str, str]) -> str:
    """`h l` key by key, `Enter` as a whole, `-=` sign by sign."""
    if key in keys:
        return keys[key]
    parts = key.split(" ")
    if len(parts) == 1 and len(key) == 2:
        parts = [*key]
    if not any(part in keys for part in parts):
        return key
    return " ".join(keys.get(part, part) for part in parts)


def key_at(hints: Sequence[Hint], width: int, x: int, always: Sequence[Hint] = ALWAYS) -> str:
    """The key of the hint at column `x` of the line, as it is written; empty between hints.

    Of several keys it is the one at that very column, else the first.
    """
    at = 1
    for hint in fitting(hints, width, always=always):
        keys = _keys_of(hint.key)
        for key, start in keys:
            if at + start <= x < at + start + cell_len(key):
                return key
        end = at + cell_len(hint.key) + 1 + cell_len(hint.label)
        if at <= x < end:
            return keys[0][0] if keys else ""
        at = end + 2
    return ""


def _keys_of(written: str) -> list[tuple[str, int]]:
    """The keys in what a hint shows, with the column of each: `h l`, `-=`, `Enter`; none in `1-6`."""
    found, at = list[tuple[str, int]](), 0
    for word in written.split(" "):
        if word in NAMED or word.startswith(("^", "S-", "F1")):
            found.append((word, at))
        elif not _RANGE.fullmatch(word):
            found += [(key, at + place) for place, key in enumerate(word)]
        at += cell_len(word) + 1
    return found


def hints_line(
    hints: Sequence[Hint], width: int, look: Look, always: Sequence[Hint] = ALWAYS
) -> Text:
    """One row of `width` cells with the hints that fit."""
    text = Text(" ", end="", no_wrap=True)
    for hint in fitting(hints, width, always=always):
        text.append(hint.key, look.accent)
        text.append(f" {hint.label}  ", look.muted)
    text.truncate(width, pad=True)
    return text
