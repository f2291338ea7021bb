"""Reading a model judge's reply: a strict parse, and the upstream substring rule beside it.

The published scorers take any reply that contains "yes" (LongMemEval, `'yes' in reply.lower()`), so
"no, yesterday …" counts as yes and an empty reply as wrong. Here a reply that does not clearly end in
a verdict has none.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any


class Said(StrEnum):
    """What a judge's reply says."""

    YES = "yes"
    NO = "no"
    UNPARSABLE = "unparsable"


_WORDS = {
    "yes": Said.YES,
    "no": Said.NO,
    "correct": Said.YES,
    "wrong": Said.NO,
    "incorrect": Said.NO,
}
_YES_NO = frozenset({"yes", "no"})
_CORRECT_WRONG = frozenset({"correct", "wrong", "incorrect"})
_KEYS = ("verdict", "label", "answer", "correct", "judgment", "judgement", "is_correct", "result")
_HEDGES = frozenset(
    {"not", "partially", "partly", "mostly", "almost", "neither", "never", "half", "somewhat"}
)
_THINK = re.compile(r"<(think|thinking|reasoning|analysis)>(.*?)</\1>", re.S | re.I)
_OPEN_THINK = re.compile(r"<(think|thinking|reasoning|analysis)>", re.I)
_MARKUP = re.compile(r"[*_`#>\"'“”‘’]+")
_WORD = re.compile(r"[^\W\d_]+")


def strip_thinking(text: str) -> str | None:
    """The reply without closed think blocks; None when one was never closed (the reply was cut)."""
    rest = _THINK.sub(" ", text)
    return None if _OPEN_THINK.search(rest) else rest.strip()


def parse_verdict(reply: str | None, words: str = "yes/no") -> Said:
    """Read a reply strictly; `words` is `yes/no` or `correct/wrong`, what the prompt asked for.

    A verdict is: a JSON object with a verdict; the reply's only word; its first word when a full
    stop, comma, colon, dash or line end follows; or its last word. Both verdicts in one reply, or a
    "not" or "partially" before the verdict, leave none.
    """
    if reply is None:
        return Said.UNPARSABLE
    text = strip_thinking(reply)
    if not text:
        return Said.UNPARSABLE
    known = _YES_NO if words == "yes/no" else _CORRECT_WRONG
    if "{" in text:
        said = _from_json(text, known)
        if said is not None:
            return said
    return _from_words(_MARKUP.sub("", text).strip(), known)


def _from_json(text: str, known: frozenset[str]) -> Said | None:
    """The verdict of the last JSON object in the reply, None when there is no such object."""
    decoder = json.JSONDecoder()
    for at in reversed([m.start() for m in re.finditer(r"\{", text)][:20]):
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found = {_of_value(v, known) for k, v in value.items() if str(k).lower() in _KEYS}
            found.discard(None)
            if len(found) == 1:
                return found.pop()
    return None


def _of_value(value: Any, known: frozenset[str]) -> Said | None:
    if isinstance(value, bool):
        return Said.YES if value else Said.NO
    if isinstance(value, str):
        word = value.strip().strip(".").lower()
        return _WORDS[word] if word in known or word in _YES_NO else None
    return None


def _from_words(text: str, known: frozenset[str]) -> Said:
    tokens = [m.group().lower() for m in _WORD.finditer(text)]
    if not tokens:
        return Said.UNPARSABLE
    said = {_WORDS[t] for t in tokens if t in known}
    first = re.match(r"([^\W\d_]+)\s*(?:[.,:;!\n(–—-]|$)", text)
    if first and first.group(1).lower() in known:
        verdict = _WORDS[first.group(1).lower()]
        # "No, yesterday …" is a no; "Yes … No" or "Yes, but no" is neither.
        return verdict if said == {verdict} else Said.UNPARSABLE
    if tokens[-1] in known:
        verdict = _WORDS[tokens[-1]]
        line = [t.lower() for t in _WORD.findall(re.split(r"[.!?\n:]", text.rstrip(" .!\n"))[-1])]
        others = {_WORDS[t] for t in line if t in known} - {verdict}
        if others or _HEDGES & set(line[:-1]) or _other_conclusion(text, verdict, known):
            return Said.UNPARSABLE
        return verdict
    return Said.UNPARSABLE


def _other_conclusion(text: str, verdict: Said, known: frozenset[str]) -> bool:
    """A line of its own that says the opposite of the last word."""
    for line in re.split(r"[\n.!?]+", text):
        words = [w.lower() for w in _WORD.findall(line)]
        if len(words) == 1 and words[0] in known and _WORDS[words[0]] is not verdict:
            return True
    return False


def parse_official(reply: str | None, words: str = "yes/no") -> Said:
    """The upstream rule, kept to reproduce published numbers: a substring anywhere in the reply.

    LongMemEval's `evaluate_qa.py`: `'yes' in reply.lower()`. For CORRECT/WRONG prompts the same idea:
    "correct" anywhere, unless "wrong" or "incorrect" is there too. An empty reply is a no.
    """
    text = (reply or "").strip().lower()
    if words == "yes/no":
        return Said.YES if "yes" in text else Said.NO
    wrong = "wrong" in text or "incorrect" in text
    return Said.YES if "correct" in text and not wrong else Said.NO
