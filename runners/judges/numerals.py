"""Numbers as people write them: digits, words, thousands, fractions, ordinals."""

from __future__ import annotations

from collections.abc import Sequence

from runners.judges.folding import Raw

_ONE_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ONES = {w: i for i, w in enumerate(_ONE_WORDS.split())}
_TENS = {w: 10 * i for i, w in enumerate(_TEN_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_GLUED_SCALES = {"k": 1_000, "bn": 1_000_000_000}
_ORDINALS = {w: i for i, w in enumerate(_ORDINAL_WORDS.split(), start=1)}
_ORDINAL_SUFFIX = ("st", "nd", "rd", "th")


def number_at(toks: Sequence[Raw], i: int) -> tuple[float, int] | None:
    """Read a cardinal at position `i`: its value and the position after it, or None.

    Reads `1,300`, `2.5`, `5k`, `three`, `twenty-five`, `one hundred and five`, `400 thousand`,
    `a dozen`, `two and a half`. An `a` alone is an article, not a number.
    """
    got = _plain(toks, i)
    if got is None:
        return None
    value, j = got
    while j < len(toks) and toks[j].text in ("thousand", "million", "billion", "dozen", "hundred"):
        value *= 12 if toks[j].text == "dozen" else _SCALES[toks[j].text]
        j += 1
    if _is(toks, j, "and") and _is(toks, j + 1, "a") and _is(toks, j + 2, "half"):
        return value + 0.5, j + 3
    return value, j


def _plain(toks: Sequence[Raw], i: int) -> tuple[float, int] | None:
    if i >= len(toks):
        return None
    t = toks[i]
    if t.kind == "n":
        value = float(t.text.replace(",", ""))
        if i + 1 < len(toks) and toks[i + 1].glued and toks[i + 1].text in _GLUED_SCALES:
            return value * _GLUED_SCALES[toks[i + 1].text], i + 2
        return value, i + 1
    if t.text in ("a", "an") and _is(toks, i + 1, "dozen"):
        return 12.0, i + 2
    if t.text in ("a", "an") and i + 1 < len(toks) and toks[i + 1].text in _SCALES:
        return _scaled(toks, i + 1, 1.0)
    if t.text == "dozen":
        return 12.0, i + 1
    if t.text in _ONES or t.text in _TENS:
        return _scaled(toks, i, 0.0)
    return None


def _scaled(toks: Sequence[Raw], i: int, current: float) -> tuple[float, int]:
    """The grammar of English cardinals; `current` is what stands before a scale word."""
    total = 0.0
    j = i
    last = "scale" if current else ""
    while j < len(toks):
        word = toks[j].text
        if word in _TENS and last in ("", "scale"):
            current, last = current + _TENS[word], "tens"
        elif (
            word in _ONES
            and last in ("", "scale", "tens")
            and (last != "tens" or 0 < _ONES[word] < 10)
        ):
            current, last = current + _ONES[word], "ones"
        elif word == "hundred" and current:
            current, last = current * 100, "scale"
        elif word in ("thousand", "million", "billion") and current:
            total, current, last = total + current * _SCALES[word], 0.0, "scale"
        elif _links(toks, j, last):
            pass
        else:
            break
        j += 1
    return total + current, j


def ordinal_at(toks: Sequence[Raw], i: int) -> tuple[int, int] | None:
    """Read an ordinal (`first`, `1st`, `twenty-third`) at position `i`."""
    if i >= len(toks):
        return None
    t = toks[i]
    if t.kind == "n" and t.text.isdigit() and i + 1 < len(toks):
        nxt = toks[i + 1]
        if nxt.glued and nxt.text in _ORDINAL_SUFFIX:
            return int(t.text), i + 2
    if t.text in _ORDINALS:
        return _ORDINALS[t.text], i + 1
    if t.text in _TENS:
        j = i + 2 if _is(toks, i + 1, "-") else i + 1
        if j < len(toks) and _ORDINALS.get(toks[j].text, 99) < 10:
            return _TENS[t.text] + _ORDINALS[toks[j].text], j + 1
    return None


def _links(toks: Sequence[Raw], j: int, last: str) -> bool:
    """The hyphen of `twenty-five`, the `and` of `one hundred and five`."""
    nxt = toks[j + 1].text if j + 1 < len(toks) else ""
    if toks[j].text == "-":
        return last == "tens" and nxt in _ONES
    return toks[j].text == "and" and last == "scale" and _small(nxt)


def _small(word: str) -> bool:
    return word in _ONES or word in _TENS


def _is(toks: Sequence[Raw], i: int, word: str) -> bool:
    return 0 <= i < len(toks) and toks[i].text == word
