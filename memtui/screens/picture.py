"""The screen as a picture that can be kept: its text, or an SVG with its colours."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME, TerminalTheme
from textual.app import App

from memtui.store.secrets import SecretFilter
from memtui.views.look import Look

FETCHED_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of styled cells, as they stood when it was taken."""

    rows: tuple[tuple[Segment, ...], ...]
    width: int


def taken(app: App[int]) -> Picture:
    """What is on screen now; text that looks like a secret is not in it."""
    secrets = SecretFilter()
    rows = []
    for strip in app.screen._compositor.render_strips():
        row = tuple(segment for segment in strip if not segment.control)
        plain = "".join(segment.text for segment in row)
        clean = secrets.scrub(plain)
        if clean != plain:
            row = (Segment(set_cell_size(clean, cell_len(plain)), row[0].style),)
        rows.append(row)
    return Picture(tuple(rows), app.size.width)


def as_text(picture: Picture) -> str:
    """One line per row, blanks at its end left out."""
    rows = ("".join(segment.text for segment in row).rstrip() for row in picture.rows)
    return "\n".join(rows) + "\n"


def as_svg(picture: Picture, look: Look, title: str = "memtui") -> str:
    """An SVG that needs nothing but a browser; the same picture gives the same bytes."""
    console = Console(
        width=picture.width, height=len(picture.rows), file=io.StringIO(), record=True,
        force_terminal=True, color_system="truecolor", legacy_windows=False, safe_box=False,
    )  # fmt: skip
    for row in picture.rows:
        console.print(Segments([*Segment.simplify(map(_as_seen, row)), Segment.line()]), end="")
    text = console.export_svg(title=title, theme=_theme(look))
    # The font of the reader's own machine will do: nothing is fetched to look at a picture.
    text = FETCHED_FONT.sub("", text)
    # Blanks at the start of a line are part of the picture: some viewers would close them up.
    return text.replace("<svg ", '<svg xml:space="preserve" ', 1)


def _as_seen(segment: Segment) -> Segment:
    """Blanks show their ground and nothing of their ink: however they were put together, they are one."""
    style = segment.style
    if style is None or not segment.text.isspace() or style.underline or style.reverse:
        return segment
    return Segment(segment.text, Style(bgcolor=style.bgcolor))


def _theme(look: Look) -> TerminalTheme:
    ink, ground = look.base.color, look.base.bgcolor
    if ink is None or ground is None:
        return SVG_EXPORT_THEME
    theme = TerminalTheme((0, 0, 0), (0, 0, 0), [(0, 0, 0)] * 8)
    theme.ansi_colors = SVG_EXPORT_THEME.ansi_colors
    theme.foreground_color = ink.get_truecolor()
    theme.background_color = ground.get_truecolor()
    return theme
