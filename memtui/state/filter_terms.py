"""The words of a filter line, one by one: to show them, and to switch one of them on or off."""

from __future__ import annotations

from memtui.query.grammar import Term, quoted, read_terms


def words_of(text: str) -> list[str]:
    """The words of a filter as they were typed, in order."""
    return [text[term.start : term.end] for term in read_terms(text)]


def has_term(text: str, field: str, value: str) -> bool:
    """Whether the filter holds exactly `field:value` as a word of its own."""
    return any(_is(term, field, value) for term in read_terms(text))


def toggled(text: str, field: str, value: str) -> str:
    """The filter with `field:value` added, or without it where it stands there already."""
    kept = [text[term.start : term.end] for term in read_terms(text) if not _is(term, field, value)]
    if not has_term(text, field, value):
        kept.append(f"{field}:{quoted(value)}")
    return " ".join(kept)


def _is(term: Term, field: str, value: str) -> bool:
    same = term.field == field and term.operator == ":" and not term.negated
    return same and term.values == (value,)
