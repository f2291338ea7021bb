"""What every worker has in common: requests and replies as JSON lines, and no way out but loopback.

Requests are `{"id", "op", "view", ...}`, replies `{"id", "ok": ...}` or `{"id", "error": ...}`. The
first line a worker writes, id 0, says that it is ready. Standard output belongs to this protocol:
what a package prints goes to standard error. Only the standard library is imported here.
"""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import json
import os
import random
import sys
import threading
import traceback
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from importlib.metadata import version
from typing import Any

Settings = dict[str, Any]
LOOK_UPS: list[str] = []
"""Every name that was looked up and every address connected to, refused or not."""
REFUSED: list[str] = []
"""Those of them that are not this machine."""
_KEPT = 1000
_LOOK_UPS_BY_NAME = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
_RANDOM: ContextVar[random.Random | None] = ContextVar("_RANDOM", default=None)
"""Of the view whose request is being answered."""


def begin() -> int:
    """Put the guard up before a package is imported; returns the descriptor that replies go to."""
    sys.addaudithook(_audit)
    uuid.uuid4 = _uuid4
    replies = os.dup(1)
    os.dup2(2, 1)
    return replies


def _uuid4() -> uuid.UUID:
    """Ids that are the same in every run: what a package sorts by them must not differ between two."""
    source = _RANDOM.get() or random.SystemRandom()
    return uuid.UUID(int=source.getrandbits(128), version=4)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in _LOOK_UPS_BY_NAME:
        host: Any = args[0]
    elif event in _SENDING and isinstance(args[1], tuple):
        host = args[1][0]
    elif event == "socket.getnameinfo" and isinstance(args[0], tuple):
        host = args[0][0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    here = _is_loopback(host)
    for found in (LOOK_UPS,) if here else (LOOK_UPS, REFUSED):
        if len(found) < _KEPT:
            found.append(str(host))
    if not here:
        raise ConnectionRefusedError(f"{host}: a package under test may not leave this machine")


def _is_loopback(host: Any) -> bool:
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(replies: int, package: str, open_memory: Callable[[Settings], Any]) -> None:
    """Answer requests until standard input ends.

    `open_memory(settings)` gives an object with `add(source, messages, date)` (returns why a reply of
    the model could not be read, or an empty text), `search(query, k)`, `copy(settings)` and `close()`,
    plain or async; requests of one view are answered in order, those
    of different views side by side.
    """
    with os.fdopen(replies, "w", encoding="utf-8", buffering=1) as out:
        asyncio.run(_Server(out, open_memory).run(version(package)))
    # Threads of a package must not keep the process alive.
    os._exit(0)


class _Server:
    def __init__(self, out: Any, open_memory: Callable[[Settings], Any]) -> None:
        self._out = out
        self._open = open_memory
        self._views: dict[str, Any] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._randoms: dict[str, random.Random] = {}

    async def run(self, package_version: str) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(32))
        lines: asyncio.Queue[bytes] = asyncio.Queue()

        def read() -> None:
            for line in _stdin_lines():
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

        threading.Thread(target=read, daemon=True).start()
        self._reply({"id": 0, "ok": {"version": package_version, "pid": os.getpid()}})
        tasks: set[asyncio.Task[None]] = set()
        while line := await lines.get():
            task = asyncio.create_task(self._answer(json.loads(line)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _answer(self, request: dict[str, Any]) -> None:
        number = request.pop("id")
        try:
            async with self._locks.setdefault(request.get("view", ""), asyncio.Lock()):
                found = await self._do(request)
            self._reply({"id": number, "ok": found})
        except BaseException as error:  # whatever a package raises is a reply
            trace = "".join(traceback.format_exception(error))[-4000:]
            text = f"{type(error).__name__}: {error}"[:2000]
            self._reply({"id": number, "error": text, "trace": trace})

    async def _do(self, request: dict[str, Any]) -> Any:
        op, view = request.pop("op"), request.pop("view", "")
        if op == "network":
            return {"look_ups": list(LOOK_UPS), "refused": list(REFUSED)}
        _RANDOM.set(self._randoms.setdefault(view, random.Random(0)))
        if op == "open":
            self._views[view] = await _called(self._open, request["settings"])
            return None
        if op == "close":
            self._locks.pop(view, None)
            self._randoms.pop(view, None)
            memory = self._views.pop(view, None)
            return None if memory is None else await _called(memory.close)
        if op == "copy":
            copied = await _called(self._views[view].copy, request["settings"])
            self._views[request["to"]] = copied
            return None
        if op not in ("add", "search"):
            raise ValueError(f"no operation is called {op!r}")
        return await _called(getattr(self._views[view], op), **request)

    def _reply(self, reply: dict[str, Any]) -> None:
        self._out.write(json.dumps(reply, default=str) + "\n")
        self._out.flush()


def _stdin_lines() -> Iterator[bytes]:
    with os.fdopen(0, "rb", closefd=False) as source:
        yield from iter(source.readline, b"")


async def _called(method: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    if inspect.iscoroutinefunction(method):
        return await method(*args, **keywords)
    return await asyncio.to_thread(method, *args, **keywords)
