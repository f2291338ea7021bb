"""A process that runs a tiny experiment in forked children, to be killed at any point.

Commands on stdin: `run` forks a child and prints its pid, `wait` prints how the last child ended. The
imports are paid once, so that many kills fit into a short test.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from unittest.mock import patch

from runners.engine.executor import Job, LocalExecutor
from runners.engine.run import run_experiment
from runners.episode_end import Finished
from runners.trajectory import Activity
from tests.engine.scripted import ListMemory
from tests.engine.tiny import Searcher, tiny_experiment

CONFIG = {"ladder": {"scales": [0, 5]}, "limits": {"workers": 3}}
ITEMS = 60


def logged(path: Path) -> None:
    """Append to `path` when an episode starts, and when it was acknowledged."""
    run = LocalExecutor.run
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def wrapped(self: LocalExecutor, job: Job, activity: Activity) -> Finished:
        os.write(descriptor, f"start {job.uid} {job.id.key}\n".encode())
        finished = await run(self, job, activity)
        os.write(descriptor, f"ack {job.uid} {job.id.key}\n".encode())
        return finished

    patch.object(LocalExecutor, "run", wrapped).start()


def child(run_file: Path, log: Path, pause: float) -> int:
    """One sitting."""
    logged(log)
    experiment = tiny_experiment(
        CONFIG, items=ITEMS, memory=ListMemory(pause=pause), agent=Searcher(pause=pause)
    )
    # Episodes of a minute outlive the test: only a stop that does not wait ends them.
    grace_s = 600.0 if pause > 1 else 2.0
    result = asyncio.run(run_experiment(experiment, run_file, signals=True, grace_s=grace_s))
    return result.exit_code


def main() -> None:
    """Serve commands until stdin closes."""
    run_file, log, pause = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    pid = 0
    for line in sys.stdin:
        if line.strip() == "run":
            pid = os.fork()
            if pid == 0:
                os._exit(child(run_file, log, pause))
            print(pid, flush=True)  # noqa: T201 - the other end of a pipe
        elif line.strip() == "wait":
            _, status = os.waitpid(pid, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main()
