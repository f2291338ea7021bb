"""Sentences where they do not fit: cut behind a whole word, or broken, so that no number loses a digit."""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size
from rich.text import Text

from memtui.views.text_door import ELLIPSIS, clean_line
from memtui.views.wrapping import wrap

LEAST = 0.4
"""Of the room that must be used: a longer last word than that is cut within."""


def sentence(text: str, width: int) -> str:
    """The text as one clean line of at most `width` cells; what is cut ends with a whole word and ``…``."""
    line = clean_line(text, width=4 * width + 256)
    end = _whole_words(line, width)
    if end is None:
        return line
    return clean_line(text, width=width) if end == 0 else _ended(line[:end])


def shorten(text: Text, width: int) -> Text:
    """The same of a drawn line, which is clean."""
    end = _whole_words(text.plain, width)
    if end is None:
        return text
    text = text.copy()
    if end == 0:
        text.truncate(width, overflow="ellipsis")
        return text
    text.right_crop(len(text.plain) - len(_ended(text.plain[:end])) + 1)
    text.append(ELLIPSIS)
    return text


def broken(text: Text, width: int) -> list[Text]:
    """A drawn line as lines of at most `width` cells, broken at blanks as `wrap` does it; styles stay."""
    if text.cell_len <= width:
        return [text]
    lines, at = [], 0
    for piece in wrap(text.plain, width):
        start = text.plain.index(piece, at)
        at = start + len(piece)
        line = text[start:at]
        line.end, line.no_wrap = "", True
        lines.append(line)
    return lines


def _ended(words: str) -> str:
    return words.rstrip(" ,;:(·–-") + ELLIPSIS


def _whole_words(line: str, width: int) -> int | None:
    """How many characters of whole words stand in `width` cells beside ``…``; None where all of it fits,
    0 where it is one long word."""
    if cell_len(line) <= width:
        return None
    used = end = 0
    for at, character in enumerate(line):
        if character == " " and at and line[at - 1] != " ":
            end = at
        used += get_character_cell_size(character)
        if used > width - 1:
            break
    return end if end >= LEAST * width else 0
