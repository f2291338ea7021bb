"""Which items of a data set are asked: filters, and a stratified, seeded limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from memtui.errors import UserError
from runners.datasets.contract import SourceItem

SUBSETS = ("all", "answerable", "unanswerable")


def select(
    items: Sequence[SourceItem],
    *,
    subset: str = "all",
    types: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    flag: str | None = None,
    limit: int | None = None,
    seed: int = 1,
) -> tuple[SourceItem, ...]:
    """The items to ask, in an order that shows every question type early.

    `subset` is one of `SUBSETS`; `types` and `keys` keep the named question types and items; `flag`
    keeps items that carry it (e.g. the declared subset `span_answerable`). `limit` takes that many,
    each type in proportion (at least one where the limit allows), chosen by a hash of seed and key: so
    the choice does not depend on the order of the file. Raises UserError for unknown names.
    """
    if subset not in SUBSETS:
        raise UserError(f"subset {subset!r} is not known: use {', '.join(SUBSETS)}")
    chosen = list(items)
    if types is not None:
        _known("question type", types, {item.qtype for item in items})
        chosen = [item for item in chosen if item.qtype in types]
    if keys is not None:
        _known("item", keys, {item.key for item in items})
        chosen = [item for item in chosen if item.key in keys]
    if subset != "all":
        chosen = [item for item in chosen if item.answerable is (subset == "answerable")]
    if flag is not None:
        chosen = [item for item in chosen if flag in item.flags]
    if limit is not None and limit < 1:
        raise UserError(f"limit {limit}: must be at least 1")
    strata: dict[str, list[SourceItem]] = {}
    for item in sorted(chosen, key=lambda item: (_place(seed, item.key), item.key)):
        strata.setdefault(item.qtype, []).append(item)
    if limit is not None and limit < len(chosen):
        quota = quotas({name: len(group) for name, group in strata.items()}, limit)
        strata = {name: group[: quota[name]] for name, group in strata.items()}
    return tuple(interleave([strata[name] for name in sorted(strata)]))


def quotas(sizes: dict[str, int], limit: int) -> dict[str, int]:
    """How many of each stratum a limit takes: proportional, largest remainders, at least one each.

    The sum is exactly `limit` (or everything); where the limit is below the number of strata, the
    largest get one each. Ties go by name.
    """
    total = sum(sizes.values())
    if limit >= total:
        return dict(sizes)
    by_size = sorted(sizes, key=lambda name: (-sizes[name], name))
    if limit <= len(sizes):
        return {name: int(place < limit) for place, name in enumerate(by_size)}
    # one each first, the rest in proportion to what is left of each
    spare, left = limit - len(sizes), total - len(sizes)
    exact = {name: (sizes[name] - 1) * spare for name in sizes}
    quota = {name: 1 + exact[name] // left for name in sizes} if left else dict.fromkeys(sizes, 1)
    rest = limit - sum(quota.values())
    for name in sorted(sizes, key=lambda name: (-(exact[name] % left if left else 0), name))[:rest]:
        quota[name] += 1
    return quota


def interleave(groups: Sequence[Sequence[SourceItem]]) -> list[SourceItem]:
    """Merges groups so that any prefix holds each of them in proportion."""
    ranked = [
        ((index + 0.5) / len(group), number, item)
        for number, group in enumerate(groups)
        for index, item in enumerate(group)
    ]
    return [item for _, _, item in sorted(ranked, key=lambda row: row[:2])]


def _place(seed: int, key: str) -> str:
    """The seeded place of an item: independent of the order of the file."""
    return hashlib.sha256(f"{seed}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()


def _known(what: str, asked: Iterable[str], there: set[str]) -> None:
    """Refuses names that the data set does not have."""
    for name in asked:
        if name not in there:
            shown = sorted(there)
            some = ", ".join(shown[:8]) + (" …" if len(shown) > 8 else "")
            raise UserError(f"{what} {name!r} is not in the data set, which has: {some or 'none'}")
