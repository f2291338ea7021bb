"""What rates need to know of one episode, and of one cluster: equal ones are counted together."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
    """Everything outcome, regime and flags read of an episode; equal signatures count together."""

    done: int
    end_reason: str | None
    requested: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    answerable: int
    label: str | None
    forced: int
    abstained: int
    redundant: int


Profile = tuple[tuple[tuple[int, bool], int], ...]
"""A cluster's counted episodes as sorted (((R, right), how many), ...)."""
