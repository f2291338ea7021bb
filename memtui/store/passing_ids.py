"""Which episodes satisfy some conditions, each asked where it is answered soonest.

A condition is SQL, and is asked of SQLite wherever it goes; but what it names says what it depends on. On
what episodes did and how they were judged: it is asked once per course, of which there are a few thousand.
On the item or on the cell: once per item or cell. Only what remains goes over the episodes of the file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial, reduce
from itertools import compress
from operator import and_, or_

from memtui.store.columns import columns
from memtui.store.packed_facts import Course, PackedFacts
from memtui.store.reader import RunReader

Condition = tuple[str, tuple[object, ...]]
"""SQL over the aliases of `RunReader.episode_ids`, and the values of its parameters."""

MANY_COURSES = 20_000
"""With more courses than this the file is asked instead."""
_FILE, _COURSE, _ITEM, _CELL = "file", "course", "item", "cell"
_NAME = re.compile(r"\b([a-z])\.(\w+)")
_OF_COURSE = {("e", name) for name in Course._fields[:-1]} | {("v", "label"), ("i", "answerable")}
_KINDS = {column.name: column.kind for column in columns("episode")}


def all_of(conditions: Iterable[Condition]) -> Condition:
    """All of the conditions hold, where SQL asks WHERE or WHEN: what is NULL does not. Empty for none.

    Within a function SQLite would work out each of them, also behind one that decides.
    """
    parts = list(conditions)
    text = " AND ".join(f"({part})" for part, _ in parts)
    return text, tuple(value for _, params in parts for value in params)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """At least one of the conditions holds, asked as in `all_of`."""
    parts = list(conditions)
    text = " OR ".join(f"({part})" for part, _ in parts)
    return f"({text})", tuple(value for _, params in parts for value in params)


def passing_ids(
    reader: RunReader,
    facts: PackedFacts | None,
    conditions: Iterable[Sequence[Condition]],
    judge: str,
) -> set[int]:
    """Ids of counted or running episodes for which one alternative of each condition holds; v is the latest
    verdict of `judge`.

    `facts` are those under the judge as the file has them now; None where they were not read.
    """
    of_file: list[Condition] = []
    of_one: dict[str, list[Condition]] = {}
    of_several: list[dict[str, list[Condition]]] = []
    for alternatives in conditions:
        kinds: dict[str, list[Condition]] = {}
        for one in alternatives:
            kinds.setdefault(_decided_by(one, reader, facts), []).append(one)
        if _FILE in kinds:
            of_file.append(any_of(alternatives))
        elif len(kinds) > 1:
            of_several.append(kinds)
        else:
            of_one.setdefault(next(iter(kinds)), []).append(any_of(alternatives))
    asked = None
    if of_file or facts is None or not (of_one or of_several):
        asked = set(reader.episode_ids(*all_of(of_file), judge=judge))
    if facts is None or not (of_one or of_several):
        return asked or set()
    masks = [_mask(reader, facts, kind, all_of(ones)) for kind, ones in of_one.items()]
    for kinds in of_several:
        each = [_mask(reader, facts, kind, any_of(ones)) for kind, ones in kinds.items()]
        masks.append(reduce(partial(map, or_), each))
    found = set(compress(facts.ids, reduce(partial(map, and_), masks)))
    return found if asked is None else found & asked


def _decided_by(condition: Condition, reader: RunReader, facts: PackedFacts | None) -> str:
    """What a condition depends on, by what it names."""
    named = set(_NAME.findall(condition[0]))
    aliases = {alias for alias, _ in named}
    if facts is None or not named:
        return _FILE
    if aliases <= {"i", "x"}:
        return _ITEM
    if aliases <= {"c", "a"}:
        return _CELL
    # Facts know no longer how an episode ended whose question is left out.
    known = not reader.left_out and len(facts.table) <= MANY_COURSES
    return _COURSE if known and named <= _OF_COURSE else _FILE


def _mask(reader: RunReader, facts: PackedFacts, kind: str, condition: Condition) -> Iterable[bool]:
    """For each episode of the facts whether the condition holds."""
    if kind == _COURSE:
        return _by_course(facts, condition)
    where, params = condition
    table, column = {
        _ITEM: ("SELECT i.id FROM item i", facts.item_ids),
        _CELL: ("SELECT c.id FROM cell c LEFT JOIN arm a ON a.id=c.arm_id", facts.cell_ids),
    }[kind]
    ones = {row[0] for row in reader.query(f"{table} WHERE {where}", params)}
    return map(ones.__contains__, column)


def _by_course(facts: PackedFacts, condition: Condition) -> Iterable[bool]:
    """For each episode whether the condition holds for its course, with an item that is or is not answerable."""
    where, params = condition
    named = {name for _, name in _NAME.findall(where)}
    places = [place for place, name in enumerate(Course._fields) if name in named]
    kinds = "".join(
        f",{name} {_KINDS.get(name, 'TEXT')}" for name in Course._fields if name in named
    )
    marks = ",?" * len(places)
    good = [[False] * len(facts.table) for _ in range(2)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE course(id INTEGER PRIMARY KEY{kinds})")
        connection.executemany(
            f"INSERT INTO course VALUES (?{marks})",
            [
                (number, *[course[place] for place in places])
                for number, course in enumerate(facts.table)
            ],
        )
        for number, answerable in connection.execute(
            "SELECT e.id,i.answerable FROM course e JOIN course v ON v.id=e.id"
            f" JOIN (SELECT 0 AS answerable UNION ALL SELECT 1) i WHERE {where}",
            params,
        ):
            good[answerable][number] = True
    not_so, so = good
    if so == not_so:
        return map(so.__getitem__, facts.courses)
    about = facts.about
    may = {item: about[item][2] for item in set(facts.item_ids)}
    return [
        so[course] if may[item] else not_so[course]
        for course, item in zip(facts.courses, facts.item_ids, strict=True)
    ]
