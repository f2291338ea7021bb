"""Seeded rewrites of a gold answer that leave it right: what a judge must not reject.

Written apart from the judge's own reading of dates, numbers and lists, so that the two can disagree.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

_MONTH_NAMES = (
    "January February March April May June July August September October November December"
)
_MONTHS = _MONTH_NAMES.split()
_NUMBER_WORDS = {
    1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen", 14: "fourteen", 15: "fifteen",
    16: "sixteen", 17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty", 25: "twenty-five",
    30: "thirty", 32: "thirty-two", 38: "thirty-eight", 40: "forty", 50: "fifty", 99: "ninety-nine",
    100: "one hundred", 120: "one hundred and twenty", 500: "five hundred",
}  # fmt: skip
_DIGITS = {word: n for n, word in _NUMBER_WORDS.items() if " " not in word}
_LEAD_INS = (
    "I think it was {}.",
    "It was {}.",
    "The answer is {}.",
    "Based on our conversations, {}.",
    "If I remember correctly, {}.",
    "According to what you told me: {}",
    "Answer: {}",
    "You mentioned this before. {}.",
    "{}, as far as I can tell.",
    "**{}**",
)
_MONTH = "|".join(_MONTHS)
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ?({_MONTH}),? (\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?, ?(\d{{4}})\b")
_MONTH_ONLY = re.compile(rf"\A(?:in |around )?({_MONTH}),? (\d{{4}})\.?\Z", re.I)
_LIST_ITEM = re.compile(r"\A[^,;.:()\"']{2,40}\Z")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite; `kind` is `date`, `numeral`, `list` or `lead-in`."""

    kind: str
    text: str


def rewrites(gold: str, question: str, seed: int, *, per_kind: int = 2) -> list[Rewrite]:
    """Up to `per_kind` rewrites of each kind that applies to this gold, drawn by `seed`."""
    rng = random.Random(f"{seed}|{question}|{gold}")
    out: list[Rewrite] = []
    for kind, made in (
        ("date", list(_dates(gold))),
        ("numeral", list(_numerals(gold))),
        ("list", list(_lists(gold, question, rng))),
        ("lead-in", [lead.format(_no_full_stop(gold)) for lead in _LEAD_INS]),
    ):
        fresh = [text for text in dict.fromkeys(made) if text != gold]
        out += [Rewrite(kind, text) for text in rng.sample(fresh, min(per_kind, len(fresh)))]
    return out


def _no_full_stop(text: str) -> str:
    return text.strip().rstrip(".")


def _dates(gold: str) -> Iterator[str]:
    """The first full date in other forms; a month with its year in other forms."""
    for pattern, order in ((_DAY_FIRST, (3, 2, 1)), (_MONTH_FIRST, (3, 1, 2))):
        m = pattern.search(gold)
        if m is None:
            continue
        year, month, day = (m.group(i) for i in order)
        try:
            when = date(int(year), _MONTHS.index(month) + 1, int(day))
        except ValueError:
            continue
        for form in _forms(when):
            yield gold[: m.start()] + form + gold[m.end() :]
        return
    only = _MONTH_ONLY.match(gold.strip())
    if only:
        month, year = only.group(1).capitalize(), only.group(2)
        yield f"{month} of {year}"
        yield f"in {month} {year}"
        yield f"{month[:3]} {year}"
        yield f"It happened in {month}, {year}"


def _forms(when: date) -> Iterator[str]:
    month = _MONTHS[when.month - 1]
    th = {1: "st", 2: "nd", 3: "rd"}.get(when.day % 10, "th") if when.day // 10 != 1 else "th"
    yield f"{when.day} {month} {when.year}"
    yield f"{month} {when.day}, {when.year}"
    yield f"{month} {when.day}{th}, {when.year}"
    yield f"the {when.day}{th} of {month} {when.year}"
    yield f"{month[:3]} {when.day}, {when.year}"
    yield when.isoformat()
    yield f"{when.month}/{when.day}/{when.year}"
    weekday = datetime.combine(when, datetime.min.time()).strftime("%A")
    yield f"{weekday}, {month} {when.day}, {when.year}"


def _numerals(gold: str) -> Iterator[str]:
    """Digits as words and words as digits, for small whole numbers that stand alone."""
    if re.search(rf"{_MONTH}|\b(?:19|20)\d\d\b", gold):
        return
    for m in re.finditer(
        r"(?<![\d.,:/$#@&\-A-Za-z])(\d{1,3})(?![\d.,:/%\-A-Za-z]*[\d:/%A-Za-z\-])", gold
    ):
        word = _NUMBER_WORDS.get(int(m.group(1)))
        if word and not re.match(r" ?(?:am|pm|PM|AM)\b", gold[m.end() :]):
            yield gold[: m.start()] + word + gold[m.end() :]
    for m in re.finditer(r"(?<![\w-])([a-z]+(?:-[a-z]+)?)(?![\w-])", gold, re.I):
        n = _DIGITS.get(m.group(1).lower())
        if n is not None and n > 1:
            yield gold[: m.start()] + str(n) + gold[m.end() :]
    money = re.search(r"\$(\d{1,3}(?:,\d{3})*)(?![\d.])", gold)
    if money:
        plain = money.group(1).replace(",", "")
        yield gold[: money.start()] + plain + " dollars" + gold[money.end() :]
        yield gold[: money.start()] + "$" + plain + gold[money.end() :]


def _lists(gold: str, question: str, rng: random.Random) -> Iterator[str]:
    """The entries of a plain list in another order, joined in other ways."""
    if re.search(r"\border\b|earliest|first", question, re.I):
        return
    entries = [e.strip() for e in re.split(r",| and ", gold.strip().rstrip(".")) if e.strip()]
    if len(entries) < 2 or not all(_LIST_ITEM.match(e) for e in entries):
        return
    if any(
        re.search(
            rf"\d|{_MONTH}|\b(?:he|she|they|it|is|was|to|half)\b|^(?:but|not|yes|no)\b", e, re.I
        )
        for e in entries
    ):
        return
    for _ in range(4):
        order = entries[:]
        rng.shuffle(order)
        yield ", ".join(order)
        yield ", ".join(order[:-1]) + " and " + order[-1]
        yield "\n".join(f"- {e}" for e in order)
        yield "; ".join(order)
