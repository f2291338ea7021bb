"""Bars on a fixed 0..1 axis: equal rates draw equal bars, nothing measured draws nothing.

(A sparkline scaled to its own range draws 0.98..0.97 like 0.9..0.1 and an empty series like a flat
one; rates need the opposite.)
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from memtui.views.look import Look, rate_ink

BLOCKS = "▁▂▃▄▅▆▇█"
NOTHING = "·"


def bar(rate: float | None, look: Look) -> tuple[str, Style]:
    """One cell: the rate in eighths (at least one eighth, so a measured 0 shows), ``·`` for no data."""
    if rate is None:
        return NOTHING, look.faint
    clipped = min(1.0, max(0.0, rate))
    return BLOCKS[max(0, round(clipped * 8) - 1)], rate_ink(clipped, look)


def bars(rates: Sequence[float | None], look: Look, *, gap: str = " ") -> Text:
    """A row of one-cell bars, one per rate, in order."""
    text = Text(end="", no_wrap=True)
    for number, rate in enumerate(rates):
        if number and gap:
            text.append(gap)
        text.append(*bar(rate, look))
    return text


def tall_bars(rates: Sequence[float | None], look: Look, *, height: int) -> list[Text]:
    """Rows of a small bar chart on a 0..1 axis, top first; every bar two cells wide."""
    rows: list[Text] = []
    for row in range(height - 1, -1, -1):
        text = Text(end="", no_wrap=True)
        for number, rate in enumerate(rates):
            if number:
                text.append(" ")
            if rate is None:
                text.append((NOTHING if row == 0 else " ") * 2, look.faint)
                continue
            clipped = min(1.0, max(0.0, rate))
            eighths = max(1, round(clipped * 8 * height)) - 8 * row
            sign = " " if eighths <= 0 else BLOCKS[min(eighths, 8) - 1]
            text.append(sign * 2, rate_ink(clipped, look))
        rows.append(text)
    return rows


def share_bar(part: int, whole: int, width: int, look: Look, style: Style | None = None) -> Text:
    """A horizontal bar of `part` of `whole`; empty axis in the faint style."""
    filled = 0 if whole <= 0 else round(width * min(part, whole) / whole)
    if part > 0 and whole > 0:
        filled = max(1, filled)
    if whole > 0 and part < whole:
        filled = min(filled, width - 1)
    return Text.assemble(
        ("━" * filled, look.accent if style is None else style),
        ("─" * (width - filled), look.faint),
        end="",
        no_wrap=True,
    )


def stacked_bar(parts: Sequence[tuple[int, str, Style]], width: int) -> Text:
    """Counts as one horizontal bar: (count, texture, style) each, cells by largest remainder."""
    total = sum(count for count, _, _ in parts)
    text = Text(end="", no_wrap=True)
    if total <= 0 or width <= 0:
        return text
    exact = [count * width / total for count, _, _ in parts]
    cells = [int(value) for value in exact]
    by_rest = sorted(range(len(parts)), key=lambda i: (cells[i] - exact[i], i))
    for index in by_rest[: width - sum(cells)]:
        cells[index] += 1
    for (_, texture, style), number in zip(parts, cells, strict=True):
        text.append(texture * number, style)
    return text
