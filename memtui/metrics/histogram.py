"""Episodes folded once into small histograms, from which every rate at every B is read.

100,000 episodes have a few thousand distinct combinations of the integers that matter, so moving B
recounts those and never looks at an episode again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from memtui.metrics.outcome import standing
from memtui.metrics.regime import FlaggedFact
from memtui.metrics.signature import Profile, Signature
from memtui.metrics.sweep import ClusterSweep, Steady, Sweep, steady_counts

__all__ = ["Fold", "Profile", "Signature", "fold", "fold_profiles", "merge"]

Code = tuple[int, bool]
"""(R, right) of a counted episode."""


@dataclass(slots=True)
class Fold:
    """The episodes of one group (a cell, or a cell and a question type); not changed once counted.

    `profiles` says how many clusters have each profile; clusters without a counted episode are left
    out. `clustered`: some cluster holds several counted episodes, so questions are not independent.
    """

    signatures: Counter[Signature] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    clustered: bool = False
    _sweeps: dict[str, Sweep] = field(default_factory=dict, repr=False, compare=False)
    _steady: dict[str, Steady] = field(default_factory=dict, repr=False, compare=False)
    _cluster_sweep: ClusterSweep | None = field(default=None, repr=False, compare=False)

    def sweep(self, mode: str) -> Sweep:
        """The counts at every B, made when first asked for."""
        found = self._sweeps.get(mode)
        if found is None:
            found = self._sweeps[mode] = Sweep(self.signatures, mode)
        return found

    def steady(self, mode: str) -> Steady:
        """The counts no B changes, made when first asked for."""
        found = self._steady.get(mode)
        if found is None:
            found = self._steady[mode] = steady_counts(self.signatures, mode)
        return found

    def cluster_sweep(self) -> ClusterSweep:
        """The clustered intervals at every B, made when first asked for."""
        if self._cluster_sweep is None:
            self._cluster_sweep = ClusterSweep(self.profiles.items())
        return self._cluster_sweep


def fold(
    facts: Sequence[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Fold]:
    """Fold `facts` by the parallel sequence `groups`; `clusters` names what shares a history.

    Costs about 2 µs an episode. `redundant` is folded to 0/1.
    """
    numbers, signatures = _interned(facts)
    keys = list(groups)
    folds: dict[Hashable, Fold] = {key: Fold() for key in dict.fromkeys(keys)}
    for (key, number), count in Counter(zip(keys, numbers, strict=True)).items():
        folds[key].signatures[signatures[number]] += count
    counted = _counted(keys, clusters, numbers, signatures, mode)
    for key, profiles in _profiles(counted).items():
        made = folds[key]
        made.profiles = profiles
        made.clustered = any(len(p) > 1 or p[0][1] > 1 for p in profiles)
    return folds


def fold_profiles(
    facts: Sequence[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Counter[Profile]]:
    """Only the cluster profiles of `fold`, e.g. of the repeats of each question."""
    numbers, signatures = _interned(facts)
    return _profiles(_counted(list(groups), clusters, numbers, signatures, mode))


def merge(folds: Sequence[Fold]) -> Fold:
    """Signature counts of several groups together (their clusters are not merged)."""
    merged = Fold()
    for one in folds:
        merged.signatures.update(one.signatures)
    return merged


def _interned(facts: Sequence[FlaggedFact]) -> tuple[list[int], list[Signature]]:
    """A small number per fact, and the signature of each number."""
    table: dict[tuple[Any, ...], int] = {}
    take = table.setdefault
    numbers = [take(row, len(table)) for row in map(_getter(facts), facts)]
    return numbers, [Signature(*row)._replace(redundant=int(bool(row[-1]))) for row in table]


def _getter(facts: Sequence[FlaggedFact]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads a signature's fields: by place where the facts are named tuples, which is faster."""
    first = facts[0] if facts else None
    names: tuple[str, ...] = getattr(first, "_fields", ())
    if isinstance(first, tuple) and set(Signature._fields) <= set(names):
        return itemgetter(*map(names.index, Signature._fields))
    return attrgetter(*Signature._fields)


def _counted(
    keys: Sequence[Hashable],
    clusters: Iterable[Hashable],
    numbers: Sequence[int],
    signatures: Sequence[Signature],
    mode: str,
) -> list[tuple[Hashable, Hashable, Code]]:
    codes: list[Code | None] = []
    for signature in signatures:
        found = standing(signature.end_reason, signature.label, signature.done, mode)
        codes.append((signature.requested, found.right) if found.counted else None)
    return [
        (key, cluster, code)
        for key, cluster, number in zip(keys, clusters, numbers, strict=True)
        if (code := codes[number]) is not None
    ]


def _profiles(
    counted: Sequence[tuple[Hashable, Hashable, Code]],
) -> dict[Hashable, Counter[Profile]]:
    found: defaultdict[Hashable, Counter[Profile]] = defaultdict(Counter)
    if len({(key, cluster) for key, cluster, _ in counted}) == len(counted):
        # Every cluster holds one episode: count the episodes without collecting clusters.
        for (key, code), count in Counter((key, code) for key, _, code in counted).items():
            found[key][((code, 1),)] += count
        return found
    members: defaultdict[tuple[Hashable, Hashable], list[Code]] = defaultdict(list)
    for key, cluster, code in counted:
        members[key, cluster].append(code)
    known: dict[tuple[Code, ...], Profile] = {}
    for (key, _), codes in members.items():
        # Clusters repeat each other: the same codes are counted into a profile once.
        ordered = tuple(sorted(codes))
        profile = known.get(ordered)
        if profile is None:
            profile = known[ordered] = tuple(sorted(Counter(ordered).items()))
        found[key][profile] += 1
    return found
