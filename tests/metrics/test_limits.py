"""What a run's configuration says about its limits, whoever wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.metrics.limits import call_cap


@pytest.mark.parametrize(
    ("config", "cap"),
    [
        ({}, None),
        ({"call_cap": True}, None),
        ({"loop": {"k": 12, "call_cap": 20}}, 20),
        ({"effective": {"budget": {"call_cap": 20, "step_cap": 20}}}, 20),
        # One call with each decision is the least that a stopped episode made.
        ({"effective": {"budget": {"call_cap": 20, "step_cap": 5}}}, 5),
        ({"effective": {"budget": {"call_cap": 4, "step_cap": 5}}}, 4),
        # Decisions alone say nothing: a harness without a cap on calls may mean anything by them.
        ({"step_cap": 5}, None),
    ],
)
def test_the_cap_is_the_fewest_calls_of_a_stopped_episode(
    config: dict[str, Any], cap: int | None
) -> None:
    assert call_cap(config) == cap
