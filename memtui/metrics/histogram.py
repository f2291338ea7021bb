"""Episodes folded once into small histograms, from which every rate at every B is read.

100,000 episodes have a few thousand distinct combinations of the integers that matter, so moving B
recounts those and never looks at an episode again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from memtui.metrics.outcome import standing
from memtui.metrics.regime import FlaggedFact
from memtui.metrics.signature import Profile, Signature
from memtui.metrics.sweep import ClusterSweep, Steady, Sweep, meaning, steady_counts

__all__ = ["Fold", "Profile", "Signature", "fold", "fold_numbered", "fold_profiles", "merge"]

Code = tuple[int, bool]
"""(R, right) of a counted episode; for coverage (t*, covered)."""
NEVER: Code = (0, False)
"""Coverage of an episode whose evidence never came together: no success at any B."""


@dataclass(slots=True)
class Fold:
    """The episodes of one group (a cell, or a cell and a question type); not changed once counted.

    `profiles` says how many clusters have each profile; clusters without a counted episode are left
    out. `clustered`: some cluster holds several counted episodes, so questions are not independent.
    """

    signatures: Counter[Signature] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    clustered: bool = False
    coverage_profiles: Counter[Profile] = field(default_factory=Counter)
    """The same over episodes with known coverage, in (t*, covered); only where `clustered`."""
    _sweeps: dict[str, Sweep] = field(default_factory=dict, repr=False, compare=False)
    _steady: dict[str, Steady] = field(default_factory=dict, repr=False, compare=False)
    _cluster_sweep: ClusterSweep | None = field(default=None, repr=False, compare=False)
    _coverage_sweep: ClusterSweep | None = field(default=None, repr=False, compare=False)

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

    def coverage_sweep(self) -> ClusterSweep:
        """The clustered interval of coverage at every B (read as `pass`), made when first asked for."""
        if self._coverage_sweep is None:
            self._coverage_sweep = ClusterSweep(self.coverage_profiles.items())
        return self._coverage_sweep

    def work_out(self, mode: str) -> None:
        """Make all of the above now, in the thread that calls, so that nobody waits for it later."""
        self.sweep(mode)
        self.steady(mode)
        if self.clustered:
            self.cluster_sweep()
            self.coverage_sweep()


def fold(
    facts: Collection[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Fold]:
    """Fold `facts` by the parallel sequence `groups`; `clusters` names what shares a history.

    Costs about 2 µs an episode. `redundant` is folded to 0/1.
    """
    numbers, signatures = _interned(facts)
    return fold_numbered(numbers, signatures, list(groups), clusters, mode)


def fold_numbered(
    numbers: Sequence[int],
    signatures: Sequence[Signature],
    keys: Sequence[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Fold]:
    """`fold` of episodes whose signatures are numbered already: `signatures[number]` for each of `numbers`."""
    folds: dict[Hashable, Fold] = {key: Fold() for key in dict.fromkeys(keys)}
    for (key, number), count in Counter(zip(keys, numbers, strict=True)).items():
        folds[key].signatures[signatures[number]] += count
    shared = list(clusters)
    codes = _outcome_codes(signatures, mode)
    for key, profiles in _profiles(_coded(keys, shared, numbers, codes)).items():
        made = folds[key]
        made.profiles = profiles
        made.clustered = any(len(p) > 1 or p[0][1] > 1 for p in profiles)
    if any(made.clustered for made in folds.values()):
        covered = _coverage_codes(signatures, mode)
        for key, profiles in _profiles(_coded(keys, shared, numbers, covered)).items():
            folds[key].coverage_profiles = profiles
    return folds


def fold_profiles(
    facts: Collection[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Counter[Profile]]:
    """Only the cluster profiles of `fold`, e.g. of the repeats of each question."""
    numbers, signatures = _interned(facts)
    codes = _outcome_codes(signatures, mode)
    return _profiles(_coded(list(groups), clusters, numbers, codes))


def merge(folds: Sequence[Fold]) -> Fold:
    """Signature counts of several groups together (their clusters are not merged)."""
    merged = Fold()
    for one in folds:
        merged.signatures.update(one.signatures)
    return merged


def _interned(facts: Collection[FlaggedFact]) -> tuple[list[int], list[Signature]]:
    """A small number per fact, and the signature of each number."""
    table: dict[tuple[Any, ...], int] = {}
    take = table.setdefault
    numbers = [take(row, len(table)) for row in map(_getter(facts), facts)]
    return numbers, [Signature(*row)._replace(redundant=int(bool(row[-1]))) for row in table]


def _getter(facts: Collection[FlaggedFact]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads a signature's fields: by place where the facts are named tuples, which is faster."""
    first = next(iter(facts), None)
    names: tuple[str, ...] = getattr(first, "_fields", ())
    if isinstance(first, tuple) and set(Signature._fields) <= set(names):
        return itemgetter(*map(names.index, Signature._fields))
    return attrgetter(*Signature._fields)


def _outcome_codes(signatures: Sequence[Signature], mode: str) -> list[Code | None]:
    """(R, right) of each counted signature."""
    codes: list[Code | None] = []
    for signature in signatures:
        found = standing(signature.end_reason, signature.label, signature.done, mode)
        codes.append((signature.requested, found.right) if found.counted else None)
    return codes


def _coverage_codes(signatures: Sequence[Signature], mode: str) -> list[Code | None]:
    """(t*, covered) of each counted signature whose coverage is known."""
    return [
        None
        if outcome is None or not meaning(signature, mode).coverage_known
        else NEVER
        if signature.t_star is None
        else (signature.t_star, True)
        for signature, outcome in zip(signatures, _outcome_codes(signatures, mode), strict=True)
    ]


def _coded(
    keys: Sequence[Hashable],
    clusters: Iterable[Hashable],
    numbers: Sequence[int],
    codes: Sequence[Code | None],
) -> list[tuple[Hashable, Hashable, Code]]:
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
