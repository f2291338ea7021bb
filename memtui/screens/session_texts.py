"""Session texts of an open file, read in small batches when they come into view."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from memtui.errors import UserError
from memtui.store.reader import RunReader
from memtui.store.records import SessionRow

KEPT = 600
"""Texts kept decoded while the reader walks through episodes."""
BATCH = 24
"""Texts read at once: about as many as a pane shows."""


class SessionTexts:
    """Texts by token; one that the file does not hold is remembered as missing."""

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._texts: OrderedDict[str, SessionRow | None] = OrderedDict()

    def get(self, token: str, neighbours: Sequence[str] = ()) -> SessionRow | None:
        """The text of a session, read together with its unread `neighbours`; None when it is missing."""
        if token not in self._texts:
            wanted = [token, *(one for one in neighbours if one not in self._texts)][:BATCH]
            try:
                found = self._reader.sessions(wanted)
            except UserError:
                return None  # the app says what is wrong with the file
            for one in wanted:
                self._texts[one] = found.get(one)
            while len(self._texts) > KEPT:
                self._texts.popitem(last=False)
        return self._texts.get(token)

    def forget_missing(self) -> None:
        """Look again for what was missing: a live run may have stored it meanwhile."""
        for token in [one for one, row in self._texts.items() if row is None]:
            del self._texts[token]
