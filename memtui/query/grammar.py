"""Words of a filter: `out:exhausted scale>=200 "free text" -arm:dense` (docs/metrics.md, "Filters").

Terms are joined by "and"; commas inside a value mean "or"; a leading `-` negates. Text is literal: only
`name:value` with an identifier before the sign is a test, everything else is searched for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OPERATORS = (">=", "<=", "!=", ":", "=", ">", "<")
_TEST = re.compile(r"([A-Za-z][A-Za-z_]*)(>=|<=|!=|:|=|>|<)(?!//)")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a filter.

    `field` is None for free text, whose only value is the text. `operator` is one of `OPERATORS`, `:`
    and `=` alike given as `:`.
    """

    field: str | None
    operator: str
    values: tuple[str, ...]
    negated: bool
    start: int
    end: int


def read_terms(text: str) -> list[Term]:
    """Split a filter into terms; never raises. A quote without an end runs to the end of the text."""
    terms = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        start = place
        negated = False
        if text[place] == "-" and place + 1 < len(text) and not text[place + 1].isspace():
            negated = True
            place += 1
        match = _TEST.match(text, place)
        if match is None:
            value, place = _value(text, place, stop_at_comma=False)
            if value:
                terms.append(Term(None, ":", (value,), negated, start, place))
            continue
        name, operator = match.group(1).lower(), match.group(2)
        place = match.end()
        values = []
        while True:
            value, place = _value(text, place, stop_at_comma=True)
            values.append(value)
            if place >= len(text) or text[place] != ",":
                break
            place += 1
        operator = ":" if operator == "=" else operator
        terms.append(Term(name, operator, tuple(values), negated, start, place))
    return terms


def _value(text: str, place: int, *, stop_at_comma: bool) -> tuple[str, int]:
    """One value from `place`: quoted parts are taken as they stand, without the quotes."""
    out: list[str] = []
    while place < len(text):
        character = text[place]
        if character.isspace() or (stop_at_comma and character == ","):
            break
        if character == '"':
            end = text.find('"', place + 1)
            if end < 0:
                out.append(text[place + 1 :])
                return "".join(out) or text[place:], len(text)
            out.append(text[place + 1 : end])
            place = end + 1
            continue
        out.append(character)
        place += 1
    return "".join(out), place


def quoted(text: str) -> str:
    """`text` as one literal value of a filter, quoted where it has to be; quotes inside are lost."""
    plain = text.replace('"', "")
    if text and not plain:
        return '"'
    if plain and not re.search(r"[\s,]", plain) and not _TEST.match(plain) and plain[0] != "-":
        return plain
    return f'"{plain}"'
