"""Why an episode ended as it did, in one sentence that the stored facts support and nothing more.

The same sentence stands on screen and in `memtui show`. What would have happened under another budget
is not in the data, so it is not claimed.
"""

from __future__ import annotations

from memtui.metrics.outcome import JUDGE, UNJUDGED, UNKNOWN_END, standing
from memtui.metrics.regime import (
    COVERED,
    NA,
    NONE,
    PARTIAL,
    FlaggedFact,
    coverage_after,
    gave_up_early,
    overshoot,
    regime,
)
from memtui.model import FLAGGED, BudgetMode, EndReason, Regime

CAUSES = {
    "provider": "the model provider or the network failed",
    "cancelled": "it was cancelled while it ran",
    UNJUDGED: "no judge has looked at its answer yet",
    JUDGE: "the judge could not decide",
    UNKNOWN_END: "its end reason is not known to this version",
    FLAGGED: "a reader flagged the gold of its question as wrong",
}
"""Causes of exclusion, in words."""

_BROKE = {
    EndReason.MEMORY_ERROR: "the memory system or the agent failed",
    EndReason.TIMEOUT: "it ran out of time",
    EndReason.NO_PROGRESS: "nothing happened for too long",
    EndReason.CONTEXT_OVERFLOW: "the prompt did not fit the model's context",
}
_MUTE = {
    EndReason.TRUNCATED: "the model's reply was cut off before an answer",
    EndReason.FILTERED: "the model's reply was withheld by a content filter",
    EndReason.EMPTY: "the answer was empty",
    EndReason.STEP_CAP: "it was stopped at the safety cap without an answer",
    EndReason.BUDGET_TOKENS: "its token budget was used up before an answer",
    EndReason.COST_CAP: "its cost cap was reached before an answer",
    EndReason.BUDGET_REFUSED: "its call was refused and it gave no answer",
}


def why_it_ended(
    fact: FlaggedFact,
    gold_found: int | None,
    budget: int,
    mode: str = BudgetMode.POST_HOC,
    *,
    context: bool = False,
) -> str:
    """One sentence at B = `budget`, without a final line end.

    `gold_found` is the number of gold units in view at the end; `context` marks a memory system
    without tools.
    """
    what = regime(fact, budget, mode)
    if what is Regime.PENDING:
        if fact.end_reason == EndReason.INTERRUPTED:
            return (
                "The attempt was interrupted; the episode is pending until a later one completes."
            )
        return "It is not finished."
    if what is Regime.EXCLUDED:
        cause = standing(fact.end_reason, fact.label, fact.done, mode).cause
        return f"Excluded: {CAUSES.get(cause, cause)}."
    if fact.requested > budget:
        return _exhausted(fact, budget, mode)
    if what is Regime.SYSTEM_FAILED:
        reason = _word(fact, _BROKE, "the system under test failed")
        return f"Not passed: {reason} after {_calls(fact.requested)}; {_view(fact, gold_found)}."
    if what is Regime.NO_ANSWER:
        reason = _word(fact, _MUTE, "it gave no answer")
        return f"No answer: {reason}; {_view(fact, gold_found)}."
    if what is Regime.ABSTAIN_RIGHT:
        return (
            f"Right: the question has no answer and it said so, {_within(fact, budget, context)}."
        )
    if what is Regime.ANSWERED_UNANSWERABLE:
        return f"Wrong: it answered a question without an answer, {_within(fact, budget, context)}."
    if what in (Regime.RIGHT_COVERED, Regime.RIGHT_UNCOVERED, Regime.RIGHT_NA):
        return _right(fact, gold_found, budget, context)
    return _wrong(fact, gold_found, budget, mode, context)


def _exhausted(fact: FlaggedFact, budget: int, mode: str) -> str:
    held = standing(fact.end_reason, fact.label, fact.done, mode)
    coverage = coverage_after(fact, budget)
    by = f"after call {budget}" if budget else "before any call"
    if coverage == COVERED:
        seen = f"although its evidence was complete {_when(fact.t_star)}"
    elif coverage == PARTIAL:
        seen = f"with part of its evidence in view {by}"
    elif coverage == NONE:
        seen = f"with none of its evidence in view {by}"
    elif not fact.answerable:
        seen = "although its question has no answer"
    else:
        seen = "with no coverage known"
    if coverage in (PARTIAL, NONE) and fact.t_star is not None:
        seen += f" (complete only {_when(fact.t_star)})"
    if fact.redundant:
        seen += f", and {fact.redundant} brought nothing new"
    wanted = f"{'at least ' if held.censored else ''}{_calls(fact.requested)}"
    refused = mode == BudgetMode.HARD
    first = f"Exhausted: {wanted} against a budget of {budget}, {seen}"
    if held.right or (not held.failed and not held.mute):
        verdict = "right" if held.right else "wrong"
        if refused:
            return f"{first}; the answer it was then forced to give is {verdict}."
        return f"{first}; its later answer is {verdict}, the one within the budget unknown."
    table = _BROKE if held.failed else _MUTE
    return f"{first}; then {_word(fact, table, 'it gave no answer')}."


def _right(fact: FlaggedFact, gold_found: int | None, budget: int, context: bool) -> str:
    coverage = coverage_after(fact, None)
    start = f"Right {_within(fact, budget, context)}"
    if coverage == COVERED:
        beyond = overshoot(fact)
        more = f", then {_calls(beyond)} more" if beyond else ""
        return f"{start}: its evidence was complete {_when(fact.t_star)}{more}."
    if coverage == NA:
        return f"{start}; coverage of its evidence is not known."
    seen = _view(fact, gold_found)
    return f"{start}, though {seen}: by luck, prior knowledge or another source."


def _wrong(fact: FlaggedFact, gold_found: int | None, budget: int, mode: str, context: bool) -> str:
    start = "Wrong: it abstained" if fact.abstained else "Wrong"
    coverage = coverage_after(fact, None)
    if coverage == COVERED:
        beyond = overshoot(fact)
        more = f", {_calls(beyond)} before it stopped" if beyond else ""
        return f"{start} although its evidence was complete {_when(fact.t_star)}{more}."
    joint = ", and " if fact.abstained else ": "
    if gave_up_early(fact, budget, mode, context=context):
        left = budget - fact.requested
        return (
            f"{start}{joint}{_view(fact, gold_found)}; it stopped with {_calls(left)} of its budget "
            "left."
        )
    return f"{start}{joint}{_view(fact, gold_found)}, {_within(fact, budget, context)}."


def _view(fact: FlaggedFact, gold_found: int | None) -> str:
    coverage = coverage_after(fact, None)
    if not fact.answerable:
        return "the question has no answer to find"
    if coverage == NA:
        return "coverage of its evidence is not known"
    total = fact.gold_total
    if coverage == COVERED:
        return f"its evidence was complete {_when(fact.t_star)}"
    if coverage == PARTIAL:
        found = "part" if gold_found is None else f"{gold_found}"
        return f"{found} of {total} pieces of evidence came into view"
    return "none of its evidence came into view"


def _within(fact: FlaggedFact, budget: int, context: bool) -> str:
    if context:
        return "from the context it was given"
    return f"within budget ({fact.requested} of {_calls(budget)})"


def _when(call: int | None) -> str:
    return "before any call" if call == 0 else f"after call {call}"


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"


def _word(fact: FlaggedFact, words: dict[EndReason, str], otherwise: str) -> str:
    try:
        return words.get(EndReason(fact.end_reason or ""), otherwise)
    except ValueError:
        return otherwise
