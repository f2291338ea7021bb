"""The cache of vectors: what comes out is what went in, or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runners.models.vectors import VectorCache, Vectors

KEY = "ab12"
VECTORS = Vectors(np.arange(12, dtype=np.float32).reshape(3, 4), {"ends": [1, 3], "pieces": 7})


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "vectors")


def test_what_is_kept_comes_back(cache: VectorCache) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, VECTORS)
    found = VectorCache(cache.folder).get(KEY)
    assert found is not None and found.about == VECTORS.about
    assert found.rows.dtype == np.float32 and np.array_equal(found.rows, VECTORS.rows)
    assert cache.unreadable == 0


def test_no_rows_are_kept_too(cache: VectorCache) -> None:
    cache.put(KEY, Vectors(np.empty((0, 4), np.float32), {}))
    found = cache.get(KEY)
    assert found is not None and found.rows.shape == (0, 4)


@pytest.mark.parametrize("byte", [0, 20, 60, -1])
def test_one_wrong_byte_and_the_file_counts_as_absent(cache: VectorCache, byte: int) -> None:
    cache.put(KEY, VECTORS)
    (path,) = [p for p in cache.folder.rglob("*") if p.is_file()]
    raw = bytearray(path.read_bytes())
    raw[byte] ^= 1
    path.write_bytes(raw)
    assert cache.get(KEY) is None and cache.unreadable == 1
    cache.put(KEY, VECTORS)
    assert cache.get(KEY) is not None


@pytest.mark.parametrize("raw", [b"", b"memtui-vectors-1", b"\0" * 1000])
def test_foreign_and_cut_files_count_as_absent(cache: VectorCache, raw: bytes) -> None:
    cache.put(KEY, VECTORS)
    (path,) = [p for p in cache.folder.rglob("*") if p.is_file()]
    path.write_bytes(raw)
    assert cache.get(KEY) is None and cache.unreadable == 1


def test_a_disk_that_refuses_is_counted_and_not_raised(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = VectorCache(tmp_path / "file" / "vectors")
    cache.put(KEY, VECTORS)
    assert cache.unwritten == 1 and cache.get(KEY) is None
