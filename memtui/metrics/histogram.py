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
    questions: int | None = None
    """How many questions the counted episodes asked; None where as many as there are episodes."""
    coverage_questions: int | None = None
    """The same over episodes with known coverage."""
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
        profiles = self.profiles  # taken first: `settle` in another thread empties them
        if self._cluster_sweep is None:
            self._cluster_sweep = ClusterSweep(profiles.items())
        return self._cluster_sweep

    def coverage_sweep(self) -> ClusterSweep:
        """The clustered interval of coverage at every B (read as `pass`), made when first asked for."""
        profiles = self.coverage_profiles
        if self._coverage_sweep is None:
            self._coverage_sweep = ClusterSweep(profiles.items())
        return self._coverage_sweep

    def settle(self, mode: str) -> None:
        """Make all of the above now, in the thread that calls, so that nobody waits for it later.

        Profiles of clusters, which take most of the room, are let go: nothing else is read from them.
        """
        self.sweep(mode)
        self.steady(mode)
        if self.clustered:
            self.cluster_sweep()
            self.coverage_sweep()
            self.profiles, self.coverage_profiles = Counter(), Counter()


def fold(
    facts: Collection[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
    questions: Iterable[Hashable] | None = None,
) -> dict[Hashable, Fold]:
    """Fold `facts` by the parallel sequence `groups`; `clusters` names what shares a history, `questions`
    what was asked (None: every episode asked another question).

    Costs about 2 µs an episode. `redundant` is folded to 0/1.
    """
    numbers, signatures = _interned(facts)
    return fold_numbered(numbers, signatures, list(groups), clusters, mode, questions)


def fold_numbered(
    numbers: Sequence[int],
    signatures: Sequence[Signature],
    keys: Sequence[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
    questions: Iterable[Hashable] | None = None,
) -> dict[Hashable, Fold]:
    """`fold` of episodes whose signatures are numbered already: `signatures[number]` for each of `numbers`."""
    folds: dict[Hashable, Fold] = {}
    groups = _grouped(keys, numbers, clusters)
    codes, shared = _outcome_codes(signatures, mode), _Shared()
    for key, (its_numbers, its_clusters) in groups.items():
        made = folds[key] = Fold()
        for number, count in Counter(its_numbers).items():
            made.signatures[signatures[number]] += count
        made.profiles = profiles = _profiles(its_numbers, its_clusters, codes, shared)
        made.clustered = any(len(p) > 1 or p[0][1] > 1 for p in profiles)
    if any(made.clustered for made in folds.values()):
        covered = _coverage_codes(signatures, mode)
        for key, (its_numbers, its_clusters) in groups.items():
            folds[key].coverage_profiles = _profiles(its_numbers, its_clusters, covered, shared)
        groups = {} if questions is None else _grouped(keys, numbers, questions)
        for key, (its_numbers, its_questions) in groups.items():
            if (made := folds[key]).clustered:
                made.questions = _repeated(its_numbers, its_questions, codes)
                made.coverage_questions = _repeated(its_numbers, its_questions, covered)
    return folds


def fold_profiles(
    facts: Collection[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Counter[Profile]]:
    """Only the cluster profiles of `fold`, e.g. of the repeats of each question."""
    numbers, signatures = _interned(facts)
    codes, shared = _outcome_codes(signatures, mode), _Shared()
    found = {
        key: _profiles(*members, codes, shared)
        for key, members in _grouped(list(groups), numbers, clusters).items()
    }
    return {key: profiles for key, profiles in found.items() if profiles}


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


def _repeated(
    numbers: Sequence[int], asked: Sequence[Hashable], codes: Sequence[Code | None]
) -> int | None:
    """How many questions the episodes that have a code asked; None where none was asked twice."""
    if len(set(asked)) == len(asked):
        return None
    counted = [one for number, one in zip(numbers, asked, strict=True) if codes[number] is not None]
    questions = len(set(counted))
    return questions if questions < len(counted) else None


Members = tuple[list[int], list[Hashable]]
"""Of a group's episodes the numbers of the signatures, and clusters or questions."""


def _grouped(
    keys: Sequence[Hashable], numbers: Sequence[int], named: Iterable[Hashable]
) -> dict[Hashable, Members]:
    found: dict[Hashable, Members] = {key: ([], []) for key in dict.fromkeys(keys)}
    for key, number, name in zip(keys, numbers, named, strict=True):
        its_numbers, its_names = found[key]
        its_numbers.append(number)
        its_names.append(name)
    return found


class _Shared:
    """Profiles that groups have in common, and their parts, each kept once."""

    def __init__(self) -> None:
        self.profiles: dict[tuple[Code, ...], Profile] = {}
        self._parts: dict[tuple[Code, int], tuple[Code, int]] = {}

    def profile(self, codes: list[Code]) -> Profile:
        """The profile of a cluster with these codes."""
        ordered = tuple(sorted(codes))
        found = self.profiles.get(ordered)
        if found is None:
            parts = sorted(Counter(ordered).items())
            found = self.profiles[ordered] = tuple(
                self._parts.setdefault(part, part) for part in parts
            )
        return found


def _profiles(
    numbers: Sequence[int],
    clusters: Sequence[Hashable],
    codes: Sequence[Code | None],
    shared: _Shared,
) -> Counter[Profile]:
    """How many clusters of a group have each profile; episodes without a code are left out."""
    coded = [codes[number] for number in numbers]
    counted = [code for code in coded if code is not None]
    found: Counter[Profile] = Counter()
    if len(set(clusters)) == len(clusters):
        # Every cluster holds one episode: count the episodes without collecting clusters.
        for code, count in Counter(counted).items():
            found[shared.profile([code])] += count
        return found
    members: defaultdict[Hashable, list[Code]] = defaultdict(list)
    for cluster, one in zip(clusters, coded, strict=True):
        if one is not None:
            members[cluster].append(one)
    for codes_of_one in members.values():
        found[shared.profile(codes_of_one)] += 1
    return found
