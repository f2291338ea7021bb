"""An alarm for a run whose mix of endings cannot be what anyone wanted to measure.

Accuracies below 1 % because nearly every answer was "no information" have been published; a rate alone
does not show that (docs/metrics.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.model import EndReason

THRESHOLD = 0.9
MINIMUM = 20
NORMAL_ENDS = frozenset({EndReason.ANSWERED, EndReason.FORCED})
"""Ends with an answer: any other is abnormal where it is frequent."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One abnormal share: `k` of `n` episodes end as `what`."""

    what: str
    k: int
    n: int

    def __str__(self) -> str:
        return f"{self.k} of {self.n} episodes: {self.what}"


def abnormal_mix(
    shares: Mapping[str, tuple[int, int]],
    *,
    threshold: float = THRESHOLD,
    minimum: int = MINIMUM,
) -> list[Alarm]:
    """Alarms for every named share k / n of at least `threshold`, given at least `minimum` episodes.

    The caller names shares that a sound run keeps low, such as `abstained on answerable items`.
    """
    return [
        Alarm(what, k, n) for what, (k, n) in shares.items() if n >= minimum and k >= threshold * n
    ]
