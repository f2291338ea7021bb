"""The line a reader types a filter or a search into, with completion of what the filter knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from memtui.query.fields import BY_NAME, Kind
from memtui.query.language import field_names
from memtui.views.hints import Hint

TYPING = (Hint("Enter", "find"), Hint("Esc", "back"))
TYPING_A_FILTER = (Hint("Enter", "keep"), Hint("Esc", "undo"), Hint("Tab", "complete"))


class FilterSuggester(Suggester):
    """Completes the last word: a field's name, or a value of the field before the colon."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.values: Mapping[str, Sequence[str]] = {}
        """Values that occur in the file, by field (arms, types, scales)."""

    async def get_suggestion(self, value: str) -> str | None:
        return complete(value, self.values)


def candidates(line: str, values: Mapping[str, Sequence[str]]) -> list[str]:
    """What the last word may become: names of fields, or values of the field before its sign."""
    word = line[line.rfind(" ") + 1 :].removeprefix("-")
    name, sign, said = _split(word)
    if not word:
        return []
    if not sign:
        return [f"{field}:" for field in field_names() if field.startswith(word)]
    field = BY_NAME.get(name)
    if field is None:
        return []
    known = [*field.choices, *values.get(field.name, ())]
    if field.kind is Kind.NUMBER:
        known = [*known, "none", "1..3"]
    return [value for value in known if value.startswith(said.rpartition(",")[2])]


def _split(word: str) -> tuple[str, str, str]:
    """A word as name, sign and what was typed of the value."""
    for place, character in enumerate(word):
        if character in ":=<>!":
            end = place + 1
            while end < len(word) and word[end] in "=<>":
                end += 1
            return word[:place], word[place:end], word[end:]
    return word, "", ""


def complete(line: str, values: Mapping[str, Sequence[str]]) -> str | None:
    """The line with its last word completed; None where nothing is known to come."""
    start = line.rfind(" ") + 1
    word = line[start:]
    minus = word.startswith("-")
    word = word[1:] if minus else word
    if not word:
        return None
    name, colon, said = word.partition(":")
    if not colon:
        candidates = [f"{field}:" for field in field_names()]
        said = word
    else:
        field = BY_NAME.get(name)
        if field is None or not said:
            return None
        candidates = [*field.choices, *values.get(field.name, ())]
    for candidate in candidates:
        if candidate.startswith(said) and candidate != said:
            return line + candidate[len(said) :]
    return None


class FilterLine(Input):
    """One line to type in, shown only while it is open; Tab takes what is suggested, and asks where a new word
    begins."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "complete", show=False, priority=True)
    ]

    @dataclass
    class Asked(Message):
        """Tab where a new word begins: what may it be?"""

        line: FilterLine

    def __init__(self, *, placeholder: str, suggester: Suggester | None = None, id: str) -> None:
        super().__init__(placeholder=placeholder, suggester=suggester, id=id, compact=True)
        self.hints: Sequence[Hint] = TYPING if suggester is None else TYPING_A_FILTER
        """What its keys do while it has them: no other key of the screen works then."""

    @property
    def is_open(self) -> bool:
        """Whether it is on screen."""
        return self.has_class("open")

    def open(self, value: str) -> None:
        """Show it with a value and give it the keys."""
        with self.prevent(Input.Changed):
            self.value = value
        self.add_class("open")
        self.cursor_position = len(value)
        self.focus()

    def action_complete(self) -> None:
        """Take what is suggested; nothing is where a new word begins, so ask what there is."""
        begins = self.value[: self.cursor_position].rpartition(" ")[2].lstrip("-") == ""
        if begins and self.suggester is not None and self.cursor_position == len(self.value):
            self.post_message(self.Asked(self))
        else:
            self.action_cursor_right()

    def close(self) -> None:
        """Take it off the screen."""
        self.remove_class("open")
