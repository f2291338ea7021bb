"""How often a session is prepared in a run over a ladder: every system of ours, through the engine.

    python benchmarks/bench_prepare.py [--json]

Real runs of the synthetic set over nested histories, two agents on each system. Systems that have a
language model read sessions are run both by rule and with scripted replies in the model's place.
Counted from outside: calls of `prepare`, and the completions that came of it. Vectors are hashed words.
Fails (exit 1) where a content was prepared twice or not at all, where the run says otherwise, where
completions while preparing are not what the system foretold, or where a session that was searched is
missing.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from memtui.errors import UserError
from memtui.model import Usage
from memtui.store.reader import RunReader
from runners.engine.build import build
from runners.engine.config import check_config
from runners.engine.experiment import Experiment
from runners.engine.run import run_experiment
from runners.memory.contract import (
    Artifact,
    Calls,
    Door,
    Foretelling,
    MemorySystem,
    SessionText,
)
from runners.memory.flat.words import words
from runners.memory.registry import OWN, missing_needs
from runners.memory.registry import build as memory
from runners.models.chat import ChatReply, ModelRequest
from runners.models.door import ModelDoor
from runners.models.scripted import ScriptedClient

SCALES = (0, 10, 40)
ITEMS = 6
DIMENSIONS = 384
MODEL = "scripted/reader"
BY_RULE = ("memos-text", "mem0-v1", "mem0-v2", "memos-tree", "hipporag2", "licomemory")


@lru_cache(maxsize=100_000)
def _direction(word: str) -> Any:
    digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).standard_normal(DIMENSIONS)


class HashedWords:
    """Vectors that cost nothing and keep what texts have in common."""

    async def embed(self, texts: Sequence[str]) -> tuple[Sequence[Sequence[float]], Usage]:
        """The normed sum of the words' directions."""
        rows = []
        for text in texts:
            row = sum((_direction(word) for word in words(text)), _direction(""))
            rows.append((row / np.linalg.norm(row)).tolist())
        return rows, Usage(prompt=0, completion=0, cost=0.0, calls=1, attempts=1)


def nothing(request: ModelRequest) -> ChatReply:
    """A reply that keeps any of the schemas and says nothing: lists empty, texts empty."""
    form = (request.response_format or {}).get("json_schema", {}).get("schema", {})
    return ChatReply(json.dumps(_empty(form)), effective=request.settings())


def _empty(form: Any) -> Any:
    if "enum" in form:
        return form["enum"][0]
    kind = form.get("type", "object")
    if kind == "object":
        return {name: _empty(form["properties"][name]) for name in form.get("required", [])}
    return {"array": [], "string": "", "integer": 1, "number": 1.0, "boolean": False}.get(kind)


class Watched:
    """A system with its calls of `prepare` written down; all else passes through."""

    def __init__(self, system: Any) -> None:
        self._system = system
        self.prepared: Counter[str] = Counter()
        self.least: int = 0
        self.most: int | None = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    async def prepare(self, session: SessionText, door: Door | None) -> Artifact:
        """Count, and add up what the system foretold of it."""
        self.prepared[session.sha] += 1
        told: Calls = self._system.info.calls
        if isinstance(self._system, Foretelling):
            told = self._system.expected_calls(session)
        least, most = told.get("prepare", {}).get("complete", (0, 0))
        self.least += least
        self.most = None if most is None or self.most is None else self.most + most
        return await self._system.prepare(session, door)


@dataclass(frozen=True, slots=True)
class Row:
    """One system."""

    system: str
    episodes: int
    sessions: int
    """Sessions in all opened histories together."""
    distinct: int
    prepared: int
    most_often: int
    """Times the session was prepared that was prepared most often."""
    completions: int
    """Of the model while preparing."""
    foretold: tuple[int, int | None]

    @property
    def wrong(self) -> str:
        """What is wrong; empty where nothing is."""
        least, most = self.foretold
        if (self.prepared, self.most_often) != (self.distinct, 1):
            return f"{self.prepared} preparations of {self.distinct} sessions"
        if self.completions < least or (most is not None and self.completions > most):
            return f"{self.completions} completions, foretold {least} to {most}"
        return ""


def experiment(
    name: str,
    options: dict[str, Any],
    client: ScriptedClient,
    items: int = ITEMS,
    scales: Sequence[int] = SCALES,
) -> Experiment:
    """The run of one system, with a scripted model and hashed vectors."""
    raw = {
        "name": "prepare",
        "data": {"name": "synthetic", "limit": items},
        "ladder": {"scales": list(scales)},
        "matrix": {
            "memory": [{"name": name, **options}],
            "agent": ["search-once", "verify"],
        },
        "models": {"memory": MODEL, MODEL: {"retries": 0}},
    }
    made = build(check_config(raw)).experiment
    return replace(made, models=ModelDoor(client, seed=1), embedder=HashedWords())


async def measure(name: str, options: dict[str, Any], folder: Path, **ladder: Any) -> Row:
    """Run it and count."""
    client = ScriptedClient([nothing])
    made = experiment(name, options, client, **ladder)
    watched = Watched(next(iter(made.arms.values())).memory)
    arms = {key: replace(arm, memory=cast(MemorySystem, watched)) for key, arm in made.arms.items()}
    path = folder / f"{name}-{len(options)}.memtui"
    result = await run_experiment(replace(made, arms=arms), path, signals=False)
    if set(result.ends) != {"answered"}:
        raise UserError(f"{name}: {result.ends} {result.note}")
    with RunReader(path) as reader:
        ((sessions,),) = reader.query(
            "SELECT sum(h.n_sessions) FROM episode e JOIN haystack h ON h.id = e.haystack_id"
        )
        ((distinct,),) = reader.query("SELECT count(*) FROM session")
    return Row(
        f"{name}-rules" if options else name,
        result.done,
        sessions,
        distinct,
        watched.prepared.total(),
        max(watched.prepared.values()),
        sum(request.owner.startswith("artifact:") for request in client.requests),
        (watched.least, watched.most),
    )


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    width = max(len(row.system) for row in rows)
    lines = [
        f"{'system':<{width}}  episodes  sessions opened  distinct  prepared  completions  foretold"
    ]
    for row in rows:
        least, most = row.foretold
        lines.append(
            f"{row.system:<{width}}  {row.episodes:>8}  {row.sessions:>15,}  {row.distinct:>8}"
            f"  {row.prepared:>8}  {row.completions:>11,}  {least:,} to {most:,}  {row.wrong}".rstrip()
        )
    return "\n".join(lines)


def main() -> int:
    """Measure every system; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    args = parser.parse_args()
    rows: list[Row] = []
    skipped: list[str] = []
    by_rule = {"extractor": "rules"}
    tried = [*((name, {}) for name in OWN), *((name, by_rule) for name in BY_RULE)]
    with tempfile.TemporaryDirectory() as folder:
        for name, options in tried:
            lines = missing_needs(memory(name, options).info)
            if lines:
                skipped.append(f"{name}: {lines[0]}")
                continue
            rows.append(asyncio.run(measure(name, options, Path(folder))))
    if args.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "skipped": skipped}, indent=1))
    else:
        print(table(rows))
        print(*(f"left out: {line}" for line in skipped), sep="\n")
    wrong = [f"{row.system}: {row.wrong}" for row in rows if row.wrong]
    print(f"goals missed: {'; '.join(wrong) or 'none'}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
