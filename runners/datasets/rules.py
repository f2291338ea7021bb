"""The lint rules: one table of names, severities and meanings (docs/bring-your-own-data.md).

`error` means that an item cannot be scored fairly as it stands, `warning` that something had to be
repaired or is doubtful, `info` is worth knowing. A finding may be milder than its rule where the
loader repaired it.
"""

from __future__ import annotations

from collections.abc import Iterable

from runners.datasets.contract import Finding

ERROR, WARNING, INFO = "error", "warning", "info"

KNOWN_DEFECT = "known_defect"
"""Flag of items with an error-level finding: rates can be printed with and without them."""

RULES: dict[str, tuple[str, str]] = {
    # gold
    "answer-not-string": (WARNING, "the gold is a number or another non-text value"),
    "answer-missing": (WARNING, "the item has no `answer` key"),
    "answer-both": (WARNING, "the item has both `answer` and `adversarial_answer`"),
    "gold-garbled": (ERROR, "the gold's leading yes is glued to the next word"),
    "gold-run-together": (INFO, "a word of the gold is two words of the history without a space"),
    "gold-alternatives": (INFO, "the gold names further acceptable answers in prose"),
    "gold-elsewhere": (
        INFO,
        "the gold stands in a session that is not evidence, but in no evidence",
    ),
    "abstention": (INFO, "an unanswerable item by its id"),
    # evidence
    "evidence-malformed": (WARNING, "an evidence string is not exactly one dialogue id"),
    "evidence-dangling": (ERROR, "an evidence id names nothing in the history"),
    "evidence-unresolved": (ERROR, "an evidence string resolves to nothing even after repair"),
    "evidence-empty": (ERROR, "an answerable item names no evidence"),
    "evidence-repeated": (INFO, "an evidence id is listed twice"),
    "evidence-many": (INFO, "more than 10 evidence ids"),
    "evidence-unknown": (WARNING, "the official evidence list is not known in this copy"),
    "evidence-partly-flagged": (INFO, "some official evidence sessions have no flagged turn"),
    "evidence-beyond-official": (WARNING, "a flagged turn lies outside the official evidence"),
    "evidence-turn-none": (INFO, "no turn is flagged as holding the answer"),
    "evidence-flags-absent": (INFO, "the row has no `has_answer` key at all"),
    "evidence-outside-history": (WARNING, "evidence is not part of the question's own history"),
    "history-dangling": (WARNING, "a history names a session that is not there"),
    "evidence-late": (WARNING, "evidence is dated after the question"),
    # questions
    "question-id-repeated": (ERROR, "a question id occurs twice"),
    "question-text-repeated": (WARNING, "a question text occurs twice over one history"),
    "question-whitespace": (INFO, "stray white space in a question"),
    "question-no-speaker": (INFO, "the question names none of the speakers"),
    "question-empty": (ERROR, "the question has no text"),
    # sessions and turns
    "session-date-only": (WARNING, "a date without its session"),
    "session-date-missing": (WARNING, "a session without a date"),
    "session-empty": (WARNING, "a session without a turn"),
    "session-repeated": (WARNING, "a session id occurs twice in one history"),
    "session-id-synthetic": (INFO, "session ids are made up and match no other file"),
    "session-id-leaks": (INFO, "a session id gives away that it holds evidence"),
    "session-starts-assistant": (INFO, "a session starts with the assistant"),
    "session-gap": (WARNING, "session numbers have a gap"),
    "turn-role-repeated": (INFO, "two neighbouring turns have one role"),
    "turn-empty": (WARNING, "a turn without text or caption"),
    "turn-id-repeated": (ERROR, "a dialogue id occurs twice in a conversation"),
    "turn-id-order": (WARNING, "a dialogue id is not at its place"),
    "turn-speaker-unknown": (
        WARNING,
        "a turn by somebody who is not a speaker of the conversation",
    ),
    "turn-very-long": (INFO, "a turn of more than 50,000 characters"),
    "caption-without-image": (INFO, "a caption whose image has no address"),
    # dates
    "date-unreadable": (WARNING, "a date that cannot be read; it stays unknown"),
    "date-weekday": (WARNING, "the weekday does not fit the date"),
    "date-order": (WARNING, "sessions of a conversation are not in the order of their dates"),
    "haystack-unsorted": (INFO, "the sessions of a history are not sorted by time"),
    "haystack-unsorted-within-day": (INFO, "of these: sorted by day, but not within a day"),
    "clock-differs": (INFO, "the oracle and S files date the question differently"),
    "clock-day-differs": (INFO, "the oracle and S files put the question on different days"),
    # characters
    "zero-width": (INFO, "zero-width characters"),
    "replacement-character": (INFO, "U+FFFD: text that was lost before"),
    "lone-surrogate": (WARNING, "half a UTF-16 pair, read as U+FFFD"),
    # files
    "lists-differ": (ERROR, "parallel lists of different length"),
    "row-unusable": (ERROR, "a row that lacks what every row needs"),
    "key-unknown": (WARNING, "a key that the format does not have; it is ignored"),
    "id-repeated": (ERROR, "an id that occurred before; the first line holds"),
    "line-bad": (ERROR, "a line that is not one JSON object"),
    "line-torn": (WARNING, "the last line is cut off"),
    # overlay
    "audit-finding": (INFO, "a finding of the public audit"),
    "audit-score-corrupting": (ERROR, "the audit found that the gold itself is wrong"),
}


def finding(
    rule: str, item: str, detail: str = "", *, count: int = 1, severity: str = ""
) -> Finding:
    """A finding of a rule in the table, with the rule's severity unless a milder one is given."""
    return Finding(rule, severity or RULES[rule][0], item, detail, count)


def item_flags(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The flags an item carries for its findings: every rule above info, and `known_defect`."""
    told = [f for f in findings if f.severity != INFO]
    rules = tuple(dict.fromkeys(f.rule for f in told))
    return (*rules, KNOWN_DEFECT) if any(f.severity == ERROR for f in told) else rules
