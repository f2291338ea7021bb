"""A client that plays back a script: for tests and for checking an agent's prompts without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from runners.models.chat import ChatReply, ModelRequest
from runners.models.settings import ModelSettings

Entry = ChatReply | Exception | str | Callable[[ModelRequest], ChatReply | str]


class ScriptedClient:
    """Returns the entries of its script in order, then the last one again and again.

    An entry is a reply, a text, an exception to raise, or a function of the request. `requests`
    keeps what was asked, `delay` seconds pass before each reply.
    """

    def __init__(self, script: Iterable[Entry], *, delay: float = 0.0) -> None:
        self.script = list(script)
        self.requests: list[ModelRequest] = []
        self.delay = delay
        self.closed = False

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        """Play the next entry."""
        at = min(len(self.requests), len(self.script) - 1)
        self.requests.append(request)
        if self.delay:
            await asyncio.sleep(self.delay)
        entry = self.script[at]
        if callable(entry):
            entry = entry(request)
        if isinstance(entry, Exception):
            raise entry
        if isinstance(entry, str):
            return ChatReply(entry, effective=request.settings())
        return entry

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
