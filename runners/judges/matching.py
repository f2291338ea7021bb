"""Where an answer states a gold, and whether the words around it take it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from runners.judges.folding import stem, word_set
from runners.judges.lexer import NEGATIONS, Tok, content, same, significant

_BREAKS = word_set("but although though however while whereas because")
_AGAINST = word_set("except unlike excluding besides wrong")
_AGAINST_PAIRS = (
    ("instead", "of"),
    ("rather", "than"),
    ("other", "than"),
    ("apart", "from"),
    ("aside", "from"),
    ("opposed", "to"),
)
_CONFLICTING = word_set(
    "under underneath behind beside near outside above below without before after until against past"
)
_GENERIC = word_set(
    "new old big small smaller bigger large larger good great nice other own same first last more most little "
    "different special local favorite one two"
)
"""Adjectives that say nothing without their noun: "new" does not state "new bicycle"."""
_DENIALS = word_set("wrong incorrect false mistaken")


@dataclass(frozen=True, slots=True)
class Span:
    """Positions of a match in the answer's tokens, both ends included."""

    first: int
    last: int


def find(gold: Sequence[Tok], answer: Sequence[Tok]) -> list[Span]:
    """Every place where the gold's significant tokens stand in a row (articles and commas aside)."""
    need = significant(gold)
    keep = (
        [i for i, t in enumerate(answer) if not t.skip]
        if any(not t.skip for t in need)
        else [i for i, t in enumerate(answer) if t.kind != "sep"]
    )
    if not need:
        return []
    out: list[Span] = []
    for s in range(len(keep) - len(need) + 1):
        if all(same(need[k], answer[keep[s + k]]) for k in range(len(need))):
            out.append(Span(keep[s], keep[s + len(need) - 1]))
    return out


def find_content(
    need: Sequence[Tok], answer: Sequence[Tok], slack: int, *, within_entry: bool = False
) -> list[Span]:
    """The tightest place that holds all needed content tokens in any order, within `slack` extra words.

    `within_entry` forbids a match across `,` or `and`: "a cat and two dogs" does not hold "two cats".
    """
    if not need:
        return []
    cont = [i for i, t in enumerate(answer) if t.kind != "sep"]
    hits = [[i for i in cont if same(n, answer[i])] for n in need]
    if not all(hits):
        return []
    best: Span | None = None
    for start in sorted({i for h in hits for i in h}):
        last = start
        for h in hits:
            nxt = next((i for i in h if i >= start), None)
            if nxt is None:
                return [best] if best else []
            last = max(last, nxt)
        if within_entry and any(_separates(answer[i]) for i in range(start, last)):
            continue
        width = sum(1 for i in cont if start <= i <= last)
        if width <= len(need) + slack and (best is None or last - start < best.last - best.first):
            best = Span(start, last)
    return [best] if best else []


def _separates(t: Tok) -> bool:
    return (t.kind == "sep" and t.key in (",", ";", ".", "/", "&")) or t.text == "and"


def objection(span: Span, answer: Sequence[Tok], gold: Sequence[Tok]) -> str:
    """Why a match does not count: `negated`, `outdated`, `alternatives`, or "" when it stands."""
    gold_words = {t.text for t in gold}
    if not NEGATIONS & gold_words and _negated(span, answer):
        return "negated"
    if _denied_after(span, answer):
        return "negated"
    if _nothing_first(answer) and not NEGATIONS & gold_words:
        return "negated"
    if _given_up(span, answer):
        return "outdated"
    if not _CONFLICTING & gold_words and _word_before(span, answer) in _CONFLICTING:
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
        if t.text in _AGAINST or (t.text in NEGATIONS and not _only(answer, i)):
            return True
        if i >= 1 and (answer[i - 1].text, t.text) in _AGAINST_PAIRS:
            return True
        steps += 0 if t.kind == "sep" else 1
        i -= 1
    return False


def _only(answer: Sequence[Tok], i: int) -> bool:
    """`not only …` and `no doubt …` deny nothing."""
    nxt = answer[i + 1].text if i + 1 < len(answer) else ""
    return nxt in ("only", "just", "doubt", "question", "wonder")


def _denied_after(span: Span, answer: Sequence[Tok]) -> bool:
    """ "Paris is wrong", "Paris was not the place"."""
    i = span.last + 1
    if i < len(answer) and answer[i].text in ("is", "was", "are", "were", "would", "does", "did"):
        nxt = answer[i + 1].text if i + 1 < len(answer) else ""
        if nxt in _DENIALS:
            return True
        return nxt in ("not", "never") and not (
            i + 2 < len(answer) and answer[i + 2].text in ("only", "just")
        )
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


def informative(gold: Sequence[Tok], question: Sequence[Tok]) -> list[Tok]:
    """The gold's content tokens that the question did not already hold.

    All of them where nothing telling is new: then only the whole gold states it.
    """
    known = {stem(t.text) for t in question if t.kind == "word"} | {
        t.key for t in question if t.kind not in ("word", "sep")
    }
    tokens = content(gold)
    fresh = [t for t in tokens if (t.key if t.kind != "word" else stem(t.text)) not in known]
    unique: list[Tok] = []
    for t in fresh:
        if not any(same(t, u) for u in unique):
            unique.append(t)
    if all(t.kind == "word" and t.text in _GENERIC for t in unique):
        return tokens
    return unique
