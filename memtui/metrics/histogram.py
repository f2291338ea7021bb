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

__all__ = ["Fold", "Profile", "Signature", "fold", "merge"]

Code = tuple[int, bool]
"""(R, right) of a counted episode."""


@dataclass(slots=True)
class Fold:
    """The episodes of one group (a cell, or a cell and a question type); not changed once counted."""

    signatures: Counter[Signature] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    """How many clusters have each profile; clusters without a counted episode are left out."""
    _sweeps: dict[str, Sweep] = field(default_factory=dict, repr=False, compare=False)
    _steady: dict[str, Steady] = field(default_factory=dict, repr=False, compare=False)
    _cluster_sweep: ClusterSweep | None = field(default=None, repr=False, compare=False)

    @property
    def clustered(self) -> bool:
        """Whether some cluster holds more than one counted episode: questions are not independent."""
        return any(len(p) > 1 or p[0][1] > 1 for p in self.profiles)

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


def _getter(facts: Sequence[FlaggedFact]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads a signature's fields: by place where the facts are named tuples, which is faster."""
    names: tuple[str, ...] = getattr(facts[0], "_fields", ()) if facts else ()
    if isinstance(facts[0] if facts else None, tuple) and set(Signature._fields) <= set(names):
        return itemgetter(*map(names.index, Signature._fields))
    return attrgetter(*Signature._fields)


def fold(
    facts: Iterable[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Fold]:
    """Fold `facts` by the parallel sequence `groups`; `clusters` names what shares a history.

    Costs about 1 µs an episode. `redundant` is folded to 0/1.
    """
    listed = list(facts)
    rows = list(map(_getter(listed), listed))
    signatures: dict[tuple[Any, ...], Signature] = {}
    codes: dict[tuple[Any, ...], Code | None] = {}
    for row in set(rows):
        signature = Signature(*row)._replace(redundant=int(bool(row[-1])))
        signatures[row] = signature
        found = standing(signature.end_reason, signature.label, signature.done, mode)
        codes[row] = (signature.requested, found.right) if found.counted else None
    keys = list(groups)
    folds: dict[Hashable, Fold] = {key: Fold() for key in dict.fromkeys(keys)}
    for (key, row), count in Counter(zip(keys, rows, strict=True)).items():
        folds[key].signatures[signatures[row]] += count
    counted = [
        (key, cluster, code)
        for key, cluster, code in zip(keys, clusters, map(codes.__getitem__, rows), strict=True)
        if code is not None
    ]
    _add_profiles(folds, counted)
    return folds


def _add_profiles(
    folds: dict[Hashable, Fold], counted: list[tuple[Hashable, Hashable, Code]]
) -> None:
    alone = len({(key, cluster) for key, cluster, _ in counted}) == len(counted)
    if alone:
        for (key, code), count in Counter((key, code) for key, _, code in counted).items():
            folds[key].profiles[((code, 1),)] += count
        return
    members: defaultdict[tuple[Hashable, Hashable], list[Code]] = defaultdict(list)
    for key, cluster, code in counted:
        members[key, cluster].append(code)
    for (key, _), found in members.items():
        if len(found) == 1:
            profile: Profile = ((found[0], 1),)
        else:
            profile = tuple(sorted(Counter(found).items()))
        folds[key].profiles[profile] += 1


def merge(folds: Sequence[Fold]) -> Fold:
    """Signature counts of several groups together (their clusters are not merged)."""
    merged = Fold()
    for one in folds:
        merged.signatures.update(one.signatures)
    return merged
