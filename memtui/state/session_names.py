"""What a session is called wherever it is named: the id it has in the data set, its date in the history read.

The token of the run file, which agents and memory systems saw, stands in only where there is no such id.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import orjson

from memtui.store.reader import RunReader
from memtui.store.records import HaystackDetail


@dataclass(frozen=True, slots=True)
class SessionName:
    """Id of a session in the data set (outside text; its token where it has none) and its ISO date."""

    source: str
    date: str | None

    @property
    def day(self) -> str | None:
        """The date without the time of day."""
        return None if self.date is None else self.date[:10]


def session_names(
    reader: RunReader, tokens: Collection[str], history: HaystackDetail | None
) -> dict[str, SessionName]:
    """Names by token; dates are those of the history, which may differ from the data set's."""
    rows = reader.query(
        "SELECT token,source,date FROM session WHERE token IN (SELECT value FROM json_each(?))",
        (orjson.dumps(list(tokens)).decode(),),
    )
    dates = dates_in(history)
    known = {token: (source, date) for token, source, date in rows}
    names = {}
    for token in tokens:
        source, date = known.get(token, ("", None))
        names[token] = SessionName(source or token, dates.get(token) or date)
    return names


def dates_in(history: HaystackDetail | None) -> dict[str, str]:
    """Date of each session as the history of an episode had it, where it had one."""
    if history is None:
        return {}
    return {token: date for token, date, _ in history.positions if date}


def unit_name(unit: str, names: Mapping[str, SessionName]) -> str:
    """A unit of evidence: its session and, where one is annotated, the turn: ``conv-44/session_6 t4``."""
    token, _, turn = unit.partition(":")
    name = names[token].source if token in names else token
    return f"{name} t{int(turn) + 1}" if turn.isdecimal() else name


def unit_day(unit: str, names: Mapping[str, SessionName]) -> str | None:
    """The date of a unit's session."""
    name = names.get(unit.partition(":")[0])
    return None if name is None else name.day
