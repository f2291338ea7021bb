"""A list of any number of rows: an id vector and a source of rows; the selection is an id."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from memtui.state.selection import Place, carried_over
from memtui.widgets.lines import LineView, look_of


class RowSource(Protocol):
    """Where a list gets its rows: ids in order, and one drawn row at a time."""

    def ids(self) -> Sequence[int]:
        """The ids in display order. The sequence is replaced, never changed, on update."""

    def row(self, index: int, width: int) -> Text:
        """Draw the row at `index`."""

    def row_key(self, index: int) -> Hashable | None:
        """Id and version of what is drawn; None where it must be drawn anew each time."""


class EmptySource:
    """A source without rows."""

    def ids(self) -> Sequence[int]:
        return []

    def row(self, index: int, width: int) -> Text:
        return Text(end="")

    def row_key(self, index: int) -> Hashable | None:
        return None


class VirtualList(LineView):
    """Rows of one line each with a cursor that stays on its id whatever happens around it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "open", show=False, id="list.open")
    ]

    cursor: reactive[int] = reactive(0, repaint=False, init=False)

    @dataclass
    class Moved(Message):
        """The cursor stands on another row (`row_id` is None when the list is empty)."""

        sender: VirtualList
        row_id: int | None

        @property
        def control(self) -> VirtualList:
            return self.sender

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualList.Moved) and message.sender is self.sender

    @dataclass
    class Chosen(Message):
        """The reader opened a row."""

        sender: VirtualList
        row_id: int

        @property
        def control(self) -> VirtualList:
            return self.sender

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source: RowSource = EmptySource()
        self._ids: Sequence[int] = []
        self._selected: int | None = None
        self.at_once: Callable[[], None] | None = None
        """Called in place of `Moved` as soon as the cursor stands on another row: what it draws is part of
        the same frame, while `Moved` arrives when that frame is drawn, and so costs another one."""

    # --- rows -----------------------------------------------------------------------------------

    @property
    def selected(self) -> int | None:
        """The id under the cursor; None when there are no rows."""
        return self._selected

    def count(self) -> int:
        return len(self._ids)

    def line(self, index: int, width: int) -> Text:
        return self._source.row(index, width)

    def line_key(self, index: int) -> Hashable | None:
        return self._source.row_key(index)

    def over(self, index: int) -> Style | None:
        if index != self.cursor:
            return None
        look = look_of(self)
        return look.cursor if self.has_focus else look.cursor_idle

    def show(self, source: RowSource, *, select: int | None = None, keep: bool = False) -> None:
        """Show another source from the top, or from the row `select`; `keep` drawn rows if still good."""
        self._source = source
        self._ids = source.ids()
        index = 0
        if select is not None and select in self._ids:
            index = self._ids.index(select)
        self._put(index, top=None, keep=keep)

    def update(
        self, source: RowSource | None = None, *, follow_top: bool = False, keep: bool = True
    ) -> bool:
        """The source, or another one, has new ids: the cursor stays on its row and the row stays where it was seen.

        `follow_top`: a cursor on the first row goes on following what comes first. Returns False when
        the row under the cursor is gone and a neighbour took its place.
        """
        if source is not None:
            self._source = source
        ids = self._source.ids()
        place, survived = carried_over(
            self._ids,
            ids,
            Place(self._selected, self.cursor, round(self.scroll_offset.y)),
            follow_top=follow_top,
        )
        self._ids = ids
        self._put(place.index, top=place.top, keep=keep)
        return survived

    def select_id(self, row_id: int) -> bool:
        """Put the cursor on a row; False when it is not in the list."""
        if row_id not in self._ids:
            return False
        self.cursor = self._ids.index(row_id)
        return True

    def _put(self, index: int, *, top: int | None, keep: bool) -> None:
        before = self._selected
        index = max(0, min(index, len(self._ids) - 1))
        self._selected = self._ids[index] if self._ids else None
        self.set_reactive(VirtualList.cursor, index)
        self.content_changed(keep=keep)
        if top is not None and self.size.height:
            self.jump(top)
        self._reveal()
        if before != self._selected:
            self._tell()

    # --- cursor ---------------------------------------------------------------------------------

    def validate_cursor(self, index: int) -> int:
        return max(0, min(index, len(self._ids) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        before = self._selected
        self._selected = self._ids[new] if self._ids else None
        self._reveal()
        self.refresh_index(old)
        self.refresh_index(new)
        if before != self._selected:
            self._tell()

    def _tell(self) -> None:
        if self.at_once is not None:
            self.at_once()
        else:
            self.post_message(self.Moved(self, self._selected))

    def _reveal(self) -> None:
        height = self.size.height
        if not height:
            return  # before the first layout there is nothing to scroll in
        top = round(self.scroll_offset.y)
        if self.cursor < top:
            self.jump(self.cursor)
        elif self.cursor >= top + height:
            self.jump(self.cursor - height + 1)

    def on_resize(self) -> None:
        self._reveal()

    def on_focus(self) -> None:
        self.refresh_index(self.cursor)

    def on_blur(self) -> None:
        self.refresh_index(self.cursor)

    def on_click(self, event: events.Click) -> None:
        index = round(self.scroll_offset.y) + event.y
        if index >= len(self._ids):
            return
        if index == self.cursor and event.chain >= 2:
            self.action_choose()
        else:
            self.cursor = index

    # --- keys -----------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        self.cursor += by

    def action_page(self, by: int) -> None:
        height = max(1, self.size.height - 1)
        self.jump(round(self.scroll_offset.y) + by * height)
        self.cursor += by * height

    def action_edge(self, bottom: bool) -> None:
        self.cursor = len(self._ids) - 1 if bottom else 0

    def action_choose(self) -> None:
        if self._selected is not None:
            self.post_message(self.Chosen(self, self._selected))
