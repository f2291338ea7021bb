"""Stopping: what agents did after the evidence was complete, and before it was (docs/metrics.md).

Overshoot = R - t*, calls requested after the call that completed the evidence (over-search: arXiv
2505.17281); redundant = calls that brought nothing new (step repetition: MAST FM-1.3, arXiv
2503.13657); gave up early = stopped with calls left and evidence missing, not right (under-search).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtui.metrics.rates import Tally

BUCKETS = ("0", "1", "2", "3+")
LAST_CALL = 8
"""Calls from which on t* is one column."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Covered episodes that went on for so many calls, and how many of them ended right."""

    overshoot: str
    n: int
    right: int

    @property
    def p_right(self) -> float | None:
        """P(right | covered, this overshoot); None for n = 0."""
        return self.right / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Stopping:
    """Stopping behaviour of one group at B.

    `n` counted episodes; `covered` of `coverage_n` had complete evidence at some point; `buckets` split
    these by overshoot, `t_star` by the call that completed it, in order; `mean_overshoot` over them. `redundant` episodes made at least one call that
    brought only blocks seen before. `gave_up_early` depends on B, the rest does not.
    """

    n: int
    coverage_n: int
    covered: int
    right_covered: int
    buckets: tuple[Bucket, ...]
    mean_overshoot: float | None
    redundant: int
    gave_up_early: int
    t_star: tuple[tuple[int, int], ...] = ()

    def completed(self, last: int) -> list[int]:
        """Covered episodes by t*: 1, 2 .. and `last` or more in the end."""
        at = dict(self.t_star)
        counts = [at.get(call, 0) for call in range(1, last)]
        return [*counts, self.covered - sum(counts)]

    searches: tuple[tuple[int | None, int, int], ...] = ()
    """(t*, R, episodes) of those whose coverage is known, in order; t* None: never complete."""


def stopping(
    counts: Tally,
    overshoots: Mapping[tuple[int, bool], int],
    completed: Iterable[tuple[int, int]] = (),
    searches: Mapping[tuple[int | None, int], int] | None = None,
) -> Stopping:
    """Build the summary from a tally, {(overshoot, right): episodes} of its covered episodes, and their
    (t*, episodes), and {(t*, R): episodes} of all whose coverage is known."""
    sizes: Counter[str] = Counter()
    rights: Counter[str] = Counter()
    total = 0
    for (beyond, right), count in overshoots.items():
        name = BUCKETS[min(beyond, 3)]
        sizes[name] += count
        rights[name] += count * right
        total += beyond * count
    covered = sum(sizes.values())
    return Stopping(
        n=counts.n,
        coverage_n=counts.coverage_n,
        covered=covered,
        right_covered=sum(rights.values()),
        buckets=tuple(Bucket(name, sizes[name], rights[name]) for name in BUCKETS),
        mean_overshoot=total / covered if covered else None,
        redundant=counts.flags["redundant"],
        gave_up_early=counts.flags["gave_up_early"],
        t_star=tuple(completed),
        searches=tuple(
            (complete, requested, n)
            for (complete, requested), n in sorted(
                (searches or {}).items(),
                key=lambda one: (one[0][0] is None, one[0][0] or 0, one[0][1]),
            )
        ),
    )


def tokens_after(
    steps: Iterable[tuple[int | None, int | None, bool]], t_star: int | None
) -> tuple[int, int] | None:
    """Tokens used after the evidence was complete: (known tokens, model steps of unknown usage).

    `steps` yields (call number or None, prompt + completion tokens or None, whether the step used a
    model) in order of `seq`. The last of these decisions is the answer itself, which any agent needs.
    None where the evidence was never complete or coverage is n/a.
    """
    if t_star is None:
        return None
    after = False
    known = unknown = 0
    for call_no, tokens, uses_model in steps:
        if after and uses_model:
            if tokens is None:
                unknown += 1
            else:
                known += tokens
        after = after or call_no == t_star
    return known, unknown
