"""Keys one after the other, however fast they come.

Textual hands every key to what has the focus when it comes, and does what the key asks for some messages
later: of `/arm:bm25`, come in one piece, everything behind the `/` would be taken for keys of the list. Here a
key waits until the one before it has gone all its way and what it called for has the focus.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key
from textual.widgets import Input

LONGEST = 0.5
"""Seconds after which a key is no longer waited for: what it went to may be gone from the screen."""
LOOK_AGAIN, LOOKS = 0.005, 200
"""Seconds between two looks whether a new screen is there to take a key, and how often at most."""


Then = Callable[[Event], None]


class TypedKeys:
    """The keys (and pasted texts) that wait for the one that is under way."""

    def __init__(self, app: App[Any], send: Callable[[Event], Awaitable[None]]) -> None:
        """`send` hands a key to what has the focus."""
        self._app, self._send = app, send
        self._waiting: deque[Event] = deque()
        self._under_way: Event | None = None
        self._since = 0.0

    async def take(self, event: Event) -> None:
        """A key has come: send it, now or when its turn is there."""
        if self._under_way is None and self._app.screen.is_mounted:
            await self._on_its_way(event)
            return
        self._waiting.append(event)
        if self._under_way is None:
            self._under_way = event  # the one that waits for its screen
            self._at_its_screen(event, LOOKS)
        elif len(self._waiting) == 1:
            self._app.set_timer(LONGEST, self._look, name="typed-keys")

    async def _on_its_way(self, event: Event) -> None:
        self._under_way, self._since = event, monotonic()
        to: DOMNode = self._app.focused or self._app.screen
        await self._send(event)
        if isinstance(to, Input) and isinstance(event, Key) and event.is_printable:
            # A character calls for nothing, and the line takes the next one behind it.
            self._done(event)
        else:
            self._follow(event, to, self._answered)

    def _follow(self, event: Event, at: DOMNode | None, then: Then) -> None:
        """Go from what took the key up to the app, each time behind the messages that are there by then."""
        if (
            at is None
            or at is self._app
            or not self._behind(at, self._follow, event, at.parent, then)
        ):
            self._behind(self._app, then, event)

    def _answered(self, event: Event) -> None:
        """The key was at the app, which does what it is bound to; follow what that made of it, too."""
        if self._waiting:
            self._follow(event, self._app.focused or self._app.screen, self._done)
        elif event is self._under_way:
            self._under_way = None

    @staticmethod
    def _behind(at: DOMNode, then: Callable[..., Any], *about: Any) -> bool:
        """Twice to the end of the queue: what the key made its taker say comes before the second time."""
        return at.call_later(at.call_later, then, *about)

    def _done(self, event: Event | None) -> None:
        if event is not self._under_way:
            return  # it was given up
        self._under_way = None
        if self._waiting:
            self._under_way = self._waiting[0]
            self._at_its_screen(self._waiting[0], LOOKS)

    def _at_its_screen(self, event: Event, looks: int) -> None:
        """Wait for a screen that the key before has called for, and for the focus it sets."""
        if self._app.screen.is_mounted or not looks:
            self._behind(self._app, self._turn)
        else:
            self._app.set_timer(LOOK_AGAIN, lambda: self._at_its_screen(event, looks - 1))

    async def _turn(self) -> None:
        await self._on_its_way(self._waiting.popleft())

    def _look(self) -> None:
        """Give up a key that went to something which is gone."""
        event = self._under_way
        if event not in self._waiting and monotonic() - self._since >= LONGEST:
            self._done(event)
        if self._waiting:
            self._app.set_timer(LONGEST, self._look, name="typed-keys")
