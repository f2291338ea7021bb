"""Every system of ours, and the documented example of a stranger's, keeps the contract."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

from runners.memory.conformance import NOT_APPLICABLE, check_system
from runners.memory.conformance_rules import RULES
from runners.memory.flat import dense
from runners.memory.registry import OWN, build, missing_needs
from runners.models.embedder import minilm
from runners.models.minilm import Floats, MiniLM
from tests.memory.fake_minilm import FakeMiniLM

# Vectors must not come from a disk that the other system of a comparison has filled.
SCRATCH: dict[str, Any] = {"cache": False}
CONFIGURATIONS: list[tuple[str, dict[str, Any]]] = [
    ("bm25", {}),
    ("bm25", {"granularity": "turn"}),
    ("dense", SCRATCH),
    ("dense", SCRATCH | {"granularity": "turn"}),
    ("hybrid", SCRATCH),
    ("hybrid", SCRATCH | {"granularity": "turn"}),
    ("openclaw", {}),
    ("memos-text", {"extractor": "rules"}),
    ("mem0-v1", {"extractor": "rules"}),
    ("mem0-v2", {"extractor": "rules"}),
    ("memos-tree", {"extractor": "rules"}),
    ("hipporag2", {"extractor": "rules"}),
    ("licomemory", {"extractor": "rules"}),
    ("full-history", {}),
    ("rolling-window", {}),
    ("rolling-window", {"turns": 3}),
]


def test_every_system_of_ours_is_tried() -> None:
    assert {name for name, _ in CONFIGURATIONS} == set(OWN)


@pytest.mark.parametrize(("name", "options"), CONFIGURATIONS)
async def test_conformance(name: str, options: dict[str, Any], fake_minilm: FakeMiniLM) -> None:
    report = await check_system(lambda: build(name, options))
    assert report.ok, str(report)
    assert [check.rule for check in report.checks] == list(RULES)
    applied = [check for check in report.checks if check.status != NOT_APPLICABLE]
    assert len(applied) >= len(RULES) - 6


async def test_the_documented_example_conforms(example: ModuleType) -> None:
    report = await check_system(example.Bigram)
    assert report.ok, str(report)


class Remembering:
    """The real model, asked the same windows only once: the suite prepares the same sessions often."""

    def __init__(self, model: MiniLM) -> None:
        self.pieces = model.pieces
        self._encode = model.encode
        self._known: dict[tuple[tuple[int, ...], ...], Floats] = {}

    def encode(self, windows: Sequence[Sequence[int]]) -> Floats:
        key = tuple(map(tuple, windows))
        if key not in self._known:
            self._known[key] = self._encode(windows)
        return self._known[key]


@pytest.mark.slow
async def test_conformance_with_the_real_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    options = SCRATCH | {"max_windows": 2}
    if lines := missing_needs(build("dense", options).info):
        pytest.skip("; ".join(lines))
    model = Remembering(minilm())
    monkeypatch.setattr(dense, "minilm", lambda: model)
    dense.query_vector.cache_clear()
    report = await check_system(lambda: build("dense", options))
    dense.query_vector.cache_clear()
    assert report.ok, str(report)
