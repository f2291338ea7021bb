"""What a reader asks of items and haystacks: the questions with their evidence, and what was searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memtui.model import Evidence, EvidenceStatus
from memtui.store import codec
from memtui.store.episode_queries import Source, decoded
from memtui.store.errors import StoreError
from memtui.store.records import HaystackDetail, HaystackRow, ItemRow

_ITEM = "id,key,question,gold,gold_raw,qtype,cluster,answerable,question_date,tempting,flags,meta"
_HAYSTACK = (
    "id,key,item_id,scale,ladder_seed,date_policy,n_sessions,n_irrelevant,tokens,tokenizer,borrowed,"
    "contaminated,pools,evidence_age,available,note"
)


def items(source: Source) -> list[ItemRow]:
    """See `RunReader.items`."""
    evidence: dict[int, list[Evidence]] = {}
    for row in source.query(
        "SELECT item_id,raw,session,turn,status FROM evidence ORDER BY item_id,ord"
    ):
        evidence.setdefault(row[0], []).append(_evidence(row[1:]))
    rows = source.query(f"SELECT {_ITEM} FROM item ORDER BY id")
    return [_item(r, tuple(evidence.get(r[0], ()))) for r in rows]


def item(source: Source, item_id: int) -> ItemRow | None:
    """See `RunReader.item`."""
    rows = source.query(f"SELECT {_ITEM} FROM item WHERE id=?", (item_id,))
    if not rows:
        return None
    evidence = source.query(
        "SELECT raw,session,turn,status FROM evidence WHERE item_id=? ORDER BY ord", (item_id,)
    )
    return _item(rows[0], tuple(map(_evidence, evidence)))


def with_words(source: Source, words: str) -> list[int]:
    """See `RunReader.items_with`."""
    rows = source.query(
        "SELECT id FROM item WHERE instr(lower(key),lower(?)) OR instr(lower(question),lower(?))"
        " ORDER BY id",
        (words, words),
    )
    return [row[0] for row in rows]


def haystack(source: Source, haystack_id: int) -> HaystackDetail | None:
    """See `RunReader.haystack`."""
    rows = source.query(f"SELECT {_HAYSTACK},z FROM haystack WHERE id=?", (haystack_id,))
    if not rows:
        return None
    positions = tuple((t, d, r) for t, d, r in codec.unpack_json(rows[0][-1]))
    return HaystackDetail(_haystack(rows[0][:-1]), positions)


def _evidence(row: Sequence[Any]) -> Evidence:
    try:
        status = EvidenceStatus(row[3])
    except ValueError:
        raise StoreError(
            f"evidence of unknown status {row[3]!r}: written by a newer memtui?"
        ) from None
    return Evidence(row[0], row[1], row[2], status)


def _item(row: Sequence[Any], evidence: tuple[Evidence, ...]) -> ItemRow:
    load = codec.from_json
    values = decoded(row, {4: load, 7: bool, 10: lambda flags: tuple(load(flags)), 11: load})
    return ItemRow(*[*values, evidence])


def _haystack(row: Sequence[Any]) -> HaystackRow:
    return HaystackRow(*decoded(row, {12: codec.from_json, 14: bool}))
