"""How far the judges of a run agree on the answers that several of them judged (docs/metrics.md).

Verdicts of several judges are never pooled; where they differ, a rate under one of them is a rate of
that judge. Cohen's kappa (Cohen 1960) sets agreement against what two judges of these marginals would
reach by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtui.metrics.intervals import Interval, wilson
from memtui.model import Label

DECIDED = (Label.RIGHT, Label.WRONG)
JUDGES_DIFFER = "judges_differ"
"""The flag of an episode that judges decided, and not all alike."""


def differ(labels: Iterable[str]) -> bool:
    """Whether the latest verdicts of an episode's judges hold both decisions."""
    return {*labels}.issuperset(DECIDED)


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges on the same episodes: `both` were decided by both of them.

    `right_wrong` are right for `judge` and wrong for `other`, `wrong_right` the other way round.
    `undecided`: judged by both, but at least one could not say. `alone`: only one of them looked.
    """

    judge: str
    other: str
    both: int
    right_right: int
    right_wrong: int
    wrong_right: int
    undecided: int
    alone: int

    @property
    def differ(self) -> int:
        """Episodes on which they disagree, out of `both`."""
        return self.right_wrong + self.wrong_right

    @property
    def interval(self) -> Interval | None:
        """Wilson interval of the share on which they disagree."""
        return wilson(self.differ, self.both)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where chance alone explains everything, or n = 0."""
        if not self.both:
            return None
        first = (self.right_right + self.right_wrong) / self.both
        second = (self.right_right + self.wrong_right) / self.both
        chance = first * second + (1 - first) * (1 - second)
        if chance >= 1.0:
            return None
        return (1 - self.differ / self.both - chance) / (1 - chance)

    def and_on(self, more: JudgePair) -> JudgePair:
        """The same two judges on these episodes and on others."""
        return JudgePair(
            self.judge,
            self.other,
            *(getattr(self, name) + getattr(more, name) for name in self.__slots__[2:]),
        )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of `n` episodes that at least two judges decided, `differ` were not decided alike by all."""

    n: int
    differ: int


Labels = Mapping[int, str]
"""{episode: the judge's latest label}."""


def judge_pair(
    judge: str, other: str, labels: tuple[Labels, Labels], ids: Iterable[int]
) -> JudgePair:
    """Compare two judges over the episodes `ids`."""
    mine, theirs = labels
    counts = dict.fromkeys(("both", "rr", "rw", "wr", "undecided", "alone"), 0)
    for episode in ids:
        a, b = mine.get(episode), theirs.get(episode)
        if a is None and b is None:
            continue
        if a is None or b is None:
            counts["alone"] += 1
        elif a not in DECIDED or b not in DECIDED:
            counts["undecided"] += 1
        else:
            counts["both"] += 1
            kind = ("r" if a == Label.RIGHT else "w") + ("r" if b == Label.RIGHT else "w")
            counts[kind] = counts.get(kind, 0) + 1
    return JudgePair(
        judge, other, counts["both"], counts["rr"], counts["rw"], counts["wr"],
        counts["undecided"], counts["alone"],
    )  # fmt: skip


def agreement(labels: Sequence[Labels], ids: Iterable[int]) -> Agreement:
    """Over the episodes `ids`: how many several judges decided, and how many of these differently."""
    n = differ = 0
    for episode in ids:
        found = [label for one in labels if (label := one.get(episode)) in DECIDED]
        if len(found) > 1:
            n += 1
            differ += len(set(found)) > 1
    return Agreement(n, differ)
