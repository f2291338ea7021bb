"""Several requests of one preparation at once: one that fails for good ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def concurrently(work: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Results in order; the first failure is raised as it is, and nothing is left running.

    `asyncio.gather` would let the others go on asking, and paying, for what nobody waits for;
    a task group would wrap the provider's failure so that it could not be told from the system's.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
