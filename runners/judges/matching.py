"""Where an answer states a gold: its words in a row, or its telling words close together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runners.judges.folding import stem, word_set
from runners.judges.lexer import Tok, content, same, significant

_GENERIC = word_set(
    "new old big small smaller bigger large larger good great nice other own same first last more most little "
    "different special local favorite one two"
)
"""Adjectives that say nothing without their noun: "new" does not state "new bicycle"."""


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
