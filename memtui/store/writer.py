"""The one writer of a run file: events -> bounded queue -> one thread -> short transactions.

A commit that was acknowledged survives `kill -9` (and, with `durable`, a power cut); what was only
emitted may be lost, at most about 20 ms of it. Errors are loud: once the disk is full or the file broken,
every later `emit`, `commit` and `close` raises StoreError, and what was committed stays.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType

from memtui.store import ids as known
from memtui.store import lease, migrate
from memtui.store.connect import connect_read_only, explain, identity
from memtui.store.errors import StoreError
from memtui.store.events import Event
from memtui.store.filesystem import filesystem_type, is_network
from memtui.store.intake import Intake
from memtui.store.log_size import LogWatch
from memtui.store.secrets import SecretFilter
from memtui.store.transaction import Operation, Transactions

LINGER = 0.020
"""Seconds the first event of a batch waits for company."""
BATCH = 500
"""Most events of one transaction."""
BUSY_TIMEOUT = 10.0
"""Seconds to wait for a lock that someone else (an sqlite3 shell) holds."""
ALLOW_NETWORK = "MEMTUI_ALLOW_NETWORK_FS"
"""Environment variable that lets a run file lie on a network file system."""
_FAREWELL = 1.0
"""Seconds at the end to wait for viewers to let go, before the file is left in WAL mode."""


class _Barrier:
    """Marks a place in the queue; told when everything before it is in the file, or why not."""

    def __init__(self, done: Callable[[StoreError | None], None]) -> None:
        self.done = done


class _Stop:
    """The last thing in the queue."""


class RunWriter:
    """Writes one run file; implements `EventSink`, and `put` for callers without a loop.

    `durable` waits for the disk at each commit. `allow_network` (by default: when the environment
    variable MEMTUI_ALLOW_NETWORK_FS is set) writes to a network file system all the same, without WAL. Raises UserError (exit code 2) when another process writes the file, StoreError
    (exit code 3) when the file cannot be written to.
    """

    def __init__(
        self,
        path: Path,
        *,
        durable: bool = False,
        queue_size: int = 20_000,
        allow_network: bool | None = None,
        filesystem: Callable[[Path], str | None] = filesystem_type,
        secrets: SecretFilter | None = None,
    ) -> None:
        self.path = Path(path)
        self.secrets = secrets or SecretFilter()
        self._durable = durable
        self._limit = queue_size
        if allow_network is None:
            allow_network = os.environ.get(ALLOW_NETWORK, "") not in ("", "0")
        self._allow_network = allow_network
        self._filesystem = filesystem
        self._queue: SimpleQueue[list[Operation] | _Barrier | _Stop] = SimpleQueue()
        self._error: StoreError | None = None
        self._thread: threading.Thread | None = None
        self._intake: Intake | None = None
        self._closing = False
        self._ids = known.Ids()

    # -- opening and closing ---------------------------------------------------------------------

    def start(self) -> RunWriter:
        """Take the lease, open or create the file, start the thread; returns self."""
        if self._thread is not None:
            raise StoreError(f"{self.path} is already open for writing")
        found = migrate.look(self.path)
        migrate.require_writable(self.path, found)
        if not self.path.parent.is_dir():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"cannot create {self.path.parent} ({error.strerror})") from None
        held = lease.acquire(self.path)
        connection: sqlite3.Connection | None = None
        try:
            connection = self._open()
            transactions = Transactions(connection)
            self._ids = known.load(connection)
        except BaseException as error:
            if connection is not None:
                connection.close()
            held.release()
            if isinstance(error, sqlite3.Error):
                raise explain(self.path, error) from None
            raise
        self._intake = Intake(self._ids, self.secrets, self._send, self._stored_seqs)
        self._closing = False
        watch = LogWatch(connection, self.path)
        self._thread = threading.Thread(
            target=self._work,
            args=(connection, transactions, watch, held),
            name="memtui-writer",
            daemon=True,
        )
        self._thread.start()
        atexit.register(_close_at_exit, weakref.ref(self))
        return self

    def _open(self) -> sqlite3.Connection:
        kind = self._filesystem(self.path)
        network = is_network(kind)
        if network and not self._allow_network:
            raise StoreError(
                f"{self.path} lies on a network file system ({kind}), where SQLite files get damaged:"
                f" write to a local folder and copy the finished file, or set {ALLOW_NETWORK}=1"
            )
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
            )
            # The lease is held only now: look again before anything is changed.
            found = identity(connection)
            migrate.require_writable(self.path, found)
            wanted = "delete" if network else "wal"
            mode = connection.execute(f"PRAGMA journal_mode={wanted}").fetchone()[0]
            if mode != wanted and not self._allow_network:
                raise StoreError(
                    f"{self.path}: the file system gives no write-ahead log (SQLite answered {mode!r}):"
                    f" write to a local folder, or set {ALLOW_NETWORK}=1"
                )
            full = self._durable or mode != "wal"
            connection.execute(f"PRAGMA synchronous={'FULL' if full else 'NORMAL'}")
            connection.execute("PRAGMA wal_autocheckpoint=1000")
            connection.execute("PRAGMA journal_size_limit=16777216")
            connection.execute("PRAGMA cache_size=-16000")
            migrate.prepare(connection, self.path, found)
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.OperationalError) and "readonly" in str(error):
                raise StoreError(f"{self.path} is write-protected") from None
            if isinstance(error, sqlite3.Error):
                raise explain(self.path, error) from None
            raise
        return connection

    async def __aenter__(self) -> RunWriter:
        return self.start()

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

    async def close(self) -> None:
        """Write what is queued, checkpoint, leave WAL mode, free the lease; StoreError if it failed."""
        thread = self._thread
        self._closing = True
        if thread is not None and thread.is_alive():
            self._queue.put(_Stop())
            await asyncio.get_running_loop().run_in_executor(None, thread.join)
        self._closed()

    def close_sync(self) -> None:
        """`close` for callers without a loop."""
        thread = self._thread
        self._closing = True
        if thread is not None and thread.is_alive():
            self._queue.put(_Stop())
            thread.join()
        self._closed()

    def _closed(self) -> None:
        self._thread = None
        self._raise()

    def _raise(self) -> None:
        """Raise what went wrong, a fresh exception for each who asks."""
        if self._error is not None:
            raise StoreError(str(self._error))

    # -- emitting --------------------------------------------------------------------------------

    async def emit(self, event: Event) -> None:
        """Queue one event; waits when the queue is full; StoreError if it cannot be stored."""
        if self._queue.qsize() >= self._limit:
            await self._room()
        self._put(event)

    async def _room(self) -> None:
        """Wait until the queue has room: looked at every 2 ms, since no loop owns the queue."""
        loop = asyncio.get_running_loop()
        while self._queue.qsize() >= self._limit and self._error is None:
            nap = loop.create_future()
            loop.call_later(0.002, _wake, nap)
            await nap

    def put(self, event: Event) -> None:
        """`emit` for callers without a loop; blocks when the queue is full."""
        while self._queue.qsize() >= self._limit and self._error is None:
            time.sleep(0.002)
        self._put(event)

    def _put(self, event: Event) -> None:
        self._raise()
        if self._intake is None or self._thread is None or self._closing:
            raise StoreError(f"{self.path} is not open for writing")
        self._intake.put(event)

    def _send(self, operations: list[Operation]) -> None:
        if operations:
            self._queue.put(operations)

    async def commit(self) -> None:
        """Return once everything emitted before is durable in the file."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[StoreError | None] = loop.create_future()

        def settle(error: StoreError | None) -> None:
            if not future.done():
                future.set_result(error)

        def done(error: StoreError | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may be gone
                loop.call_soon_threadsafe(settle, error)

        self._barrier(done)
        error = await future
        if error is not None:
            raise StoreError(str(error))

    def commit_sync(self) -> None:
        """`commit` for callers without a loop."""
        event = threading.Event()
        errors: list[StoreError | None] = []

        def done(error: StoreError | None) -> None:
            errors.append(error)
            event.set()

        self._barrier(done)
        event.wait()
        if errors[0] is not None:
            raise errors[0]

    def _barrier(self, done: Callable[[StoreError | None], None]) -> None:
        self._raise()
        thread = self._thread
        # Behind the stop nobody answers any more.
        if thread is None or self._closing or not thread.is_alive():
            raise StoreError(f"{self.path} is not open for writing")
        self._queue.put(_Barrier(done))

    # -- what a resume asks ----------------------------------------------------------------------

    @property
    def run_uid(self) -> str | None:
        """Uid of the run in the file; None while it holds none."""
        return self._ids.run_uid

    def next_attempt(self, key: str) -> int:
        """The lowest attempt number above all attempts of an episode key, 1 for the first."""
        return max(1, self._ids.numbers.get(key, 0).bit_length())

    def known_keys(self) -> set[str]:
        """Keys of all episodes that were ever started in this file."""
        return set(self._ids.numbers)

    def _stored_seqs(self, episode: int) -> list[int]:
        with contextlib.closing(connect_read_only(self.path)) as connection:
            found = connection.execute("SELECT seq FROM step WHERE episode_id=?", (episode,))
            return [row[0] for row in found]

    # -- the thread ------------------------------------------------------------------------------

    def _work(
        self,
        connection: sqlite3.Connection,
        transactions: Transactions,
        watch: LogWatch,
        held: lease.Lease,
    ) -> None:
        try:
            stop = False
            while not stop:
                batch, barriers, stop = self._gather()
                if batch and self._error is None:
                    try:
                        transactions.write(batch)
                        watch.after_commit()
                    except Exception as error:
                        # Whatever it was, the file no longer gets what it should: say so to everyone.
                        self._error = StoreError(
                            f"{self.path} can no longer be written ({error}): what was committed"
                            " before is safe"
                        )
                for barrier in barriers:
                    barrier.done(self._error)
        finally:
            self._farewell(connection)
            held.release()

    def _gather(self) -> tuple[list[list[Operation]], list[_Barrier], bool]:
        """Wait for the first event, then for company until the linger, a full batch or a barrier."""
        batch: list[list[Operation]] = []
        barriers: list[_Barrier] = []
        stop = False
        get = self._queue.get
        found = get()
        deadline = time.monotonic() + LINGER
        while True:
            if type(found) is list:
                batch.append(found)
                if len(batch) >= BATCH and not stop:
                    return batch, barriers, stop
            elif isinstance(found, _Barrier):
                barriers.append(found)
            else:
                stop = True
            try:
                if barriers or stop:  # only what is there already
                    found = get(block=False)
                else:
                    found = get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return batch, barriers, stop

    def _farewell(self, connection: sqlite3.Connection) -> None:
        """Fold the log into the file and leave WAL mode, so that it can be copied and write-protected.

        Leaving needs all viewers to have let go; they do so when they see a finished run. A viewer that
        does not leaves the file in WAL mode with an empty log: still one whole file.
        """
        try:
            connection.execute("PRAGMA busy_timeout=200")
            deadline = time.monotonic() + _FAREWELL
            while True:
                try:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) and "busy" not in str(error):
                        raise
                    mode = "wal"
                if mode == "delete" or time.monotonic() > deadline:
                    break
                time.sleep(0.05)
        except sqlite3.Error as error:
            self._error = self._error or StoreError(
                f"{self.path} could not be closed cleanly ({error}): what was committed is safe"
            )
        finally:
            connection.close()


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _close_at_exit(reference: weakref.ref[RunWriter]) -> None:
    """A writer nobody closed still writes what is queued."""
    writer = reference()
    if writer is not None:
        with contextlib.suppress(StoreError):
            writer.close_sync()
