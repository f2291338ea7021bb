"""Fixed lines of which some offer something: a click on one does what its key does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.events import Click

from memtui.widgets.lines import LineBlock, look_of

WHOLE_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Offer:
    """Cells of a line, and the action of the screen that a click there runs."""

    line: int
    action: str
    start: int = 0
    end: int = WHOLE_LINE


class OfferLines(LineBlock):
    """Lines with offers in them."""

    def __init__(self, lines: Sequence[Text] = (), *, id: str | None = None) -> None:
        super().__init__(lines, on_bar=True, id=id)
        self._offers: tuple[Offer, ...] = ()

    def on_mount(self) -> None:
        # Without colour a dialog has no ground of its own but a border, and a key that is chosen is
        # reversed: on lines that are reversed themselves nobody would see it.
        self._on_bar = look_of(self).colour

    def show(self, lines: Sequence[Text], offers: Sequence[Offer] = ()) -> None:
        """Replace the lines and what they offer."""
        self._offers = tuple(offers)
        super().show(lines)

    async def on_click(self, event: Click) -> None:
        for one in self._offers:
            if one.line == event.y and one.start <= event.x < one.end:
                event.stop()
                await self.app.run_action(one.action, self.screen)
                return
