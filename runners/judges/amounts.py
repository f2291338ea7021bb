"""Amounts: does an answer state the amount a gold gives, in whatever unit, and no other one?"""

from __future__ import annotations

from collections.abc import Sequence, Set

from runners.judges.folding import word_set
from runners.judges.golds import allowed_range, key_amount, last_marker, modifier
from runners.judges.lexer import Tok, lex, same, sentences
from runners.judges.matching import Span, objection
from runners.judges.quantities import Quantity

_NOT_A_COUNT = word_set("the this that which no any every each another last next only")


def amount_verdict(
    candidates: Sequence[str], gold: str, question: str, answer: Sequence[Tok]
) -> str | None:
    """`amount` when stated; `other_amount`, `no_amount`, `negated`, `alternatives` when not.

    None when the gold states no single amount, so that other rules must decide.
    """
    keys = [k for v in candidates if (k := key_amount(v, question)) is not None]
    if not keys:
        return None
    given = {t.key for t in lex(question) if t.kind in ("num", "qty")}
    stated = _stated(keys[0][0], given, answer)
    if stated is None:
        return "no_amount"
    sentence, i = stated
    token, mod = sentence[i], modifier(sentence, i)
    against = objection(Span(i, i), sentence, ())
    for key, key_mod in keys:
        if same(key, token) and mod == key_mod:
            return against or "amount"
    limits = allowed_range(gold)
    if limits is not None and isinstance(token.key, Quantity):
        low, high = limits[0].key, limits[1].key
        if isinstance(low, Quantity) and isinstance(high, Quantity) and not mod:
            fits = (
                token.key.dimension == low.dimension and low.value <= token.key.value <= high.value
            )
            return (against or "amount") if fits else "other_amount"
    return "other_amount"


def _stated(key: Tok, given: Set[object], answer: Sequence[Tok]) -> tuple[list[Tok], int] | None:
    """The amount an answer gives: after its last conclusion, else the first in its first fitting sentence."""
    sents = sentences(answer)
    for sentence in reversed(sents):
        mark = last_marker(sentence)
        if mark is None:
            continue
        fitting = _fitting(key, given, sentence)
        after = [i for i in fitting if i > mark]
        if after:
            return sentence, after[0]
        if fitting and (len(sents) > 1 or len(fitting) == 1 or fitting[-1] == mark - 1):
            return sentence, fitting[-1]
    for sentence in sents:
        fitting = _fitting(key, given, sentence)
        if fitting:
            return sentence, fitting[0]
    return None


def _fitting(key: Tok, given: Set[object], sentence: list[Tok]) -> list[int]:
    """Positions of the amounts that could answer: same kind or dimension, or a bare number."""
    found = [i for i, t in enumerate(sentence) if _comparable(key, t) and not _pronoun(sentence, i)]
    fresh = [i for i in found if sentence[i].key not in given or same(key, sentence[i])]
    return fresh or found


def _comparable(key: Tok, t: Tok) -> bool:
    if isinstance(key.key, Quantity):
        if isinstance(t.key, Quantity):
            return t.key.dimension == key.key.dimension
        return t.kind == "num"
    if key.kind == "num" and t.kind == "date":
        return same(key, t)
    return t.kind == key.kind


def _pronoun(sentence: list[Tok], i: int) -> bool:
    """The `one` of "the one I bought" or "one of them" is no count."""
    if sentence[i].text != "one":
        return False
    before = sentence[i - 1].text if i else ""
    after = sentence[i + 1].text if i + 1 < len(sentence) else ""
    return before in _NOT_A_COUNT or after == "of"
