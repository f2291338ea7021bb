"""A memory system's door that plays back a script: algorithms can be checked on worked examples."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.model import Usage
from runners.memory.contract import Completion
from runners.models.structured import completion

Messages = Sequence[Mapping[str, Any]]
Reply = str | Mapping[str, Any] | Sequence[Any] | Exception
"""A text, a JSON value (written out as text), or what to raise."""
Responder = Callable[[Messages, Mapping[str, Any] | None], Reply]
"""Messages and schema to a reply."""

DIMENSIONS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """One completion that was asked for."""

    phase: str
    messages: tuple[dict[str, Any], ...]
    schema: Mapping[str, Any] | None
    logprobs: int = 0

    @property
    def text(self) -> str:
        """All messages' contents, one after the other."""
        return "\n".join(str(m.get("content") or "") for m in self.messages)


class ScriptedDoor:
    """Replies from a list in order, or by a function; more questions than replies are an error.

    `asked` keeps every completion, `embedded` every text, `counts` the calls by (phase, kind).
    `alternatives` is what a call with `logprobs` gets. Texts named in `vectors` have that vector; all
    others get `word_vector`.
    """

    def __init__(
        self,
        replies: Iterable[Reply] | Responder = (),
        *,
        vectors: Mapping[str, Sequence[float]] | None = None,
        phase: str = "ingest",
        alternatives: Sequence[tuple[str, float]] = (),
    ) -> None:
        self.phase = phase
        self.counts: Counter[tuple[str, str]] = Counter()
        self.asked: list[Asked] = []
        self.embedded: list[str] = []
        self.responder = replies if callable(replies) else None
        self._replies = [] if callable(replies) else list(replies)
        self._vectors = dict(vectors or {})
        self._alternatives = tuple(alternatives)

    async def complete(
        self,
        messages: Messages,
        *,
        phase: str | None = None,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        logprobs: int = 0,
    ) -> Completion:
        """The next reply of the script."""
        number = len(self.asked)
        booked = phase or self.phase
        self.asked.append(Asked(booked, tuple(dict(m) for m in messages), schema, logprobs))
        self.counts[booked, "complete"] += 1
        if self.responder is not None:
            reply = self.responder(messages, schema)
        elif number < len(self._replies):
            reply = self._replies[number]
        else:
            raise AssertionError(
                f"completion {number + 1} was asked for, the script has {len(self._replies)}:"
                f" {self.asked[-1].text[:200]!r}"
            )
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        usage = Usage(
            prompt=len(self.asked[-1].text) // 4, completion=len(text) // 4, calls=1, attempts=1
        )
        found = self._alternatives[:logprobs]
        return completion(text, schema, usage, "stop", found)

    async def embed(
        self, texts: Sequence[str], *, phase: str | None = None
    ) -> Sequence[Sequence[float]]:
        """One vector per text."""
        self.counts[phase or self.phase, "embed"] += 1
        self.embedded.extend(texts)
        return [list(self._vectors.get(text) or word_vector(text)) for text in texts]


def word_vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A unit vector of hashed words: equal texts get equal vectors, common words make similar ones."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        vector[digest[0] % dimensions] += 1.0 if digest[1] % 2 else -1.0
    length = sum(x * x for x in vector) ** 0.5 or 1.0
    return [x / length for x in vector]
