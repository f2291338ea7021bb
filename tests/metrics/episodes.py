"""Episode facts for tests: one by hand, and a strategy over everything a file may hold."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from memtui.model import EndReason, Label


class Episode(NamedTuple):
    """What metrics read of an episode; a right, answered one unless told otherwise."""

    requested: int = 1
    label: str | None = "right"
    end_reason: str | None = "answered"
    first_hit: int | None = None
    t_star: int | None = None
    gold_total: int | None = 1
    answerable: int = 1
    done: int = 1
    forced: int = 0
    abstained: int = 0
    redundant: int = 0


@st.composite
def episodes(draw: st.DrawFn, counted_only: bool = False) -> Episode:
    """Any consistent episode: coverage within its calls, any end, verdict or none."""
    requested = draw(st.integers(0, 12))
    gold_total = draw(st.none() | st.integers(1, 4))
    first_hit = t_star = None
    if gold_total is not None and draw(st.booleans()):
        first_hit = draw(st.integers(0, requested))
        if draw(st.booleans()):
            t_star = draw(st.integers(first_hit, requested))
    if counted_only:
        label: str | None = draw(st.sampled_from(["right", "wrong"]))
        end: str | None = "answered"
        done = 1
    else:
        label = draw(st.none() | st.sampled_from([str(label) for label in Label]))
        end = draw(st.none() | st.sampled_from([str(reason) for reason in EndReason]))
        done = draw(st.sampled_from([0, 1, 1, 1]))
    return Episode(
        requested,
        label,
        end,
        first_hit,
        t_star,
        gold_total,
        draw(st.sampled_from([0, 1, 1, 1])),
        done,
        draw(st.integers(0, 1)),
        draw(st.integers(0, 1)),
        draw(st.integers(0, 3)),
    )
