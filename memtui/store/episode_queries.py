"""The queries about episodes behind `RunReader`: facts in bulk, list lines, details, steps."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from memtui.model import FLAGGED
from memtui.store import codec
from memtui.store.errors import StoreError
from memtui.store.packed_facts import Course, PackedFacts
from memtui.store.records import (
    EpisodeDetail,
    EpisodeFact,
    EpisodeRow,
    HaystackDetail,
    ItemRow,
    StepRow,
    VerdictRow,
)

Items = Callable[[], Mapping[int, tuple[int, int, int, int]]]
"""Item id -> cluster, question type, answerable, flagged."""
PREVIEW = 400
"""Bytes of a long text that a list line carries."""


JUDGES = (
    "WITH RECURSIVE j(id) AS (SELECT min(judge) FROM verdict UNION ALL"
    " SELECT (SELECT min(judge) FROM verdict WHERE judge>j.id) FROM j WHERE j.id IS NOT NULL)"
    " SELECT id FROM j WHERE id IS NOT NULL"
)
"""Judges with a verdict: one probe of the index per judge instead of a row per verdict."""


def decoded(row: Sequence[Any], decoders: Mapping[int, Callable[[Any], Any]]) -> list[Any]:
    """The row with some of its columns decoded."""
    out = list(row)
    for column, decode in decoders.items():
        out[column] = decode(out[column])
    return out


class Source(Protocol):
    """What a query needs of the reader."""

    def query(self, sql: str, params: Sequence[object] = ()) -> list[Any]: ...

    def item(self, item_id: int) -> ItemRow | None: ...

    def haystack(self, haystack_id: int) -> HaystackDetail | None: ...


_FACTS = (
    *(
        "id",
        "rev",
        "cell_id",
        "item_id",
        "done",
        "end_reason",
        "requested",
        "executed",
        "first_hit",
    ),
    *(
        "t_star",
        "gold_total",
        "gold_found",
        "redundant",
        "zero_yield",
        "forced",
        "abstained",
        "repeat",
    ),
    "attempt",
)
_COLUMNS = ",".join(f"json_group_array({name})" for name in _FACTS)


def facts(source: Source, judge: str, items: Items, since_rev: int) -> list[EpisodeFact]:
    """See `RunReader.episode_facts`.

    Column by column: SQLite and orjson hand over a column of 100,000 values as one text in a quarter of
    the time that 100,000 rows take.
    """
    collecting = gc.isenabled()
    gc.disable()  # no cycles here, and looking for some among so many tuples doubles the time
    try:
        if since_rev:
            changed = (
                "id IN (SELECT id FROM episode WHERE rev>?"
                " UNION SELECT episode_id FROM verdict WHERE rev>?)"
            )
            # The plus keeps SQLite from going over the index of all counted episodes.
            where = f"{changed} AND (+counts=1 OR +done=0)"
            return _facts(source, where, (since_rev, since_rev), judge, items)
        return [
            *_facts(source, "counts=1", (), judge, items),
            *_facts(source, "counts=0 AND done=0", (), judge, items),
        ]
    finally:
        if collecting:
            gc.enable()


_LABEL = (
    "(SELECT label FROM verdict WHERE judge=? AND episode_id=episode.id ORDER BY id DESC LIMIT 1)"
)
_END = (
    "iif(done AND item_id IN (SELECT i.id FROM item i WHERE i.key IN (SELECT value FROM json_each(?))),"
    f"'{FLAGGED}',end_reason)"
)


def packed(
    source: Source,
    judge: str,
    items: Items,
    left_out: Collection[str] = (),
    cells: Collection[int] | None = None,
) -> PackedFacts:
    """See `RunReader.packed_facts`.

    SQLite gathers the episodes of each course, so that the interpreter, and with it every other thread,
    is busy with some thousand courses and not with a hundred thousand episodes.
    """
    facts = PackedFacts()
    params: list[object] = []
    course = ",".join(Course._fields[:-1])
    if left_out:
        course = course.replace("end_reason", _END)
        params.append(codec.to_text(sorted(left_out)))
    inside, last = "", tuple[str, ...]()
    if cells is not None:
        # With both values of `done` named, the index goes to these cells and nowhere else.
        inside = " AND done IN (0,1) AND cell_id IN (SELECT value FROM json_each(?))"
        last = (codec.to_text(sorted(cells)),)
    columns = ",".join(f"json_group_array({name})" for name in ("id", "rev", "cell_id", "item_id"))
    width = len(Course._fields)
    groups = ",".join(str(number) for number in range(1, width + 1))
    for where in ("counts=1", "counts=0 AND done=0"):
        rows = source.query(
            f"SELECT {course},{_LABEL},{columns} FROM episode WHERE {where}{inside}"
            f" GROUP BY {groups}",
            (*params, judge, *last),
        )
        for row in rows:
            facts.extend(Course._make(row[:width]), *map(codec.from_json, row[width:]))
    # Asked only now: an item is declared before its episodes, so none of these is missing.
    facts.about = items()
    lost = set(facts.item_ids) - facts.about.keys()
    if lost:
        raise StoreError(f"item {min(lost)} of an episode is lost: run `memtui check`")
    facts.sort()
    return facts


def _item_ids(source: Source, keys: Collection[str]) -> set[int]:
    """Ids of the items with these keys."""
    if not keys:
        return set()
    rows = source.query(
        "SELECT id FROM item WHERE key IN (SELECT value FROM json_each(?))",
        (codec.to_text(sorted(keys)),),
    )
    return {row[0] for row in rows}


def without(
    source: Source, found: list[EpisodeFact], left_out: Collection[str]
) -> list[EpisodeFact]:
    """The facts with those of the questions left out ending in `FLAGGED`; running ones stay as they are."""
    if not left_out:
        return found
    items = _item_ids(source, left_out)
    return [
        fact._replace(end_reason=FLAGGED) if fact.done and fact.item_id in items else fact
        for fact in found
    ]


def rows_without(found: dict[int, EpisodeRow], left_out: Collection[str]) -> dict[int, EpisodeRow]:
    """The lines with those of the questions left out ending in `FLAGGED`."""
    if not left_out:
        return found
    return {
        number: replace(row, end_reason=FLAGGED) if row.done and row.item in left_out else row
        for number, row in found.items()
    }


def detail_without(found: EpisodeDetail | None, left_out: Collection[str]) -> EpisodeDetail | None:
    """The same for everything about one attempt."""
    if found is None or not left_out:
        return found
    row = rows_without({0: found.row}, left_out)[0]
    return replace(found, row=row)


def _facts(
    source: Source,
    where: str,
    params: Sequence[object],
    judge: str,
    items: Items,
) -> list[EpisodeFact]:
    row = source.query(f"SELECT {_COLUMNS} FROM episode WHERE {where}", params)[0]
    columns = dict(zip(_FACTS, map(codec.from_json, row), strict=True))
    # Asked only now: an item is declared before its episodes, so none of these is missing.
    known = items()
    try:
        of_item = [known[i] for i in columns["item_id"]]
    except KeyError as error:
        raise StoreError(f"item {error} of an episode is lost: run `memtui check`") from None
    columns["cluster"] = [i[0] for i in of_item]
    columns["qtype"] = [i[1] for i in of_item]
    columns["answerable"] = [i[2] for i in of_item]
    columns["flagged"] = [i[3] for i in of_item]
    columns["label"] = list(map(_labels(source, judge, columns["id"]).get, columns["id"]))
    rows = zip(*[columns[name] for name in EpisodeFact._fields], strict=True)
    return list(map(partial(tuple.__new__, EpisodeFact), rows))


def _labels(source: Source, judge: str, episodes: Sequence[int]) -> dict[int, str]:
    """The latest label by episode: by episode, then by id, and a dict keeps the last."""
    if not episodes:
        return {}
    chosen, params = "", [judge]
    if len(episodes) < 1000:
        chosen = " AND episode_id IN (SELECT value FROM json_each(?))"
        params.append(codec.to_text(episodes))
    ids, labels = source.query(
        "SELECT json_group_array(episode_id),json_group_array(label) FROM (SELECT episode_id,label"
        f" FROM verdict WHERE judge=?{chosen} ORDER BY episode_id,id)",
        params,
    )[0]
    return dict(zip(codec.from_json(ids), codec.from_json(labels), strict=True))


_JOINS = {
    "c": " LEFT JOIN cell c ON c.id=e.cell_id",
    "a": " LEFT JOIN arm a ON a.id=(SELECT arm_id FROM cell WHERE id=e.cell_id)",
    "i": " LEFT JOIN item i ON i.id=e.item_id",
    "h": " LEFT JOIN haystack h ON h.id=e.haystack_id",
    "v": (
        " LEFT JOIN verdict v ON v.id="
        "(SELECT max(id) FROM verdict WHERE judge=? AND episode_id=e.id)"
    ),
}
"""What conditions and orders may name, by alias; joined only where it is named, which halves a sort."""


def ids(
    source: Source, where_sql: str, params: Sequence[object], order_sql: str, judge: str
) -> list[int]:
    """See `RunReader.episode_ids`."""
    where = f" AND ({where_sql})" if where_sql else ""
    named = set(re.findall(r"\b([a-z])\.", f"{where} {order_sql}"))
    joins = "".join(join for alias, join in _JOINS.items() if alias in named)
    rows = source.query(
        f"SELECT json_group_array(id) FROM (SELECT e.id AS id FROM episode e{joins}"
        f" WHERE (e.counts=1 OR e.done=0){where} ORDER BY {order_sql or 'e.id'})",
        (*((judge,) if "v" in named else ()), *params),
    )
    found: list[int] = codec.from_json(rows[0][0])
    return found


_EVIDENCE_SIGNS, _NOT_KNOWN = "◆◈◇", "○"
"""Signs of a strip that speak of evidence, and the one for calls of which nothing can be said."""


def _of_answerable(column: str) -> str:
    """The column of questions that have an answer: what others have as evidence supports none, so their
    coverage is n/a. The file keeps what was counted; this is where it stops."""
    return f"iif(i.answerable,{column},NULL)"


def _signs() -> str:
    """The strip, without a word about evidence where coverage is n/a."""
    plain = "e.strip"
    for sign in _EVIDENCE_SIGNS:
        plain = f"replace({plain},'{sign}','{_NOT_KNOWN}')"
    return f"iif(i.answerable,e.strip,{plain})"


_COVERAGE = ("e.first_hit", "e.t_star", "e.gold_total", "e.gold_found")
_LINE = (
    "e.id,e.rev,e.uid,e.key,e.cell_id,a.key,c.conditions,c.scale,e.item_id,i.key,{question},{gold},"
    "i.qtype,i.cluster,i.answerable,e.haystack_id,e.repeat,e.attempt,e.counts,e.done,e.end_reason,"
    f"e.requested,e.executed,{','.join(map(_of_answerable, _COVERAGE))},e.redundant,e.zero_yield,"
    f"{_signs()},e.forced,e.abstained,e.prompt_tokens,e.completion_tokens,e.cached_tokens,e.cost,"
    "e.wall_ms,"
    "{answer},{error},e.started_at,e.finished_at"
)
_FLAGS = (14, 18, 19, 30, 31)
_TEXTS = (10, 11, 37, 38)


def rows(source: Source, ids: Sequence[int], preview: int | None) -> dict[int, EpisodeRow]:
    """See `RunReader.episode_rows`; `preview` None gives texts uncut."""

    # Cut as bytes: substr of a text ends at its first NUL, which would make it look empty.
    def column(name: str) -> str:
        if preview is None:
            return name
        blob = f"CAST({name} AS BLOB)"
        return f"iif(length({blob})<={preview},{name},substr({blob},1,{preview}))"

    line = _LINE.format(
        question=column("i.question"),
        gold=column("i.gold"),
        answer=column("e.answer"),
        error=column("e.error"),
    )
    wanted = codec.to_text(list(ids))
    found = source.query(
        f"SELECT {line} FROM episode e JOIN cell c ON c.id=e.cell_id JOIN arm a ON a.id=c.arm_id"
        " JOIN item i ON i.id=e.item_id WHERE e.id IN (SELECT value FROM json_each(?))",
        (wanted,),
    )
    labels: dict[int, dict[str, str]] = {}
    for episode, judge, label in source.query(
        f"SELECT episode_id,judge,label FROM verdict WHERE judge IN ({JUDGES})"
        " AND episode_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (wanted,),
    ):
        labels.setdefault(episode, {})[judge] = label
    decoders: dict[int, Callable[[Any], Any]] = dict.fromkeys(_FLAGS, bool)
    decoders.update(dict.fromkeys(_TEXTS, _uncut))
    out = {}
    for raw in found:
        row = decoded(raw, decoders)
        row.append(labels.get(row[0], {}))
        out[row[0]] = EpisodeRow(*row)
    return out


def _uncut(value: Any) -> Any:
    """A preview is cut between bytes: the last character may be half."""
    return value.decode("utf-8", "ignore") if isinstance(value, bytes) else value


def verdicts(source: Source, episode_id: int) -> tuple[VerdictRow, ...]:
    """See `RunReader.verdicts`."""
    found = source.query(
        "SELECT id,judge,label,reason,raw,usage,at FROM verdict"
        f" WHERE judge IN ({JUDGES}) AND episode_id=? ORDER BY id",
        (episode_id,),
    )
    return tuple([VerdictRow(*decoded(r, {5: codec.usage_from})) for r in found])


def detail(source: Source, episode_id: int) -> EpisodeDetail | None:
    """See `RunReader.episode`."""
    row = rows(source, [episode_id], None).get(episode_id)
    if row is None:
        return None
    item = source.item(row.item_id)
    assert item is not None  # the row was joined to it
    answer_raw, usage, coverage, views = source.query(
        "SELECT answer_raw,usage,coverage,views FROM episode WHERE id=?", (episode_id,)
    )[0]
    haystack = None if row.haystack_id is None else source.haystack(row.haystack_id)
    attempts = source.query("SELECT id FROM episode WHERE key=? ORDER BY attempt", (row.key,))
    return EpisodeDetail(
        row=row,
        item=item,
        haystack=None if haystack is None else haystack.header,
        answer_raw=answer_raw,
        usage=codec.usage_from(usage),
        coverage=tuple(codec.from_json(coverage)) if row.answerable else (),
        views=codec.from_json(views) if row.answerable else _all_not_known(codec.from_json(views)),
        verdicts=verdicts(source, episode_id),
        attempts=tuple([r[0] for r in attempts]),
    )


def _all_not_known(views: Mapping[str, object]) -> dict[str, list[int | None]]:
    return {view: [None] * len(_COVERAGE) for view in views}


_STEP = (
    "id,episode_id,seq,kind,at,name,status,counts_as_call,call_no,query,k_asked,k_returned,k_shown,hits,"
    "gold_ranks,gold_new,gold_cum,new_hits,similarity,similarity_kind,raw,text,usage,wall_ms,data"
)


def steps(source: Source, episode_id: int) -> list[StepRow]:
    """See `RunReader.steps`."""
    found = source.query(f"SELECT {_STEP} FROM step WHERE episode_id=? ORDER BY seq", (episode_id,))
    keys = {key for row in found for key in codec.hit_text_keys(row[13])}
    texts: dict[str, str] = {}
    if keys:
        for key, packed in source.query(
            "SELECT ref,z FROM passage WHERE ref IN (SELECT value FROM json_each(?))",
            (codec.to_text(sorted(keys)),),
        ):
            texts[key] = codec.unpack(packed).decode()
    decoders: dict[int, Callable[[Any], Any]] = {
        7: bool,
        13: lambda blob: codec.decode_hits(blob, texts),
        14: lambda blob: tuple((k, n) for k, n in codec.from_json(blob)) if blob else (),
        22: codec.usage_from,
        24: codec.from_json,
    }
    return [StepRow(*decoded(row, decoders)) for row in found]
