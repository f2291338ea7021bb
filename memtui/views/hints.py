"""The key hints of a footer: whole hints or none, `?` and `q` always."""

from __future__ import annotations

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
