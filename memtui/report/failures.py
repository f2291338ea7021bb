"""The episodes that did not pass at B, by how they failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtui.metrics.explain import why_it_ended
from memtui.metrics.judging import JUDGES_DIFFER, differ
from memtui.metrics.outcome import outcome
from memtui.metrics.regime import OUTCOME_OF, flags, overshoot, regime
from memtui.metrics.scales import scale_value
from memtui.model import Outcome, Regime
from memtui.query.budgets import budget_at
from memtui.query.sorting import Order, parse_order
from memtui.query.subject import signature_of
from memtui.report.csv_door import Value, to_csv
from memtui.report.episode_lines import strip_text
from memtui.report.plain import table_lines
from memtui.report.source import ReportSource
from memtui.report.table import LEFT, RIGHT, Table, scale_text
from memtui.state.told_apart import ladder_seed
from memtui.store.records import EpisodeRow
from memtui.views.outcome import REGIME_WORDS
from memtui.views.text_door import clean_line

SCHEMA = "memtui-failures-1"
PREVIEW = 60


@dataclass(frozen=True, slots=True)
class Failure:
    """One episode that did not pass."""

    row: EpisodeRow
    label: str | None
    regime: Regime
    flags: tuple[str, ...]
    strip: str
    why: str


@dataclass(frozen=True, slots=True)
class Failures:
    """What did not pass at B: `total` of `ended` episodes, the first `len(listed)` of them listed."""

    file: str
    budget: int
    mode: str
    judge: str
    filter: str
    ended: int
    excluded: int
    pending: int
    total: int
    regimes: dict[Regime, int]
    repeats: bool
    """Whether questions were asked several times over, so that their episodes need a mark each."""
    listed: tuple[Failure, ...]


def find_failures(
    source: ReportSource, budget: int | None = None, *, limit: int | None = 50, sort: str = ""
) -> Failures:
    """Episodes exhausted or wrong at B among those that pass the source's filter, by regime, then id.

    `sort` orders them by fields of the filter language instead, e.g. `-over,cost` (QueryError for
    others).
    Failures of provider, network, data or judge are excluded, as in every rate; they are counted.
    """
    run = source.run
    at = budget_at(source.reader, run, budget)
    outcomes: Counter[Outcome] = Counter()
    kinds: Counter[Regime] = Counter()
    ids: list[tuple[int, int]] = []
    order = {name: place for place, name in enumerate(Regime)}
    repeats = set()
    for fact in source.selected(at).facts:
        what = outcome(fact, at, run.mode)
        outcomes[what] += 1
        repeats.add(fact.repeat)
        if what in (Outcome.EXHAUSTED, Outcome.WRONG):
            kind = regime(fact, at, run.mode)
            kinds[kind] += 1
            ids.append((order[kind], fact.id))
    total = len(ids)
    found = [number for _, number in sorted(ids)]
    if sort:
        found = _sorted(found, parse_order(sort), source, at)
    chosen = found[:limit]
    rows = source.reader.episode_rows(chosen)
    listed = tuple(_failure(rows[number], source, at) for number in chosen if number in rows)
    return Failures(
        file=str(source.reader.path),
        budget=at,
        mode=run.mode,
        judge=source.judge,
        filter=source.filter_text,
        ended=outcomes.total() - outcomes[Outcome.PENDING],
        excluded=outcomes[Outcome.EXCLUDED],
        pending=outcomes[Outcome.PENDING],
        total=total,
        regimes={kind: kinds[kind] for kind in Regime if kinds[kind]},
        repeats=len(repeats) > 1,
        listed=listed,
    )


def list_episodes(source: ReportSource, ids: Sequence[int], budget: int) -> Failures:
    """These episodes in this order, passed or not, told as failures are; counts are of these alone."""
    rows = source.reader.episode_rows([*ids])
    listed = tuple(_failure(rows[number], source, budget) for number in ids if number in rows)
    kinds = Counter(one.regime for one in listed)
    outcomes = Counter(OUTCOME_OF[one.regime] for one in listed)
    return Failures(
        file=str(source.reader.path),
        budget=budget,
        mode=source.run.mode,
        judge=source.judge,
        filter=source.filter_text,
        ended=outcomes.total() - outcomes[Outcome.PENDING],
        excluded=outcomes[Outcome.EXCLUDED],
        pending=outcomes[Outcome.PENDING],
        total=len(listed),
        regimes={kind: kinds[kind] for kind in Regime if kinds[kind]},
        repeats=len({one.row.repeat for one in listed}) > 1,
        listed=listed,
    )


def _sorted(ids: list[int], order: Order, source: ReportSource, budget: int) -> list[int]:
    text, values = order.sql(source.environment(budget))
    wanted = set(ids)
    everything = source.reader.episode_ids("", values, text, judge=source.judge)
    return [number for number in everything if number in wanted]


def _failure(row: EpisodeRow, source: ReportSource, budget: int) -> Failure:
    mode = source.mode
    signature = signature_of(row, source.judge)
    context = row.arm in source.context_arms
    return Failure(
        row=row,
        label=signature.label,
        regime=regime(signature, budget, mode),
        flags=(*flags(signature, budget, mode, context=context), *by_judges(row)),
        strip=strip_text(row, source.judge, budget, mode),
        why=why_it_ended(signature, row.gold_found, budget, mode, context=context),
    )


def by_judges(row: EpisodeRow) -> tuple[str, ...]:
    """The flag of an episode that its judges decided, and not all alike."""
    return (JUDGES_DIFFER,) if differ(row.labels.values()) else ()


def failures_text(found: Failures) -> str:
    """Plain text: how many by regime, then one line per episode."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Failures) -> Iterator[str]:
    yield clean_line(
        f"{found.file} · B = {found.budget} ({found.mode.replace('_', ' ')}) · judge {found.judge}"
        + (f" · filter {found.filter}" if found.filter else "")
    )
    counted = found.ended - found.excluded
    yield (
        f"{found.total} of {counted} counted episodes did not pass · excluded {found.excluded} · open "
        f"{found.pending}"
    )
    if not found.total:
        return
    yield ""
    summary = tuple((REGIME_WORDS[kind], str(count)) for kind, count in found.regimes.items())
    yield from table_lines(Table("How they failed", ("regime", "episodes"), "<>", summary))
    yield ""
    rows = tuple(
        (
            str(one.row.id),
            one.row.arm,
            scale_text(one.row.scale),
            *([f"r{one.row.repeat}"] if found.repeats else []),
            REGIME_WORDS[one.regime],
            one.strip,
            clean_line(one.row.item),
            clean_line(one.row.question, width=PREVIEW),
        )
        for one in found.listed
    )
    title = f"Episodes ({len(found.listed)} of {found.total})"
    repeat = ("rep.",) if found.repeats else ()
    header = ("id", "arm", "scale", *repeat, "regime", "calls", "item", "question")
    sides = RIGHT + LEFT + RIGHT + LEFT * (len(header) - 3)
    yield from table_lines(Table(title, header, sides, rows))
    if len(found.listed) < found.total:
        yield f"{found.total - len(found.listed)} more: --limit 0 lists all"


def failures_document(found: Failures) -> dict[str, Any]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "file": found.file,
        "budget": found.budget,
        "mode": found.mode,
        "judge": found.judge,
        "filter": found.filter,
        "ended": found.ended,
        "excluded": found.excluded,
        "pending": found.pending,
        "total": found.total,
        "regimes": {kind.value: count for kind, count in found.regimes.items()},
        "episodes": [
            {
                "id": one.row.id,
                "uid": one.row.uid,
                "key": one.row.key,
                "arm": one.row.arm,
                "scale": scale_value(one.row.scale),
                "item": one.row.item,
                "question_type": one.row.qtype,
                "seed": ladder_seed(one.row.key),
                "repeat": one.row.repeat,
                "answerable": one.row.answerable,
                "requested": one.row.requested,
                "calls_left": max(0, found.budget - one.row.requested),
                "redundant": one.row.redundant,
                "first_hit": one.row.first_hit,
                "t_star": one.row.t_star,
                "overshoot": overshoot(signature_of(one.row, found.judge)),
                "gold_found": one.row.gold_found,
                "gold_total": one.row.gold_total,
                "prompt_tokens": one.row.prompt_tokens,
                "completion_tokens": one.row.completion_tokens,
                "cost_usd": one.row.cost,
                "wall_ms": one.row.wall_ms,
                "end_reason": one.row.end_reason,
                "label": one.label,
                "outcome": OUTCOME_OF[one.regime].value,
                "regime": one.regime.value,
                "flags": list(one.flags),
                "strip": one.strip,
                "why": one.why,
                "question": one.row.question,
                "gold": one.row.gold,
                "answer": one.row.answer,
                "error": one.row.error,
            }
            for one in found.listed
        ],
    }


HEADER = (
    "id", "arm", "scale", "item", "question_type", "seed", "repeat", "outcome", "strip", "requested",
    "calls_left", "redundant", "first_hit", "t_star", "overshoot", "gold_found", "gold_total", "prompt_tokens",
    "completion_tokens", "cost_usd", "wall_ms", "end_reason", "label", "regime", "flags", "question", "gold",
    "answer", "why",
)  # fmt: skip
"""Keys of an episode in the document, all columns of the list on screen among them."""


def failures_csv(found: Failures, *, excel: bool = False) -> str:
    """One row per listed episode."""
    rows: list[list[Value]] = []
    for one in failures_document(found)["episodes"]:
        shown = one | {"flags": " ".join(one["flags"])}
        rows.append([shown[name] for name in HEADER])
    return to_csv(HEADER, rows, excel=excel)
