"""An alarm for a run whose mix of endings cannot be what anyone wanted to measure.

Accuracies below 1 % because nearly every answer was "no information" have been published; a rate alone
does not show that (docs/metrics.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from memtui.model import EndReason

THRESHOLD = 0.9
MINIMUM = 20
ALL_ARMS = "all arms"
ABSTAINED = "abstained although the question has an answer"
"""A share of the episodes whose question has an answer; any other is one of all that ended."""
NORMAL_ENDS = frozenset({EndReason.ANSWERED, EndReason.FORCED})
"""Ends with an answer: any other is abnormal where it is frequent."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One abnormal share: `k` of the `n` episodes of `where` do what `kind` says."""

    where: str
    """An arm, or all of them."""
    kind: str
    """A verb with what follows it: ``end with memory_error``."""
    k: int
    n: int

    @property
    def what(self) -> str:
        """``all arms: end with memory_error``: the same alarm at whatever moment."""
        return f"{self.where}: {self.kind}"

    def __str__(self) -> str:
        among = "answerable episodes" if self.kind == ABSTAINED else "episodes"
        return f"{self.where}: {self.k} of {self.n} {among} {self.kind}"


def is_abnormal(k: int, n: int, *, threshold: float = THRESHOLD, minimum: int = MINIMUM) -> bool:
    """Whether k of n is a share of at least `threshold`, of at least `minimum` episodes.

    The caller asks about shares that a sound run keeps low, such as abstentions on answerable items.
    """
    return n >= minimum and k >= threshold * n
