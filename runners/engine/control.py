"""The control file beside a run: how a screen, a script or a person steers a run that is going on.

`NAME.memtui.control` holds one JSON object per line: `{"command": "pause"}`, `resume`, `stop`,
`{"command": "workers", "value": 4}`, `{"command": "pace", "value": 2.5}` (null: full speed). The run
looks twice a second, takes what is there and empties the file.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMMANDS = ("pause", "resume", "stop", "workers", "pace")
LARGEST = 64 * 1024
"""Bytes read at once; a control file is a few lines."""
MOST_WORKERS = 1_000


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `problem` says why it cannot be followed, and is empty for a good one."""

    name: str
    value: float | None = None
    problem: str = ""


def control_path(run_file: Path) -> Path:
    """`NAME.memtui.control` beside `NAME.memtui`."""
    return run_file.with_name(run_file.name + ".control")


def send(run_file: Path, name: str, value: float | None = None) -> None:
    """Append one command for the process that drives `run_file`."""
    line = json.dumps({"command": name} | ({} if value is None else {"value": value})) + "\n"
    descriptor = os.open(control_path(run_file), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def take(run_file: Path) -> list[Command]:
    """Commands that arrived since the last look; the file is left empty."""
    path = control_path(run_file)
    try:
        if path.stat().st_size == 0:
            return []
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return []
    try:
        # Whoever appends holds the same lock, so no command falls between reading and emptying.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        text = os.read(descriptor, LARGEST).decode(errors="replace")
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
    return list(parse(text))


def parse(text: str) -> Iterator[Command]:
    """Commands of a text, bad ones included with what is wrong with them."""
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError:
            yield Command("", problem=f"not JSON: {line[:80]!r}")
            continue
        yield _command(found)


def _command(found: object) -> Command:
    if not isinstance(found, dict) or found.get("command") not in COMMANDS:
        return Command("", problem=f"not a command: {str(found)[:80]!r}")
    name, given = str(found["command"]), found.get("value")
    value = math.nan
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        value = float(given)
    if name == "workers":
        if not value.is_integer() or not 1 <= value <= MOST_WORKERS:
            return Command(name, problem=f"workers must be 1 to {MOST_WORKERS}, not {given!r}")
        return Command(name, value)
    if name == "pace" and given is not None:
        if not math.isfinite(value) or value <= 0:
            return Command(name, problem=f"pace is episodes per second or null, not {given!r}")
        return Command(name, value)
    return Command(name)


def remove(run_file: Path) -> None:
    """Forget commands meant for an earlier process."""
    control_path(run_file).unlink(missing_ok=True)
