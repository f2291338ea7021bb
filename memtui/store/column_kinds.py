"""Do the values of a run file have the kind their columns declare? SQLite itself does not insist on it."""

from __future__ import annotations

import sqlite3

_HELD = {
    "INTEGER": ("integer", "null"),
    # A whole number in a REAL column is still a number.
    "REAL": ("real", "integer", "null"),
    "TEXT": ("text", "null"),
    "BLOB": ("blob", "text", "null"),
}
_OBJECTS = {
    "run": ("dataset", "versions", "seeds"),
    "arm": ("config",),
    "item": ("meta",),
    "episode": ("views", "usage"),
    "step": ("usage",),
    "verdict": ("usage",),
    "ledger": ("paid", "cold"),
    "heartbeat": ("snapshot",),
}
"""Columns that hold a JSON object, where they hold anything."""
_LISTS = {"episode": ("coverage",), "item": ("flags",)}
_TABLES = (*_OBJECTS, "cell", "evidence", "haystack", "session")


def misfits(connection: sqlite3.Connection) -> list[str]:
    """One line per column with values of another kind than it declares: what, where, how many."""
    lines = []
    for table in _TABLES:
        for _, column, declared, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            held = _HELD.get(declared.upper())
            if held is None:
                continue
            kinds = ", ".join(f"'{kind}'" for kind in held)
            lines += _counted(
                connection, table, column, f"typeof({column}) NOT IN ({kinds})", f"no {declared}"
            )
    for kind, tables in (("object", _OBJECTS), ("array", _LISTS)):
        for table, columns in tables.items():
            for column in columns:
                wrong = (
                    f"{column} IS NOT NULL AND {column}<>'' AND"
                    f" (NOT json_valid({column}) OR json_type({column})<>'{kind}')"
                )
                lines += _counted(connection, table, column, wrong, f"no JSON {kind}")
    return lines


def _counted(
    connection: sqlite3.Connection, table: str, column: str, wrong: str, what: str
) -> list[str]:
    n = connection.execute(f"SELECT count(*) FROM {table} WHERE {wrong}").fetchone()[0]
    return [f"{n} rows of {table} hold {what} in {column}"] if n else []
