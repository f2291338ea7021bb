"""A system's door as the gateway serves it to a package, and what became of the calls behind it.

A package may swallow a failed request, or be ended while it waits for a reply; whose failure that was
is known here and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from runners.memory.contract import Door
from runners.models.chat import ModelReply
from runners.models.memory_door import MemoryDoor

STAND_IN = "memory-model"
"""Name of the language model behind a door that does not name one."""
_T = TypeVar("_T")


class WatchedDoor:
    """Passes calls on to a door; `failure` keeps the first exception that came back."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.failure: Exception | None = None
        self._calls: set[asyncio.Task[Any]] = set()

    @property
    def model(self) -> str:
        """The name a package has to ask for."""
        return getattr(self.door, "model", None) or STAND_IN

    @property
    def waiting(self) -> bool:
        """Whether a model is being asked at this moment."""
        return bool(self._calls)

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        phase: str | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: Any = None,
        response_format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """One completion. A door that knows no more than the contract is asked without tools."""
        if isinstance(self.door, MemoryDoor):
            return await self._watch(
                self.door.ask(
                    messages,
                    phase=phase,
                    tools=tools,
                    tool_choice=tool_choice,
                    response_format=response_format,
                    max_tokens=max_tokens,
                    temperature=temperature,
                    top_p=top_p,
                    extra=extra,
                )
            )
        reply = await self._watch(
            self.door.complete(
                messages,
                phase=phase,
                schema=_schema(response_format),
                max_tokens=max_tokens,
                temperature=temperature or 0.0,
            )
        )
        return ModelReply(
            text=reply.text,
            finish=reply.finish or "stop",
            tool_calls=(),
            reasoning="",
            model=self.model,
            usage=reply.usage,
            attempts=1,
            wall_ms=0.0,
            requested={},
            effective={},
        )

    async def embed(
        self, texts: Sequence[str], *, phase: str | None = None
    ) -> Sequence[Sequence[float]]:
        """One vector per text, in order."""
        return await self._watch(self.door.embed(texts, phase=phase))

    async def _watch(self, call: Coroutine[Any, Any, _T]) -> _T:
        task = asyncio.ensure_future(call)
        self._calls.add(task)
        try:
            return await task
        except Exception as error:
            self.failure = self.failure or error
            raise
        finally:
            self._calls.discard(task)

    async def give_up(self) -> BaseException | None:
        """Cancel what is under way; the cancellation as it came back out of the door."""
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        return next((one for one in found if isinstance(one, BaseException)), None)


def _schema(response_format: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The schema that the contract's door is asked for."""
    if not response_format:
        return None
    if response_format.get("type") == "json_object":
        return {"type": "object"}
    found = (response_format.get("json_schema") or {}).get("schema")
    return found if isinstance(found, dict) else None
