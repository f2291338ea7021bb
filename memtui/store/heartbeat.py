"""The heartbeat as it was stored; a damaged one takes nothing but itself out of the file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memtui.errors import UserError
from memtui.store import codec
from memtui.store.records import HeartbeatRow

DAMAGED = "its heartbeat is damaged: unless it has ended, what it is doing is not known"


def heartbeat_of(row: Sequence[Any]) -> HeartbeatRow:
    """(at, pid, host, snapshot) as a record; of values that are no such thing only that they are damaged."""
    at, pid, host, said = row
    try:
        snapshot = codec.from_json(said)
        known = datetime.fromisoformat(at).tzinfo is not None
    except (UserError, ValueError, TypeError):
        known, snapshot = False, None
    if not known or not isinstance(snapshot, dict) or not isinstance(pid, int):
        return HeartbeatRow("", 0, "", {}, damaged=True)
    return HeartbeatRow(at, pid, str(host), snapshot)
