"""The small facts of a run file that every screen shows: read anew with every change."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.model import RunState
from memtui.store.records import ArmRow, CellRow, EventRow, HeartbeatRow, Progress, RunRow


@dataclass(frozen=True, slots=True)
class Header:
    """What is small and read anew with every change."""

    run: RunRow
    arms: tuple[ArmRow, ...]
    cells: tuple[CellRow, ...]
    judges: tuple[str, ...]
    progress: Progress
    heartbeat: HeartbeatRow | None
    events: tuple[EventRow, ...]
    warning: str
    state: str
    """What the run is: the word of its own row, unless silence and a free lease say otherwise."""
    age: float | None
    """Seconds since the last heartbeat; None when the run has ended or never gave one."""

    @property
    def live(self) -> bool:
        """Whether the run is going on."""
        return self.state in (RunState.RUNNING, RunState.PAUSED)

    def goes_on_from(self, before: Header) -> bool:
        """Whether this is the same run, its ids still what they were: a copy of it, or more of it."""
        return self.run.uid == before.run.uid and set(before.cells) <= set(self.cells)
