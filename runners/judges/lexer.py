"""Text to a row of typed tokens: words, numbers, quantities, dates, times, frequencies, separators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from runners.judges.date_phrases import date_at
from runners.judges.dates import DateSpan
from runners.judges.folding import Raw, fold, raw_tokens, stem, word_set
from runners.judges.numerals import number_at, ordinal_at
from runners.judges.quantities import (
    Quantity,
    clock_at,
    frequency_at,
    quantity_at,
    stopwatch_at,
)

Value = str | float | int | Quantity | DateSpan | tuple[int, bool] | tuple[str, float]

SKIP = word_set(
    "a an the my your his her hers their theirs our ours its i you he she it they we me him them us "
    "and to that own this these those s &"
)
"""Words that never decide whether a gold is stated; passed over on both sides."""

STOP = SKIP | word_set(
    "is was are were be been being am do does did done have has had having will would could should can may "
    "might of in on at for by with from as into about there here then so also just very really some any "
    "which who whom what when where why how because since while during if or but "
    "around approximately roughly nearly almost currently usually generally "
    "went go going get got getting make made take took want wants wanted ago"
)
"""Function words that carry nothing when the content words are compared."""

NEGATIONS = word_set("not no never none neither nor without nobody nothing nowhere hardly")
SENTENCE_END = frozenset(".!?;")


@dataclass(frozen=True, slots=True)
class Tok:
    """One token. `key` is what is compared: a stem, a number, a quantity, an interval of days …"""

    kind: str
    """`word`, `num`, `ord`, `qty`, `date`, `time`, `freq` or `sep`."""
    key: Value
    text: str
    skip: bool = False
    quoted: bool = False


@lru_cache(maxsize=4_096)
def lex(text: str, anchor: date | None = None) -> tuple[Tok, ...]:
    """Read a text from left to right, longest reading first: date, time, frequency, quantity, number.

    `anchor` (the question's date) lets `yesterday` or `two weeks ago` become dates.
    """
    toks = raw_tokens(fold(text))
    out: list[Tok] = []
    i = 0
    in_quotes = False
    while i < len(toks):
        t = toks[i]
        if t.text == '"':
            in_quotes = not in_quotes
        got = _typed(toks, i, anchor)
        if got is not None:
            kind, value, end = got
            written = " ".join(x.text for x in toks[i:end])
            out.append(Tok(kind, value, written, quoted=in_quotes))
            i = end
            continue
        if t.kind == "p":
            out.append(Tok("sep", t.text, t.text, skip=True))
        else:
            out.append(Tok("word", stem(t.text), t.text, t.text in SKIP, in_quotes))
        i += 1
    return tuple(out)


def _typed(toks: Sequence[Raw], i: int, anchor: date | None) -> tuple[str, Value, int] | None:
    day = date_at(toks, i, anchor)
    if day is not None:
        # "2000 dollars" is an amount, not a year.
        amount = quantity_at(toks, i) if day[0].grain == "year" else None
        if amount is None or amount[1] <= day[1]:
            return "date", day[0], day[1]
    clock = clock_at(toks, i)
    if clock is not None:
        return "time", clock[0], clock[1]
    often = frequency_at(toks, i)
    if often is not None:
        return "freq", often[0], often[1]
    amount = quantity_at(toks, i) or stopwatch_at(toks, i)
    if amount is not None:
        return "qty", amount[0], amount[1]
    position = ordinal_at(toks, i)
    if position is not None:
        return "ord", position[0], position[1]
    number = number_at(toks, i)
    if number is not None:
        return "num", number[0], number[1]
    if toks[i].text in ("once", "twice", "thrice"):
        return "num", {"once": 1.0, "twice": 2.0, "thrice": 3.0}[toks[i].text], i + 1
    return None


def significant(tokens: Sequence[Tok]) -> list[Tok]:
    """Tokens without separators, articles and pronouns; all of them when nothing else is left."""
    kept = [t for t in tokens if not t.skip]
    return kept or [t for t in tokens if t.kind != "sep"]


def content(tokens: Sequence[Tok]) -> list[Tok]:
    """Tokens that carry meaning: no function words; numbers, dates and negations stay."""
    return [
        t
        for t in tokens
        if t.kind not in ("sep", "word") or (t.kind == "word" and t.text not in STOP)
    ]


def same(gold: Tok, answer: Tok) -> bool:
    """Does the answer's token state the gold's token?"""
    if gold.kind == answer.kind:
        return _same_kind(gold, answer)
    g, a = gold.key, answer.key
    if isinstance(g, Quantity) and answer.kind == "num":
        return g.written == a
    if isinstance(g, float) and isinstance(a, Quantity):
        return g == a.written and a.dimension in ("share",)
    if gold.kind == "num" and isinstance(a, DateSpan):
        return a.grain == "year" and g == a.first.year
    if isinstance(g, DateSpan) and answer.kind == "num":
        return g.grain == "year" and a == g.first.year
    if gold.kind == "num" and answer.kind == "ord":
        return False
    return False


def _same_kind(gold: Tok, answer: Tok) -> bool:
    g, a = gold.key, answer.key
    if isinstance(g, Quantity) and isinstance(a, Quantity):
        return g.dimension == a.dimension and abs(g.value - a.value) <= 1e-9 * max(
            1.0, abs(g.value)
        )
    if isinstance(g, DateSpan) and isinstance(a, DateSpan):
        return a.states(g)
    if gold.kind == "time" and isinstance(g, tuple) and isinstance(a, tuple):
        if g == a:
            return True
        if bool(g[1]) and bool(a[1]):
            return False
        return int(g[0]) % 720 == int(a[0]) % 720
    return g == a


def sentences(tokens: Sequence[Tok]) -> list[list[Tok]]:
    """Cut at `.`, `!`, `?` and `;`; empty sentences are dropped."""
    out: list[list[Tok]] = [[]]
    for t in tokens:
        if t.kind == "sep" and t.key in SENTENCE_END:
            out.append([])
        else:
            out[-1].append(t)
    return [s for s in out if any(t.kind != "sep" for t in s)]
