"""Orders of a list of episodes by fields of the filter language: `-over,cost`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memtui.errors import did_you_mean
from memtui.query.errors import QueryError
from memtui.query.fields import BY_NAME, Field, Kind
from memtui.query.regime_sql import Sql
from memtui.query.subject import Environment, Subject


@dataclass(frozen=True, slots=True)
class Order:
    """Fields to sort by, each ascending or not; unknown values come last either way, ties by id."""

    keys: tuple[tuple[Field, bool], ...]

    def sql(self, environment: Environment) -> Sql:
        """ORDER BY text and its parameters, which follow those of the condition."""
        parts = []
        params: list[object] = []
        for field, descending in self.keys:
            text, values = field.sql(environment)
            parts.append(f"({text}) IS NULL,({text}){' DESC' if descending else ''}")
            params += [*values, *values]
        return ",".join([*parts, "e.id"]), tuple(params)

    def sort(self, subjects: list[Subject], environment: Environment) -> list[Subject]:
        """The same order in Python."""
        ordered = sorted(subjects, key=lambda subject: subject.row.id)
        for field, descending in reversed(self.keys):
            known = [s for s in ordered if field.value(s, environment) is not None]
            unknown = [s for s in ordered if field.value(s, environment) is None]
            # `reverse` keeps equal elements in their order, as SQLite's DESC does with e.id last.
            ordered = sorted(known, key=_key(field, environment), reverse=descending) + unknown
        return ordered


def _key(field: Field, environment: Environment) -> Callable[[Subject], Any]:
    def key(subject: Subject) -> Any:
        value = field.value(subject, environment)
        return value.encode() if isinstance(value, str) else value

    return key


def parse_order(text: str) -> Order:
    """Read `field`, `-field` and lists of them; QueryError for a field that cannot be sorted by."""
    keys = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        descending = word.startswith("-")
        name = word.lstrip("+-").lower()
        field = BY_NAME.get(name)
        if field is None or field.kind is Kind.FLAG:
            sortable = [key for key, one in BY_NAME.items() if one.kind is not Kind.FLAG]
            raise QueryError(f"cannot sort by {name!r}; {did_you_mean(name, sortable)}")
        keys.append((field, descending))
    return Order(tuple(keys))
