"""A rule-based extractor that stands in for a language model, so that systems run without one.

It is no part of any published system. An arm that uses it says so (`extractor = "rules"` in its
configuration): its figures tell what a system's *structure* does with facts that are sentences of the
conversation, not what the system does with a model's. Everything here depends on its arguments alone,
is deterministic, and never raises, whatever the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memtui.model import Turn
from runners.agents.span_text import stem, word_set
from runners.memory.chunking import sentences
from runners.memory.flat.words import words

NAME = "rules"
USER_SIDE = ("assistant", "system")
"""Roles passed over by systems that keep what users say of themselves; named speakers are all users."""

STOP = word_set(
    "a an the my your his her hers their our its i you he she it they we me him them us and to that "
    "own this these those is was are were be been being am do does did done have has had having will "
    "would could should can may might must shall of in on at for by with from as into about there "
    "here then so also just very really some any which who whom what when where why how because "
    "since while during if or but not no s t m re ve ll d don didn isn wasn user assistant let know "
    "please like get got go going one more most much many than too up out over only now"
)
"""Words that carry no content of their own."""

_PLEASANTRY = re.compile(
    r"^(?:thanks?\b|thank you|you'?re welcome|welcome\b|sure\b|of course|great\b|sounds? |hello\b|hi\b|"
    r"hey\b|glad\b|good luck|no problem|absolutely|certainly|okay\b|ok\b|got it|i see\b|congrat|enjoy\b|"
    r"let me know|i hope|feel free)",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|instead|anymore|changed?|switched|moved|updated?|actually|new|replaced|"
    r"since then|these days|used to|not any ?more)\b",
    re.I,
)
_END = re.compile(
    r"\b(?:no longer|not any ?more|don'?t .* any ?more|stopped|quit|cancell?ed|gave up|forget|never mind|"
    r"is over|broke up)\b",
    re.I,
)
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our)\b", re.I)
_NAME_RUN = re.compile(
    r"[A-Z][\w'’-]*(?:\s+(?:of|de|the|and)\s+(?=[A-Z])|\s+)?(?:[A-Z][\w'’-]*\s*)*"
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SIGNED = re.compile(r"^[\W_]+|[\W_]+$")

SAME, SIMILAR, SUBJECT = 0.9, 0.45, 0.33
"""Jaccard of content stems above which two facts say the same, are alike, or share a subject."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement and the turn (0-based) it was made in."""

    text: str
    turn: int


@lru_cache(maxsize=20_000)
def content(text: str) -> frozenset[str]:
    """Stems of the words that carry content; characters of scripts without spaces one by one."""
    return frozenset(stem(word) for word in words(text) if word not in STOP)


def is_statement(sentence: str) -> bool:
    """Whether a sentence states something worth keeping: no question, no pleasantry, no fragment."""
    if sentence.rstrip("\"'”’)] ").endswith(("?", "？")):
        return False
    found = len(content(sentence))
    if _CJK.search(sentence):
        return found >= 4
    return found >= (7 if _PLEASANTRY.match(sentence) else 2)


def facts(turns: Sequence[Turn], skip: Iterable[str] = ("system",)) -> list[Fact]:
    """The statements of a conversation in order, each with its speaker in front.

    Turns of the roles in `skip` are passed over. A statement made twice is kept once, at its first
    place. An image is a statement of whoever shows it.
    """
    passed = frozenset(skip)
    found: dict[str, int] = {}
    for number, turn in enumerate(turns):
        if turn.role in passed:
            continue
        said = [one for one in sentences(turn.text) if is_statement(one)]
        if turn.caption.strip():
            said.append(f"shares an image: {turn.caption.strip()}")
        for one in said:
            found.setdefault(f"{turn.role}: {one}" if turn.role else one, number)
    return [Fact(text, number) for text, number in found.items()]


def entities(text: str) -> list[str]:
    """Names in a sentence in order, each once: runs of capitalised words, not the one it opens with.

    A word that only opens the sentence is no name unless a capitalised one follows it.
    """
    found: dict[str, None] = {}
    for match in _NAME_RUN.finditer(text):
        name = _SIGNED.sub("", match.group().strip())
        parts = name.split()
        before = text[: match.start()].rstrip()
        opens = not before or before[-1] in ".!?:\"'“‘("
        if opens and len(parts) == 1:
            continue
        while parts and parts[0].lower() in STOP:
            parts = parts[1:]
        name = _SIGNED.sub("", " ".join(parts))
        if len(name) > 1 and name.lower() not in STOP:
            found.setdefault(name)
    return list(found)


def keywords(text: str, most: int = 5) -> list[str]:
    """What a text is about, best first: its names, then its longer and repeated content words."""
    names = [name.lower() for name in entities(text)]
    held = {word for name in names for word in name.split()}
    counts = Counter(word for word in words(text) if word not in STOP and word not in held)
    order = {word: place for place, word in enumerate(counts)}
    ranked = sorted(counts, key=lambda w: (-counts[w], -min(len(w), 8), order[w]))
    return [*names, *(w for w in ranked if len(w) > 2 or _CJK.match(w))][:most]


def title(text: str, most: int = 4) -> str:
    """A short name of a statement: its first content words, as they stand in it."""
    found = [word for word in words(text) if word not in STOP]
    return " ".join(found[:most])


def is_about_the_speaker(text: str) -> bool:
    """Whether a statement is made in the first person."""
    return _SELF.search(text.partition(": ")[2] or text) is not None


def overlap(one: str, other: str) -> float:
    """Jaccard similarity of two statements' content stems, 0 to 1."""
    a, b = content(one), content(other)
    return len(a & b) / len(a | b) if a or b else 1.0


def decide(fact: str, old: Sequence[str]) -> tuple[str, int | None]:
    """What a new fact does to the similar ones: (`ADD`, None) or (`UPDATE`, `DELETE`, `NONE`, index).

    The most similar old fact decides: it says the same (`NONE`); or it speaks of the same thing and
    the new one says that this is over (`DELETE`), or says in words or by other figures that it is now
    different (`UPDATE`); else the fact is new.
    """
    if not old:
        return "ADD", None
    scored = [overlap(fact, one) for one in old]
    at = max(range(len(old)), key=lambda i: (scored[i], -i))
    if scored[at] >= SAME and _figures(fact) == _figures(old[at]):
        return "NONE", at
    if scored[at] >= SIMILAR and _END.search(fact):
        return "DELETE", at
    if scored[at] >= SUBJECT and _CHANGE.search(fact):
        return "UPDATE", at
    if scored[at] >= SIMILAR and _figures(old[at]) and _figures(fact) - _figures(old[at]):
        return "UPDATE", at
    return "ADD", None


def _figures(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:[.,:]\d+)*", text))


def summary(texts: Sequence[str], most: int = 3) -> tuple[str, str, list[str]]:
    """Title, text and tags of a group of statements: the ones that share most with the others."""
    if not texts:
        return "", "", []
    counts = Counter(word for text in texts for word in content(text))
    central = sorted(
        range(len(texts)),
        key=lambda i: (
            -sum(counts[w] for w in content(texts[i])) / (len(content(texts[i])) or 1),
            i,
        ),
    )
    joined = " ".join(texts)
    tags = keywords(joined)
    return " ".join(tags[:3]), " ".join(texts[i] for i in sorted(central[:most])), tags
