"""The fields of the filter language: one table gives predicate, SQL, help, facets and sort keys.

A field names one value of an episode twice, as Python and as SQL; how values are compared is defined
once for each kind in `comparisons.py`. A property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum

from memtui.metrics.outcome import outcome
from memtui.metrics.regime import FLAGS, coverage_after, flags, regime
from memtui.metrics.scales import OWN
from memtui.model import EndReason, EvidenceStatus, Outcome, Regime
from memtui.query.regime_sql import Sql, coverage_sql, outcome_sql, regime_sql
from memtui.query.subject import Environment, Subject
from memtui.store import codec
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


def _overshoot(subject: Subject, _: Environment) -> int | None:
    row = subject.row
    if row.t_star is None or row.gold_total is None or not row.answerable:
        return None
    return row.requested - row.t_star


def _tokens(subject: Subject, _: Environment) -> int | None:
    row = subject.row
    if row.prompt_tokens is None or row.completion_tokens is None:
        return None
    return row.prompt_tokens + row.completion_tokens


def _length(subject: Subject, _: Environment) -> int | None:
    # SQLite's length() of a text ends at its first NUL.
    answer = subject.row.answer
    return None if answer is None else len(answer.partition("\0")[0])


def _flags(subject: Subject, environment: Environment) -> frozenset[str]:
    own = flags(
        subject.signature(environment),
        environment.budget,
        environment.mode,
        context=subject.row.arm in environment.context_arms,
    )
    marked = {BAD_GOLD} if subject.item.key in environment.marks.bad_gold else set()
    return frozenset(own) | frozenset(subject.item.flags) | marked


def _has(subject: Subject, environment: Environment) -> frozenset[str]:
    """Which of `HAS` a reader gave the episode, or its question."""
    marks, key = environment.marks, subject.row.key
    given = (key in marks.notes, key in marks.bookmarks, subject.item.key in marks.bad_gold)
    return frozenset(name for name, there in zip(HAS, given, strict=True) if there)


def _one_of(column: str, keys: Collection[str]) -> Sql:
    """Whether the column is one of the keys."""
    return f"{column} IN (SELECT value FROM json_each(?))", (codec.to_text(sorted(keys)),)


def _unless_left_out(found: Sql, environment: Environment) -> Sql:
    """`excluded` for questions that are out of every rate, else what was found."""
    if not environment.left_out:
        return found
    text, params = _one_of("i.key", environment.left_out)
    return f"CASE WHEN e.done=1 AND {text} THEN 'excluded' ELSE {found[0]} END", params + found[1]


def _regime_sql(environment: Environment) -> Sql:
    return _unless_left_out(regime_sql(environment.mode, environment.budget), environment)


def _haystack(name: str) -> Callable[[Subject, Environment], Value]:
    return lambda s, _: None if s.haystack is None else getattr(s.haystack, name)


_COVERAGE = ("covered", "partial", "none", "na")
_COVERAGE_WORDS = {"full": "covered", "complete": "covered", "n/a": "na"}
HAS = ("note", "bookmark", "flag")
"""What a reader can give an episode or its question."""
_YES_NO = ("yes", "no")
_BOOLEAN_WORDS = {"true": "yes", "1": "yes", "false": "no", "0": "no"}
N, C, T = Kind.NUMBER, Kind.CHOICE, Kind.TEXT

FIELDS: tuple[Field, ...] = (
    Field(
        "out",
        C,
        "outcome at B",
        lambda s, v: outcome(s.signature(v), v.budget, v.mode).value,
        lambda v: _unless_left_out(outcome_sql(v.mode, v.budget), v),
        choices=tuple(o.value for o in Outcome),
        synonyms={"passed": "pass", "running": "pending", "exh": "exhausted"},
        aliases=("outcome",),
        facet=True,
    ),
    Field(
        "regime",
        C,
        "regime at B, or a group of them (exhausted, right, wrong)",
        lambda s, v: regime(s.signature(v), v.budget, v.mode).value,
        _regime_sql,
        choices=tuple(r.value for r in Regime),
        facet=True,
    ),
    Field(
        "verdict",
        C,
        "the judge's verdict",
        lambda s, v: s.label(v) or "none",
        lambda _: ("ifnull(v.label,'none')", ()),
        choices=("right", "wrong", "unknown", "none"),
        aliases=("label",),
        facet=True,
    ),
    Field(
        "end",
        C,
        "end reason",
        lambda s, _: s.row.end_reason or "none",
        lambda _: ("ifnull(e.end_reason,'none')", ()),
        choices=(*(r.value for r in EndReason), "none"),
        facet=True,
    ),
    Field("arm", T, "arm", lambda s, _: s.row.arm, _column("a.key"), facet=True),
    Field(
        "scale",
        N,
        "irrelevant sessions, or `own`",
        lambda s, _: None if s.row.scale == OWN else s.row.scale,
        lambda _: (f"CASE WHEN c.scale={OWN} THEN NULL ELSE c.scale END", ()),
        facet=True,
    ),
    Field("type", T, "question type", lambda s, _: s.row.qtype, _column("i.qtype"), facet=True),
    Field("item", T, "key of the item", lambda s, _: s.row.item, _column("i.key")),
    Field(
        "cluster", T, "history it shares", lambda s, _: s.row.cluster, _column("i.cluster")
    ),
    Field("calls", N, "R, calls requested", lambda s, _: s.row.requested, _column("e.requested")),
    Field(
        "over",
        N,
        "calls over the budget, R - B",
        lambda s, v: s.row.requested - v.budget,
        lambda v: ("e.requested-?", (v.budget,)),
    ),
    Field(
        "overshoot",
        N,
        "calls after the evidence was complete",
        _overshoot,
        lambda _: (
            "CASE WHEN e.gold_total IS NULL OR i.answerable=0 THEN NULL"
            " ELSE e.requested-e.t_star END",
            (),
        ),
    ),
    Field("tstar", N, "call that completed the evidence", lambda s, _: s.row.t_star, _of_answerable("e.t_star")),
    Field("hit", N, "first call with evidence", lambda s, _: s.row.first_hit, _of_answerable("e.first_hit")),
    Field("gold", N, "gold units", lambda s, _: s.row.gold_total, _of_answerable("e.gold_total")),
    Field("found", N, "gold units found", lambda s, _: s.row.gold_found, _of_answerable("e.gold_found")),
    Field(
        "cov",
        C,
        "coverage at the end",
        lambda s, v: _covered(s, v, None),
        lambda _: coverage_sql(None),
        choices=_COVERAGE,
        synonyms=_COVERAGE_WORDS,
        facet=True,
    ),
    Field(
        "covb",
        C,
        "coverage after call B",
        lambda s, v: _covered(s, v, v.budget),
        lambda v: coverage_sql(v.budget),
        choices=_COVERAGE,
        synonyms=_COVERAGE_WORDS,
    ),
    Field(
        "stored",
        C,
        "is all its evidence in the history?",
        _stored,
        lambda _: (_STORED_SQL, ()),
        choices=("yes", "no", "unknown"),
        synonyms=_BOOLEAN_WORDS,
    ),
    Field(
        "answerable",
        C,
        "has the item an answer?",
        lambda s, _: _yes(s.row.answerable),
        _yes_no("i.answerable"),
        choices=_YES_NO,
        synonyms=_BOOLEAN_WORDS,
    ),
    Field(
        "flag",
        Kind.FLAG,
        f"{', '.join(FLAGS)}, {BAD_GOLD} (a reader's), or a flag of the item",
        _flags,
        lambda _: ("NULL", ()),
        facet=True,
    ),
    Field(
        "has",
        Kind.FLAG,
        f"{', '.join(HAS)}: what a reader gave it",
        _has,
        lambda _: ("NULL", ()),
        choices=HAS,
    ),
    Field("repeats", N, "calls without a new block", lambda s, _: s.row.redundant, _column("e.redundant")),
    Field("empty", N, "calls without a result", lambda s, _: s.row.zero_yield, _column("e.zero_yield")),
    Field("repeat", N, "repeat", lambda s, _: s.row.repeat, _column("e.repeat")),
    Field("attempt", N, "attempt", lambda s, _: s.row.attempt, _column("e.attempt")),
    Field("seed", N, "ladder seed", _haystack("ladder_seed"), _column("h.ladder_seed")),
    Field("age", N, "age of the evidence, 0 oldest .. 1", _haystack("evidence_age"), _column("h.evidence_age")),
    Field("sessions", N, "sessions in the history", _haystack("n_sessions"), _column("h.n_sessions")),
    Field("tokens", N, "prompt + completion tokens", _tokens, _column("e.prompt_tokens+e.completion_tokens")),
    Field("cost", N, "US dollars", lambda s, _: s.row.cost, _column("e.cost")),
    Field(
        "time",
        N,
        "seconds",
        lambda s, _: None if s.row.wall_ms is None else s.row.wall_ms / 1000.0,
        _column("e.wall_ms/1000.0"),
    ),
    Field("length", N, "characters of the answer", _length, _column("length(e.answer)")),
)  # fmt: skip

BY_NAME: dict[str, Field] = {name: one for one in FIELDS for name in (one.name, *one.aliases)}

ITEM_TEXTS = ("i.question", "i.gold", "i.key")
EPISODE_TEXTS = ("e.answer", "e.error")
"""Where free text is looked for."""


def texts(subject: Subject) -> tuple[str | None, ...]:
    """The same places in Python."""
    row = subject.row
    return (row.question, row.gold, row.item, row.answer, row.error)


def has_sql(name: str, environment: Environment) -> Sql:
    """Whether a reader gave an episode a note or a bookmark, or flagged its question."""
    marks = environment.marks
    if name == "note":
        return _one_of("e.key", marks.notes)
    if name == "bookmark":
        return _one_of("e.key", marks.bookmarks)
    return _one_of("i.key", marks.bad_gold if name == "flag" else ())


def flag_sql(name: str, environment: Environment) -> list[Sql]:
    """Whether an episode has a flag, in alternatives: one of ours at B or a reader's; one of its item."""
    of_item = "EXISTS(SELECT 1 FROM json_each(i.flags) x WHERE x.value=?)", (name,)
    derived = {
        "overshoot": "e.gold_total IS NOT NULL AND i.answerable=1 AND e.requested>e.t_star",
        "redundant": "e.redundant>0",
        "abstained": "e.abstained=1",
        "forced": "e.forced=1",
        "coverage_na": "e.gold_total IS NULL OR i.answerable=0",
    }
    if name == "gave_up_early":
        kind, params = _regime_sql(environment)
        arms = sorted(environment.context_arms)
        marks = ",".join("?" * len(arms))
        sql = (
            "e.t_star IS NULL AND e.gold_total IS NOT NULL AND i.answerable=1 AND e.requested<?"
            + (f" AND a.key NOT IN ({marks})" if arms else "")
            + f" AND ({kind}) IN ('no_answer','wrong_partial','wrong_none')"
        )
        return [(sql, (environment.budget, *arms, *params)), of_item]
    if name in derived:
        return [(derived[name], ()), of_item]
    if name == BAD_GOLD:
        return [_one_of("i.key", environment.marks.bad_gold), of_item]
    return [of_item]
