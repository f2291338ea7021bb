"""When every attempt started and ended, and when it was judged: what a replay of a run is made of."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from memtui.model import FLAGGED, EndReason
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeFact

NEVER_COUNTED = (EndReason.INTERRUPTED.value, EndReason.CANCELLED.value)
"""Ends after which an attempt did not count at any time."""


class AttemptRow(NamedTuple):
    """One attempt. `rev` is the transaction that changed it last: its end, or its replacement."""

    id: int
    rev: int
    counts: int
    done: int
    end_reason: str | None
    started_at: str
    finished_at: str | None


class LabelRow(NamedTuple):
    """One verdict of one judge."""

    episode: int
    rev: int
    label: str
    at: str


class SetAside(NamedTuple):
    """An attempt that ended and does not count any more, or never did (`replaced_by` None)."""

    fact: EpisodeFact
    replaced_by: int | None


def attempts(reader: RunReader) -> list[AttemptRow]:
    """All attempts in the order in which they started."""
    names = ",".join(f"json_group_array({name})" for name in AttemptRow._fields)
    row = reader.query(f"SELECT {names} FROM (SELECT * FROM episode ORDER BY id)")[0]
    return list(map(AttemptRow._make, zip(*map(codec.from_json, row), strict=True)))


def labels(reader: RunReader, judge: str) -> list[LabelRow]:
    """All verdicts of a judge in the order in which they were given."""
    row = reader.query(
        "SELECT json_group_array(episode_id),json_group_array(rev),json_group_array(label),"
        "json_group_array(at) FROM (SELECT episode_id,rev,label,at FROM verdict WHERE judge=?"
        " ORDER BY id)",
        (judge,),
    )[0]
    return list(map(LabelRow._make, zip(*map(codec.from_json, row), strict=True)))


_FACT = (
    "id", "rev", "cell_id", "item_id", "done", "end_reason", "requested", "executed", "first_hit",
    "t_star", "gold_total", "gold_found", "redundant", "zero_yield", "forced", "abstained", "repeat",
    "attempt",
)  # fmt: skip


def set_aside(reader: RunReader, left_out: Collection[str] = ()) -> list[SetAside]:
    """Attempts that ended and do not count: interrupted ones, and those a later attempt replaced.

    Those of the questions `left_out` (keys) end in `FLAGGED`, as everywhere. Labels are left open.
    """
    ends = ",".join(f"'{end}'" for end in NEVER_COUNTED)
    rows = reader.query(
        f"SELECT {','.join('e.' + name for name in _FACT)},i.cluster,i.qtype,i.answerable,i.key,"
        f" iif(e.end_reason IN ({ends}),NULL,(SELECT n.id FROM episode n WHERE n.key=e.key AND"
        f" n.attempt>e.attempt AND n.done=1 AND n.end_reason NOT IN ({ends})"
        " ORDER BY n.attempt LIMIT 1))"
        " FROM episode e JOIN item i ON i.id=e.item_id WHERE e.counts=0 AND e.done=1"
    )
    clusters = {name: number for number, name in enumerate(reader.clusters())}
    qtypes = {name: number for number, name in enumerate(reader.qtypes())}
    found = []
    for *columns, cluster, qtype, answerable, key, replaced_by in rows:
        values: dict[str, Any] = dict(zip(_FACT, columns, strict=True))
        if key in left_out:
            values["end_reason"] = FLAGGED
        fact = EpisodeFact(
            **values,
            cluster=clusters[cluster],
            qtype=qtypes[qtype],
            answerable=answerable,
            flagged=0,
            label=None,
        )
        found.append(SetAside(fact, replaced_by))
    return found
