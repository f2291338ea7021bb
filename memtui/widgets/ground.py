"""Containers that show nothing of their own but the ground under their children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    _Container = Widget
else:
    _Container = (
        object  # a widget as first base would take the place of the container in the styles
    )


class Ground(_Container):
    """Draws all its lines as one: whole frames have more lines of containers than of text, and Textual would
    make, keep and cut each of them for itself."""

    _ground: tuple[tuple[Any, ...], Strip] | None = None
    """The line, and what it was drawn for: filters of the terminal, background, width."""

    def render_lines(self, crop: Region) -> list[Strip]:
        background = self.background_colors[1]
        if self.styles.gutter or self.opacity < 1 or background.a < 1:
            return super().render_lines(crop)
        filters = self.get_line_filters()
        drawn_for = (*filters, background, crop.width)
        if self._ground is None or self._ground[0] != drawn_for:
            style = Style.from_color(bgcolor=background.rich_color)
            segments = [Segment(" " * crop.width, style)]
            for one in filters:
                segments = one.apply(segments, background)
            self._ground = (drawn_for, Strip(segments, crop.width))
        return [self._ground[1]] * crop.height


class Column(Ground, Vertical):
    """Children one under the other."""


class Row(Ground, Horizontal):
    """Children side by side."""
