"""The hits of one call as rows: rank and marks, date, score, turns, and the most telling text of each."""

from __future__ import annotations

import re
from collections.abc import Hashable

from rich.style import Style
from rich.text import Text

from memtui.screens.session_texts import BATCH, SessionTexts
from memtui.state.trajectory import HitView, Stop, Trajectory, query_words
from memtui.store.records import SessionRow
from memtui.views.look import Look
from memtui.views.marks import hit_marks
from memtui.views.numbers import UNKNOWN
from memtui.views.session_text import word_pattern
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

PREVIEW = 300
"""Characters of a turn that a hit's line holds."""
LOOKED_AT = 4_000
"""Characters of a turn that are searched for a query word."""
READ_AROUND = 20
"""Hits before and after the drawn one whose texts are read with its own."""
MOST_SEARCHED = 1_000
"""Hits of a call whose texts are searched."""
LEAD = 12
"""Characters kept before the query word."""


def find_pattern(find: str) -> re.Pattern[str] | None:
    """What the reader searches for, whatever its case; None for nothing."""
    return re.compile(re.escape(find), re.IGNORECASE) if find else None


def block_text(view: HitView, session: SessionRow | None) -> str:
    """The text of a hit: its own, else the turns it holds; empty where the file has none."""
    if view.hit.text or session is None:
        return view.hit.text or ""
    return "\n".join(session.turns[number].text for number in turns_of(view, session))


def turns_of(view: HitView, session: SessionRow) -> range:
    """The turns of a session that a hit holds: all of them where it names none."""
    first, last = view.hit.first, view.hit.last
    end = len(session.turns) - 1
    if first is not None:
        end = min(first if last is None else last, end)
    return range(max(0, first or 0), end + 1)


class HitSearch:
    """Which hits of a call hold what the reader searches for; the last answer is kept."""

    def __init__(self) -> None:
        self._asked: tuple[int, str] | None = None
        self._ranks: list[int] = []

    def ranks(self, stop: Stop, texts: SessionTexts, find: str) -> list[int]:
        """Ranks of the hits in whose text the words stand; of more than `MOST_SEARCHED`, the first of them."""
        pattern, asked = find_pattern(find), (stop.step.id, find)
        if pattern is None:
            return []
        if self._asked != asked:
            self._asked, self._ranks = asked, []
            tokens = [view.sessions[0] for view in stop.hits]
            for at, view in enumerate(stop.hits[:MOST_SEARCHED]):
                session = texts.get(tokens[at], tokens[at : at + BATCH])
                if pattern.search(block_text(view, session)):
                    self._ranks.append(view.rank)
        return self._ranks


class HitSource:
    """The hits of one stop as rows; the id of a row is its rank."""

    def __init__(
        self, stop: Stop, found: Trajectory, texts: SessionTexts, look: Look, find: str = ""
    ) -> None:
        self._stop = stop
        self._found = found
        self._texts = texts
        self._look = look
        self._words = word_pattern(query_words(stop.step.query or found.detail.item.question))
        self._find = find_pattern(find)
        self._ids = [hit.rank for hit in stop.hits]

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return index

    def row(self, index: int, width: int) -> Text:
        view, look = self._stop.hits[index], self._look
        hit = view.hit
        text = styled(f"{view.rank:>3} ", look.muted)
        text.append_text(hit_marks(gold=view.gold, new=view.new, shown=hit.shown, look=look))
        near = self._stop.hits[max(0, index - READ_AROUND) : index + READ_AROUND]
        session = self._texts.get(view.sessions[0], [hit.sessions[0] for hit in near])
        date = (self._found.date_of(view.sessions[0], session) or UNKNOWN)[:10]
        text.append(f" {date:<10}", look.muted)
        if width >= 44 and hit.score is not None:
            text.append(f" {hit.score:>6.2f}", look.muted)
        if hit.first is not None and width >= 60:
            last = hit.first if hit.last is None else hit.last
            where = f"t{hit.first + 1}" if last == hit.first else f"t{hit.first + 1}-{last + 1}"
            text.append(f" {where:<6}", look.muted)
        text.append("  ")
        start = len(text)
        said = None if self._find is None else block_text(view, session)
        if said and self._find is not None and self._find.search(said):
            told = around(said, self._find, within=len(said))
        else:
            told = preview_of(view, session, self._found, self._words)
        preview = clean_line(told, width=max(4, width - text.cell_len))
        text.append(preview, "" if hit.shown else look.muted)
        if self._words is not None:
            for match in self._words.finditer(preview):
                text.stylize(look.query_word, start + match.start(), start + match.end())
        if view.gold:
            text.stylize(look.gold, start)
        if self._find is not None:
            # Reversed, so that it is seen on the ground of the cursor, too.
            found = look.accent + look.strong + Style(reverse=True)
            for match in self._find.finditer(preview):
                text.stylize(found, start + match.start(), start + match.end())
        return text


def preview_of(
    view: HitView,
    session: SessionRow | None,
    found: Trajectory,
    words: re.Pattern[str] | None,
) -> str:
    """The most telling text of a hit: its own, else the evidence turn, else a turn with a query word."""
    if view.hit.text:
        return view.hit.text[:PREVIEW]
    if session is None:
        return f"{view.hit.ref} (text not in the file)"
    turns, inside = session.turns, turns_of(view, session)
    gold, _ = found.gold_turns(session.token)
    for number in inside:
        if number in gold:
            return around(turns[number].text, words)
    if words is not None:
        for number in inside:
            if words.search(turns[number].text[:LOOKED_AT]):
                return around(turns[number].text, words)
    for number in inside:
        if turns[number].text:
            return turns[number].text[:PREVIEW]
    return ""


def around(said: str, words: re.Pattern[str] | None, within: int = LOOKED_AT) -> str:
    """The text from a little before its first query word, which is looked for in so many characters."""
    match = None if words is None else words.search(said[:within])
    at = 0 if match is None or match.start() < 2 * LEAD else match.start() - LEAD
    if at:
        at = said.find(" ", at, at + LEAD) + 1 or at
    return ("…" if at else "") + said[at : at + PREVIEW]
