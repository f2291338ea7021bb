"""Short sessions, for a model that takes a minute to read a long one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from runners.datasets.synthetic_drafts import Draft, DraftItem


def shorten(drafts: Iterable[Draft], items: Sequence[DraftItem], exchanges: int) -> list[DraftItem]:
    """Cut every draft, in place, to `exchanges` pairs of turns; the items with their evidence's new turns.

    What a session says about a question stays before its opening, and that before its other turns; a
    filler that comes close to more questions than it may keep pairs loses the later ones. Evidence is one
    remark a session, so that none is lost.
    """
    moved: dict[tuple[int, int], int] = {}
    for draft in drafts:
        pairs = _kept(draft, exchanges)
        places = {
            2 * pair + side: 2 * at + side for at, pair in enumerate(pairs) for side in (0, 1)
        }
        moved |= {(id(draft), old): new for old, new in places.items()}
        draft.turns = tuple(draft.turns[old] for old in places)
        draft.remarks = tuple(places[old] for old in draft.remarks if old in places)
    return [
        replace(
            item,
            evidence=tuple(
                (draft, turn if turn is None else moved[id(draft), turn])
                for draft, turn in item.evidence
            ),
        )
        for item in items
    ]


def _kept(draft: Draft, exchanges: int) -> list[int]:
    said = [turn // 2 for turn in draft.remarks]
    return sorted(list(dict.fromkeys([*said, *range(len(draft.turns) // 2)]))[:exchanges])
