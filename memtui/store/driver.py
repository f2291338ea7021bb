"""Other processes stream to the one writer: a server beside it, a sink in each of them.

A local socket in a private folder carries frames of a length and a pickle. Only the classes of events
are unpickled. A full queue stops the reading, which stops the senders; a commit is answered when its
events are in the file; an event that cannot be stored is answered to the process that sent it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import pickle
import struct
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from memtui.errors import UserError
from memtui.store import codec
from memtui.store.errors import StoreError
from memtui.store.events import Event, LogEvent
from memtui.store.secrets import SecretFilter
from memtui.store.writer import RunWriter

_LENGTH = struct.Struct("!I")
_LARGEST = 256 * 1024 * 1024
"""Bytes of the largest frame that is read."""
_BATCH = 256
"""Events a sink collects before it sends them without being asked."""
_LIMIT = 1024 * 1024
"""Bytes either side buffers before its peer has to wait."""

Frame = tuple[str, Any]
"""("events", list of events) and ("commit", number) to the driver; ("done", number) and
("failed", message) back."""


class _EventUnpickler(pickle.Unpickler):
    """Loads nothing but the package's own event and domain types."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if module_name in ("memtui.model", "memtui.store.events"):
            found = super().find_class(module_name, global_name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of an event")


async def _read(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame; None at the end of the stream."""
    try:
        size = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))[0]
        if size > _LARGEST:
            raise StoreError(f"a frame of {size} bytes is too large")
        data = await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    frame: Frame = _EventUnpickler(io.BytesIO(data)).load()
    return frame


def _frame(kind: str, content: object) -> bytes:
    data = pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class DriverServer:
    """Takes events of other processes for a `RunWriter` that this process holds.

    Without `socket_path` a private folder of its own is made. The socket is open to this user only.
    """

    def __init__(self, writer: RunWriter, socket_path: Path | None = None) -> None:
        self._writer = writer
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._path = socket_path

    @property
    def address(self) -> str:
        """What a `RemoteSink` is given."""
        return str(self._path)

    async def __aenter__(self) -> DriverServer:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Listen; StoreError when the socket cannot be made."""
        if self._path is None:
            self._folder = tempfile.TemporaryDirectory(prefix="memtui-")
            self._path = Path(self._folder.name) / "driver"
        mask = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=_LIMIT)
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"cannot listen on {self._path} ({reason})") from None
        finally:
            os.umask(mask)

    async def close(self) -> None:
        """Stop listening, take what is already on its way, and let go of the senders."""
        if self._server is not None:
            self._server.close()
            if self._clients:
                await asyncio.wait(self._clients, timeout=1.0)
            for task in self._clients:
                task.cancel()
            self._server = None
        if self._folder is not None:
            self._folder.cleanup()
        elif self._path is not None:
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            await self._take(reader, writer)
        except (pickle.UnpicklingError, StoreError, EOFError, AttributeError, TypeError) as error:
            with contextlib.suppress(ConnectionError):
                writer.write(_frame("failed", f"the driver could not read an event: {error}"))
                await writer.drain()
        except ConnectionError:
            pass  # the sender is gone; what it had sent is in the queue
        finally:
            self._clients.discard(task)
            writer.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        commits: set[asyncio.Task[None]] = set()
        while (frame := await _read(reader)) is not None:
            kind, content = frame
            if kind == "commit":
                # Not awaited here: the commits of several episodes share one transaction.
                commit = asyncio.create_task(self._commit(content, writer))
                commits.add(commit)
                commit.add_done_callback(commits.discard)
                continue
            for event in content:
                try:
                    await self._writer.emit(event)
                except UserError as error:
                    writer.write(_frame("failed", str(error)))
            await writer.drain()
        if commits:
            await asyncio.wait(commits)

    async def _commit(self, number: int, writer: asyncio.StreamWriter) -> None:
        try:
            await self._writer.commit()
        except UserError as error:
            writer.write(_frame("failed", str(error)))
        else:
            writer.write(_frame("done", number))


class RemoteSink:
    """An `EventSink` in another process; every error of the driver is raised by the next call.

    Events are filtered for secrets of this process's environment before they leave it.
    """

    def __init__(self, address: str, *, secrets: SecretFilter | None = None) -> None:
        self._address = address
        self._secrets = secrets or SecretFilter()
        self._events: list[Event] = []
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listener: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._number = 0
        self._error: StoreError | None = None
        self._flush: asyncio.Handle | None = None
        self._escaped = False

    async def __aenter__(self) -> RemoteSink:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except StoreError:
            if error is None:
                raise

    async def start(self) -> None:
        """Connect; StoreError when no driver listens."""
        try:
            self._reader, self._writer = await asyncio.open_unix_connection(
                self._address, limit=_LIMIT
            )
        except OSError as error:
            raise StoreError(
                f"no driver listens on {self._address} ({error.strerror or error})"
            ) from None
        self._listener = asyncio.create_task(self._listen(self._reader))

    async def emit(self, event: Event) -> None:
        """Send one event, together with others; waits while the driver is busy."""
        self._raise()
        self._events.append(self._clean(event))
        if len(self._events) >= _BATCH:
            await self._send()
        elif self._flush is None:
            # At the next turn of the loop: events of one burst share a frame, none waits.
            self._flush = asyncio.get_running_loop().call_soon(self._send_soon)

    async def commit(self) -> None:
        """Return once everything emitted before is durable in the run file."""
        self._raise()
        writer = self._connected()
        self._number += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = future
        self._write_events()
        writer.write(_frame("commit", self._number))
        await writer.drain()
        await future
        self._raise()

    async def close(self) -> None:
        """Commit what is left and disconnect; StoreError if anything was lost."""
        writer = self._writer
        if writer is None:
            return
        try:
            if self._error is None:
                await self.commit()
        finally:
            self._writer = None
            writer.close()
            if self._listener is not None:
                self._listener.cancel()
            if self._flush is not None:
                self._flush.cancel()
        self._raise()

    def _connected(self) -> asyncio.StreamWriter:
        if self._writer is None:
            raise StoreError("the sink is not connected to a driver")
        return self._writer

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    async def _send(self) -> None:
        self._write_events()
        try:
            await self._connected().drain()
        except ConnectionError:
            self._fail("the driver went away")
            self._raise()

    def _send_soon(self) -> None:
        self._flush = None
        if self._writer is not None and self._error is None:
            self._write_events()

    def _write_events(self) -> None:
        if self._events:
            events, self._events = self._events, []
            self._connected().write(_frame("events", events))

    def _clean(self, event: Event) -> Event:
        """The event without secrets; StoreError at its emitter when no file could hold it."""
        try:
            if not self._secrets.suspicious(codec.to_json(event).decode()):
                return event
        except TypeError as error:
            if "surrogate" in str(error) and not self._escaped:
                self._escaped = True
                text = "a text held lone surrogates: each is kept as its escape (\\udc80)"
                at = datetime.now(UTC).isoformat()
                self._events.append(LogEvent(at, "warning", "surrogates_escaped", text))
        clean = self._secrets.scrub(event)
        try:
            codec.to_json(clean)
        except TypeError as error:
            raise StoreError(f"{type(event).__name__} cannot be stored: {error}") from None
        return clean

    def _fail(self, message: str) -> None:
        self._error = self._error or StoreError(message)
        for future in self._waiting.values():
            if not future.done():
                future.set_result(None)  # commit raises the error, which may be older than its own
        self._waiting.clear()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while (frame := await _read(reader)) is not None:
            kind, content = frame
            if kind == "failed":
                self._fail(str(content))
            elif (future := self._waiting.pop(content, None)) is not None and not future.done():
                future.set_result(None)
        if self._writer is not None:
            self._fail("the driver went away: what was not acknowledged may be lost")
