"""The facets of the episode list: how many of the listed episodes have each value, to filter by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

from rich.text import Text

from memtui.query.facets import FACETS, facets
from memtui.state.filter_terms import has_term
from memtui.state.fold_facts import count_signatures
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.views.look import Look
from memtui.views.numbers import count
from memtui.views.styled import styled
from memtui.views.text_door import clean_line

MOST_VALUES = 12
"""Values that are listed of one field; the rest is one line."""

FIRST_VALUE = 1
"""Row to stand on first: a heading, above it, is nothing to filter by."""

Counts = Mapping[str, Counter[str]]


def count_facets(session: RunSession, settings: Settings, ids: Sequence[int]) -> Counts:
    """The counts over the episodes of a list; call inside `ask`."""
    facts = session.facts(settings.judge)
    chosen = None if len(ids) == len(facts) else frozenset(ids)
    cells = {cell.id: cell for cell in session.header.cells}
    context_arms = session.context_arms
    context = [cell.id for cell in cells.values() if cell.arm in context_arms]
    counted, by_cell = count_signatures(facts, context, chosen)
    return facets(counted, by_cell, cells, session.reader.qtypes(), session.environment(settings))


class FacetSource:
    """Fields and their values as rows: a heading per field, then its values, the most frequent first."""

    RULES: ClassVar[Mapping[str, str]] = {
        "out": "outcome", "cov": "coverage", "end": "end reason", "type": "question type",
    }  # fmt: skip

    def __init__(
        self, counts: Counts, text: str, look: Look, before: FacetSource | None = None
    ) -> None:
        """`text`: the filter line, to mark the values that are in it. `before`: the facets until now, whose
        values keep their ids, so that a cursor stays on its value however many go or come."""
        self._look = look
        self._id_of: dict[tuple[str, str | None], int] = {} if before is None else before._id_of
        self._rows: list[tuple[str, str | None, int]] = []
        self._text = text
        for name in FACETS:
            values = counts.get(name, Counter()).items()
            found = sorted(((v, n) for v, n in values if n), key=lambda one: (-one[1], one[0]))
            if not found:
                continue
            self._rows.append((name, None, len(found)))
            self._rows += [(name, value, number) for value, number in found[:MOST_VALUES]]
        self._ids = [
            self._id_of.setdefault((name, value), len(self._id_of)) for name, value, _ in self._rows
        ]

    def ids(self) -> list[int]:
        return self._ids

    def at(self, row_id: int) -> tuple[str, str] | None:
        """(field, value) of a row by its id; None for a heading."""
        if row_id not in self._ids:
            return None
        name, value, _ = self._rows[self._ids.index(row_id)]
        return None if value is None else (name, value)

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        name, value, number = self._rows[index]
        look = self._look
        if value is None:
            more = f"  {number} values" if number > MOST_VALUES else ""
            return styled(f" {self.RULES.get(name, name)}{more}", look.strong)
        chosen = has_term(self._text, name, value)
        tail = count(number)
        text = styled(" ▸ " if chosen else "   ", look.accent)
        room = max(4, width - text.cell_len - len(tail) - 2)
        text.append(clean_line(value, width=room), look.accent if chosen else "")
        text.append(" " * max(1, width - text.cell_len - len(tail) - 1))
        text.append(tail, look.muted)
        return text
