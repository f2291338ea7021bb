"""What can still be read of a damaged file, and how much cannot."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

_MOST = 20
_TABLES = (
    *("run", "arm", "cell", "item", "session", "haystack", "episode", "step", "message", "verdict"),
    *("ledger", "event"),
)


def page_report(connection: sqlite3.Connection, most: int = _MOST) -> list[str]:
    """What SQLite's own `quick_check` finds, at most `most` lines; empty when it is content."""
    try:
        rows = connection.execute(f"PRAGMA quick_check({most})").fetchall()
    except sqlite3.DatabaseError as error:
        return [f"quick_check could not finish: {error}"]
    # One row may hold several lines.
    lines = [line for row in rows for line in str(row[0]).splitlines()]
    lines = [line for line in lines if line != "ok" and not line.startswith("*** in database")]
    return lines[:most]


def lost_rows(connection: sqlite3.Connection) -> list[str]:
    """One line per table: how many rows are readable, and between which ids rows are lost."""
    lines = []
    for table in _TABLES:
        try:
            for _ in connection.execute(f"SELECT * FROM {table} NOT INDEXED"):
                pass  # whole rows: a long text lies on pages of its own
            continue
        except sqlite3.DatabaseError as error:
            if "no such" in str(error):
                lines.append(f"{table}: the table is gone")
                continue
        forward = list(_readable(connection, table, "ASC"))
        backward = list(_readable(connection, table, "DESC"))
        readable = len(set(forward) | set(backward))
        low = forward[-1] if forward else 0
        high = backward[-1] if backward else None
        span = f"after id {low}" if high is None else f"between ids {low} and {high}"
        lines.append(f"{table}: {readable} rows can be read, rows {span} are lost")
    return lines


def _readable(connection: sqlite3.Connection, table: str, order: str) -> Iterator[int]:
    """Ids from one end up to the first page that cannot be read."""
    key = "step_id" if table == "message" else "id"
    try:
        for row in connection.execute(
            f"SELECT {key} FROM {table} NOT INDEXED ORDER BY {key} {order}"
        ):
            yield row[0]
    except sqlite3.DatabaseError:
        return
