"""A filter read from text: predicate and SQL of the same meaning (docs/metrics.md, "Filters")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.errors import did_you_mean
from memtui.query.comparisons import Test, comparison, either, free_text, negation
from memtui.query.errors import QueryError
from memtui.query.fields import BY_NAME, FIELDS, OF_COURSE
from memtui.query.flags import FLAGS_OF_COURSE
from memtui.query.grammar import Term, read_terms
from memtui.query.regime_sql import Sql
from memtui.query.subject import Environment, Subject
from memtui.store.passing_ids import all_of

MOST_WORDS = 200
"""Words of a filter: each is a test, and SQLite refuses a thousand in a row."""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed filter; the empty one holds for every episode."""

    text: str
    tests: tuple[Test, ...]

    def matches(self, subject: Subject, environment: Environment) -> bool:
        """Whether the filter holds for an episode."""
        return all(test.holds(subject, environment) for test in self.tests)

    def where(self, environment: Environment) -> Sql:
        """Condition and parameters for `RunReader.episode_ids`; an empty condition for no filter."""
        return all_of(test.sql(environment) for test in self.tests)

    def conditions(self, environment: Environment) -> list[Sequence[Sql]]:
        """The same for `passing_ids`: one alternative of each is to hold."""
        return [test.options(environment) for test in self.tests]


def parse(text: str) -> Query:
    """Read a filter. QueryError (one line, with the place) for a field or value that is not known, and
    for a text with more words than SQLite takes tests."""
    terms, words = read_terms(text), 0
    for term in terms:
        words += len(term.values)
        if words > MOST_WORDS:
            said = f'a filter has at most {MOST_WORDS} words; one text goes in "quotes"'
            raise QueryError(said, term.start, len(text))
    return Query(text, tuple(_test(term) for term in terms))


def conditional_on(text: str) -> tuple[str, ...]:
    """Words of a filter that choose episodes by what they did or how they were judged (`out`,
    `flag:abstained`), each once: rates of what they leave are conditional on that, and say nothing of how
    reliable anything is. Never raises: what cannot be read chooses nothing."""
    found: dict[str, None] = {}
    for term in read_terms(text):
        field = None if term.field is None else BY_NAME.get(term.field)
        if field is None:
            continue
        if field.name in OF_COURSE:
            found[field.name] = None
        elif field.name == "flag":
            found |= {f"flag:{one}": None for one in term.values if one in FLAGS_OF_COURSE}
    return tuple(found)


def _test(term: Term) -> Test:
    if term.field is None:
        made = free_text(term.values[0])
    else:
        field = BY_NAME.get(term.field)
        if field is None:
            raise QueryError(_unknown(term.field), term.start, term.end)
        tests = [comparison(field, term, value) for value in term.values]
        # `scale!=100,200` means neither: De Morgan over the equal tests.
        if term.operator == "!=" and len(tests) > 1:
            made = negation(either([negation(test) for test in tests]))
        else:
            made = either(tests)
    return negation(made) if term.negated else made


def _unknown(name: str) -> str:
    hint = did_you_mean(name, field_names())
    return f'no field is called {name}; {hint} (put text with a colon in "quotes")'


def field_names() -> Sequence[str]:
    """All fields in the order of the table."""
    return [field.name for field in FIELDS]
