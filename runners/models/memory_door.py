"""The door of a memory system: every model or embedding call it makes is counted for its owner.

One door serves one owner (`artifact:<key>`, or a view: `state:<key>` while it is opened, then
`episode:<uid>`). Embeddings come from this process; completions pass the run's `ModelDoor`, whose
limits, retries, recordings and prices hold for memory systems as for agents.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

from memtui.errors import UserError
from memtui.model import Usage
from runners.memory.contract import Completion
from runners.models.chat import Attempts, ModelReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.meter import Meter
from runners.models.model_errors import ModelAccessError, ModelError
from runners.models.structured import completion, json_schema_format

INGEST = "ingest"
SEARCH = "search"
PHASES = (INGEST, SEARCH)


class Embedder(Protocol):
    """Turns texts into unit vectors and says what that used."""

    async def embed(self, texts: Sequence[str]) -> tuple[Sequence[Sequence[float]], Usage]:
        """Vectors in order, and the usage of getting them."""


class LocalEmbedder:
    """all-MiniLM-L6-v2 in this process, off the event loop; loaded when first asked.

    What was embedded once on this machine is read from disk. It costs time and no tokens of anybody's:
    counts are known zeros.
    """

    async def embed(self, texts: Sequence[str]) -> tuple[Sequence[Sequence[float]], Usage]:
        """Vectors of 384 dimensions; UserError when the weights are absent."""
        usage = Usage(prompt=0, cached=0, completion=0, reasoning=0, cost=0.0, calls=1, attempts=1)
        if not texts:
            return [], usage
        return await asyncio.to_thread(_minilm_vectors, list(texts)), usage


def _minilm_vectors(texts: list[str]) -> list[list[float]]:
    from runners.models.text_vectors import text_vectors

    vectors: list[list[float]] = text_vectors(texts).tolist()
    return vectors


class MemoryDoor:
    """Implements `runners.memory.contract.Door` for one owner.

    `phase` is the one in force where a call names none. `seed` is sent with every completion,
    `repeat` keeps the repeats of an episode from sharing a recording. `after_cut` is the run's answer
    to replies that their limit cut (`runners.memory.contract.Regrowing`).
    """

    def __init__(
        self,
        models: ModelDoor | None,
        embedder: Embedder | None,
        owner: str,
        model: str | None,
        *,
        phase: str = INGEST,
        seed: int | None = None,
        repeat: int = 0,
        after_cut: float = 1.0,
    ) -> None:
        self.owner = owner
        self.after_cut = after_cut
        self.model = model
        self.phase = phase
        self.meter = Meter()
        self.failure: ModelError | ModelAccessError | None = None
        """The latest call that failed for good: whoever hides it behind an error of its own (a
        package's client in another process) is told apart from a system that failed by itself."""
        self.models = models
        self._embedder = embedder
        self._seed = seed
        self._repeat = repeat

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """Calls by (phase, `complete` or `embed`): what was observed, to hold against the declared."""
        return self.meter.counts

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        phase: str | None = None,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        logprobs: int = 0,
    ) -> Completion:
        """Ask the memory model once; `ModelError` when it fails for good, UserError without a model."""
        reply = await self.ask(
            messages,
            phase=phase,
            response_format=json_schema_format(schema) if schema is not None else None,
            max_tokens=max_tokens,
            temperature=temperature,
            extra={"logprobs": True, "top_logprobs": logprobs} if logprobs else {},
        )
        return completion(reply.text, schema, reply.usage, reply.finish, reply.alternatives)

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
        """The same with everything a chat completion may carry, tool calls and reasoning included."""
        if self.models is None or self.model is None:
            raise UserError(
                "a memory system asks a language model and the run names none: set"
                ' `memory = "provider/model"` under [models]'
            )
        phase = self._phase(phase)
        request = ModelRequest(
            self.model,
            tuple(dict(m) for m in messages),
            tools=tuple(dict(t) for t in tools),
            tool_choice=tool_choice,
            response_format=None if response_format is None else dict(response_format),
            temperature=temperature,
            top_p=top_p,
            seed=self._seed,
            max_tokens=max_tokens,
            extra=dict(extra or {}),
            owner=self.owner,
            phase=phase,
            # What is ingested is the same for all repeats of an episode; what is searched is not.
            repeat=self._repeat if phase == SEARCH else 0,
        )
        start, attempts = perf_counter(), Attempts()
        try:
            reply = await self.models.complete(request, attempts)
        except asyncio.CancelledError:
            if attempts.made:
                used = Usage(calls=1, attempts=attempts.made)
                self.meter.add(phase, "complete", used, wall_ms=_since(start))
            raise
        except (ModelError, ModelAccessError) as error:
            self.failure = error
            used = Usage(calls=1, attempts=error.attempts)
            self.meter.add(phase, "complete", used, wall_ms=_since(start))
            raise
        self.meter.add(
            phase,
            "complete",
            reply.usage,
            paid=reply.paid,
            cold=reply.cold,
            wall_ms=_since(start),
        )
        return reply

    async def embed(
        self, texts: Sequence[str], *, phase: str | None = None
    ) -> Sequence[Sequence[float]]:
        """Unit vectors of the texts, in order; UserError where the run has no embedder."""
        if self._embedder is None:
            raise UserError("a memory system asks for vectors and the run has no embedder")
        phase = self._phase(phase)
        start = perf_counter()
        vectors, usage = await self._embedder.embed(texts)
        self.meter.add(phase, "embed", usage, wall_ms=_since(start))
        return vectors

    def _phase(self, asked: str | None) -> str:
        phase = asked or self.phase
        if phase not in PHASES:
            raise ValueError(
                f"the phase of a memory system's call is ingest or search, not {phase!r}"
            )
        return phase


def _since(start: float) -> float:
    return (perf_counter() - start) * 1000.0
