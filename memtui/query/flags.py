"""Flags of an episode, and what a reader gave it: each as Python and as SQL."""

from __future__ import annotations

from collections.abc import Collection

from memtui.metrics.judging import JUDGES_DIFFER, differ
from memtui.metrics.regime import FLAGS, flags
from memtui.query.regime_sql import Sql, regime_sql
from memtui.query.subject import Environment, Subject
from memtui.store import codec
from memtui.store.episode_queries import JUDGES
from memtui.store.side_file import BAD_GOLD

HAS = ("note", "bookmark", "flag")
"""What a reader can give an episode or its question."""
KNOWN_FLAGS = (*FLAGS, JUDGES_DIFFER, BAD_GOLD)
"""Flags that are not of the question."""
FLAGS_OF_COURSE = frozenset({*FLAGS, JUDGES_DIFFER})
"""Flags that depend on what an episode did or how it was judged; others are of its question."""
_JUDGES_DIFFER_SQL = (
    "(SELECT count(DISTINCT d.label) FROM (SELECT (SELECT w.label FROM verdict w WHERE w.judge=j.id"
    f" AND w.episode_id=e.id ORDER BY w.id DESC LIMIT 1) AS label FROM ({JUDGES}) j) d"
    " WHERE d.label IN ('right','wrong'))=2"
)


def flags_of(subject: Subject, environment: Environment) -> frozenset[str]:
    """Its flags at B, those of its question, and a reader's."""
    own = flags(
        subject.signature(environment),
        environment.budget,
        environment.mode,
        context=subject.row.arm in environment.context_arms,
    )
    split = {JUDGES_DIFFER} if differ(subject.row.labels.values()) else set()
    marked = {BAD_GOLD} if subject.item.key in environment.marks.bad_gold else set()
    return frozenset(own) | frozenset(subject.item.flags) | marked | split


def given(subject: Subject, environment: Environment) -> frozenset[str]:
    """Which of `HAS` a reader gave the episode, or its question."""
    marks, key = environment.marks, subject.row.key
    given = (key in marks.notes, key in marks.bookmarks, subject.item.key in marks.bad_gold)
    return frozenset(name for name, there in zip(HAS, given, strict=True) if there)


def one_of(column: str, keys: Collection[str]) -> Sql:
    """Whether the column is one of the keys."""
    return f"{column} IN (SELECT value FROM json_each(?))", (codec.to_text(sorted(keys)),)


def unless_left_out(found: Sql, environment: Environment) -> Sql:
    """`excluded` for questions that are out of every rate, else what was found."""
    if not environment.left_out:
        return found
    text, params = one_of("i.key", environment.left_out)
    return f"CASE WHEN e.done=1 AND {text} THEN 'excluded' ELSE {found[0]} END", params + found[1]


def regime_at(environment: Environment) -> Sql:
    """The regime at B; `excluded` for questions that are out of every rate."""
    return unless_left_out(regime_sql(environment.mode, environment.budget), environment)


def has_sql(name: str, environment: Environment) -> Sql:
    """Whether a reader gave an episode a note or a bookmark, or flagged its question."""
    marks = environment.marks
    if name == "note":
        return one_of("e.key", marks.notes)
    if name == "bookmark":
        return one_of("e.key", marks.bookmarks)
    return one_of("i.key", marks.bad_gold if name == "flag" else ())


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
        kind, params = regime_at(environment)
        arms = sorted(environment.context_arms)
        marks = ",".join("?" * len(arms))
        sql = (
            "e.t_star IS NULL AND e.gold_total IS NOT NULL AND i.answerable=1 AND e.requested<?"
            + (f" AND a.key NOT IN ({marks})" if arms else "")
            + f" AND ({kind}) IN ('no_answer','wrong_partial','wrong_none')"
        )
        return [(sql, (environment.budget, *arms, *params)), of_item]
    if name == JUDGES_DIFFER:
        return [(_JUDGES_DIFFER_SQL, ()), of_item]
    if name in derived:
        return [(derived[name], ()), of_item]
    if name == BAD_GOLD:
        return [one_of("i.key", environment.marks.bad_gold), of_item]
    return [of_item]
