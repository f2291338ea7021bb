"""The fields of the filter language: one table gives predicate, SQL, help, facets and sort keys.

A field names one value of an episode twice, as Python and as SQL; how values are compared is defined
once for each kind in `comparisons.py`. A property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from memtui.metrics.judging import JUDGES_DIFFER
from memtui.metrics.outcome import outcome
from memtui.metrics.regime import FLAGS, coverage_after, overshoot, regime
from memtui.metrics.scales import OWN
from memtui.model import EndReason, EvidenceStatus, Outcome, Regime
from memtui.query.flags import HAS, flags_of, given, regime_at, unless_left_out
from memtui.query.rank_sql import RANK_SQL
from memtui.query.regime_sql import Sql, coverage_sql, outcome_sql
from memtui.query.subject import Environment, Subject
from memtui.store.side_file import BAD_GOLD


class Kind(Enum):
    """How a field's values are compared."""

    NUMBER = "number"
    """`: != < <= > >=`, ranges `a..b`, and `none` for unknown."""
    CHOICE = "choice"
    """One of a closed list; a group name such as `exhausted` stands for all its members."""
    TEXT = "text"
    """Contains, without regard to the case of ASCII letters."""
    FLAG = "flag"
    """Has this flag."""


Value = str | int | float | None | frozenset[str]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `value` and `sql` say the same thing; for FLAG fields `sql` takes the flag's name
    through `flag_sql` instead."""

    name: str
    kind: Kind
    help: str
    """What it means, in one line: the only place where that stands."""
    value: Callable[[Subject, Environment], Value]
    sql: Callable[[Environment], Sql]
    choices: tuple[str, ...] = ()
    synonyms: dict[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    facet: bool = False
    """Offered as a facet: few values, worth counting."""


def _column(name: str) -> Callable[[Environment], Sql]:
    return lambda _: (name, ())


def _of_answerable(name: str) -> Callable[[Environment], Sql]:
    """A column about evidence: n/a for questions without an answer, whose evidence supports none."""
    return lambda _: (f"CASE WHEN i.answerable THEN {name} END", ())


def _yes_no(name: str) -> Callable[[Environment], Sql]:
    return lambda _: (f"CASE WHEN {name} THEN 'yes' ELSE 'no' END", ())


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _covered(subject: Subject, environment: Environment, call: int | None) -> str:
    return coverage_after(subject.signature(environment), call)


def _stored(subject: Subject, _: Environment) -> str:
    evidence = subject.item.evidence
    if not evidence:
        return "unknown"
    lost = any(e.session is None or e.status is EvidenceStatus.DANGLING for e in evidence)
    return "no" if lost else "yes"


_STORED_SQL = (
    "CASE WHEN NOT EXISTS(SELECT 1 FROM evidence x WHERE x.item_id=i.id) THEN 'unknown'"
    " WHEN EXISTS(SELECT 1 FROM evidence x WHERE x.item_id=i.id"
    " AND (x.session IS NULL OR x.status='dangling')) THEN 'no' ELSE 'yes' END"
)


def _tokens(subject: Subject, _: Environment) -> int | None:
    row = subject.row
    if row.prompt_tokens is None or row.completion_tokens is None:
        return None
    return row.prompt_tokens + row.completion_tokens


def _length(subject: Subject, _: Environment) -> int | None:
    # SQLite's length() of a text ends at its first NUL.
    answer = subject.row.answer
    return None if answer is None else len(answer.partition("\0")[0])


def _haystack(name: str) -> Callable[[Subject, Environment], Value]:
    return lambda s, _: None if s.haystack is None else getattr(s.haystack, name)


_COVERAGE = ("covered", "partial", "none", "na")
_COVERAGE_WORDS = {"full": "covered", "complete": "covered", "n/a": "na"}
_YES_NO = ("yes", "no")
_BOOLEAN_WORDS = {"true": "yes", "1": "yes", "false": "no", "0": "no"}
N, C, T = Kind.NUMBER, Kind.CHOICE, Kind.TEXT

FIELDS: tuple[Field, ...] = (
    Field(
        "out",
        C,
        "outcome at B: pass, exhausted, wrong, excluded, pending",
        lambda s, v: outcome(s.signature(v), v.budget, v.mode).value,
        lambda v: unless_left_out(outcome_sql(v.mode, v.budget), v),
        choices=tuple(o.value for o in Outcome),
        synonyms={"passed": "pass", "running": "pending", "exh": "exhausted"},
        aliases=("outcome",),
        facet=True,
    ),
    Field(
        "regime",
        C,
        "outcome refined by coverage, or a group: exhausted, right, wrong",
        lambda s, v: regime(s.signature(v), v.budget, v.mode).value,
        regime_at,
        choices=tuple(r.value for r in Regime),
        facet=True,
    ),
    Field(
        "verdict",
        C,
        "what the chosen judge said: right, wrong, unknown, none",
        lambda s, v: s.label(v) or "none",
        lambda _: ("ifnull(v.label,'none')", ()),
        choices=("right", "wrong", "unknown", "none"),
        aliases=("label",),
        facet=True,
    ),
    Field(
        "end",
        C,
        "how the episode ended: answered, step_cap, memory_error ...",
        lambda s, _: s.row.end_reason or "none",
        lambda _: ("ifnull(e.end_reason,'none')", ()),
        choices=(*(r.value for r in EndReason), "none"),
        facet=True,
    ),
    Field(
        "arm", T, "agent and memory: contains", lambda s, _: s.row.arm, _column("a.key"), facet=True
    ),
    Field(
        "scale",
        N,
        "irrelevant sessions added around the evidence, or own",
        lambda s, _: None if s.row.scale == OWN else s.row.scale,
        lambda _: (f"CASE WHEN c.scale={OWN} THEN NULL ELSE c.scale END", ()),
        facet=True,
    ),
    Field(
        "type",
        T,
        "question type: contains",
        lambda s, _: s.row.qtype,
        _column("i.qtype"),
        facet=True,
    ),
    Field("item", T, "key of the question: contains", lambda s, _: s.row.item, _column("i.key")),
    Field(
        "cluster",
        T,
        "history that questions share: contains",
        lambda s, _: s.row.cluster,
        _column("i.cluster"),
    ),
    Field(
        "calls",
        N,
        "R: memory calls requested, refused ones too",
        lambda s, _: s.row.requested,
        _column("e.requested"),
    ),
    Field(
        "overshoot",
        N,
        "calls made after the evidence was complete, R - t*",
        lambda s, v: overshoot(s.signature(v)),
        lambda _: (
            "CASE WHEN e.gold_total IS NULL OR i.answerable=0 THEN NULL"
            " ELSE e.requested-e.t_star END",
            (),
        ),
    ),
    Field(
        "over",
        N,
        "calls over the budget, R - B (after the evidence: overshoot)",
        lambda s, v: s.row.requested - v.budget,
        lambda v: ("e.requested-?", (v.budget,)),
    ),
    Field(
        "tstar",
        N,
        "t*: the call that completed the evidence",
        lambda s, _: s.row.t_star,
        _of_answerable("e.t_star"),
    ),
    Field(
        "hit",
        N,
        "first call that brought evidence; 0 is given context",
        lambda s, _: s.row.first_hit,
        _of_answerable("e.first_hit"),
    ),
    Field(
        "gold",
        N,
        "pieces of evidence the question has",
        lambda s, _: s.row.gold_total,
        _of_answerable("e.gold_total"),
    ),
    Field(
        "found",
        N,
        "pieces of evidence in view at the end",
        lambda s, _: s.row.gold_found,
        _of_answerable("e.gold_found"),
    ),
    Field(
        "rank",
        N,
        "best rank of a piece of evidence among the hits of any call",
        lambda s, _: s.best_rank,
        lambda _: (RANK_SQL, ()),
    ),
    Field(
        "cov",
        C,
        "evidence in view at the end: covered, partial, none, na",
        lambda s, v: _covered(s, v, None),
        lambda _: coverage_sql(None),
        choices=_COVERAGE,
        synonyms=_COVERAGE_WORDS,
        facet=True,
    ),
    Field(
        "covb",
        C,
        "evidence in view after call B",
        lambda s, v: _covered(s, v, v.budget),
        lambda v: coverage_sql(v.budget),
        choices=_COVERAGE,
        synonyms=_COVERAGE_WORDS,
    ),
    Field(
        "stored",
        C,
        "is all of its evidence in the history?",
        _stored,
        lambda _: (_STORED_SQL, ()),
        choices=("yes", "no", "unknown"),
        synonyms=_BOOLEAN_WORDS,
    ),
    Field(
        "answerable",
        C,
        "has the question an answer?",
        lambda s, _: _yes(s.row.answerable),
        _yes_no("i.answerable"),
        choices=_YES_NO,
        synonyms=_BOOLEAN_WORDS,
    ),
    Field(
        "flag",
        Kind.FLAG,
        f"{FLAGS[0]}, {JUDGES_DIFFER}, {BAD_GOLD} ..., or one of the question",
        flags_of,
        lambda _: ("NULL", ()),
        facet=True,
    ),
    Field(
        "has",
        Kind.FLAG,
        f"what a reader gave it: {', '.join(HAS)}",
        given,
        lambda _: ("NULL", ()),
        choices=HAS,
    ),
    Field(
        "repeats",
        N,
        "calls whose blocks the model had all seen before",
        lambda s, _: s.row.redundant,
        _column("e.redundant"),
    ),
    Field(
        "empty",
        N,
        "calls that returned nothing",
        lambda s, _: s.row.zero_yield,
        _column("e.zero_yield"),
    ),
    Field(
        "repeat",
        N,
        "which repeat of the question, from 0",
        lambda s, _: s.row.repeat,
        _column("e.repeat"),
    ),
    Field(
        "attempt",
        N,
        "which attempt at the episode, from 1",
        lambda s, _: s.row.attempt,
        _column("e.attempt"),
    ),
    Field(
        "seed",
        N,
        "ladder seed: which draw of irrelevant sessions",
        _haystack("ladder_seed"),
        _column("h.ladder_seed"),
    ),
    Field(
        "age",
        N,
        "age of the evidence in its history, 0 oldest .. 1 newest",
        _haystack("evidence_age"),
        _column("h.evidence_age"),
    ),
    Field(
        "sessions",
        N,
        "sessions in the history, evidence included",
        _haystack("n_sessions"),
        _column("h.n_sessions"),
    ),
    Field(
        "tokens",
        N,
        "prompt and completion tokens of the agent",
        _tokens,
        _column("e.prompt_tokens+e.completion_tokens"),
    ),
    Field(
        "cost",
        N,
        "US dollars the episode cost",
        lambda s, _: s.row.cost,
        _column("e.cost"),
    ),
    Field(
        "time",
        N,
        "seconds the episode took",
        lambda s, _: None if s.row.wall_ms is None else s.row.wall_ms / 1000.0,
        _column("e.wall_ms/1000.0"),
    ),
    Field(
        "length",
        N,
        "characters of the answer",
        _length,
        _column("length(e.answer)"),
    ),
)

OF_COURSE = frozenset({
    "out", "regime", "verdict", "end", "calls", "over", "overshoot", "tstar", "hit", "found", "rank", "cov",
    "covb", "repeats", "empty", "tokens", "cost", "time", "length",
})  # fmt: skip
"""Fields that depend on what an episode did or how it was judged; the others say what was asked, of whom,
over which history. Of flags, see `FLAGS_OF_COURSE`."""
BY_NAME: dict[str, Field] = {name: one for one in FIELDS for name in (one.name, *one.aliases)}

ITEM_TEXTS = ("i.question", "i.gold", "i.key")
EPISODE_TEXTS = ("e.answer", "e.error")
"""Where free text is looked for."""


def texts(subject: Subject) -> tuple[str | None, ...]:
    """The same places in Python."""
    row = subject.row
    return (row.question, row.gold, row.item, row.answer, row.error)
