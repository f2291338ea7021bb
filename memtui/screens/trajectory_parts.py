"""The parts of the trajectory screen below its head: lines of steps, what a call asked and brought."""

from __future__ import annotations

from collections.abc import Hashable

from rich.cells import cell_len
from rich.text import Text

from memtui.state.gold_places import GoldPlace, gold_places
from memtui.state.query_terms import TakenOver
from memtui.state.session import RunSession
from memtui.state.trajectory import Stop, Trajectory
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.marks import GOLD
from memtui.views.names import cut_apart
from memtui.views.numbers import UNKNOWN, duration
from memtui.views.strip import call_style
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

ANSWER = "»"
"""The sign of a step that is no call: what the agent said, or what broke."""
SIGNS = 7
"""Cells of a step's row beside its words: its number and sign before them, a scrollbar after them."""
LONGEST = 300
"""Characters of a query that are compared with the one above it."""
LEAST_STEPS = 18
"""Cells of the title of the steps."""
MOST_PLACES = 6
"""Pieces of evidence that are named at a call."""
SHORTEST_NAME = 12
ROOMY = 30
"""Rows of the screen from which lines above the hits are cheap."""


class StopSource:
    """The steps of an episode as rows; the id of a row is its index."""

    def __init__(self, found: Trajectory, look: Look) -> None:
        self._found = found
        self._look = look
        self._ids = list(range(len(found.stops)))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def wanted_width(self, most: int) -> int:
        """Cells in which the rows stand whole, but at most `most` (or what the title needs)."""
        most = max(most, LEAST_STEPS)
        widest = LEAST_STEPS
        for stop in self._found.stops:
            tail = 3 if stop.after > stop.before else 0
            widest = max(widest, SIGNS + cell_len(clean_line(step_words(stop), width=most)) + tail)
            if widest >= most:
                return most
        return widest

    def row(self, index: int, width: int) -> Text:
        stop, look = self._found.stops[index], self._look
        text = Text(" ", end="", no_wrap=True)
        if stop.is_call:
            text.append(f"{stop.call_no:>2} ", look.muted)
            text.append(f"{stop.glyph or '·'} ", call_style(stop.glyph, look))
        elif stop.step.kind == "context":
            text.append(" 0 ", look.muted)
            text.append("◦ ", look.muted)
        else:
            text.append("   ")
            text.append(f"{ANSWER} ", look.accent)
        gained = stop.after - stop.before
        tail = f" +{gained}" if gained else ""
        room = max(4, width - text.cell_len - len(tail))
        words = clean_line(step_words(stop), width=max(room, LONGEST))
        if cell_len(words) > room:
            words = self._what_differs(index, words)
        text.append(clean_line(words, width=room))
        if tail:
            text.append(" " * max(0, width - text.cell_len - len(tail)))
            text.append(tail, look.gold)
        return text

    def _what_differs(self, index: int, words: str) -> str:
        """A query too long for its line, without the words with which the one above it begins, too."""
        above = self._found.stops[index - 1] if index else None
        if above is None or not above.is_call or not self._found.stops[index].is_call:
            return words
        mine, other = words.split(" "), step_words(above).split(" ")
        same = 0
        while same < min(len(mine) - 1, len(other)) and mine[same] == other[same]:
            same += 1
        return f"…{' '.join(mine[same:])}" if same else words


def step_words(stop: Stop) -> str:
    """A step in a few words: its query, or what it is."""
    step = stop.step
    if step.kind == "memory_call":
        return step.query if step.query else f"{step.name or 'call'} ({step.status})"
    if step.kind == "context":
        return f"context of {step.k_returned or 0} blocks"
    if step.kind == "answer":
        return "forced answer" if step.status == "forced" else "answer"
    if step.kind == "error":
        return f"{step.name or 'error'}: {step.status}"
    return step.name or step.kind


def call_lines(
    found: Trajectory,
    index: int,
    taken: TakenOver | None,
    session: RunSession,
    width: int,
    rows: int,
    look: Look,
) -> list[Text]:
    """What one call was: query, k, coverage before and after, place against t* and B, what of the query
    was there before, and where the evidence stands. `taken`: see `taken_over`."""
    stop = found.stops[index]
    step = stop.step
    if step.kind not in ("memory_call", "context"):
        return []
    query = Text(" ", end="", no_wrap=True)
    if step.kind == "context":
        query.append("given before any call", look.muted)
    else:
        query.append(f"call {stop.call_no} of {found.calls}  ", look.muted)
        said = step.query or "(no query)"
        query.append(clean_line(said, width=width - query.cell_len - 1), look.accent)
    parts = _call_parts(found, stop, taken, session, width, look)
    if rows < ROOMY:
        lines = [query, *flow([part for part, dear in parts if dear], width)[:2]]
    else:
        lines = [query, *flow([part for part, _ in parts], width)[:3]]
    return [*lines, *evidence_lines(found, index, width, rows, look)]


def _call_parts(
    found: Trajectory,
    stop: Stop,
    taken: TakenOver | None,
    session: RunSession,
    width: int,
    look: Look,
) -> list[tuple[Text, bool]]:
    """Facts of a call, and whether each is worth its cells where lines are few."""
    step = stop.step
    parts: list[Text] = []

    def say(label: str, value: str) -> None:
        parts.append(Text.assemble((f"{label} ", look.muted), value, end=""))

    ks = [UNKNOWN if k is None else str(k) for k in (step.k_asked, step.k_returned, step.k_shown)]
    if step.kind == "memory_call":
        say("asked, returned, shown", " ".join(ks))
    else:
        say("blocks, shown", " ".join(ks[1:]))
    total = found.detail.row.gold_total
    if step.gold_cum is None or total is None:
        say("evidence", "n/a")
    else:
        change = styled("evidence ", look.muted)
        change.append(
            f"{stop.before} → {stop.after} of {total}",
            look.gold if stop.after > stop.before else "",
        )
        parts.append(change)
    if step.status != "ok":
        parts.append(styled(clean_line(step.status, width=20), look.bad))
    t_star = found.detail.row.t_star
    if stop.is_call and t_star is not None and stop.call_no is not None and stop.call_no > t_star:
        parts.append(
            styled(f"complete since call {t_star}: {stop.call_no - t_star} after it", look.budget)
        )
    near, terms = _taken_parts(stop, taken, width, look)
    parts += near
    if step.wall_ms is not None:
        say("took", duration(step.wall_ms))
    rest = list[Text]()
    if stop.is_call and stop.call_no is not None and stop.call_no > session.settings.budget:
        rest.append(styled("beyond the budget", look.budget))
    return [*((part, True) for part in parts), *((part, False) for part in [*rest, *terms])]


def _taken_parts(
    stop: Stop, taken: TakenOver | None, width: int, look: Look
) -> tuple[list[Text], list[Text]]:
    """Which earlier query a query is near to and by how much; which terms it took over."""
    step = stop.step
    if step.similarity is None or not step.similarity_kind or stop.call_no in (None, 1):
        return [], []
    much = f"{step.similarity:.2f} {clean_line(step.similarity_kind, width=14)}"
    if taken is None or taken.call is None:
        near = Text.assemble(("near an earlier query ", look.muted), much, end="")
    else:
        near = Text.assemble(("near call ", look.muted), f"{taken.call}: {much}", end="")
    if taken is None or step.similarity >= 1:
        return [near], []
    terms = (("keeps", taken.kept), ("from results", taken.from_results), ("adds", taken.added))
    most = max(24, width - 16)
    return [near], [
        Text.assemble((f"{label} ", look.muted), clean_line(" ".join(words), width=most), end="")
        for label, words in terms
        if words
    ]


def missing_evidence(found: Trajectory, index: int, look: Look) -> Text:
    """Ranks of the evidence in this call, and what it did not return: `★ at rank 2   1 not returned`."""
    places = gold_places(found, index)
    ranks = sorted(place.rank for place in places if place.rank is not None)
    absent = [place for place in places if place.rank is None]
    text = Text(end="", no_wrap=True)
    if ranks:
        text.append(f"{GOLD} at rank {', '.join(map(str, ranks[:6]))}", look.gold)
    if absent:
        text.append("  " if ranks else "")
        text.append(f"{len(absent)} of {len(places)} not returned", look.muted)
    return text


def evidence_lines(found: Trajectory, index: int, width: int, rows: int, look: Look) -> list[Text]:
    """Each piece of evidence by name with its place at this call, the missing ones first, in at most two
    lines. Names are whole where there is room, else all cut so that they can be told apart."""
    every = sorted(gold_places(found, index), key=lambda place: place.rank is not None)
    if len(every) == 1 and every[0].rank is not None and every[0].shown and rows < ROOMY:
        return []  # the title of the hits says it
    places = every[:MOST_PLACES]
    if not places:
        return []
    more = [styled(f"{len(every) - len(places)} more", look.muted)] if every[MOST_PLACES:] else []
    dated = [f"{place.name} {place.day}" if place.day else place.name for place in places]
    plain = [place.name for place in places]
    longest = max(cell_len(clean_line(name)) for name in plain)
    tried = [dated, plain, *(cut_apart(plain, n) for n in range(longest - 1, SHORTEST_NAME, -2))]
    lines: list[Text] = []
    for most in (1, 2) if rows < ROOMY else (2,):
        for names in tried:
            lines = flow([*_places(places, names, look), *more], width)
            if len(lines) <= most:
                return lines
    return lines[:2]


def _places(places: list[GoldPlace], names: list[str], look: Look) -> list[Text]:
    """A part for each piece; what is said alike of several, one after the other, is said once, of the last."""
    parts = []
    for number, (place, name) in enumerate(zip(places, names, strict=True)):
        following = places[number + 1].words if number + 1 < len(places) else ""
        name = clean_line(name)
        parts.append(
            Text.assemble(
                (f"{GOLD} {name}", look.gold if place.rank else look.missing),
                ("," if place.words == following else f" {place.words}", look.muted),
                end="",
            )
        )
    return parts
