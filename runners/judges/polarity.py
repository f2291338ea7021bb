"""Yes or no: how an answer to a yes-or-no question leans."""

from __future__ import annotations

import re

from runners.judges.folding import fold, raw_tokens, stem, word_set, words
from runners.judges.lexer import NEGATIONS, STOP

_YES = word_set(
    "yes yeah yep yup correct right true indeed definitely certainly absolutely affirmative sure"
)
_NO = word_set("no nope nah incorrect false negative never")
_LEAD = word_set(
    "i we you it think believe would say guess that the answer is be was most very likely probably presumably "
    "possibly apparently seem seems so well then based on our conversation conversations my memory final in fact "
    "to me from what know oh and"
)
_GUESSED = word_set("likely probably presumably possibly apparently")
"""Said alone, these lean to yes."""
_PRONOUNS = word_set("i you he she it they we")
_PHRASES_YES = (
    "of course",
    "no doubt",
    "no question",
    "without a doubt",
    "that is right",
    "that is correct",
    "that right",
    "that correct",
)
_PHRASES_NO = (
    "not really",
    "not at all",
    "not likely",
    "presumably not",
    "probably not",
    "definitely not",
    "certainly not",
    "likely not",
    "of course not",
    "absolutely not",
    "not",
    "i do not think so",
    "do not think so",
    "unlikely",
    "not particularly",
)


def polarity(text: str) -> str | None:
    """`yes`, `no`, `both` (said together) or None where the text does not begin or conclude with either."""
    text = text[:_READ]
    plain = [t.text for t in raw_tokens(fold(text)) if t.text.isalnum()]
    if not plain:
        return None
    start = _leading(plain)
    if start is None and set(plain) <= _LEAD and _GUESSED & set(plain):
        return "yes"
    if start is None:
        return _after_lead_in(text) or _concluding(plain)
    other = _NO if start == "yes" else _YES
    if len(plain) > 2 and _joined(plain, other):
        return "both"
    return start


def _leading(plain: list[str]) -> str | None:
    i = 0
    while i < len(plain):
        tail = " ".join(plain[i : i + 5])
        if tail.startswith(("no doubt", "no question")):
            return "yes"
        # Longest first, so that "of course not" is not read as "of course".
        for phrase in sorted(_PHRASES_NO, key=len, reverse=True):
            if tail == phrase or tail.startswith(phrase + " "):
                return "no"
        if any(tail == p or tail.startswith(p + " ") for p in _PHRASES_YES):
            return "yes"
        if plain[i] in _YES:
            nxt = plain[i + 1] if i + 1 < len(plain) else ""
            return "no" if nxt == "not" and plain[i] not in ("yes", "yeah") else "yes"
        if plain[i] in _NO:
            return "no"
        if plain[i] not in _LEAD or i >= 12:
            return None
        i += 1
    return None


_READ = 1_000
"""Characters looked at: a verdict that comes later was not the answer."""
_CLAUSE = re.compile(
    r"(?:^|[.,:;!?\n]\s*)(?:\W*(?:most|very)?\s*(?:likely|probably)\s+)?\W*(yes|no)\W*(?:$|[.,:;!?\n])"
)


def _after_lead_in(text: str) -> str | None:
    """ "If I remember correctly, yes, since …": a clause that is nothing but yes or no."""
    found = set(_CLAUSE.findall(fold(text)))
    if len(found) == 2:
        return "both"
    return found.pop() if found else None


def _joined(plain: list[str], other: frozenset[str]) -> bool:
    """ "yes and no", "yes or no": both said in one breath."""
    for i, w in enumerate(plain[:-2]):
        if (
            w in _YES | _NO
            and plain[i + 1] in ("and", "or", "but")
            and plain[i + 2] in other & {"yes", "no"}
        ):
            return True
    return False


def _concluding(plain: list[str]) -> str | None:
    """ "…, so yes" at the very end."""
    if (
        len(plain) >= 2
        and plain[-1] in ("yes", "no")
        and plain[-2] in ("so", "therefore", "thus", "is", "hence")
    ):
        return plain[-1]
    return None


def echo(question: str, answer: str) -> str | None:
    """Yes or no when the answer repeats the question as a statement ("You did finish the book").

    A pronoun may stand for one name of the question.
    """
    want = {stem(w) for w in _content(question)}
    have = [t.text for t in raw_tokens(fold(answer))]
    missing = want - {stem(w) for w in have}
    if len(missing) == 1 and len(want) > 2 and _PRONOUNS & set(have):
        names = re.findall(r"(?<=\s)[A-Z][^\W\d_]+", question)
        missing -= {stem(w) for name in names for w in words(name)}
    if len(want) < 2 or missing:
        return None
    return "no" if NEGATIONS & set(have) else "yes"


def _content(text: str) -> list[str]:
    return [t.text for t in raw_tokens(fold(text)) if t.kind != "p" and t.text not in STOP]
