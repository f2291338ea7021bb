"""Which question a person means: its key, or words of it."""

from __future__ import annotations

from memtui.errors import UserError
from memtui.store.reader import RunReader
from memtui.views.text_door import clean_line

MOST = 8


def find_item(reader: RunReader, wanted: str) -> int:
    """Id of the item with the key `wanted`, else of the only one whose key or question contains it.

    UserError with the candidates otherwise.
    """
    exact = reader.query("SELECT id FROM item WHERE key=?", (wanted,))
    if exact:
        found: int = exact[0][0]
        return found
    rows = reader.query(
        "SELECT id,key,question FROM item WHERE instr(lower(key),lower(?)) OR"
        " instr(lower(question),lower(?)) ORDER BY id",
        (wanted, wanted),
    )
    if len(rows) == 1:
        found = rows[0][0]
        return found
    if not rows:
        raise UserError(
            f"no question in {reader.path} has the key or the words {wanted!r} (memtui failures lists keys)"
        )
    listed = ", ".join(f"{key} ({clean_line(asked, width=40)})" for _, key, asked in rows[:MOST])
    more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    raise UserError(
        f"{len(rows)} questions contain {wanted!r}: {listed}{more}; name one by its key"
    )
