"""Facts one beside the other, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from memtui.views.sentences import broken

SEPARATOR = "   "


def flow(parts: Sequence[Text], width: int, *, indent: int = 1) -> list[Text]:
    """Lay parts out in lines of at most `width` cells, never breaking one but where it is longer than a line."""
    lines: list[Text] = []
    line = Text(" " * indent, end="", no_wrap=True)
    for part in parts:
        if line.cell_len > indent and line.cell_len + len(SEPARATOR) + part.cell_len > width:
            lines.append(line)
            line = Text(" " * indent, end="", no_wrap=True)
        elif line.cell_len > indent:
            line.append(SEPARATOR)
        *whole, part = broken(part, width - indent)
        for piece in whole:
            line.append_text(piece)
            lines.append(line)
            line = Text(" " * indent, end="", no_wrap=True)
        line.append_text(part)
    lines.append(line)
    return lines
