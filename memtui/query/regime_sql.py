"""Outcome, regime and coverage as SQL, made from the same table that the predicates use.

Aliases are those of `RunReader.episode_ids`: e episode, c cell, a arm, i item, h haystack, v the verdict
of the chosen judge. Values are parameters, never text.
"""

from __future__ import annotations

from memtui.metrics.outcome import RULES, Kind
from memtui.model import BudgetMode, Regime

Sql = tuple[str, tuple[object, ...]]


def _ends(mode: str, *kinds: Kind) -> str:
    """The end reasons of these kinds as SQL literals; they are a closed list of our own."""
    rules = RULES[BudgetMode(mode)]
    return ",".join(f"'{reason.value}'" for reason, rule in rules.items() if rule.kind in kinds)


def standing_sql(mode: str) -> str:
    """`pending`, `excluded`, `right`, `failed`, `mute` or `judged_wrong` of an episode."""
    known = _ends(mode, *Kind)
    return (
        "CASE"
        f" WHEN e.done=0 OR e.end_reason IS NULL OR e.end_reason IN ({_ends(mode, Kind.PENDING)})"
        " THEN 'pending'"
        f" WHEN e.end_reason NOT IN ({known})"
        f" OR e.end_reason IN ({_ends(mode, Kind.EXCLUDED)}) THEN 'excluded'"
        " WHEN v.label='right' THEN 'right'"
        f" WHEN e.end_reason IN ({_ends(mode, Kind.SYSTEM)}) THEN 'failed'"
        " WHEN v.label='wrong' THEN 'judged_wrong'"
        f" WHEN v.label IS NOT NULL OR e.end_reason IN ({_ends(mode, Kind.JUDGED)})"
        " THEN 'excluded'"
        " ELSE 'mute' END"
    )


def outcome_sql(mode: str, budget: int) -> Sql:
    """The outcome at B."""
    return (
        f"CASE ({standing_sql(mode)}) WHEN 'pending' THEN 'pending' WHEN 'excluded' THEN 'excluded'"
        " WHEN 'right' THEN CASE WHEN e.requested>? THEN 'exhausted' ELSE 'pass' END"
        " ELSE CASE WHEN e.requested>? THEN 'exhausted' ELSE 'wrong' END END",
        (budget, budget),
    )


def coverage_sql(call: int | None) -> Sql:
    """Coverage after call `call`, or at the end: `covered`, `partial`, `none`, `na`."""
    after, params = ("", ()) if call is None else ("<=?", (call, call))
    full = f"e.t_star{after}" if after else "e.t_star IS NOT NULL"
    some = f"e.first_hit{after}" if after else "e.first_hit IS NOT NULL"
    return (
        "CASE WHEN e.gold_total IS NULL OR i.answerable=0 THEN 'na'"
        f" WHEN {full} THEN 'covered' WHEN {some} THEN 'partial' ELSE 'none' END",
        params,
    )


def regime_sql(mode: str, budget: int) -> Sql:
    """The regime at B."""
    at_b, at_b_params = coverage_sql(budget)
    at_end, _ = coverage_sql(None)
    standing = standing_sql(mode)
    return (
        f"CASE WHEN ({standing})='pending' THEN 'pending'"
        f" WHEN ({standing})='excluded' THEN 'excluded'"
        f" WHEN e.requested>? THEN 'exhausted_'||({at_b})"
        f" WHEN ({standing})='right' THEN CASE WHEN i.answerable=0 THEN '{Regime.ABSTAIN_RIGHT}'"
        f" ELSE CASE ({at_end}) WHEN 'covered' THEN 'right_covered' WHEN 'na' THEN 'right_na'"
        " ELSE 'right_uncovered' END END"
        f" WHEN ({standing})='failed' THEN '{Regime.SYSTEM_FAILED}'"
        f" WHEN ({standing})='mute' THEN '{Regime.NO_ANSWER}'"
        f" WHEN i.answerable=0 THEN '{Regime.ANSWERED_UNANSWERABLE}'"
        f" ELSE 'wrong_'||({at_end}) END",
        (budget, *at_b_params),
    )
