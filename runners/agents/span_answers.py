"""Spans of a sentence that could answer: amounts, dates, names, places, titles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import date, timedelta

from runners.agents import span_question as q
from runners.agents.span_text import stem, word_set, words

MAX_TOKENS = 30
"""Longest answer, in words."""

_NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fifteen", "twenty", "thirty"),
)
_SMALL = {word: n for n, word in enumerate(_NUMBER_WORDS[:13], 1)}
_N = rf"(?:\d[\d,]*(?:\.\d+)?|{'|'.join(_NUMBER_WORDS)}|a dozen)"
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_M = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + r")\b\.?"
_W = "(?:" + "|".join(_WEEKDAYS) + ")"
_UNIT = r"(?:second|minute|hour|day|week|month|year)s?"
_COLORS = word_set(
    "red blue green yellow orange purple violet pink brown black white gray grey beige ivory cream "
    "teal turquoise navy gold silver maroon lavender mint plum coral olive burgundy indigo amber"
)
_CAPITALS = (
    r"(?!I\b)[A-Z][\w'’&-]*(?:\s+(?:(?:of|and|the|de|la|le|y)\s+){0,2}(?!I\b)[A-Z][\w'’&-]*)*"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]")

_SIMPLE = {
    q.MONEY: re.compile(
        rf"[$€£]\s?\d[\d,]*(?:\.\d+)?k?|\b{_N} (?:dollars|euros|pounds|bucks)\b", re.I
    ),
    q.NUMBER: re.compile(rf"(?<![\d:.$€£])\b{_N}\b(?!\s?(?:[ap]\.?m\b|%))(?![\d:])", re.I),
    q.DURATION: re.compile(
        rf"\b(?:half an hour|{_N}[ -](?:and a half )?{_UNIT}|an? (?:hour|day|week|month|year))\b(?! ago)",
        re.I,
    ),
    q.CLOCK: re.compile(
        r"\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\b\.?|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b|\b\d{1,2} o'clock",
        re.I,
    ),
    q.PACE: re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b(?!\s?[ap]\.?m\b)", re.I),
    q.WEEKDAY: re.compile(rf"\b{_W}", re.I),
    q.COLOR: re.compile(
        rf"\b(?:(?:\w{{3,9}}|light|dark|pale|deep) )?(?:{'|'.join(sorted(_COLORS))})\b", re.I
    ),
}
_NOT_A_SHADE = word_set(
    "the a an of in for with is was are and or went chose turned got it its your my our this that "
    "ordered painted into some rather have had has"
)
_NAMED = re.compile(
    rf"\b(?:named?|called|call (?:him|her|it)|known as|goes by|answers to|name is|on|try|ask for|is|"
    rf"was|a|an|the)\s+(?:the )?({_CAPITALS})"
)
_SEQUENCE = re.compile(_CAPITALS)
_AT = re.compile(rf"\b(?:in|to|at|from|near|around)\s+(?:the )?({_CAPITALS})")
_IN = re.compile(
    rf"\b(?:in|near|around|(?:moved?|moving|went|go|flew|back|relocated) to)\s+({_CAPITALS})"
)
_VERB = re.compile(
    r"\s+(?:is|was|has|had|will|would|can|went|told|gave|left|found|said|and I)\b|\s+\w{2,}(?:ed|[^siu]s)\b"
)
_NO_SUBJECT = word_set(
    "several most many some all good old new small big other both few such these those no every each "
    "hey hi hello wow thanks congrats sorry oh yeah yes sure great awesome nice cool absolutely dear "
    "more less half two three ten low high fresh hot cold dried long short simple local middle"
)
_SOMEWHERE = re.compile(
    r"\b(?:in|on|at|under|behind|inside|beside|to|into|from|near)\s+"
    r"((?:the|a|an|my|our|his|her)\s+[\w'’-]+(?:\s+(?!and\b|but\b|so\b|or\b|where\b|out\b|of\b|for\b)[\w'’-]+){0,3})"
)
_DATES = re.compile(
    rf"(?P<dmy>\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_M}),?(?: (?P<y1>\d{{4}}))?)"
    rf"|(?P<mdy>\b(?P<m2>{_M}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y2>\d{{4}}))?)"
    rf"|(?P<my>\b(?P<m3>{_M}) (?P<y3>\d{{4}})\b)"
    rf"|\b(?P<back>yesterday|the day before yesterday|last night|today|this morning|tonight|this afternoon)\b"
    rf"|\b(?P<n>{_N}|a|an|a couple of|a few) (?P<unit>day|week|month|year)s? ago\b"
    rf"|\b(?P<lastday>last|this past|on) (?P<wd>{_W})s?\b"
    rf"|\b(?P<lastunit>last|this) (?P<u>week|weekend|month|year)\b",
    re.I,
)
_BACK = {"yesterday": 1, "the day before yesterday": 2, "last night": 1}
_NO_NAMES = frozenset([*_MONTHS, *_WEEKDAYS, "i", "i'm", "i've", "i'd", "i'll", "ok", "okay"])


@dataclass(frozen=True, slots=True)
class Span:
    """A possible answer. `fit` in (0, 1] says how well it is of the sort that was asked for."""

    text: str
    fit: float
    at: int
    """Character at which it starts in its sentence."""


def spans(question: q.Question, sentence: str, told: date | None, plain: Set[str]) -> list[Span]:
    """Spans of `sentence` that are of the sort asked for, in order.

    `told` is the day of the block, for relative dates; `plain` are words known in lower case, which
    are no names though a sentence starts with them.
    """
    kind = question.kind
    if kind in _SIMPLE:
        found = [_tidy(question, sentence, match) for match in _SIMPLE[kind].finditer(sentence)]
    elif kind == q.DATE:
        found = list(_dates(sentence, told))
    elif kind in (q.PERSON, q.CITY, q.NAME):
        found = list(_names(kind, sentence, plain))
    elif kind == q.PLACE:
        found = [Span(match[1], 1.0, match.start(1)) for match in _AT.finditer(sentence)]
        if not found:
            found = [
                Span(match[1], 0.85, match.start(1)) for match in _SOMEWHERE.finditer(sentence)
            ]
    elif kind == q.OPEN:
        # No span is of the sort asked for: the reader takes the sentence.
        found = []
    else:
        found = [Span(match[1], 1.0, match.start(1)) for match in _QUOTED.finditer(sentence)]
        if not found:
            found = list(_names(q.TITLE, sentence, plain))
    asked = set(question.terms) | question.names
    return [span for span in found if not {stem(w.lower()) for w in words(span.text)} <= asked]


def _tidy(question: q.Question, sentence: str, match: re.Match[str]) -> Span:
    text, at = match[0], match.start()
    if question.kind == q.COLOR:
        first, _, rest = text.partition(" ")
        if rest and first.lower() in _NOT_A_SHADE:
            return Span(rest, 1.0, at + len(first) + 1)
    if question.kind == q.NUMBER:
        after = {stem(word.lower()) for word in words(sentence[match.end() :])[:3]}
        text = text.rstrip(",")
        return Span(text, 1.0 if after & set(question.terms) else 0.6, at)
    if question.kind == q.DURATION:
        if question.unit and question.unit not in text.lower():
            return Span(text, 0.2, at)
        return Span(text, 0.6 if text[:2].lower() in ("a ", "an") else 1.0, at)
    return Span(text.strip().rstrip(".,"), 1.0, at)


def _names(kind: str, sentence: str, plain: Set[str]) -> Iterator[Span]:
    pattern = _IN if kind == q.CITY else _NAMED
    marked = {match.start(1) for match in pattern.finditer(sentence)}
    if kind == q.NAME:
        for match in _QUOTED.finditer(sentence):
            yield Span(match[1], 1.0, match.start(1))
    for match in _SEQUENCE.finditer(sentence):
        text, at = match[0], match.start()
        if at == 0 or sentence[at - 2 : at] in (". ", '. "'):
            # A sentence starts with a capital anyhow.
            first, _, rest = text.partition(" ")
            if not _is_subject(first, sentence[match.start() + len(first) :], plain):
                rest = rest.lstrip()
                if not rest[:1].isupper():
                    continue
                at, text = at + len(text) - len(rest), rest
        text = text.removesuffix("'s").removesuffix("’s")
        if text.lower() in _NO_NAMES or len(text) < 2:
            continue
        yield Span(text, _name_fit(kind, text, at in marked), at)


def _name_fit(kind: str, text: str, marked: bool) -> float:
    if kind == q.PERSON:
        return 0.8 if " " in text else 1.0
    if kind == q.CITY:
        return 1.0 if marked else 0.4
    if kind == q.TITLE:
        return 1.0 if marked else 0.9 if " " in text else 0.5
    return 1.0 if marked else 0.9 if " " in text else 0.75


def _is_subject(word: str, rest: str, plain: Set[str]) -> bool:
    """Whether the capitalised word at the start of a sentence looks like a name."""
    low = word.lower()
    if low in plain or low in q.STOP or low in _NO_SUBJECT:
        return False
    return rest[:2] in ("'s", "’s") or bool(_VERB.match(rest)) or rest[:2].strip().isupper()


def _dates(sentence: str, told: date | None) -> Iterator[Span]:
    for match in _DATES.finditer(sentence):
        day, fit = _day_of(match, told)
        text = match[0] if day is None else date_text(day)
        yield Span(text, fit, match.start())


def _day_of(match: re.Match[str], told: date | None) -> tuple[date | None, float]:
    """The day a date means, where it can be said, and how exact it is."""
    for kind in ("1", "2"):
        if match[f"d{kind}"]:
            year = match[f"y{kind}"]
            month = _month(match[f"m{kind}"])
            return _safe(
                int(year) if year else told.year if told else None, month, int(match[f"d{kind}"])
            ), 1.0
    if match["my"] or told is None:
        return None, 0.8
    if match["back"]:
        return told - timedelta(days=_BACK.get(match["back"].lower(), 0)), 1.0
    if match["unit"]:
        number = match["n"].lower().replace(",", "")
        count = (
            int(number)
            if number.isdigit()
            else _SMALL.get(number, 2 if "couple" in number else 3 if "few" in number else 1)
        )
        days = {"day": 1, "week": 7, "month": 30, "year": 365}[match["unit"].lower()] * count
        exact = match["unit"].lower() == "day"
        return told - timedelta(days=min(days, 40_000)), 1.0 if exact else 0.7
    if match["wd"]:
        back = (told.weekday() - _WEEKDAYS.index(match["wd"].lower())) % 7 or 7
        return told - timedelta(days=back), 1.0 if match["lastday"].lower() != "on" else 0.6
    return None, 0.6


def _month(text: str) -> int:
    short = text.lower()[:3]
    return next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(short))


def _safe(year: int | None, month: int, day: int) -> date | None:
    try:
        return None if year is None else date(year, month, day)
    except ValueError:
        return None


_PAST = re.compile(
    r"\b(?:was|were|went|had|did|got|made|took|saw|came|met|ran|bought|gave|left|found|\w{3,}ed)\b"
)


def is_past(sentence: str) -> bool:
    """Whether a sentence tells of something that has happened."""
    return _PAST.search(sentence) is not None


def date_text(day: date) -> str:
    """A day as an answer says it: `14 March 2024`."""
    return f"{day.day} {_MONTHS[day.month - 1].capitalize()} {day.year}"


def clip(text: str, at: int = 0) -> str:
    """At most MAX_TOKENS words of `text`, around character `at`."""
    found = text.split()
    if len(found) <= MAX_TOKENS:
        return text.strip()
    before = len(text[:at].split())
    start = min(max(before - MAX_TOKENS // 2, 0), len(found) - MAX_TOKENS)
    return " ".join(found[start : start + MAX_TOKENS])


def read_date(text: str) -> date | None:
    """The day `date_text` wrote; None for any other text."""
    parts = text.split()
    if len(parts) != 3 or parts[1].lower() not in _MONTHS or not parts[0].isdigit():
        return None
    return _safe(int(parts[2]) if parts[2].isdigit() else None, _month(parts[1]), int(parts[0]))
