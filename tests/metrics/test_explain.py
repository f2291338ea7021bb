"""Why an episode ended: one sentence, and no claim the data cannot support."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.explain import CAUSES, why_it_ended
from memtui.metrics.outcome import outcome
from memtui.model import BudgetMode, Outcome
from tests.metrics.episodes import Episode, episodes

COVERED = Episode(requested=4, first_hit=1, t_star=2, gold_total=2)


@pytest.mark.parametrize(
    ("fact", "found", "sentence"),
    [
        (
            COVERED,
            2,
            "Exhausted: 4 calls against a budget of 2, although its evidence was complete"
            " after call 2; its later answer is right, the one within the budget unknown.",
        ),
        (
            COVERED._replace(t_star=3, label="wrong"),
            2,
            "Exhausted: 4 calls against a budget of 2, with part of its evidence in view"
            " after call 2 (complete only after call 3); its later answer is wrong, the one within the"
            " budget unknown.",
        ),
        (
            Episode(4, "wrong", answerable=0),
            None,
            "Exhausted: 4 calls against a budget of 2, although its question has no answer;"
            " its later answer is wrong",
        ),
        (
            Episode(20, None, "step_cap"),
            0,
            "Exhausted: at least 20 calls against a budget of 2, with none of its"
            " evidence in view after call 2; then it was stopped at the safety cap without an answer.",
        ),
        (
            Episode(2, first_hit=1, t_star=1),
            1,
            "Right within budget (2 of 2 calls): its evidence was complete after call 1, then 1 call"
            " more.",
        ),
        (
            Episode(1, gold_total=2, first_hit=1),
            1,
            "Right within budget (1 of 2 calls), though 1 of 2 pieces of evidence came into view:"
            " by luck, prior knowledge or another source.",
        ),
        (Episode(1, gold_total=None), None, "coverage of its evidence is not known."),
        (
            Episode(2, "wrong", first_hit=1, t_star=1),
            1,
            "Wrong although its evidence was complete after call 1, 1 call before it stopped.",
        ),
        (
            Episode(1, "wrong"),
            0,
            "Wrong: none of its evidence came into view; it stopped with 1 call of its budget left.",
        ),
        (
            Episode(1, "wrong", abstained=1),
            0,
            "Wrong: it abstained, and none of its evidence came into view; it stopped with 1 call of"
            " its budget left.",
        ),
        (
            Episode(2, "wrong"),
            0,
            "Wrong: none of its evidence came into view, within budget (2 of 2 calls).",
        ),
        (
            Episode(1, None, "memory_error"),
            0,
            "Not passed: the memory system or the agent failed after 1 call; none of its evidence came"
            " into view.",
        ),
        (
            Episode(1, None, "empty"),
            0,
            "No answer: the answer was empty; none of its evidence came into view.",
        ),
        (
            Episode(1, None, "provider_error"),
            0,
            "Excluded: the model provider or the network failed.",
        ),
        (Episode(1, "unknown"), 0, "Excluded: the judge could not decide."),
        (Episode(1, None), 0, "Excluded: no judge has looked at its answer yet."),
        (Episode(done=0), 0, "It is not finished."),
        (Episode(end_reason="interrupted", label=None), 0, "The attempt was interrupted"),
        (Episode(answerable=0), None, "Right: the question has no answer and it said so"),
        (
            Episode(1, "wrong", answerable=0),
            None,
            "Wrong: it answered a question without an answer",
        ),
    ],
)
def test_sentences(fact: Episode, found: int | None, sentence: str) -> None:
    assert sentence in why_it_ended(fact, found, 2)


def test_a_hard_budget_speaks_of_the_forced_answer() -> None:
    forced = Episode(3, "right", "forced", forced=1)
    sentence = why_it_ended(forced, 0, 2, BudgetMode.HARD)
    assert "at least 3 calls" in sentence
    assert sentence.endswith("the answer it was then forced to give is right.")
    assert "unknown" not in sentence


def test_a_context_system_has_no_calls_to_speak_of() -> None:
    given_all = Episode(0, first_hit=0, t_star=0)
    assert why_it_ended(given_all, 1, 2, context=True) == (
        "Right from the context it was given: its evidence was complete before any call."
    )
    missed = Episode(0, "wrong")
    assert "left" not in why_it_ended(missed, 0, 2, context=True)


@given(episodes(), st.integers(0, 12), st.sampled_from(list(BudgetMode)))
def test_the_sentence_never_contradicts_the_outcome(
    fact: Episode, budget: int, mode: BudgetMode
) -> None:
    sentence = why_it_ended(fact, 0 if fact.first_hit is None else 1, budget, mode)
    starts = {
        Outcome.PASS: ("Right",),
        Outcome.EXHAUSTED: ("Exhausted",),
        Outcome.WRONG: ("Wrong", "Not passed", "No answer"),
        Outcome.EXCLUDED: ("Excluded",),
        Outcome.PENDING: ("It is not finished", "The attempt was interrupted"),
    }
    assert sentence.startswith(starts[outcome(fact, budget, mode)])
    assert sentence.endswith(".") and "None" not in sentence and "\n" not in sentence


def test_every_cause_of_exclusion_has_words() -> None:
    from memtui.metrics.outcome import RULES

    causes = {rule.cause for table in RULES.values() for rule in table.values() if rule.cause}
    assert causes <= set(CAUSES)
