"""Folds that follow episodes one by one, both ways: what `histogram.fold` counts at once.

A run that is replayed changes by a few episodes at a time; only the groups they belong to are made anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any

from memtui.metrics.histogram import NEVER, Code, Fold
from memtui.metrics.outcome import standing
from memtui.metrics.regime import FlaggedFact
from memtui.metrics.signature import Profile, Signature
from memtui.metrics.sweep import meaning


@dataclass(slots=True)
class _Clusters:
    """Codes of the counted episodes by cluster, and how many clusters have each profile."""

    members: dict[Hashable, Counter[Code]] = field(default_factory=dict)
    _profiles: Counter[Profile] = field(default_factory=Counter)
    _counted: dict[Hashable, Profile] = field(default_factory=dict)
    """The profile under which a cluster is counted in `_profiles`."""
    _changed: set[Hashable] = field(default_factory=set)
    _several: int = 0
    """Clusters that hold more than one episode."""

    def change(self, cluster: Hashable, code: Code, by: int) -> None:
        """Put in or take out one episode."""
        codes = self.members.get(cluster)
        if codes is None:
            codes = self.members[cluster] = Counter()
        _count(codes, code, by)
        self._changed.add(cluster)

    def profiles(self) -> Counter[Profile]:
        """How many clusters have each profile; only the clusters that changed are looked at."""
        for cluster in self._changed:
            before = self._counted.pop(cluster, None)
            if before is not None:
                _count(self._profiles, before, -1)
                self._several -= _holds_several(before)
            codes = self.members[cluster]
            if codes:
                now = self._counted[cluster] = tuple(sorted(codes.items()))
                self._profiles[now] += 1
                self._several += _holds_several(now)
            else:
                del self.members[cluster]
        self._changed.clear()
        return self._profiles

    @property
    def several(self) -> bool:
        """Whether some cluster holds more than one episode."""
        self.profiles()
        return self._several > 0


@dataclass(slots=True)
class _Group:
    signatures: Counter[Signature] = field(default_factory=Counter)
    outcomes: _Clusters = field(default_factory=_Clusters)
    coverage: _Clusters = field(default_factory=_Clusters)
    questions: Counter[Hashable] = field(default_factory=Counter)
    """Counted episodes by question."""
    coverage_questions: Counter[Hashable] = field(default_factory=Counter)
    made: Fold | None = None


class GrowingFolds:
    """Folds by group; `folds()` equals `histogram.fold` over the episodes that were put in."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._groups: dict[Hashable, _Group] = {}
        self._several = False
        self._read: Callable[[Any], tuple[Any, ...]] | None = None

    def put(
        self, fact: FlaggedFact, group: Hashable, cluster: Hashable, question: Hashable
    ) -> None:
        """Count an episode."""
        self._change(fact, group, cluster, question, 1)

    def take(
        self, fact: FlaggedFact, group: Hashable, cluster: Hashable, question: Hashable
    ) -> None:
        """Take out an episode that was put in, exactly as it was put."""
        self._change(fact, group, cluster, question, -1)

    def folds(self) -> dict[Hashable, Fold]:
        """The folds as of now; a group that did not change keeps its fold and all it worked out."""
        several = any(group.outcomes.several for group in self._groups.values())
        if several != self._several:
            self._several = several
            for group in self._groups.values():
                group.made = None
        for group in self._groups.values():
            if group.made is None:
                group.made = Fold(
                    Counter(group.signatures),
                    Counter(group.outcomes.profiles()),
                    group.outcomes.several,
                    # As in `fold`: coverage by cluster matters only where clusters hold several.
                    Counter(group.coverage.profiles()) if several else Counter(),
                    _repeated(group.questions) if group.outcomes.several else None,
                    _repeated(group.coverage_questions) if group.outcomes.several else None,
                )
        return {key: group.made for key, group in self._groups.items() if group.made is not None}

    def _change(
        self, fact: FlaggedFact, key: Hashable, cluster: Hashable, question: Hashable, by: int
    ) -> None:
        if self._read is None:
            self._read = _reader(fact)
        signature, outcome, covered = _meant(self._read(fact), self._mode)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group()
        group.made = None
        _count(group.signatures, signature, by)
        if outcome is not None:
            group.outcomes.change(cluster, outcome, by)
            _count(group.questions, question, by)
        if covered is not None:
            group.coverage.change(cluster, covered, by)
            _count(group.coverage_questions, question, by)
        if not group.signatures:
            del self._groups[key]


def _reader(fact: FlaggedFact) -> Callable[[Any], tuple[Any, ...]]:
    """Reads a signature's fields: by place where facts are named tuples, which is faster."""
    names: tuple[str, ...] = getattr(fact, "_fields", ())
    if isinstance(fact, tuple) and set(Signature._fields) <= set(names):
        return itemgetter(*map(names.index, Signature._fields))
    return attrgetter(*Signature._fields)


@lru_cache(maxsize=65_536)
def _meant(values: tuple[Any, ...], mode: str) -> tuple[Signature, Code | None, Code | None]:
    """The signature, (R, right) where it is counted, and (t*, covered) where coverage is known too."""
    signature = Signature(*values)._replace(redundant=int(bool(values[-1])))
    found = standing(signature.end_reason, signature.label, signature.done, mode)
    if not found.counted:
        return signature, None, None
    outcome = (signature.requested, found.right)
    if not meaning(signature, mode).coverage_known:
        return signature, outcome, None
    covered = NEVER if signature.t_star is None else (signature.t_star, True)
    return signature, outcome, covered


def _repeated(questions: Counter[Hashable]) -> int | None:
    return len(questions) if len(questions) < questions.total() else None


def _holds_several(profile: Profile) -> bool:
    return len(profile) > 1 or profile[0][1] > 1


def _count(counter: Counter[Any], key: Hashable, by: int) -> None:
    """Count up or down; what is down to nothing is not kept."""
    count = counter[key] + by
    if count:
        counter[key] = count
    else:
        counter.pop(key, None)
