"""What a query took over: terms of the nearest earlier query, and terms of what had come back before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from memtui.metrics.similarity import terms
from memtui.state.gold_places import MOST_QUERIES, nearest_query
from memtui.state.trajectory import STOP_WORDS, HitView, Trajectory
from memtui.store.records import SessionRow

MOST_BLOCKS = 36
"""Blocks of earlier calls that are searched for a term, the latest first."""
MOST_TERMS = 40

TextOf = Callable[[str], SessionRow | None]
"""The text of a session by its token; None where the file does not hold it."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Terms of a query in its order, stop words apart; all of them outside text."""

    call: int | None
    """The earlier call whose query is nearest; None where none shares a term."""
    kept: tuple[str, ...]
    """Terms of that query, too."""
    from_results: tuple[str, ...]
    """Terms of no earlier query that stood in blocks the model had been shown."""
    added: tuple[str, ...]
    """Other terms of no earlier query."""


def taken_over(found: Trajectory, index: int, text_of: TextOf | None = None) -> TakenOver | None:
    """What the query at a stop took over; None for the first query, where there is none, and after more than
    `MOST_QUERIES`.

    Terms are words that are equal but for their case, and nothing is said of why they are there. Without
    `text_of` results are not looked into.
    """
    stop = found.stops[index]
    earlier = [one for one in found.stops[:index] if one.is_call and one.step.query is not None]
    if not stop.is_call or not stop.step.query or not 0 < len(earlier) <= MOST_QUERIES:
        return None
    nearest = nearest_query(found, index)
    near = terms("" if nearest is None else nearest[1])
    known = frozenset[str]().union(*(terms(one.step.query or "") for one in earlier))
    folded = stop.step.query.casefold()
    mine = sorted(terms(folded) - STOP_WORDS, key=lambda term: (folded.find(term), term))
    new = [term for term in mine if term not in known][:MOST_TERMS]
    shown = (hit for one in reversed(found.stops[:index]) for hit in one.hits if hit.hit.shown)
    blocks = [*islice(shown, MOST_BLOCKS)]
    seen = set() if text_of is None or not new else _standing_in(new, blocks, text_of)
    return TakenOver(
        None if nearest is None else nearest[0],
        tuple(term for term in mine if term in near)[:MOST_TERMS],
        tuple(term for term in new if term in seen),
        tuple(term for term in new if term not in seen),
    )


def _standing_in(wanted: list[str], hits: list[HitView], text_of: TextOf) -> set[str]:
    """The terms that stand in the text of one of the blocks, as whole words."""
    left = {term: re.compile(rf"(?<!\w){re.escape(term)}(?!\w)") for term in wanted}
    for view in hits:
        if not left:
            break
        text = _text(view, text_of).casefold()
        for term in [term for term, whole in left.items() if term in text and whole.search(text)]:
            del left[term]
    return {term for term in wanted if term not in left}


def _text(view: HitView, text_of: TextOf) -> str:
    if view.hit.text is not None:
        return view.hit.text
    session = text_of(view.sessions[0])
    if session is None:
        return ""
    first, last = view.hit.first, view.hit.last
    if first is None:
        turns = session.turns
    else:
        turns = session.turns[max(0, first) : (first if last is None else last) + 1]
    return "\n".join(turn.text for turn in turns)


def taken_over_words(taken: TakenOver | None) -> str:
    """The same in words: ``keeps trip paris; from results: museum; adds ticket``; empty for nothing."""
    if taken is None:
        return ""
    parts = [
        f"{what} {' '.join(words)}"
        for what, words in (
            ("keeps", taken.kept),
            ("from results:", taken.from_results),
            ("adds", taken.added),
        )
        if words
    ]
    return "; ".join(parts)
