"""The text of a session: every turn with its speaker, the evidence lit, the query's words underlined.

Only as much of a very long turn is laid out as is worth reading around what is lit; the rest is named
by a line, and the pager shows it whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from memtui.model import Turn
from memtui.views.look import Look
from memtui.views.marks import GOLD
from memtui.views.numbers import size
from memtui.views.styled import styled
from memtui.views.text_door import clean_block, clean_line, fit
from memtui.views.wrapping import wrap

TURN_LIMIT = 6_000
"""Characters of one turn that are laid out; more is cut around the first lit word."""
MARGIN = 2


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    turn: int
    kind: str
    """`head`, `body`, `note` or `blank`."""


def word_pattern(words: Collection[str]) -> re.Pattern[str] | None:
    """Matches any of the words as whole words, whatever their case; None when there are none."""
    kept = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    if not kept:
        return None
    return re.compile(
        r"(?<!\w)(?:" + "|".join(re.escape(word) for word in kept) + r")(?!\w)", re.IGNORECASE
    )


class SessionText:
    """A session laid out for reading; a `Document` of the text pane."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        evidence: Collection[int] = (),
        all_evidence: bool = False,
        block: tuple[int, int] | None = None,
        words: Collection[str] = (),
        find: str = "",
    ) -> None:
        """`evidence`: 0-based gold turns; `all_evidence`: the whole session is the gold unit.

        `block` is the range of turns that the selected hit holds (marked in the margin); `words` are
        the query's; `find` is what the reader searches for.
        """
        self._turns = turns
        self._evidence = frozenset(evidence)
        self._all_evidence = all_evidence
        self._block = block
        self._pattern = word_pattern(words)
        self._find = re.compile(re.escape(find), re.IGNORECASE) if find else None
        self._lines: list[_Line] = []
        self._width = -1

    # --- layout ---------------------------------------------------------------------------------

    def layout(self, width: int) -> int:
        """Wrap for `width` cells; returns the number of lines."""
        if width == self._width:
            return len(self._lines)
        self._width = width
        room = max(8, width - MARGIN)
        lines: list[_Line] = []
        for number, turn in enumerate(self._turns):
            if lines:
                lines.append(_Line("", number, "blank"))
            lines.append(_Line(turn.role, number, "head"))
            lines.extend(self._body(turn.text, number, room, "body"))
            if turn.caption:
                lines.extend(self._body(f"[image] {turn.caption}", number, room, "note"))
        self._lines = lines
        return len(lines)

    def _body(self, raw: str, number: int, room: int, kind: str) -> list[_Line]:
        before = after = 0
        if len(raw) > TURN_LIMIT:
            start = self._start_of_interest(raw)
            before, after = start, max(0, len(raw) - start - TURN_LIMIT)
            raw = raw[start : start + TURN_LIMIT]
        lines = []
        if before:
            lines.append(_Line(f"… {size(before)} before this (o opens all of it)", number, "note"))
        for part in clean_block(raw).split("\n"):
            lines.extend(_Line(piece, number, kind) for piece in wrap(part, room))
        if after:
            lines.append(_Line(f"… {size(after)} more (o opens all of it)", number, "note"))
        return lines

    def _start_of_interest(self, raw: str) -> int:
        for pattern in (self._find, self._pattern):
            if pattern is not None and (match := pattern.search(raw)):
                return max(0, match.start() - TURN_LIMIT // 4)
        return 0

    def anchor(self) -> int:
        """The first evidence turn, else the block's first turn, else the first lit word, else 0."""
        wanted: int | None = None
        if self._evidence:
            wanted = min(self._evidence)
            if self._block is not None:
                inside = [t for t in self._evidence if self._block[0] <= t <= self._block[1]]
                wanted = min(inside) if inside else wanted
        elif self._block is not None and self._block[0] > 0:
            wanted = self._block[0]
        if wanted is not None:
            for at, line in enumerate(self._lines):
                if line.turn == wanted and line.kind == "head":
                    return at
        return 0

    def matches(self) -> list[int]:
        """Lines that hold what the reader searches for."""
        if self._find is None:
            return []
        return [at for at, line in enumerate(self._lines) if self._find.search(line.text)]

    # --- drawing --------------------------------------------------------------------------------

    def is_lit(self, turn: int) -> bool:
        """Whether a turn is evidence."""
        return turn >= 0 and (self._all_evidence or turn in self._evidence)

    def render(self, index: int, look: Look) -> Text:
        """Draw one line."""
        line = self._lines[index]
        if line.kind == "blank":
            return Text(end="")
        if line.turn < 0:
            return styled(f" {line.text}", look.muted)
        lit = self.is_lit(line.turn)
        in_block = self._block is not None and self._block[0] <= line.turn <= self._block[1]
        margin = styled("▌ " if in_block else "  ", look.gold if lit else look.muted)
        if line.kind == "head":
            text = Text(end="", no_wrap=True)
            if lit:
                text.append(f"{GOLD} ", look.gold)
            text.append(clean_line(line.text, width=40), look.gold if lit else look.muted)
            text.append(f"  turn {line.turn + 1}", look.muted)
            if lit:
                text.append("  evidence", look.gold)
            return margin + text
        shown = fit(line.text, self._width - MARGIN) if lit else line.text
        text = Text(shown, end="", no_wrap=True)
        if line.kind == "note":
            text.stylize(look.muted)
        if lit:
            text.stylize(look.evidence_turn)
        if self._pattern is not None and line.kind == "body":
            for match in self._pattern.finditer(shown):
                text.stylize(look.query_word, *match.span())
        if self._find is not None:
            for match in self._find.finditer(shown):
                text.stylize(look.chip, *match.span())
        return margin + text


def _fits_beside(head: str, body: str, width: int) -> bool:
    """Whether a section is short enough for one line."""
    short = len(body) < width and "\n" not in body
    return short and cell_len(head) + cell_len(clean_line(body)) + MARGIN + 2 <= width


class PlainText:
    """Any other text: an answer, a reply, an error. A `Document` of the text pane.

    `sections` are (heading, body) pairs; empty bodies are left out. `compact` puts a short body beside
    its heading and leaves no empty lines.
    """

    def __init__(
        self, sections: Sequence[tuple[str, str]], *, find: str = "", compact: bool = False
    ) -> None:
        self._compact = compact
        self._sections = [(head, body) for head, body in sections if body]
        self._find = re.compile(re.escape(find), re.IGNORECASE) if find else None
        self._lines: list[tuple[str, int]] = []
        """Lines, and how many characters of each are a heading."""
        self._width = -1

    def layout(self, width: int) -> int:
        """Wrap for `width` cells; returns the number of lines."""
        if width == self._width:
            return len(self._lines)
        self._width = width
        lines: list[tuple[str, int]] = []
        for head, body in self._sections:
            if self._compact and head and _fits_beside(head, body, width):
                lines.append((f"{head}  {clean_line(body)}", len(head)))
                continue
            if lines and not (self._compact and head):
                lines.append(("", 0))
            if head:
                lines.append((head, len(head)))
            cut = body[:TURN_LIMIT]
            for part in clean_block(cut).split("\n"):
                lines.extend((piece, 0) for piece in wrap(part, max(8, width - MARGIN)))
            if len(body) > TURN_LIMIT:
                rest = size(len(body) - TURN_LIMIT)
                more = f"… {rest} more (o opens all of it)"
                lines.append((more, len(more)))
        self._lines = lines
        return len(lines)

    def anchor(self) -> int:
        """The top."""
        return 0

    def matches(self) -> list[int]:
        """Lines that hold what the reader searches for."""
        if self._find is None:
            return []
        return [at for at, (line, _) in enumerate(self._lines) if self._find.search(line)]

    def render(self, index: int, look: Look) -> Text:
        """Draw one line."""
        line, head = self._lines[index]
        text = Text(" " * (1 if head else MARGIN), end="", no_wrap=True)
        at = len(text)
        text.append(line[:head], look.muted)
        text.append(line[head:])
        if self._find is not None:
            for match in self._find.finditer(line):
                text.stylize(look.chip, at + match.start(), at + match.end())
        return text
