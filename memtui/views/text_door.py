"""The one door through which outside text reaches a screen or a printed report.

Whatever a model, a data set or a file wrote is literal text here: no markup, no escape sequence, no
control byte and nothing of ambiguous width gets through, and cutting counts terminal cells. What is
taken away or replaced is only the *display*; the run file keeps every byte.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rich.cells import cell_len, get_character_cell_size

RETURN = "⏎"
ELLIPSIS = "…"
SHORT = 24
"""Characters up to which what was made of a text is remembered."""

_ESCAPE_SEQUENCE = re.compile(
    # OSC, DCS, SOS, PM, APC: a string that runs to BEL or ST. The lengths are bounded so that an
    # introducer without an end costs linear time and cannot swallow the rest of the text.
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    # CSI: parameters, intermediates, final byte.
    r"|(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]"
    # Other two- and three-byte sequences. An introducer whose end is missing loses only itself.
    r"|\x1b[ -/]{0,4}[0-~]?"
)

_RISKY = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # controls
    "\u2028\u2029"  # line and paragraph separator
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"  # format characters
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags (can hide a whole message) and variation selectors
    "\ufe00-\ufe0f\u180b-\u180d\u180f\u034f"  # variation selectors, grapheme joiner
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters that draw nothing
    "\U0001f3fb-\U0001f3ff"  # skin tones: one cell pair or two, depending on the terminal
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff"  # surrogates, private use
    "\ufdd0-\ufdef\ufffe\uffff"  # non-characters
    "]"
)
_STACKED_MARKS = re.compile(
    r"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
_LINE_ENDS = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")

_SILENT = frozenset(
    # These choose a glyph or join two of them and their width differs between terminals: without them
    # every terminal draws the same cells. They carry no text of their own.
    {0x200C, 0x200D, 0x034F, 0x180B, 0x180C, 0x180D, 0x180F}
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
    | set(range(0x1F3FB, 0x1F400))
)


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code in _SILENT:
        return ""
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _without_risk(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _STACKED_MARKS.sub(r"\1", _RISKY.sub(_shown, text))


def clean_line(text: str, *, width: int | None = None) -> str:
    """One printable line: escape sequences removed whole, line ends as ``⏎``, tabs as a blank.

    Other control, bidirectional and zero-width characters become visible escapes (``\\u202e``). With
    `width` the line is cut to at most that many terminal cells, never inside a cluster, and ends in
    ``…`` when something was cut. Cost is bounded by `width`, not by the length of `text`.
    """
    if width is None:
        return _one_line(text)
    if width <= 0:
        return ""
    head = text[: width + 1]
    # Nearly everything is this: one cell a character, and nothing to take out.
    if head.isascii() and head.isprintable():
        return head if len(head) <= width else head[: width - 1].rstrip(" ") + ELLIPSIS
    take = 4 * width + 256
    while True:
        line = _one_line(text[:take])
        whole = take >= len(text)
        # The last clusters of a prefix may be half an escape sequence or half a cluster: only trust a
        # prefix that is clearly longer than what will be shown.
        if whole or cell_len(line) > width + 64 or take > 1_000_000:
            break
        take *= 4
    if whole and cell_len(line) <= width:
        return line
    return cut(line, width, more=not whole)


def _one_line(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _known(text) if len(text) <= SHORT else _made_safe(text)


def _made_safe(text: str) -> str:
    text = _ESCAPE_SEQUENCE.sub("", text)
    return _without_risk(_LINE_ENDS.sub(RETURN, text).replace("\t", " "))


_known = lru_cache(maxsize=512)(_made_safe)
"""Words and signs of a cell come again and again."""


def clean_block(text: str) -> str:
    """Printable text of several lines: as `clean_line`, but line ends are kept as ``\\n``.

    Tabs become four blanks. A reader of very long text passes the part to be shown, not all of it.
    """
    if text.isascii() and text.isprintable():
        return text
    lines = _LINE_ENDS.sub("\n", _ESCAPE_SEQUENCE.sub("", text)).replace("\t", "    ")
    return "\n".join(_without_risk(line) for line in lines.split("\n"))


def cut(line: str, width: int, *, more: bool = False) -> str:
    """Cut an already clean line to `width` cells with ``…``; `more` says that text follows anyway."""
    if not more and cell_len(line) <= width:
        return line
    if width <= 0:
        return ""
    room = width - 1
    end = 0
    used = 0
    flag = False
    for index, character in enumerate(line):
        size = get_character_cell_size(character)
        second_flag_half = flag and _is_flag_half(character)
        flag = _is_flag_half(character) and not second_flag_half
        if used + size > room:
            if second_flag_half:
                end -= 1
            break
        used += size
        if size or end == index:
            end = index + 1
    return line[:end].rstrip(" ") + ELLIPSIS


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def fit(text: str, width: int, align: Literal["left", "right", "center"] = "left") -> str:
    """A clean line of exactly `width` cells: cut when longer, padded with blanks when shorter."""
    line = clean_line(text, width=width)
    gap = width - cell_len(line)
    if gap <= 0:
        return line
    if align == "right":
        return " " * gap + line
    if align == "center":
        return " " * (gap // 2) + line + " " * (gap - gap // 2)
    return line + " " * gap


def cut_path(path: str, width: int) -> str:
    """A path whose end, the name of the file, stays in view where it is too long."""
    shown = clean_line(path)
    if cell_len(shown) <= width:
        return shown
    tail = shown[-width:]
    while cell_len(tail) > width - 1:
        tail = tail[1:]
    return f"…{tail}"
