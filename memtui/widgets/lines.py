"""Widgets drawn line by line: only what is visible is built, and only when it changed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from math import ceil
from typing import Any, ClassVar, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from memtui.views.look import Look
from memtui.widgets.drawing import Colours, strip_of

CACHED_STRIPS = 200


AFTER_THE_END = "after the end"
"""What stands for the key of a line that is not there."""


class Drawing(Protocol):
    """What the app tells its widgets about how to draw."""

    @property
    def look(self) -> Look: ...

    @property
    def ascii_only(self) -> bool: ...


def look_of(widget: Widget) -> Look:
    """The look the app draws with at the moment."""
    return cast(Drawing, widget.app).look


def is_ascii(widget: Widget) -> bool:
    """Whether memtui's own signs are to be replaced by their ASCII twins."""
    return cast(Drawing, widget.app).ascii_only


class AsciiScrollBar(ScrollBarRender):
    """A scrollbar of whole cells, for terminals without block glyphs."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


def thumb(height: int, total: int, top: float) -> tuple[int, int]:
    """Where the thumb of a scrollbar of `height` cells over `total` lines begins, and how long it is, in
    eighths of a cell; as `ScrollBarRender` draws it."""
    if total <= height:
        return 0, 0
    long = max(1.0, height / (total / height))
    return int((height - long) * (top / (total - height)) * 8), ceil(long * 8)


class LineBlock(Widget):
    """A few fixed lines without scrolling: a heading, a summary, a row of hints."""

    DEFAULT_CSS = "LineBlock { height: auto; width: 1fr; }"
    ALLOW_SELECT = False

    def __init__(
        self, lines: Sequence[Text] = (), *, on_bar: bool = False, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._lines = list(lines)
        self._on_bar = on_bar

    @property
    def lines(self) -> list[Text]:
        """What is shown at the moment."""
        return self._lines

    def show(self, lines: Sequence[Text]) -> None:
        """Replace the lines; the widget is as high as they are many. Only lines that differ are repainted."""
        before, self._lines = self._lines, list(lines)
        height = self.styles.height
        grows = height is None or height.is_auto
        # Compared with the height on screen, not with the last lines: those may have been shown before
        # the first layout, which then knew nothing of them.
        if grows and len(lines) != self.size.height:
            self.refresh(layout=True)
            return
        pairs = zip_longest(before, self._lines)
        changed = [y for y, (old, new) in enumerate(pairs) if not _same(old, new)]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        look = look_of(self)
        base = look.bar if self._on_bar else look.base
        text = self._lines[y] if y < len(self._lines) else Text(end="")
        return strip_of(text, self.size.width, base, ascii_only=is_ascii(self))


class RestBlock(LineBlock):
    """Lines that are made to fit the room left by the widgets around it."""

    @dataclass
    class Resized(Message):
        """There is other room to fill now."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())


def _same(one: Text | None, other: Text | None) -> bool:
    """Whether two lines look the same; equality of rich texts leaves the style of the whole out."""
    return one == other and (one is None or other is None or one.style == other.style)


class LineView(ScrollView, can_focus=True):
    """A scrolling view of numbered lines; a subclass says how many there are and draws one."""

    DEFAULT_CSS = """
    LineView { height: 1fr; width: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False, id="list.down"),
        Binding("up,k", "move(-1)", "up", show=False, id="list.up"),
        Binding("pagedown,ctrl+d", "page(1)", "page down", show=False, id="list.page-down"),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False, id="list.page-up"),
        Binding("home,g", "edge(False)", "top", show=False, id="list.top"),
        Binding("end,G", "edge(True)", "bottom", show=False, id="list.bottom"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._strips: dict[Hashable, Strip] = {}
        self._colours: tuple[Any, ...] = ()
        """What Textual puts between a line and the terminal when the strips were made, the background last."""

    # --- what a subclass says -------------------------------------------------------------------

    def count(self) -> int:
        """How many lines there are."""
        return 0

    def line(self, index: int, width: int) -> Text:
        """Draw one line into `width` cells."""
        return Text(end="")

    def line_key(self, index: int) -> Hashable | None:
        """Everything that changes the pixels of a line but width and look; None: do not keep it."""
        return None

    def over(self, index: int) -> Style | None:
        """A style laid over the whole line (the cursor)."""
        return None

    def ground(self, look: Look) -> Style:
        """What the lines stand on."""
        return look.base

    # --- drawing --------------------------------------------------------------------------------

    def forget_lines(self) -> None:
        """Keep no drawn line: nobody sees them now."""
        self._strips.clear()

    def content_changed(self, *, keep: bool = False) -> None:
        """The lines changed: size, scrollbar and picture follow. `keep`: drawn lines are still good."""
        if not keep:
            self._strips.clear()
        size, before = Size(0, self.count()), self.virtual_size
        height = self.size.height
        if height and (before.height > height) == (size.height > height):
            # The scrollbar stays or stays away, so nothing around this widget moves: no new layout of
            # the whole screen, which is what assigning the size would ask for.
            self.set_reactive(LineView.virtual_size, size)
            top = self.scroll_y
            if size.height < before.height or (
                thumb(height, size.height, top) != thumb(height, before.height, top)
            ):
                self._scroll_update(size)
            else:  # a run that grows by some rows of many thousand: its scrollbar looks the same
                bar = self.vertical_scrollbar
                bar.set_reactive(ScrollBar.window_virtual_size, size.height)
        else:
            self.virtual_size = size
        self.refresh()

    @property
    def line_width(self) -> int:
        """Cells a line may take: the scrollbar covers the rest."""
        covered = self.scrollbar_size_vertical if self.show_vertical_scrollbar else 0
        return max(0, self.size.width - covered)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Kept lines go to the screen as they are: there is no border or padding to be put around them,
        and of a strip that is the same object neither colours nor bytes are worked out again."""
        if self.line_key(self.scroll_offset.y) is None or self.styles.gutter or self.opacity < 1:
            return super().render_lines(crop)
        colours = (*self.get_line_filters(), self.background_colors[1])
        if colours != self._colours:
            self._colours = colours
            self._strips.clear()
        strips = [self._kept_line(y) for y in crop.line_range]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _kept_line(self, y: int) -> Strip:
        """A line in the colours of the terminal, drawn when it is seen first."""
        index = self.scroll_offset.y + y
        inner = self.line_key(index) if index < self.count() else AFTER_THE_END
        if inner is None:
            return self._drawn(y, self._in_colours)
        key = (inner, self.line_width, look_of(self).name, self.over(index))
        strip = self._strips.get(key)
        if strip is None:
            limit = max(CACHED_STRIPS, 4 * self.size.height)
            if len(self._strips) >= limit:
                for oldest in [*islice(self._strips, limit // 2)]:
                    del self._strips[oldest]
            strip = self._strips[key] = self._drawn(y, self._in_colours)
        return strip

    def _in_colours(self, segments: list[Segment]) -> list[Segment]:
        *filters, background = self._colours
        for one in filters:
            segments = one.apply(segments, background)
        return segments

    def render_line(self, y: int) -> Strip:
        return self._drawn(y, None)

    def _drawn(self, y: int, colours: Colours | None) -> Strip:
        look, index = look_of(self), self.scroll_offset.y + y
        width = self.line_width
        if index >= self.count():
            blank = [Segment(" " * width, self.ground(look))]
            return Strip(blank if colours is None else colours(blank), width)
        return strip_of(
            self.line(index, width),
            width,
            self.ground(look),
            over=self.over(index),
            ascii_only=is_ascii(self),
            colours=colours,
        )

    def refresh_index(self, index: int) -> None:
        """Repaint one line, if it is visible."""
        y = index - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def jump(self, y: int) -> None:
        """Scroll so that line `y` is the first one, at once."""
        limit = max(0, self.count() - self.size.height)
        self.scroll_to(y=max(0, min(y, limit)), animate=False, force=True, immediate=True)

    # --- keys -----------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        self.jump(self.scroll_offset.y + by)

    def action_page(self, by: int) -> None:
        self.jump(self.scroll_offset.y + by * max(1, self.size.height - 1))

    def action_edge(self, bottom: bool) -> None:
        self.jump(self.count() if bottom else 0)
