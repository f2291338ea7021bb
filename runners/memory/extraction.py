"""Asking a language model for structured memory: a schema sent, a reply read strictly, one repair.

A reply that cannot be read is a status, not an exception: the systems of the papers go on without it,
and so do ours, but they say how often it happened. A provider that fails is let through: its failure
is not the system's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runners.memory.contract import Door, MemoryError_, Regrowing
from runners.memory.json_repair import Misfit, read_json
from runners.memory.needs import LLM
from runners.memory.option_values import check_choice

EXTRACTORS = ("model", "rules")
"""Who extracts: the run's language model, or `rule_extractor` in its place, which needs none."""

ATTEMPTS = 2
"""The request itself, and once more with what was wrong with the reply."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a model was asked for and what became of it."""

    value: Any
    """Keeps the schema; None where no reply could be read."""
    calls: int
    repairs: tuple[str, ...] = ()
    dropped: int = 0
    """List elements left out because they did not keep the schema."""
    problem: str = ""
    """Why `value` is None."""
    raw: tuple[str, ...] = ()
    """The replies as they came, in order."""

    @property
    def usable(self) -> bool:
        """Whether a value was read."""
        return self.value is not None


@dataclass(slots=True)
class Tally:
    """Extractions over a haystack: what a system reports beside its hits."""

    asked: int = 0
    calls: int = 0
    unreadable: int = 0
    repaired: int = 0
    dropped: int = 0
    problems: list[str] = field(default_factory=list)
    """The first few reasons."""

    def add(self, one: Extracted) -> None:
        """Count one extraction."""
        self.asked += 1
        self.calls += one.calls
        self.repaired += bool(one.repairs)
        self.dropped += one.dropped
        if not one.usable:
            self.unreadable += 1
            if len(self.problems) < 3:
                self.problems.append(one.problem)

    def remarks(self) -> dict[str, Any]:
        """What is worth storing beside a search: nothing where all went well."""
        counts = {
            "extractions_unreadable": self.unreadable,
            "extractions_repaired": self.repaired,
            "elements_dropped": self.dropped,
        }
        found: dict[str, Any] = {name: n for name, n in counts.items() if n}
        if found:
            found["extractions"] = self.asked
        return found


def readable(sessions: Iterable[Sequence[Extracted]]) -> int:
    """How many sessions were read: one reply about them could be at least, or none had to be asked for.

    A memory whose model only ever wrote what nobody can read holds none of its sessions.
    """
    return sum(not asked or any(one.usable for one in asked) for asked in sessions)


def check_extractor(extractor: str) -> str:
    """`extractor` itself, or a UserError naming the choices."""
    return check_choice("extractor", extractor, EXTRACTORS)


def needs_of(extractor: str) -> tuple[str, ...]:
    """What an extracting system needs: a language model, if that is who extracts, and the embedder."""
    return (LLM, "model:minilm") if extractor == "model" else ("model:minilm",)


def calls_of(extractor: str, pieces: int = 1) -> dict[str, tuple[int, int | None]]:
    """Calls for texts that are extracted from one by one and whose findings are embedded together."""
    asks: dict[str, tuple[int, int | None]] = {"complete": (pieces, pieces * ATTEMPTS)}
    return {"embed": (0, 1), **(asks if extractor == "model" else {})}


def require_door(door: Door | None, system: str) -> Door:
    """The door, or MemoryError_: this system cannot do without a model or an embedder."""
    if door is None:
        raise MemoryError_(f"{system} asks models, and was given no way to reach one")
    return door


def prompt(system: str, user: str) -> list[dict[str, str]]:
    """Instructions and material as the two messages of a chat."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


async def extract(
    door: Door,
    messages: Sequence[Mapping[str, Any]],
    schema: Mapping[str, Any],
    *,
    phase: str,
    max_tokens: int = 1024,
    temperature: float = 0.0,
    attempts: int = ATTEMPTS,
) -> Extracted:
    """Ask for a value of `schema`; at most `attempts` calls at the door.

    A reply that does not keep the schema is repaired where that takes no invention
    (`json_repair.read_json`: one that was cut is used as far as it goes); else the model is told what
    was wrong and asked again. Where the door has an answer to cut replies, one of which nothing can be
    read is asked for with more room instead, or not again.
    """
    asked: Sequence[Mapping[str, Any]] = messages
    after_cut = door.after_cut if isinstance(door, Regrowing) else 1.0
    limit = max_tokens
    raws: list[str] = []
    problem = ""
    for _ in range(attempts):
        reply = await door.complete(
            asked, phase=phase, schema=schema, max_tokens=limit, temperature=temperature
        )
        raws.append(reply.text)
        try:
            found = read_json(reply.text, schema)
        except Misfit as misfit:
            problem = str(misfit)
            if reply.finish == "length":
                problem += " (it was cut off: be briefer)"
                if after_cut == 0:
                    break
                if after_cut != 1:
                    # The same question with more room: what was written comes again, and its end.
                    limit = math.ceil(max_tokens * after_cut)
                    continue
        else:
            return Extracted(
                found.value, len(raws), tuple(found.repairs), found.dropped, raw=tuple(raws)
            )
        asked = [
            *messages,
            {"role": "assistant", "content": reply.text},
            {
                "role": "user",
                "content": f"That cannot be used: {problem}. "
                "Reply with the JSON object alone, exactly in the form asked for.",
            },
        ]
    return Extracted(None, len(raws), problem=problem, raw=tuple(raws))
