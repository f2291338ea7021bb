"""The pulse of a run: once a second it tells the run file what is going on, and looks for commands."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from memtui.store.events import EventSink, HeartbeatEvent, LogEvent
from runners.engine import control
from runners.engine.driver import GRACE_S, Driver, Stop
from runners.trajectory import utc_now

BEAT_S = 1.0
LOOK_S = 0.5

Watcher = Callable[[dict[str, Any]], None]
"""Called with each snapshot: the command line's progress."""


class Heartbeat:
    """Runs beside the driver: heartbeat, control file, watchdog."""

    def __init__(
        self,
        driver: Driver,
        sink: EventSink,
        run_file: Path,
        *,
        extra: Callable[[], dict[str, Any]],
        on_beat: Watcher | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._driver = driver
        self._sink = sink
        self._run_file = run_file
        self._extra = extra
        self._on_beat = on_beat
        self._grace_s = grace_s
        self._host = socket.gethostname()

    async def run(self) -> None:
        """Beat until cancelled; a sink that fails stops the run."""
        due = monotonic()
        try:
            while True:
                for command in control.take(self._run_file):
                    await self._follow(command)
                self._driver.watch()
                now = monotonic()
                if now >= due:
                    await self.beat(late_s=now - due)
                    due = max(due + BEAT_S, now + BEAT_S / 2)
                await asyncio.sleep(LOOK_S)
        except Exception as error:
            self._driver.stop(Stop("failure", str(error), error), grace_s=0.0)

    async def beat(self, late_s: float = 0.0) -> None:
        """Write one heartbeat. `late_s` says how long something kept the loop from its turn."""
        snapshot = self.snapshot()
        snapshot["late_s"] = round(late_s, 2)
        if self._on_beat is not None:
            self._on_beat(snapshot)
        await self._sink.emit(HeartbeatEvent(utc_now(), os.getpid(), self._host, snapshot))

    def snapshot(self) -> dict[str, Any]:
        """Counts, rates, what is under way, limits, pace."""
        driver = self._driver
        state = "paused" if driver.paused else "stopping" if driver.stopped else "running"
        return {
            **driver.progress.snapshot(),
            "state": state,
            "workers": driver.workers,
            "pace": driver.pace.rate,
            "limits": driver.gates.snapshot(),
            **self._extra(),
        }

    async def _follow(self, command: control.Command) -> None:
        driver = self._driver
        if command.problem:
            text = f"control file: {command.problem}; commands: {', '.join(control.COMMANDS)}"
            await self._sink.emit(LogEvent(utc_now(), "warning", "control", text))
            return
        if command.name == "pause":
            await driver.pause()
        elif command.name == "resume":
            await driver.resume()
        elif command.name == "stop":
            driver.stop(Stop("user", "stopped through the control file"), grace_s=self._grace_s)
        elif command.name == "workers" and command.value is not None:
            driver.set_workers(int(command.value))
        elif command.name == "pace":
            driver.set_pace(command.value)
        said = command.name if command.value is None else f"{command.name} {command.value:g}"
        await self._sink.emit(LogEvent(utc_now(), "info", "control", f"control file: {said}"))
