"""Which processes this one has started, themselves or through others: what closing must not leave behind."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from time import monotonic

_PROC = Path("/proc")

Process = tuple[int, int]
"""Process id and the clock tick it started at: an id is given away again."""


def observable() -> bool:
    """Whether this system tells (Linux does)."""
    return (_PROC / "self" / "stat").exists()


def processes() -> dict[Process, tuple[int, str]]:
    """Every process with its parent's id and its name; zombies too. Empty where that cannot be seen."""
    found = {}
    for folder in _PROC.glob("[0-9]*"):
        try:
            head, _, rest = (folder / "stat").read_text("utf-8", "replace").rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        fields = rest.split()
        name = head.partition("(")[2]
        # proc(5): state is the third field, the parent the fourth, the start time the 22nd.
        state, parent, start = fields[0], int(fields[1]), int(fields[19])
        found[int(folder.name), start] = parent, f"{name} (zombie)" if state == "Z" else name
    return found


def descendants() -> dict[Process, str]:
    """Processes that this one started, and those that they started, with their names."""
    everything = processes()
    children: dict[int, list[Process]] = {}
    for process, (parent, _) in everything.items():
        children.setdefault(parent, []).append(process)
    found: dict[Process, str] = {}
    waiting = [os.getpid()]
    while waiting:
        for process in children.get(waiting.pop(), ()):
            found[process] = everything[process][1]
            waiting.append(process[0])
    return found


async def left_over(started: dict[Process, str], seconds: float) -> list[str]:
    """Names of those that are still there; waits up to `seconds` for them to go.

    A process whose parent ended first is no descendant any more, and is found all the same.
    """
    due = monotonic() + seconds
    while True:
        now = processes()
        left = sorted(set(started) & set(now))
        if not left or monotonic() > due:
            return [f"{now[process][1]} {process[0]}" for process in left]
        await asyncio.sleep(0.02)
