"""The leak canary: does anything that leaves for an agent, a memory system or a gateway give gold away?

Tests capture every byte that is handed out and scan it. Secrets are exact strings (golds of a made-up
data set, session and question ids); the markers are the forms by which public data sets leak.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from runners.datasets.contract import DataSet

MARKERS = ("answer_", "_abs", "has_answer", "evidence_for", "answer_session_ids")
"""Substrings by which LongMemEval's ids and keys reveal evidence or unanswerable questions."""

SHORTEST_SECRET = 4
"""Shorter secrets occur by chance; they are not looked for."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret or marker found in what left."""

    secret: str
    at: int
    context: str
    """Up to 40 characters on each side."""


def scan(
    data: bytes | str, secrets: Iterable[str] = (), *, markers: Iterable[str] = MARKERS
) -> tuple[Leak, ...]:
    """Every secret and marker in the data, each once, at its first place.

    Bytes are read as UTF-8. A secret is also found in the form it has inside JSON: a gateway sees
    requests, not texts.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    found = []
    for secret in dict.fromkeys((*markers, *(s for s in secrets if len(s) >= SHORTEST_SECRET))):
        for form in dict.fromkeys((secret, json.dumps(secret)[1:-1])):
            at = text.find(form)
            if at >= 0:
                context = text[max(at - 40, 0) : at + len(form) + 40]
                found.append(Leak(secret, at, context))
                break
    return tuple(found)


def scan_object(
    value: Any, secrets: Iterable[str] = (), *, markers: Iterable[str] = MARKERS
) -> tuple[Leak, ...]:
    """`scan` over every text inside a value: dataclasses, mappings (keys too), sequences, sets."""
    return scan("\n".join(texts(value)), secrets, markers=markers)


def texts(value: Any) -> Iterator[str]:
    """Every text inside a value, depth first; numbers and other leaves as they print."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from texts(getattr(value, part.name))
    elif hasattr(value, "items"):
        for key, inner in value.items():
            yield from texts(key)
            yield from texts(inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def identifiers(dataset: DataSet) -> frozenset[str]:
    """What must never leave, whatever the texts say: ids of sessions and items.

    Golds are not among them: an evidence text contains its gold, and an agent may well answer it. A
    test that plants golds which occur nowhere else passes them as further secrets.
    """
    return frozenset(dataset.sessions) | frozenset(item.key for item in dataset.items)
