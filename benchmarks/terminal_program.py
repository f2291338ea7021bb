"""A program in a real pseudo-terminal: keys in, bytes out, what it costs by the kernel's own books."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
QUIET = 0.08
"""Seconds without a byte after which a repaint is over."""

_SYNC = b"\x1b[?2026$p"
FRAME_END = b"\x1b[?2026l"
_STYLE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Repaint:
    """What followed a key: milliseconds to the first and to the last byte, and how many bytes."""

    first: float
    last: float
    size: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes: resident, its proportional share, and what is this process's alone."""

    rss: float
    pss: float
    uss: float


class TerminalProgram:
    """Runs a command in a terminal of its own; `close` ends it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 160,
        rows: int = 48,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            settled = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
            os.execvpe(command[0], list(command), os.environ | settled)
        self.ended = False

    # --- bytes ----------------------------------------------------------------------------------

    def read(self, timeout: float) -> bytes:
        """What came within `timeout` seconds; empty for nothing."""
        ready, _, _ = select.select([self._fd], [], [], timeout)
        if not ready:
            return b""
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            self.ended = True
            return b""
        if _SYNC in data:  # a terminal of today says that it can show a frame at once
            os.write(self._fd, b"\x1b[?2026;2$y")
        return data

    def type(self, keys: bytes, quiet: float = 0.15) -> bytes:
        """Press keys that are not timed, and wait until nothing more comes of them; what they show."""
        os.write(self._fd, keys)
        return _STYLE.sub(b"", self.settle(quiet))

    def until(self, marks: Sequence[bytes], timeout: float = 60.0) -> float:
        """Seconds since the start until all `marks` were seen; SystemExit when they do not come."""
        seen = b""
        limit = time.perf_counter() + timeout
        while time.perf_counter() < limit and not self.ended:
            seen += self.read(0.2)
            plain = _STYLE.sub(b"", seen)
            if all(mark in plain for mark in marks):
                return time.perf_counter() - self.started
        raise SystemExit(f"{marks!r} did not appear; last seen: {_STYLE.sub(b'', seen)[-600:]!r}")

    def settle(self, quiet: float = 0.4, timeout: float = 30.0) -> bytes:
        """Wait until nothing comes for `quiet` seconds; what came until then."""
        seen = b""
        limit = time.perf_counter() + timeout
        while time.perf_counter() < limit:
            data = self.read(quiet)
            if not data:
                break
            seen += data
        return seen

    def rest(self, seconds: float = 1.0, timeout: float = 60.0) -> None:
        """Wait until it neither draws nor works for so many seconds."""
        limit = time.perf_counter() + timeout
        while time.perf_counter() < limit:
            before = self.cpu()
            if not self.settle(seconds) and self.cpu() - before <= 2 / TICKS:
                return

    def press(self, keys: bytes, timeout: float = 20.0) -> Repaint:
        """Press keys and time the repaint; SystemExit where nothing at all follows."""
        start = time.perf_counter()
        os.write(self._fd, keys)
        data = self.read(timeout)
        first = last = time.perf_counter()
        size = len(data)
        if not data:
            raise SystemExit(f"nothing followed {keys!r}")
        while data := self.read(QUIET):
            last = time.perf_counter()
            size += len(data)
        return Repaint((first - start) * 1e3, (last - start) * 1e3, size)

    def press_for(self, keys: bytes, pattern: bytes, timeout: float = 20.0) -> tuple[float, bytes]:
        """Press keys; milliseconds until the frame is there whose text has `pattern`, and the match.

        SystemExit where it does not come. For what may take longer than `QUIET`, or be followed by more.
        """
        start = time.perf_counter()
        os.write(self._fd, keys)
        seen = b""
        while time.perf_counter() - start < timeout and not self.ended:
            seen += self.read(0.2)
            frames, ended, _ = seen.rpartition(FRAME_END)
            if ended and (found := re.search(pattern, _STYLE.sub(b"", frames))):
                return (time.perf_counter() - start) * 1e3, found[0]
        raise SystemExit(f"{pattern!r} did not follow {keys!r}")

    # --- costs ----------------------------------------------------------------------------------

    def cpu(self) -> float:
        """CPU seconds so far, all threads, user and system (10 ms steps)."""
        fields = self._book("stat").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> Memory:
        """What it takes now."""
        rss = int(self._book("statm").split()[1]) * PAGE / 1e6
        found = {"Pss:": 0.0, "Private_Clean:": 0.0, "Private_Dirty:": 0.0}
        for line in self._book("smaps_rollup").splitlines():
            name, *rest = line.split()
            if name in found:
                found[name] = int(rest[0]) * 1024 / 1e6
        pss, clean, dirty = found.values()
        return Memory(rss, pss, clean + dirty)

    def _book(self, name: str) -> str:
        return Path(f"/proc/{self.pid}/{name}").read_text()

    def close(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)
        os.close(self._fd)
        os.waitpid(self.pid, 0)
