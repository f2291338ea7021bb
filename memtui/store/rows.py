"""One event -> the values of its row: pure functions, one per table, in the order of the columns.

A last column that is stored compressed is still plain JSON here: the writer's thread packs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from memtui.model import Item
from memtui.store import codec
from memtui.store.errors import StoreError
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    HaystackEvent,
    HeartbeatEvent,
    LedgerEvent,
    LogEvent,
    RunEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)

Value = str | int | float | bytes | None
Row = tuple[Value, ...]

_PLAIN = frozenset((str, int, float, bytes, bool, type(None)))


def utc(at: str, what: str = "a time") -> str:
    """The moment in UTC with its offset; StoreError for a time without one or that is none."""
    if at.endswith("+00:00"):
        return at
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise StoreError(f"{what} is not an ISO 8601 time: {at!r}") from None
    if moment.tzinfo is None:
        raise StoreError(f"{what} has no offset from UTC: {at!r}; use datetime.now(timezone.utc)")
    return moment.astimezone(UTC).isoformat()


def plain(values: Row) -> Row:
    """The values as SQLite can bind them: numpy scalars and enums become what they stand for."""
    if _PLAIN.issuperset(map(type, values)):
        return values
    return tuple(v if type(v) in _PLAIN else _plain_value(v) for v in values)


def _plain_value(value: object) -> Value:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    scalar = getattr(value, "item", None)  # numpy scalars, without loading numpy
    found = scalar() if callable(scalar) else None
    if isinstance(found, (int, float)):
        return found
    raise StoreError(f"a value of type {type(value).__name__} cannot be stored")


def run_values(event: RunEvent) -> Row:
    """Columns uid .. seeds, then created_at (id, rev, state, note, finished_at are the writer's)."""
    return (
        event.uid,
        event.name,
        event.protocol,
        codec.to_text(event.config),
        event.config_hash,
        str(event.mode),
        event.budget,
        event.alpha,
        event.judge,
        event.planned,
        codec.to_text(event.scales),
        codec.to_text(event.dataset),
        codec.to_text(event.versions),
        codec.to_text(event.seeds),
        utc(event.created_at, "created_at"),
    )


def arm_values(event: ArmEvent) -> Row:
    """Columns key .. note."""
    return (
        event.key,
        event.agent,
        event.memory,
        codec.to_text(event.config),
        event.form,
        event.provenance,
        event.note,
    )


def item_values(item: Item) -> Row:
    """Columns key .. meta."""
    return (
        item.key,
        item.question,
        item.gold,
        codec.to_json(item.gold_raw).decode(),
        item.qtype,
        item.cluster,
        int(item.answerable),
        item.question_date,
        item.tempting,
        codec.to_text(item.flags),
        codec.to_text(item.meta),
    )


def evidence_values(item: Item) -> list[Row]:
    """Columns ord .. status, one row per gold reference."""
    return [(n, e.raw, e.session, e.turn, str(e.status)) for n, e in enumerate(item.evidence)]


def session_values(event: SessionEvent) -> Row:
    """Columns token .. z (not yet packed)."""
    return (
        event.token,
        event.sha,
        event.source,
        event.date,
        len(event.turns),
        event.tokens,
        codec.turns_json(event.turns),
    )


def haystack_values(event: HaystackEvent, item_id: int) -> Row:
    """Columns key .. z (not yet packed)."""
    return (
        event.key,
        item_id,
        event.scale,
        event.ladder_seed,
        event.date_policy,
        len(event.positions),
        event.n_irrelevant,
        event.tokens,
        event.tokenizer,
        event.borrowed,
        event.contaminated,
        codec.to_text(event.pools),
        event.evidence_age,
        int(event.available),
        event.note,
        codec.to_json(event.positions),
    )


def step_values(event: StepEvent) -> tuple[Row, dict[str, str], bytes | None]:
    """Columns seq .. data of a step, the texts its hits refer to, and its new messages as JSON."""
    hits, texts = codec.encode_hits(event.hits)
    return (
        (
            event.seq,
            event.kind,
            utc(event.at, "the time of a step"),
            event.name,
            event.status,
            int(event.counts_as_call),
            event.call_no,
            event.query,
            event.k_asked,
            event.k_returned,
            event.k_shown,
            hits,
            codec.to_json(event.gold_ranks) if event.gold_ranks else None,
            event.gold_new,
            event.gold_cum,
            event.new_hits,
            event.similarity,
            event.similarity_kind,
            event.raw,
            event.text,
            codec.usage_text(event.usage),
            event.wall_ms,
            codec.to_text(event.data),
        ),
        texts,
        codec.to_json(event.messages) if event.messages else None,
    )


def finished_values(event: EpisodeFinished) -> Row:
    """Columns counts .. finished_at as `writer` updates them."""
    facts, usage = event.facts, event.usage
    return (
        int(event.counts),
        str(event.end_reason),
        facts.requested,
        facts.executed,
        facts.first_hit,
        facts.t_star,
        facts.gold_total,
        facts.gold_found,
        facts.redundant,
        facts.zero_yield,
        event.strip,
        int(event.forced),
        int(event.abstained),
        usage.prompt,
        usage.completion,
        usage.cached,
        usage.cost,
        event.wall_ms,
        event.answer,
        event.answer_raw,
        event.error,
        codec.to_text(facts.coverage),
        codec.to_text(event.views),
        codec.usage_text(usage),
        utc(event.at, "the end of an episode"),
    )


def verdict_values(event: VerdictEvent) -> Row:
    """Columns judge .. at."""
    return (
        event.judge,
        str(event.label),
        event.reason,
        event.raw,
        codec.usage_text(event.usage),
        utc(event.at, "the time of a verdict"),
    )


def ledger_values(event: LedgerEvent) -> Row:
    """Columns owner .. wall_ms."""
    return (
        event.owner,
        event.phase,
        codec.usage_text(event.paid),
        codec.usage_text(event.cold),
        event.wall_ms,
    )


def heartbeat_values(event: HeartbeatEvent) -> Row:
    """Columns at .. snapshot."""
    return (utc(event.at), event.pid, event.host, codec.to_text(event.snapshot))


def log_values(event: LogEvent) -> Row:
    """Columns at .. data."""
    return (utc(event.at), event.level, event.kind, event.text, codec.to_text(event.data))


def probe(values: Iterable[Value], *more: bytes | None) -> str:
    """All text of a row in one piece, to search for secrets; UnicodeEncodeError on lone surrogates."""
    texts = [v for v in values if type(v) is str]
    texts += [v.decode() for v in more if v is not None]
    text = "\0".join(texts)
    if not text.isascii():
        text.encode()
    return text


def probe_all(found: Iterable[Row]) -> str:
    """`probe` of several rows, their unpacked blobs included."""
    return "\0".join([probe(row, *[v for v in row if type(v) is bytes]) for row in found])
