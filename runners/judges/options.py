"""Either-or questions: which of the two options an answer picks."""

from __future__ import annotations

from collections.abc import Sequence

from runners.judges.folding import stem, word_set
from runners.judges.golds import asked
from runners.judges.lexer import NEGATIONS, STOP, Tok, lex, sentences

_SHARED = STOP | word_set("first last earlier later before after recently most than more")


def option_verdict(question: str, gold: str, answer: str) -> str | None:
    """`option`, `other_option` or `no_option`; None when the question is no either-or question
    or the gold does not tell its two options apart."""
    form = asked(question)
    if form.options is None:
        return None
    a, b = (_bag(o) for o in form.options)
    own_a, own_b = a - b, b - a
    gold_words = _bag(gold)
    score_a, score_b = _share(own_a, gold_words), _share(own_b, gold_words)
    if not own_a or not own_b or score_a == score_b:
        return None
    mine, other = (own_a, own_b) if score_a > score_b else (own_b, own_a)
    if _share(mine, gold_words) < 0.5 or _share(other, gold_words) > 0.4:
        return None
    picked = _picked(answer, mine & gold_words or mine, other)
    return picked


def _picked(answer: str, mine: set[str], other: set[str]) -> str:
    toks = [t for s in sentences(lex(answer))[:1] for t in s]
    if not _mentions(toks, mine) and not _mentions(toks, other):
        toks = list(lex(answer))
    here = _mentions(toks, mine)
    there = _mentions(toks, other)
    if here is None and there is None:
        return "no_option"
    if here is None or there is None:
        at = here if here is not None else there
        assert at is not None
        denied = _denied(toks, at)
        wins = (here is not None) != denied
        return "option" if wins else "other_option"
    if _denied(toks, there) and not _denied(toks, here):
        return "option"
    if _denied(toks, here) and not _denied(toks, there):
        return "other_option"
    between = [t.text for t in toks[min(here, there) : max(here, there)]]
    mine_first = here < there
    if "after" in between:
        mine_first = not mine_first
    if {"or", "either"} & set(between):
        return "no_option"
    return "option" if mine_first else "other_option"


def _mentions(toks: Sequence[Tok], words: set[str]) -> int | None:
    """Where the option is named, when most of its own words occur: the tightest place that holds them."""
    at = [(i, stem(t.text)) for i, t in enumerate(toks) if stem(t.text) in words]
    found = {w for _, w in at}
    if not found or 2 * len(found) < len(words):
        return None
    best: tuple[int, int] | None = None
    for k, (start, _) in enumerate(at):
        seen: set[str] = set()
        for i, w in at[k:]:
            seen.add(w)
            if seen == found:
                if best is None or i - start < best[1] - best[0]:
                    best = (start, i)
                break
    return best[0] if best else None


def _denied(toks: Sequence[Tok], i: int) -> bool:
    for k in range(i - 1, max(-1, i - 7), -1):
        t = toks[k]
        if t.kind == "sep" and t.key in (",", ";"):
            return False
        if t.text == "but":
            return False
        if t.text in NEGATIONS or t.text in ("than", "instead"):
            return True
    return False


def _bag(text: str) -> set[str]:
    return {stem(t.text) for t in lex(text) if t.kind != "sep" and t.text not in _SHARED}


def _share(own: set[str], words: set[str]) -> float:
    return len(own & words) / len(own) if own else 0.0
