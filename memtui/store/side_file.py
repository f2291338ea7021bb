"""What a reader adds to a run: notes, bookmarks, flags, aliases and saved views, in a file of their own.

The run file is never written. Entries are lines of JSON that are only appended, of which the latest for
each kind and target holds. The file is named after the run's uid, so that it follows a renamed run; it
lies beside the run, or in the state folder (`$XDG_STATE_HOME/memtui`) where that folder is read-only.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from memtui.store.errors import StoreError

SUFFIX = ".marks.jsonl"
BAD_GOLD = "bad_gold"
"""The flag of a question whose gold a reader holds to be wrong."""
LONGEST = 100_000
"""Characters of a value that are kept: a note is no place for a log."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that are read."""

NOTE, BOOKMARK, FLAG, ALIAS, VIEW = "note", "bookmark", "flag", "alias", "view"
KINDS = (NOTE, BOOKMARK, FLAG, ALIAS, VIEW)
"""note: of an episode (its key), or of the run (empty target). bookmark: of an episode. flag: of a question
(its key). alias: of an arm, or of the run (empty target). view: a filter kept under the name that is the target. An empty value takes one away."""

_PLAIN_UID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@dataclass(frozen=True, slots=True)
class Marks:
    """Everything that holds at one moment. Texts are as they were typed: outside text like any other."""

    bad_gold: frozenset[str] = frozenset()
    """Keys of the questions flagged."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """By episode key; that of the run under the empty key."""
    bookmarks: frozenset[str] = frozenset()
    """Episode keys."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """By arm key; that of the run under the empty key."""
    views: Mapping[str, str] = field(default_factory=dict)
    """Filters by name, in the order in which they were first saved."""


NO_MARKS = Marks()


def state_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where a reader's own files go that may not lie beside a run."""
    given = os.environ if environment is None else environment
    base = given.get("XDG_STATE_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return root / "memtui"


class SideFile:
    """The side file of one run."""

    def __init__(self, run_path: Path, uid: str) -> None:
        """`run_path`: the run file; `uid`: of the run, outside text that only names a file when plain."""
        named = uid if _PLAIN_UID.fullmatch(uid) else hashlib.sha256(_bytes(uid)).hexdigest()[:32]
        self.beside = run_path.absolute().parent / f"{named}{SUFFIX}"
        self.apart = state_folder() / f"{named}{SUFFIX}"

    def stamp(self) -> tuple[int, ...]:
        """Differs when an entry was added, here or by another process; costs two looks at the folder."""
        found: list[int] = []
        for path in (self.beside, self.apart):
            try:
                status = path.stat()
            except OSError:
                found.append(0)
            else:
                found += (status.st_ino, status.st_size, status.st_mtime_ns)
        return tuple(found)

    def read(self) -> Marks:
        """What holds now; lines that are torn, foreign or of an unknown kind are passed over."""
        entries: list[tuple[str, str, str, str]] = []
        for path in (self.beside, self.apart):
            entries += _entries(path)
        entries.sort(key=lambda entry: entry[0])  # stable: lines of one file keep their order
        held: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        for _, kind, target, value in entries:
            of_kind = held[kind]
            if value:
                of_kind[target] = value
            else:
                of_kind.pop(target, None)
        return Marks(
            bad_gold=frozenset(t for t, value in held[FLAG].items() if value == BAD_GOLD),
            notes=held[NOTE],
            bookmarks=frozenset(held[BOOKMARK]),
            aliases=held[ALIAS],
            views=held[VIEW],
        )

    def append(self, kind: str, target: str, value: str) -> Path:
        """Add an entry, on disk when this returns, and say where; StoreError where nothing can be written."""
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        entry = {"at": at, "kind": kind, "target": target, "value": value[:LONGEST]}
        line = _bytes_of(entry) + b"\n"
        reason: OSError | None = None
        for path in (self.beside, self.apart):
            try:
                if path is self.apart:
                    path.parent.mkdir(parents=True, exist_ok=True)
                _append(path, line)
            except OSError as error:
                reason = error
            else:
                return path
        assert reason is not None
        raise StoreError(
            f"cannot be kept: neither {self.beside} nor {self.apart} can be written"
            f" ({reason.strerror})"
        )


def _append(path: Path, line: bytes) -> None:
    """Write the line whole and after a line end, whoever else is writing, and whatever was torn."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        with contextlib.suppress(
            OSError
        ):  # a file system without locks: the append is still one write
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            line = b"\n" + line
        written = os.write(descriptor, line)
        if written != len(line):
            raise OSError(28, "No space left on device")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _entries(path: Path) -> list[tuple[str, str, str, str]]:
    """(time, kind, target, value) of the usable lines; never earlier than the line before."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST)
    except OSError:
        return []
    found = []
    latest = ""
    for line in raw.split(b"\n"):
        try:
            entry: Any = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if not isinstance(entry, dict) or entry.get("kind") not in KINDS:
            continue
        at, target, value = (entry.get(name) for name in ("at", "target", "value"))
        if isinstance(at, str) and isinstance(target, str) and isinstance(value, str):
            latest = max(latest, at)
            found.append((latest, str(entry["kind"]), target, value[:LONGEST]))
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _bytes_of(entry: Mapping[str, str]) -> bytes:
    return orjson.dumps({name: _bytes(value).decode() for name, value in entry.items()})
