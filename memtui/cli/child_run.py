"""Running an experiment as a child process that may outlive the app that watches it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from memtui.errors import UserError

STOP_SECONDS = 20.0
"""How long a run may take to stop cleanly before it is killed; what it acknowledged is safe either way."""


class ChildRun:
    """A run that this process started: `memtui run CONFIG --out FILE`, in a session of its own.

    It has its own session so that Ctrl-C in the app, or the app's end, does not reach it.
    """

    def __init__(self, process: subprocess.Popen[bytes], out: Path, log: Path) -> None:
        self._process = process
        self.out = out
        self.log = log

    @property
    def pid(self) -> int:
        """Process id of the run."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True while the run has not ended."""
        return self._process.poll() is None

    def wait_for_file(self, path: Path, *, seconds: float) -> None:
        """Return once `path` exists; UserError with the run's own last words if it ends before."""
        limit = time.monotonic() + seconds
        while not path.exists():
            if not self.running:
                raise UserError(
                    f"the run ended before it wrote anything: {self.last_words()}", exit_code=3
                )
            if time.monotonic() > limit:
                self.stop()
                raise UserError(
                    f"the run wrote nothing for {seconds:.0f} s; its log is {self.log}", exit_code=3
                )
            time.sleep(0.05)

    def stop(self) -> None:
        """End the run cleanly: episodes in flight are marked, running it again continues."""
        if not self.running:
            return
        os.kill(self.pid, signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def last_words(self) -> str:
        """The last line the run wrote to its log, or how it ended."""
        lines = [line for line in self.log.read_text(errors="replace").split("\n") if line.strip()]
        return lines[-1] if lines else f"exit code {self._process.returncode}"


def start_run(config: Path, out: Path, *, pace: float | None = None) -> ChildRun:
    """Start `memtui run`; its output goes to `NAME.log` beside the run file."""
    log = out.with_suffix(".log")
    command = [sys.executable, "-m", "memtui", "run", str(config), "--out", str(out)]
    command += ["--full-speed"] if pace is None else ["--pace", f"{pace:g}"]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True
        )
    return ChildRun(process, out, log)
