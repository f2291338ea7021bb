"""How values are compared, in Python and in SQL, once for each kind of field."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.errors import did_you_mean
from memtui.metrics.scales import OWN
from memtui.query.errors import QueryError
from memtui.query.fields import EPISODE_TEXTS, ITEM_TEXTS, Field, Kind, texts
from memtui.query.flags import flag_sql, has_sql
from memtui.query.grammar import Term
from memtui.query.regime_sql import Sql
from memtui.query.subject import Environment, Subject
from memtui.store.passing_ids import any_of

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?([kKmM]?)")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ":": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_UNKNOWN = ("none", "unknown", "n/a", "na")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Test:
    """One comparison: `holds` and `sql` decide the same thing."""

    holds: Callable[[Subject, Environment], bool]
    sql: Callable[[Environment], Sql]
    alternatives: Callable[[Environment], Sequence[Sql]] | None = None
    """Of a test that holds where one of several does: those."""

    def options(self, environment: Environment) -> Sequence[Sql]:
        """One of these holds where the test does."""
        if self.alternatives is None:
            return (self.sql(environment),)
        return self.alternatives(environment)


def free_text(value: str) -> Test:
    """Episodes in whose question, gold, key, answer or error the text occurs, literally."""
    needle = ascii_lower(bindable(value))

    def holds(subject: Subject, _: Environment) -> bool:
        return any(text is not None and needle in ascii_lower(text) for text in texts(subject))

    # A number is written in one way only; of the few errors that there are no other text is made.
    lower = "lower({})" if any(character.isalpha() for character in needle) else "{}"
    # A question is looked at once, not once for each of its episodes.
    item, own = (
        " OR ".join(
            f"(ifnull({column},'')<>'' AND instr({lower.format(column)},?)>0)" for column in columns
        )
        for columns in (ITEM_TEXTS, EPISODE_TEXTS)
    )
    sql = f"(e.item_id IN (SELECT i.id FROM item i WHERE {item}) OR {own})"
    return Test(holds, lambda _: (sql, (needle,) * len(ITEM_TEXTS + EPISODE_TEXTS)))


def comparison(field: Field, term: Term, value: str) -> Test:
    """The test of one field against one value; QueryError where the value cannot be meant."""
    if not value:
        raise QueryError(f"{term.field}{term.operator} needs a value", term.start, term.end)
    if field.kind is Kind.NUMBER:
        return _number(field, term, value)
    if term.operator not in (":", "!="):
        raise QueryError(
            f"{field.name} is no number: write {field.name}:{value}", term.start, term.end
        )
    made = {Kind.CHOICE: _choice, Kind.TEXT: _text, Kind.FLAG: _flag}[field.kind](
        field, term, value
    )
    return negation(made) if term.operator == "!=" else made


def negation(test: Test) -> Test:
    """Everything the test does not hold for."""

    def sql(environment: Environment) -> Sql:
        text, params = test.sql(environment)
        return f"CASE WHEN ({text}) THEN 0 ELSE 1 END", params

    return Test(lambda s, v: not test.holds(s, v), sql)


def either(tests: list[Test]) -> Test:
    """At least one of the tests holds."""
    if len(tests) == 1:
        return tests[0]

    def alternatives(environment: Environment) -> Sequence[Sql]:
        return [one for test in tests for one in test.options(environment)]

    return Test(
        lambda s, v: any(test.holds(s, v) for test in tests),
        lambda v: any_of(alternatives(v)),
        alternatives,
    )


def _number(field: Field, term: Term, value: str) -> Test:
    word = value.lower()
    if field.name == "scale" and word == "own":
        own = Test(lambda s, _: s.row.scale == OWN, lambda _: (f"c.scale={OWN}", ()))
        return _only_equal(own, field, term)
    if word in _UNKNOWN:
        unknown = Test(
            lambda s, v: field.value(s, v) is None,
            lambda v: (f"({field.sql(v)[0]}) IS NULL", field.sql(v)[1]),
        )
        return _only_equal(unknown, field, term)
    low, dots, high = value.partition("..")
    if dots and term.operator in (":", "!="):
        bounds = [(">=", low)] * bool(low) + [("<=", high)] * bool(high)
        tests = [_compared(field, sign, number(bound, term)) for sign, bound in bounds]
        if not tests:
            raise QueryError(f"{field.name}:.. needs an end", term.start, term.end)
        return _only_equal(both(tests), field, term)
    return _compared(field, term.operator, number(value, term))


def both(tests: list[Test]) -> Test:
    """All of the tests hold."""

    def sql(environment: Environment) -> Sql:
        parts = [test.sql(environment) for test in tests]
        text = " AND ".join(f"ifnull(({part}),0)" for part, _ in parts)
        return f"({text})", tuple(value for _, params in parts for value in params)

    return Test(lambda s, v: all(test.holds(s, v) for test in tests), sql)


def _only_equal(test: Test, field: Field, term: Term) -> Test:
    if term.operator == ":":
        return test
    if term.operator == "!=":
        return negation(test)
    raise QueryError(f"write {field.name}:{term.values[0]}", term.start, term.end)


def _compared(field: Field, sign: str, bound: float) -> Test:
    compare = _COMPARE[sign]
    symbol = "=" if sign == ":" else sign

    def holds(subject: Subject, environment: Environment) -> bool:
        found = field.value(subject, environment)
        return isinstance(found, (int, float)) and compare(found, bound)

    def sql(environment: Environment) -> Sql:
        text, params = field.sql(environment)
        return f"({text}){symbol}?", (*params, bound)

    return Test(holds, sql)


def number(value: str, term: Term) -> float:
    """A number with an optional k or M; QueryError for anything else."""
    match = _NUMBER.fullmatch(value)
    if match is None:
        raise QueryError(
            f"{term.field}{term.operator} needs a number, not {value!r}", term.start, term.end
        )
    unit = {"": 1.0, "k": 1e3, "m": 1e6}[match.group(1).lower()]
    return float(value[: len(value) - len(match.group(1))]) * unit


def _choice(field: Field, term: Term, value: str) -> Test:
    word = value.lower().replace("-", "_")
    word = field.synonyms.get(word, word)
    wanted = [c for c in field.choices if c == word or c.startswith(word + "_")]
    if not wanted:
        hint = did_you_mean(word, [*field.choices, *field.synonyms])
        raise QueryError(f"{field.name}: {value!r} is not known; {hint}", term.start, term.end)
    holders = frozenset(wanted)
    marks = ",".join("?" * len(wanted))

    def sql(environment: Environment) -> Sql:
        text, params = field.sql(environment)
        return f"({text}) IN ({marks})", (*params, *wanted)

    return Test(lambda s, v: field.value(s, v) in holders, sql)


def _text(field: Field, term: Term, value: str) -> Test:
    needle = ascii_lower(bindable(value))

    def holds(subject: Subject, environment: Environment) -> bool:
        found = field.value(subject, environment)
        return isinstance(found, str) and needle in ascii_lower(found)

    def sql(environment: Environment) -> Sql:
        text, params = field.sql(environment)
        return f"instr(lower({text}),?)>0", (*params, needle)

    return Test(holds, sql)


def _flag(field: Field, term: Term, value: str) -> Test:
    name = bindable(value)
    if field.choices and name not in field.choices:
        hint = did_you_mean(name, field.choices)
        raise QueryError(f"{field.name}: {value!r} is not known; {hint}", term.start, term.end)

    def holds(subject: Subject, environment: Environment) -> bool:
        found = field.value(subject, environment)
        return isinstance(found, frozenset) and name in found

    if field.name == "has":
        return Test(holds, lambda environment: has_sql(name, environment))

    def alternatives(environment: Environment) -> Sequence[Sql]:
        return flag_sql(name, environment)

    return Test(holds, lambda environment: any_of(alternatives(environment)), alternatives)


def ascii_lower(text: str) -> str:
    """Lower case as SQLite does it: ASCII letters only."""
    return text.translate(_LOWER)


def bindable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot take (none can be stored either)."""
    return text.encode("utf-8", "replace").decode("utf-8")
