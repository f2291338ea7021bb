"""Texts are embedded once on a machine, lists as a whole, in the order in which they were given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from runners.models import text_vectors as module
from runners.models.minilm import DIMENSIONS, Floats
from runners.models.text_vectors import text_vectors


class Counting:
    """A model whose vector is the length of the text in its first place."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        self.read.extend(texts)
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        rows[:, 0] = [len(text) for text in texts]
        return rows


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counting:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    counting = Counting()
    monkeypatch.setattr(module, "minilm", lambda: counting)
    module._single.cache_clear()
    return counting


def firsts(texts: Sequence[str]) -> list[float]:
    found: list[float] = text_vectors(texts)[:, 0].tolist()
    return found


def test_a_list_is_read_from_disk_the_second_time(model: Counting, tmp_path: Path) -> None:
    texts = ["a", "bbb", "a", "\ud800 京"]
    assert firsts(texts) == [1, 3, 1, 3]
    assert model.read == ["a", "bbb", "\ud800 京"], "equal texts are embedded once"
    assert firsts(texts) == [1, 3, 1, 3] and len(model.read) == 3
    assert firsts(["bbb", "a"]) == [3, 1] and len(model.read) == 5, (
        "another list is another content"
    )
    for file in (tmp_path / "cache").rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    assert firsts(texts) == [1, 3, 1, 3] and len(model.read) == 8


def test_single_texts_are_kept_in_the_process_alone(model: Counting, tmp_path: Path) -> None:
    assert firsts(["query"]) == firsts(["query"]) == [5.0] and model.read == ["query"]
    assert not (tmp_path / "cache").exists()
    assert text_vectors([]).shape == (0, DIMENSIONS)
