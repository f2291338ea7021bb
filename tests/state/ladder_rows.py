"""Ladder cells from bare outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.model import Outcome
from memtui.state.ladder import LadderCell, LadderData, build_ladder
from memtui.store.records import EpisodeRow, ItemRow

ENDS = {
    Outcome.PASS: ("answered", "right", 1),
    Outcome.WRONG: ("answered", "wrong", 1),
    Outcome.EXHAUSTED: ("answered", "right", 9),
    Outcome.EXCLUDED: ("provider_error", None, 1),
    Outcome.PENDING: (None, None, 0),
}


def row_of(number: int, outcome: Outcome, scale: float) -> EpisodeRow:
    """A list line with the given outcome at B = 2 by judge `j`."""
    end, label, requested = ENDS[outcome]
    return EpisodeRow(
        id=number, rev=1, uid=str(number), key=str(number), cell_id=1, arm="a/b",
        conditions=f"scale={scale}", scale=scale, item_id=1, item="q", question="?",
        gold=None, qtype="", cluster="", answerable=True, haystack_id=None, repeat=0, attempt=1,
        counts=end is not None, done=end is not None, end_reason=end, requested=requested,
        executed=requested, first_hit=None, t_star=None, gold_total=1, gold_found=0, redundant=0,
        zero_yield=0, strip="", forced=False, abstained=False, prompt_tokens=None,
        completion_tokens=None, cached_tokens=None, cost=None, wall_ms=None, answer="x", error="",
        started_at="", finished_at=None, labels={} if label is None else {"j": label},
    )  # fmt: skip


def cells_of(
    outcomes: Sequence[Outcome | None], first: float = 0.0
) -> tuple[LadderCell | None, ...]:
    """The cells of one line, one per outcome at scales from `first` up; None stays a gap."""
    scales = [first + n for n in range(len(outcomes))]
    rows = [row_of(n, what, scales[n]) for n, what in enumerate(outcomes) if what is not None]
    item = ItemRow(1, "q", "?", None, None, "", "", True, None, None, (), {}, ())
    ladder = build_ladder(
        LadderData(item, tuple(rows), {}), ["a/b"], scales,
        budget=2, mode="post_hoc", judge="j",
    )  # fmt: skip
    return ladder.lines[0].cells if ladder.lines else (None,) * len(outcomes)
