"""How an episode came out at B: a sign, a word and a style for each outcome and regime."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.model import Ending, Label, Outcome, Regime
from memtui.views.look import Look
from memtui.views.styled import styled

PASS = "✓"
WRONG = "✗"
EXHAUSTED = "◔"
NO_ANSWER = "∅"
EXCLUDED = "!"
RUNNING = "▸"

WORDS = {
    Outcome.PASS: "pass",
    Outcome.EXHAUSTED: "exhausted",
    Outcome.WRONG: "wrong",
    Outcome.EXCLUDED: "excluded",
    Outcome.PENDING: "running",
}
SIGNS = {
    Outcome.PASS: PASS,
    Outcome.EXHAUSTED: EXHAUSTED,
    Outcome.WRONG: WRONG,
    Outcome.EXCLUDED: EXCLUDED,
    Outcome.PENDING: RUNNING,
}
REGIME_WORDS = {
    Regime.PENDING: "not finished",
    Regime.EXCLUDED: "excluded",
    Regime.EXHAUSTED_COVERED: "exhausted, evidence was complete",
    Regime.EXHAUSTED_PARTIAL: "exhausted, evidence in part",
    Regime.EXHAUSTED_NONE: "exhausted, no evidence",
    Regime.EXHAUSTED_NA: "exhausted, evidence n/a",
    Regime.SYSTEM_FAILED: "system failed",
    Regime.NO_ANSWER: "no answer",
    Regime.RIGHT_COVERED: "right, evidence complete",
    Regime.RIGHT_UNCOVERED: "right without the evidence",
    Regime.RIGHT_NA: "right, evidence n/a",
    Regime.WRONG_COVERED: "wrong in spite of the evidence",
    Regime.WRONG_PARTIAL: "wrong, evidence in part",
    Regime.WRONG_NONE: "wrong, no evidence",
    Regime.WRONG_NA: "wrong, evidence n/a",
    Regime.ABSTAIN_RIGHT: "rightly abstained",
    Regime.ANSWERED_UNANSWERABLE: "answered the unanswerable",
}


def outcome_style(outcome: Outcome, look: Look) -> Style:
    """The style of an outcome."""
    return {
        Outcome.PASS: look.good,
        Outcome.EXHAUSTED: look.budget,
        Outcome.WRONG: look.bad,
        Outcome.EXCLUDED: look.missing,
        Outcome.PENDING: look.accent,
    }[outcome]


def outcome_words(outcome: Outcome, look: Look) -> tuple[str, Style]:
    """Sign and word, ``◔ exhausted``, and their style."""
    return f"{SIGNS[outcome]} {WORDS[outcome]}", outcome_style(outcome, look)


def outcome_word(outcome: Outcome, look: Look) -> Text:
    """The same as a text."""
    return styled(*outcome_words(outcome, look))


def verdict(ending: Ending, look: Look) -> tuple[str, Style]:
    """Sign and style of the verdict: ``✓`` right, ``✗`` wrong, ``∅`` no answer, ``?`` unknown."""
    if not ending.answered:
        return NO_ANSWER, look.bad
    if ending.label is Label.RIGHT:
        return PASS, look.good
    if ending.label is Label.WRONG:
        return WRONG, look.bad
    return "?", look.missing


def closing(ending: Ending, look: Look) -> list[tuple[str, Style]]:
    """The signs that close a strip: ``✓``, ``✗``, ``∅``, ``◔✓``, ``◔✗``, ``!`` or ``▸``."""
    if ending.outcome is Outcome.PENDING:
        return [(RUNNING, look.accent)]
    if ending.outcome is Outcome.EXCLUDED:
        return [(EXCLUDED, look.missing)]
    if ending.outcome is Outcome.PASS:
        return [(PASS, look.good)]
    if ending.outcome is Outcome.EXHAUSTED:
        return [(EXHAUSTED, look.budget), verdict(ending, look)]
    return [(WRONG if ending.answered else NO_ANSWER, look.bad)]
