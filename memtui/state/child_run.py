"""Running an experiment as a child process that may outlive the app that watches it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from memtui.errors import UserError

STOP_SECONDS = 20.0
"""How long a run may take to stop cleanly before it is killed; what it acknowledged is safe either way."""
TAIL = 64 * 1024
"""Bytes at the end of a log in which the last words are looked for."""


class ChildRun:
    """A run that this process started: `memtui run CONFIG --out FILE`, in a session of its own.

    It has its own session so that Ctrl-C in the app, or the app's end, does not reach it.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], out: Path, log: Path, log_start: int = 0
    ) -> None:
        """`log_start`: bytes that earlier sittings left in the log."""
        self._process = process
        self.out = out
        self.log = log
        self._log_start = log_start

    @property
    def pid(self) -> int:
        """Process id of the run."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """True while the run has not ended; asking also takes an ended process off the process table."""
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How it ended, as `memtui run` documents it; below 0 by a signal; None while it goes on."""
        return self._process.poll()

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
        """What the run wrote to its log last, or how it ended."""
        try:
            with self.log.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(self._log_start, size - TAIL))
                text = file.read(TAIL).decode(errors="replace")
        except OSError:
            text = ""
        return error_line(text) or f"exit code {self._process.returncode}"


def error_line(text: str) -> str:
    """What a command said went wrong: the last line under the program's own name, else the last one."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    named = [line.removeprefix("memtui: ") for line in lines if line.startswith("memtui: ")]
    return (named or lines or [""])[-1]


def run_command(config: Path, out: Path, options: Sequence[str] = ()) -> list[str]:
    """The command that runs an experiment into `out`, or continues it there."""
    return [sys.executable, "-m", "memtui", "run", str(config), "--out", str(out), *options]


def start_run(config: Path, out: Path, options: Sequence[str] = ()) -> ChildRun:
    """Start `memtui run`; its output is added to `NAME.log` beside the run file. UserError where it cannot."""
    log = out.with_suffix(".log")
    try:
        with log.open("ab") as sink:
            start = sink.seek(0, os.SEEK_END)
            process = subprocess.Popen(
                run_command(config, out, options),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
    except OSError as error:
        raise UserError(f"the run cannot be started: {log} ({error.strerror})") from None
    child = ChildRun(process, out, log, start)
    _started.append(child)
    return child


_started: list[ChildRun] = []


def still_running() -> list[ChildRun]:
    """The runs that this process started and that go on without it."""
    return [child for child in _started if child.running]
