"""A run prepares each distinct session once, whichever system, and asks the model as often as foretold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.bench_prepare import BY_RULE, Row, measure

OF_A_MODEL: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in BY_RULE]
BY_RULES: list[tuple[str, dict[str, Any]]] = [("openclaw", {}), ("mem0-v1", {"extractor": "rules"})]


@pytest.mark.parametrize(("name", "options"), [*OF_A_MODEL, *BY_RULES])
async def test_each_distinct_session_is_prepared_once(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    row = await measure(name, options, tmp_path, items=2, scales=(0, 6))
    assert row.wrong == "" and row.prepared == row.distinct < row.sessions
    asks = name in BY_RULE and not options
    assert (row.completions >= row.distinct) is asks and row.completions == row.foretold[0]


def test_a_second_preparation_is_noticed() -> None:
    fine = Row("x", 4, 20, 8, 8, 1, 8, (8, 16))
    assert fine.wrong == ""
    assert "9 preparations of 8 sessions" in Row("x", 4, 20, 8, 9, 2, 9, (9, 18)).wrong
    assert "17 completions" in Row("x", 4, 20, 8, 8, 1, 17, (8, 16)).wrong
    assert Row("x", 4, 20, 8, 8, 1, 17, (8, None)).wrong == ""
