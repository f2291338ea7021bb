"""The run files of a folder at a glance: what each one is and how far it got, or why it is unusable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui.errors import UserError
from memtui.model import RunState
from memtui.store import lease
from memtui.store.errors import StoreError
from memtui.store.reader import RunReader
from memtui.store.records import HeartbeatRow, Progress, RunRow

SUFFIX = ".memtui"
STALE_AFTER = 15.0
"""Seconds of silence after which a run that says it is running is looked at more closely."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run file. `state` is a `RunState`, or `unusable` with the reason in `problem`."""

    path: Path
    state: str
    problem: str = ""
    warning: str = ""
    """Readable all the same, e.g. written by a newer version."""
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
    modified: float = 0.0
    """Seconds since the epoch."""


def list_runs(folder: Path, now: datetime | None = None) -> list[RunSummary]:
    """All run files of a folder, newest first; unusable ones last. StoreError for a missing folder."""
    try:
        paths = [p for p in folder.iterdir() if p.suffix == SUFFIX and p.is_file()]
    except OSError as error:
        raise StoreError(f"{folder} cannot be listed ({error.strerror})", exit_code=2) from None
    found = [summarise(path, now) for path in paths]
    found.sort(key=lambda run: run.path.name)
    found.sort(key=lambda run: run.created_at, reverse=True)
    return found


def summarise(path: Path, now: datetime | None = None) -> RunSummary:
    """One run file, read-only and from small tables and an index; never raises for a bad file."""
    try:
        status = path.stat()
        size, modified = status.st_size, status.st_mtime
    except OSError as error:
        return RunSummary(path, "unusable", problem=f"cannot be read ({error.strerror})")
    try:
        with RunReader(path) as reader:
            run = reader.run()
            beat = reader.heartbeat()
            state, age = state_of(run, beat, lease.holder(path) is not None, now)
            return RunSummary(
                path=path,
                state=state,
                warning=reader.warning,
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
                heartbeat_age=age,
                size=size,
                modified=modified,
            )
    except (UserError, ValueError, TypeError) as error:
        # A damaged file can hold anything in its columns; the line says so instead of a traceback.
        problem = str(error).replace(f"{path} ", "")
        return RunSummary(path, "unusable", problem=problem, size=size, modified=modified)


def state_of(
    run: RunRow, beat: HeartbeatRow | None, held: bool, now: datetime | None = None
) -> tuple[str, float | None]:
    """The state to show and the heartbeat's age in seconds.

    A run that says it is running is believed while its lease is held. With the lease free it is
    `interrupted`, at once or, when the heartbeat is fresh, once it is stale: then its process may run
    on another machine, where this one cannot see the lease.
    """
    if run.state not in (RunState.RUNNING, RunState.PAUSED):
        return run.state, None
    age = None
    if beat is not None:
        try:
            at = datetime.fromisoformat(beat.at)
        except ValueError:
            at = None
        if at is not None and at.tzinfo is not None:
            age = max(0.0, ((now or datetime.now(UTC)) - at).total_seconds())
    if held or (age is not None and age <= STALE_AFTER):
        return run.state, age
    return RunState.INTERRUPTED.value, age
