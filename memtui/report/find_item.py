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
    many = reader.items_with(wanted)
    if len(many) == 1:
        return many[0]
    if not many:
        raise UserError(
            f"no question in {reader.path} has the key or the words {wanted!r} (memtui failures lists keys)"
        )
    some = [item for one in many[:MOST] if (item := reader.item(one)) is not None]
    listed = ", ".join(f"{item.key} ({clean_line(item.question, width=40)})" for item in some)
    more = f" and {len(many) - MOST} more" if len(many) > MOST else ""
    raise UserError(
        f"{len(many)} questions contain {wanted!r}: {listed}{more}; name one by its key"
    )
