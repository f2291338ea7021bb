"""Episodes folded once into small histograms, from which every rate at every B is read.

100,000 episodes have a few thousand distinct combinations of the integers that matter, so moving B
recounts those and never looks at an episode again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from memtui.metrics.outcome import Standing, standing
from memtui.metrics.regime import FlaggedFact


class Signature(NamedTuple):
    """Everything outcome, regime and flags read of an episode; equal signatures count together."""

    done: int
    end_reason: str | None
    requested: int
    first_hit: int | None
    t_star: int | None
    gold_total: int | None
    answerable: int
    label: str | None
    forced: int
    abstained: int
    redundant: int


Profile = tuple[tuple[tuple[int, bool], int], ...]
"""A cluster's counted episodes as sorted (((R, right), how many), ...)."""


@dataclass(slots=True)
class Fold:
    """The episodes of one group (a cell, or a cell and a question type)."""

    signatures: Counter[Signature] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    """How many clusters have each profile; clusters without a counted episode are left out."""

    @property
    def clustered(self) -> bool:
        """Whether some cluster holds more than one counted episode: questions are not independent."""
        return any(len(p) > 1 or p[0][1] > 1 for p in self.profiles)


_FIELDS: Callable[[Any], tuple[Any, ...]] = attrgetter(*Signature._fields)


def fold(
    facts: Iterable[FlaggedFact],
    groups: Iterable[Hashable],
    clusters: Iterable[Hashable],
    mode: str,
) -> dict[Hashable, Fold]:
    """Fold `facts` by the parallel sequence `groups`; `clusters` names what shares a history.

    Costs about 1 µs an episode. `redundant` is folded to 0/1.
    """
    interned: dict[tuple[Any, ...], Signature] = {}
    codes: dict[tuple[Any, ...], tuple[int, bool] | None] = {}
    counts: Counter[tuple[Hashable, tuple[Any, ...]]] = Counter()
    members: defaultdict[tuple[Hashable, Hashable], list[tuple[int, bool]]] = defaultdict(list)
    rows = [_FIELDS(fact) for fact in facts]
    for group, cluster, row in zip(groups, clusters, rows, strict=True):
        if row not in codes:
            signature = Signature(*row)._replace(redundant=int(bool(row[-1])))
            interned[row] = signature
            codes[row] = _code(signature, mode)
        code = codes[row]
        if code is not None:
            members[group, cluster].append(code)
        counts[group, row] += 1
    folds: dict[Hashable, Fold] = {}
    for (group, row), count in counts.items():
        found = folds.get(group)
        if found is None:
            found = folds[group] = Fold()
        found.signatures[interned[row]] += count
    singles: dict[tuple[int, bool], Profile] = {}
    for (group, _), cluster_codes in members.items():
        if len(cluster_codes) == 1:
            code = cluster_codes[0]
            profile = singles.get(code)
            if profile is None:
                profile = singles[code] = ((code, 1),)
        else:
            profile = tuple(sorted(Counter(cluster_codes).items()))
        folds[group].profiles[profile] += 1
    return folds


def merge(folds: Sequence[Fold]) -> Fold:
    """Signature counts of several groups together (their clusters are not merged)."""
    merged = Fold()
    for one in folds:
        merged.signatures.update(one.signatures)
    return merged


def _code(signature: Signature, mode: str) -> tuple[int, bool] | None:
    found: Standing = standing(signature.end_reason, signature.label, signature.done, mode)
    return (signature.requested, found.right) if found.counted else None
