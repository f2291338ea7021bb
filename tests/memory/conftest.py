"""Fixtures for memory systems: a stand-in for the embedder, and a stranger's system."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from runners.memory.flat import dense
from tests.memory.fake_minilm import FakeMiniLM

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "memtui-bigram"


@pytest.fixture
def fake_minilm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeMiniLM]:
    """Puts a fake in place of the installed model, and its vectors where nobody else looks."""
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "home"))
    fake = FakeMiniLM()
    monkeypatch.setattr(dense, "minilm", lambda: fake)
    dense.query_vector.cache_clear()
    yield fake
    dense.query_vector.cache_clear()


@pytest.fixture(scope="session")
def example() -> ModuleType:
    """The example of docs/adding-a-memory-system.md, imported from its file."""
    spec = importlib.util.spec_from_file_location("memtui_bigram", EXAMPLE / "memtui_bigram.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
