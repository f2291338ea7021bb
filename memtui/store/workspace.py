"""The run files of a folder at a glance: what each one is and how far it got, or why it is unusable."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from memtui.errors import UserError
from memtui.model import RunState
from memtui.store import lease
from memtui.store.errors import StoreError, Trouble
from memtui.store.heartbeat import DAMAGED
from memtui.store.reader import RunReader
from memtui.store.records import HeartbeatRow, Progress, RunRow

SUFFIX = ".memtui"
STALE_AFTER = 15.0
"""Seconds of silence after which a run that says it is running is looked at more closely."""
LIVE = (RunState.RUNNING.value, RunState.PAUSED.value)
UNKNOWN_STATE = "unknown"
"""Of a run that says it goes on, with a heartbeat that cannot be read and nobody here who writes it."""
COARSE_NS = 100_000_000
"""A file written to this shortly before it was read may change again within one tick of its clock."""

LOG = "-wal"
"""What SQLite appends to the name of a file for its write-ahead log."""

Version = tuple[int, int, int]
"""Inode, time of the last change (ns) and size of a file."""
Stamp = tuple[int, ...]
"""The versions of a run file and of the write-ahead log beside it: other once something was
written. It stands for SQLite's `data_version`, which only says something to a connection kept open."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run file. `state` is a `RunState`, or `unusable` with the reason in `problem`."""

    path: Path
    state: str
    problem: str = ""
    trouble: str = ""
    """The problem in a word or two: a `Trouble`."""
    warning: str = ""
    """Readable all the same, e.g. written by a newer version."""
    newer: bool = False
    """Written by a newer version, whether or not it can be read all the same."""
    uid: str = ""
    name: str = ""
    protocol: str = ""
    created_at: str = ""
    finished_at: str | None = None
    judge: str = ""
    budget: int | None = None
    mode: str = ""
    dataset: str = ""
    arms: int = 0
    progress: Progress | None = None
    heartbeat_age: float | None = None
    """Seconds since the last heartbeat of a run that is not finished; None when there was none."""
    size: int = 0
    """Bytes."""
    config_hash: str = ""
    said: str = ""
    """The state that the file itself holds; `state` also asks the lease and the clock."""
    beat: HeartbeatRow | None = None
    """The last sign of life, of a run that is not finished."""
    stamp: Stamp = ()

    @property
    def live(self) -> bool:
        """Whether the run is going on."""
        return self.state in LIVE


class RunFolder:
    """The run files of a folder, looked at again and again: a file that did not change is not opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.versions: dict[str, Version] = {}
        """Of every file of the folder at the last look, by name."""
        self._known: dict[str, RunSummary] = {}

    def look(self, now: datetime | None = None) -> list[RunSummary]:
        """All run files, newest first, unusable ones last; StoreError for a missing folder.

        What did not change is the same object as before, but for a run that goes on.
        """
        try:
            self.versions = versions_in(self.folder)
        except OSError as error:
            raise StoreError(
                f"{self.folder} cannot be listed ({error.strerror})", exit_code=2
            ) from None
        names = [name for name in self.versions if name.endswith(SUFFIX) and name != SUFFIX]
        self._known = {name: self._summary(name, now) for name in names}
        return newest_first(self._known.values())

    def _summary(self, name: str, now: datetime | None) -> RunSummary:
        before = self._known.get(name)
        if before is not None and before.stamp:
            stamp = _stamp(self.versions[name], self.versions.get(name + LOG))
            if before.stamp == stamp:
                return aged(before, now)
        return summarise(self.folder / name if before is None else before.path, now)


def versions_in(folder: Path) -> dict[str, Version]:
    """Version of each regular file of a folder by its name; OSError where it cannot be listed."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                found[entry.name] = status.st_ino, status.st_mtime_ns, status.st_size
    return found


def newest_first(runs: Iterable[RunSummary]) -> list[RunSummary]:
    """By the time they began, those without one last; by name among equals."""
    found = sorted(runs, key=lambda run: run.path.name)
    found.sort(key=lambda run: run.created_at, reverse=True)
    return found


def stamp_of(path: Path) -> Stamp:
    """The stamp of a run file; empty where it says nothing: just written to, or gone."""
    file = _version(path)
    return () if file is None else _stamp(file, _version(path.with_name(path.name + LOG)))


def _version(path: Path) -> Version | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _stamp(file: Version, log: Version | None) -> Stamp:
    latest = file[1] if log is None else max(file[1], log[1])
    return () if latest > time.time_ns() - COARSE_NS else (*file, *(log or ()))


def summarise(path: Path, now: datetime | None = None) -> RunSummary:
    """One run file, read-only and from small tables and an index; never raises for a bad file."""
    stamp = stamp_of(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        return RunSummary(path, "unusable", problem=problem, trouble=Trouble.UNREADABLE)
    try:
        with RunReader(path) as reader:
            run = reader.run()
            _require_texts(run)
            beat = reader.heartbeat() if run.state in LIVE else None
            warning = reader.warning or (DAMAGED if beat is not None and beat.damaged else "")
            summary = RunSummary(
                path=path,
                state=run.state,
                warning=warning.replace(f"{path} ", ""),
                newer=bool(reader.warning),
                uid=run.uid,
                name=run.name,
                protocol=run.protocol,
                created_at=run.created_at,
                finished_at=run.finished_at,
                judge=run.judge,
                budget=run.budget,
                mode=run.mode,
                dataset=str(run.dataset.get("name", "")),
                arms=len(reader.arms()),
                progress=reader.progress(),
                size=size,
                config_hash=run.config_hash,
                said=run.state,
                beat=beat,
                stamp=stamp,
            )
    except (UserError, ValueError, TypeError, AttributeError) as error:
        # A damaged file can hold anything in its columns; the line says so instead of a traceback.
        problem = str(error).replace(f"{path} ", "")
        trouble = error.trouble if isinstance(error, StoreError) else Trouble.DAMAGED
        # What a lock or a permission kept away may be there next time, though the file is the same.
        kept = () if trouble in (Trouble.LOCKED, Trouble.UNREADABLE) else stamp
        return RunSummary(
            path,
            "unusable",
            problem=problem,
            trouble=trouble,
            newer=trouble is Trouble.NEWER,
            size=size,
            stamp=kept,
        )
    return aged(summary, now)


def aged(run: RunSummary, now: datetime | None = None) -> RunSummary:
    """The same file as of now: of a run that says it goes on, the lease and the clock are asked again."""
    if run.said not in LIVE:
        return run
    held = lease.holder(run.path) is not None
    state, age = state_of(run.said, run.beat, held, now)
    return replace(run, state=state, heartbeat_age=age)


def _require_texts(run: RunRow) -> None:
    """TypeError where a column holds other than text: SQLite takes anything, a list of runs sorts by it."""
    texts = (run.uid, run.name, run.protocol, run.created_at, run.judge, run.mode, run.config_hash)
    if not all(isinstance(text, str) for text in (*texts, run.state)):
        raise TypeError("is damaged (bytes where text belongs): run `memtui check` on it")


def state_of(
    said: str, beat: HeartbeatRow | None, held: bool, now: datetime | None = None
) -> tuple[str, float | None]:
    """The state to show and the heartbeat's age in seconds; `said`: the state that the file holds.

    A run that says it is running is believed while its lease is held. With the lease free it is
    `interrupted`, at once or, when the heartbeat is fresh, once it is stale: then its process may run
    on another machine, where this one cannot see the lease; where the heartbeat cannot be read, that is
    `unknown`.
    """
    if said not in LIVE:
        return said, None
    age = None
    if beat is not None:
        try:
            at = datetime.fromisoformat(beat.at)
        except ValueError:
            at = None
        if at is not None and at.tzinfo is not None:
            age = max(0.0, ((now or datetime.now(UTC)) - at).total_seconds())
    if held or (age is not None and age <= STALE_AFTER):
        return said, age
    if beat is not None and beat.damaged:
        return UNKNOWN_STATE, None
    return RunState.INTERRUPTED.value, age
