"""A package's process: started, asked over JSON lines, ended with everything it started.

It is reached through threads and not through an event loop, so that a system built once serves
whichever loop runs its episodes.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import itertools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from runners.memory.contract import MemoryError_

_HOMES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "MEM0_DIR", "MEMOS_BASE_PATH")
"""Variables by which packages find a place for their files."""
START_S = 120.0
"""Seconds a package has to import: the heaviest took 16 on two busy cores."""
GONE_S = 10.0
"""Seconds within which a process that is being ended is gone."""
_GUARDIAN = (
    "import os, shutil, signal, sys; sys.stdin.buffer.read();"
    " shutil.rmtree(sys.argv[1], True); os.killpg(0, signal.SIGKILL)"
)
"""Ends the group and removes its state when the process that started them is gone.

Its standard input ends with us, however we end; and it is a process, not a thread of the worker's, so
that a package stuck in native code cannot keep it from doing so.
"""


class WorkerFailed(MemoryError_):
    """The package raised, died or hung: a failure of the system under test."""


class WorkerTimeout(WorkerFailed):
    """No reply in time; the process was ended, since nothing else can stop what it does."""


_LIVE: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()


class WorkerProcess:
    """One process and its state folder, both gone after `kill`.

    `command` runs the worker, `environ` is all it sees of the environment besides a home of its own.
    """

    def __init__(self, name: str, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self.name = name
        self.folder = Path(tempfile.mkdtemp(prefix=f"memtui-{name.replace(':', '-')}-"))
        self.views = 0
        """Views that are open in it."""
        self.retired = False
        """No new view is opened in it: a request was given up on and may still be running."""
        self.version = ""
        self._numbers = itertools.count(1)
        self._hello: Future[Any] = Future()
        self._waiting: dict[int, Future[Any]] = {0: self._hello}
        self._guard = threading.Lock()
        self._dead = ""
        self._gone = threading.Event()
        """Set when nothing of it is left."""
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._log = self.folder / "worker.log"
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=self._environ(environ),
                    cwd=self.folder,
                    # A group of its own: whatever it starts is ended with it.
                    process_group=0,
                )
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise WorkerFailed(f"{name} cannot be started: {error}") from error
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _GUARDIAN, str(self.folder)],
            stdin=subprocess.PIPE,
            process_group=self._process.pid,
        )
        for work in (self._write, self._read):
            threading.Thread(target=work, name=f"{name} {work.__name__}", daemon=True).start()
        _LIVE.add(self)

    def _environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        kept = {key: os.environ[key] for key in ("LANG", "LC_ALL", "TZ") if key in os.environ}
        home = str(self.folder)
        # Nothing else is handed over: no key of the user's, no PYTHONPATH, no home folder.
        return {
            **kept,
            "PATH": os.defpath,
            **dict.fromkeys(_HOMES, home),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            **environ,
        }

    @property
    def pid(self) -> int:
        """Of the process, which is also its process group."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether a view can be opened in it."""
        return not self._dead and not self.retired

    async def ready(self) -> None:
        """Wait until the package is imported."""
        hello = await self._await(self._hello, START_S, "start")
        self.version = hello["version"]

    async def ask(self, op: str, seconds: float, **request: Any) -> Any:
        """The reply to one request; WorkerFailed when the package raises, dies or takes too long."""
        return await self._await(self._send(op, request), seconds, op)

    def tell(self, op: str, **request: Any) -> None:
        """Send a request whose reply nobody waits for."""
        self._send(op, request)

    def _send(self, op: str, request: Mapping[str, Any]) -> Future[Any]:
        number = next(self._numbers)
        future: Future[Any] = Future()
        with self._guard:
            if self._dead:
                future.set_exception(WorkerFailed(self._dead))
                return future
            self._waiting[number] = future
        # ASCII: lone surrogates and line separators of other scripts cannot break a line.
        self._requests.put(json.dumps({"id": number, "op": op, **request}).encode("ascii") + b"\n")
        return future

    async def _await(self, future: Future[Any], seconds: float, op: str) -> Any:
        reply = asyncio.wrap_future(future)
        # Whoever gives up does not hear how it ended, and the event loop shall not complain of that.
        reply.add_done_callback(_heard)
        try:
            async with asyncio.timeout(seconds):
                # Shielded: several views may wait for the same start.
                return await asyncio.shield(reply)
        except TimeoutError:
            self.kill(f"{self.name} did not answer `{op}` in {seconds:g} s; its process was ended")
            raise WorkerTimeout(self._dead) from None
        except asyncio.CancelledError:
            self.retired = True
            raise

    def _write(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError), self._process.stdin as pipe:
            while (line := self._requests.get()) is not None:
                pipe.write(line)
                pipe.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError), self._process.stdout as pipe:
            for line in pipe:
                self._settle(json.loads(line))
        self.kill("")

    def _settle(self, reply: Mapping[str, Any]) -> None:
        with self._guard:
            future = self._waiting.pop(reply["id"], None)
        if future is None or not future.set_running_or_notify_cancel():
            return
        if "error" in reply:
            error = WorkerFailed(f"{self.name}: {reply['error']}")
            error.add_note(str(reply.get("trace", "")))
            future.set_exception(error)
        else:
            future.set_result(reply.get("ok"))

    def kill(self, why: str = "closed") -> None:
        """End the process group, reap it, remove its state and fail what still waits.

        Idempotent: who comes second waits until it is done, so that nobody ends before it.
        """
        with self._guard:
            first = not self._dead
            if first:
                self._dead = why or "ended"
                waiting, self._waiting = list(self._waiting.values()), {}
        if not first:
            self._gone.wait(GONE_S)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait()
        if not why:
            self._dead = f"{self.name}: its process ended ({_how(code)}){self._said()}"
        self._requests.put(None)
        for _ in range(2):
            # Twice: a view may just have been given its folder.
            shutil.rmtree(self.folder, ignore_errors=True)
        _LIVE.discard(self)
        self._gone.set()
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(WorkerFailed(self._dead))

    def _said(self) -> str:
        try:
            lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        return f": {' | '.join(lines[-3:])[:500]}" if lines else ""


def _heard(reply: asyncio.Future[Any]) -> None:
    if not reply.cancelled():
        reply.exception()


def _how(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


@atexit.register
def _kill_all() -> None:
    for worker in list(_LIVE):
        worker.kill("memtui ended")
