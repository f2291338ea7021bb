"""Whether the words around a match take it back: a denial, the past, another candidate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from runners.judges.folding import word_set
from runners.judges.lexer import NEGATIONS, Tok
from runners.judges.matching import Span

_BREAKS = word_set("but although though however while whereas because so")
_AGAINST = word_set("except unlike excluding besides wrong")
_AGAINST_PAIRS = (
    ("instead", "of"),
    ("rather", "than"),
    ("other", "than"),
    ("apart", "from"),
    ("aside", "from"),
    ("opposed", "to"),
)
_BEFORE_DATE = word_set("before after until past")
_BEFORE_PLACE = word_set(
    "under underneath behind beside near outside above below without before against"
)
"""Prepositions that make another date, or another place, of what follows."""
_DENIALS = word_set("wrong incorrect false mistaken")
_DENIED = word_set(
    "the it a an where what right correct true one my your her his their our involved"
)
"""After "… is not": words that deny the match itself, not some quality of it."""
_PAST = word_set(
    "used previous previously former formerly before initial initially original younger resume old"
)


def objection(
    span: Span, answer: Sequence[Tok], gold: Sequence[Tok], question: Sequence[Tok] = ()
) -> str:
    """Why a match does not count: `negated`, `outdated`, `alternatives`, or "" when it stands.

    A negation that the gold or the question has as well is no objection, nor is the past where the
    question asks for it.
    """
    gold_words = {t.text for t in gold}
    asked = {t.text for t in question}
    if not NEGATIONS & (gold_words | asked) and (_negated(span, answer) or _nothing_first(answer)):
        return "negated"
    if _denied_after(span, answer):
        return "negated"
    if not _PAST & asked and _given_up(span, answer):
        return "outdated"
    conflicting = _BEFORE_DATE if answer[span.first].kind == "date" else _BEFORE_PLACE
    if not conflicting & gold_words and _word_before(span, answer) in conflicting:
        return "negated"
    if "or" not in gold_words and _one_of_several(span, answer):
        return "alternatives"
    return ""


def _nothing_first(answer: Sequence[Tok]) -> bool:
    """The answer begins with "Nothing", "Nobody", "None": what follows explains, it does not answer."""
    return bool(answer) and answer[0].text in ("nothing", "nobody", "nowhere", "none", "neither")


def _given_up(span: Span, answer: Sequence[Tok]) -> bool:
    """ "She used to love teal, now it is coral": said of the past, with something else now."""
    before = [t.text for t in answer[max(0, span.first - 6) : span.first] if t.kind != "sep"]
    used = ("used", "to") in pairwise(before)
    return used and any(t.text in ("now", "but") for t in answer[span.last + 1 :])


def _negated(span: Span, answer: Sequence[Tok]) -> bool:
    """A negation in the same clause before the match, or inside a scattered match."""
    for i in range(span.first, span.last):
        if answer[i].text in NEGATIONS and answer[i].text not in ("nothing", "nobody"):
            return True
    i = span.first - 1
    steps = 0
    while i >= 0 and steps < 8:
        t = answer[i]
        if t.kind == "sep" and t.key in (",", ";", ".", ":", "!", "?", "-", "("):
            return False
        if t.text in _BREAKS:
            return False
        if t.text == "until":  # "did not get to bed until two" says two
            return False
        if t.text in _AGAINST or (t.text in NEGATIONS and not _only(answer, i)):
            return True
        if i >= 1 and (answer[i - 1].text, t.text) in _AGAINST_PAIRS:
            return True
        steps += 0 if t.kind == "sep" else 1
        i -= 1
    return False


def _only(answer: Sequence[Tok], i: int) -> bool:
    """`not only …`, `no doubt …` and `will not stop …` deny nothing."""
    nxt = answer[i + 1].text if i + 1 < len(answer) else ""
    return nxt in ("only", "just", "doubt", "question", "wonder", "stop", "fail", "forget")


def _denied_after(span: Span, answer: Sequence[Tok]) -> bool:
    """ "Paris is wrong", "Paris was not the place"."""
    i = span.last + 1
    if i < len(answer) and answer[i].text in ("is", "was", "are", "were", "would", "does", "did"):
        nxt = answer[i + 1].text if i + 1 < len(answer) else ""
        if nxt in _DENIALS:
            return True
        then = answer[i + 2].text if i + 2 < len(answer) else ""
        return nxt in ("not", "never") and then in _DENIED
    return False


def _word_before(span: Span, answer: Sequence[Tok]) -> str:
    i = span.first - 1
    while i >= 0 and answer[i].kind != "sep" and answer[i].skip:
        i -= 1
    return answer[i].text if i >= 0 and answer[i].kind == "word" else ""


def _one_of_several(span: Span, answer: Sequence[Tok]) -> bool:
    """The match is one arm of an `or` that the gold does not have: "Paris, London or Rome"."""
    i = span.last + 1
    steps = 0
    while i < len(answer) and steps < 4:
        t = answer[i]
        if t.kind == "sep" and t.key in (".", "!", "?", ";", "("):
            break
        if t.text in _BREAKS or t.text in (
            "which",
            "who",
            "where",
            "when",
            "if",
            "in",
            "for",
            "with",
        ):
            break
        if t.text == "or":
            return not _rephrases(answer, i)
        steps += 0 if t.kind == "sep" else 1
        i += 1
    i = span.first - 1
    while i >= 0 and answer[i].skip:
        i -= 1
    return i >= 0 and answer[i].text == "or"


def _rephrases(answer: Sequence[Tok], i: int) -> bool:
    """ "or so", "or rather", "or more", "or about": not another candidate."""
    nxt = answer[i + 1].text if i + 1 < len(answer) else ""
    return nxt in ("so", "more", "rather", "something", "thereabouts", "less")
