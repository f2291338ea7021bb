"""The processes of one package: started when a view needs one, shared when there are enough of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from runners.memory.packages.worker_process import WorkerFailed, WorkerProcess


class WorkerPool:
    """At most `size` processes at a time; a view takes the one that serves the fewest others.

    A process that died or was given up on is replaced by the next view that opens. Views are not
    moved: those of a dead process fail.
    """

    def __init__(self, start: Callable[[], WorkerProcess], size: int) -> None:
        self._start = start
        self._size = size
        self._workers: list[WorkerProcess] = []
        self.started = 0
        """Processes so far: one more than the crashes where one is enough."""

    async def take(self) -> WorkerProcess:
        """A process that is ready, with one more view counted; WorkerFailed when none starts."""
        worker = self._choose()
        worker.views += 1
        try:
            await worker.ready()
        except BaseException:
            self.give(worker)
            raise
        return worker

    def _choose(self) -> WorkerProcess:
        self._workers = [worker for worker in self._workers if worker.usable]
        least = min(self._workers, key=lambda worker: worker.views, default=None)
        if least is not None and (least.views == 0 or len(self._workers) >= self._size):
            return least
        worker = self._start()
        self.started += 1
        self._workers.append(worker)
        return worker

    def give(self, worker: WorkerProcess) -> None:
        """One view less; a retired process ends with its last."""
        worker.views -= 1
        if worker.retired and worker.views <= 0:
            worker.kill()

    async def refused(self) -> tuple[str, ...]:
        """Hosts beyond this machine that the living processes tried to reach; they were refused."""
        found: list[str] = []
        for worker in self._workers:
            found += (await worker.ask("network", 10.0))["refused"]
        return tuple(found)

    def close(self) -> None:
        """End every process."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()


async def close_quietly(worker: WorkerProcess, view: str, seconds: float) -> None:
    """Close a view in its process, which is retired when it does not answer."""
    if worker.retired:
        # It may still be at work on what was given up; it ends with its last view.
        worker.tell("close", view=view)
        return
    try:
        async with asyncio.timeout(seconds):
            await worker.ask("close", seconds * 2, view=view)
    except TimeoutError:
        worker.retired = True
    except WorkerFailed:
        # Its episode is over, whatever the package says; a process that is gone holds nothing.
        return
