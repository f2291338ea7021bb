"""What is still to run, and which episode is next: every cell fills at the same pace."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar


class HasArm(Protocol):
    """What the queue reads of an episode."""

    @property
    def arm(self) -> str: ...


S = TypeVar("S", bound=HasArm)


class Pending(Generic[S]):
    """Episodes by arm, each arm in plan order.

    The next episode is that of the arm that is furthest behind among those that may run: arms without
    limits go in step (so the arms of one history follow each other), and an arm that waits for its
    model holds nobody up.
    """

    def __init__(self, specs: Iterable[S]) -> None:
        self._queues: dict[str, deque[S]] = {}
        for spec in specs:
            self._queues.setdefault(spec.arm, deque()).append(spec)
        self._total = {arm: len(queue) for arm, queue in self._queues.items()}
        self._left = sum(self._total.values())

    def __len__(self) -> int:
        return self._left

    def next(self, may_run: Callable[[str], bool]) -> S | None:
        """Take the next episode of an arm that `may_run`; None when there is none."""
        best: str | None = None
        behind = 2.0
        for arm, queue in self._queues.items():
            if not queue:
                continue
            share = 1.0 - len(queue) / self._total[arm]
            if share < behind and may_run(arm):
                best, behind = arm, share
        if best is None:
            return None
        self._left -= 1
        return self._queues[best].popleft()

    def arms(self) -> tuple[str, ...]:
        """Arms that have something left."""
        return tuple(arm for arm, queue in self._queues.items() if queue)
