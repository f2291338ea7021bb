"""What can be filtered by, told to a reader: from the table of fields, for screen, command line and manual."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from memtui.query.fields import FIELDS, Field, Kind
from memtui.query.flags import KNOWN_FLAGS

HOW = (
    'words are joined by and: out:exhausted scale>=200 -arm:dense "free text"',
    "a comma means or (out:pass,wrong), a leading - negates, quotes make anything literal",
    "numbers: name:2 name>=2 name!=2 name:1..3 name:10k name:none (unknown); text: contains",
    "other words are looked for in question, gold, key, answer and error",
)
"""How fields are written, in a few lines."""
EXAMPLE = 'out:exhausted scale>=200 overshoot>0 "free text" -arm:bm25'
"""What an empty line shows."""


def meanings(begin: str = "") -> list[tuple[str, str]]:
    """(name, meaning) of the fields whose name begins so, in the order of the table."""
    return [(field.name, field.help) for field in FIELDS if field.name.startswith(begin)]


def manual_lines() -> Iterator[str]:
    """The manual as plain text: how words are written, then one line per field, with its values below."""
    yield from HOW
    yield ""
    for field in FIELDS:
        yield f"{field.name:<11} {field.help}"
        said = " ".join(_values(field))
        if said:
            yield from wrap(said, 100, initial_indent=" " * 12, subsequent_indent=" " * 12)


def _values(field: Field) -> tuple[str, ...]:
    """The values of a closed list that its meaning does not name all."""
    known = field.choices or (KNOWN_FLAGS if field.kind is Kind.FLAG else ())
    return () if all(one in field.help for one in known) else known
