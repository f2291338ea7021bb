"""Amounts: does an answer state the amount a gold gives, in whatever unit, and no other one?"""

from __future__ import annotations

from collections.abc import Sequence, Set

from runners.judges.folding import word_set
from runners.judges.golds import allowed_range, asked, key_amount, last_marker, modifier
from runners.judges.lexer import Tok, lex, same, sentences
from runners.judges.matching import Span
from runners.judges.objections import objection
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
    answer = _of_what_is_counted(answer, asked(question).counted)
    stated = _stated(keys[0][0], given, answer)
    if stated is None:
        return "no_amount"
    sentence, i = stated
    token, mod = sentence[i], modifier(sentence, i)
    against = objection(Span(i, i), sentence, (), lex(question))
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


def _of_what_is_counted(answer: Sequence[Tok], counted: tuple[str, ...]) -> Sequence[Tok]:
    """The answer without the numbers of other things, where some number stands before what is counted.

    "12 films, 5 of them westerns" asked for westerns; "room 11 is the largest of 14 rooms" asked for rooms.
    """
    if not counted or any(last_marker(s) is not None for s in sentences(answer)):
        return answer
    scores = {}
    for i, t in enumerate(answer):
        if t.kind == "num":
            after = [x.key for x in answer[i + 1 : i + 2 + len(counted)] if x.kind != "sep"]
            scores[i] = len(set(counted) & set(after))
    best = max(scores.values(), default=0)
    if not best:
        return answer
    return [t for i, t in enumerate(answer) if scores.get(i, best) == best]


def _stated(key: Tok, given: Set[object], answer: Sequence[Tok]) -> tuple[list[Tok], int] | None:
    """The amount an answer gives: after its last conclusion, else the first in its first fitting sentence.

    An amount in the gold's own dimension is looked for first, a bare number only where there is none.
    """
    sents = _without_numbering(sentences(answer))
    for bare in (False, True):
        found = _concluded(key, given, sents, bare=bare)
        if found is not None:
            return found
        for sentence in sents:
            fitting = _fitting(key, given, sentence, bare=bare)
            if fitting:
                return sentence, fitting[0]
    return None


def _concluded(
    key: Tok, given: Set[object], sents: list[list[Tok]], *, bare: bool
) -> tuple[list[Tok], int] | None:
    for sentence in reversed(sents):
        mark = last_marker(sentence)
        if mark is None:
            continue
        fitting = _fitting(key, given, sentence, bare=bare)
        after = [i for i in fitting if i > mark]
        if after:
            return sentence, after[0]
        if fitting and (len(sents) > 1 or len(fitting) == 1 or fitting[-1] == mark - 1):
            return sentence, fitting[-1]
    return None


def _without_numbering(sents: list[list[Tok]]) -> list[list[Tok]]:
    """Drop the `1`, `2` … that number a list: lone numbers that count up from one."""
    lone = [s[0].key for s in sents if len(s) == 1 and s[0].kind == "num"]
    if len(lone) < 2 or lone != [float(n) for n in range(1, len(lone) + 1)]:
        return sents
    return [s for s in sents if not (len(s) == 1 and s[0].kind == "num")]


def _fitting(key: Tok, given: Set[object], sentence: list[Tok], *, bare: bool) -> list[int]:
    """Positions of the amounts that could answer: same kind or dimension, or a bare number."""
    found = [
        i
        for i, t in enumerate(sentence)
        if _comparable(key, t, bare=bare) and not _pronoun(sentence, i)
    ]
    fresh = [i for i in found if sentence[i].key not in given or same(key, sentence[i])]
    return fresh or found


def _comparable(key: Tok, t: Tok, *, bare: bool) -> bool:
    if isinstance(key.key, Quantity):
        if isinstance(t.key, Quantity):
            return t.key.dimension == key.key.dimension
        return bare and t.kind == "num"
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
