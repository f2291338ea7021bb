"""How well the sentences shown so far cover a question: the one scorer of the extractive agents.

For a sentence s and the question's terms t with weight w(t), an idf over the sentences shown so far,

    cover(s) = sum of w(t) * m(t, s) / sum of w(t)

where m is 1 when the term stands in s, 0.8 when a word of like meaning does, 0.5 when it stands in a
neighboring sentence of the same turn, 0.2 when elsewhere in the block. Nothing else is known about a
block: no retrieval score, no rank, no gold.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runners.agents.span_question import Question
from runners.agents.span_text import ParsedBlock, Sentence, stem

ALIKE, NEAR, ELSEWHERE = 0.8, 0.5, 0.2
HEAD_WEIGHT, NAME_WEIGHT = 0.3, 1.5
"""Weights of a term that only names the sort of answer, and of a name."""
OTHER_SPEAKER, OTHER_PERSON, ASKING, SHORT = 0.6, 0.5, 0.7, 0.5
"""Factors: said by the wrong side, about somebody else's affairs, a question instead of a statement, a
greeting or exclamation."""
NEGLIGIBLE = 0.05
"""Cover below which a sentence is not looked at further."""
SHORT_WORDS = 4
"""A sentence of fewer words states little."""

_KIN = (
    r"sister|brother|cousin|aunt|uncle|niece|nephew|mother|father|mom|mum|dad|parents?|grand\w+|son|"
    r"daughter|kids?|wife|husband|partner|friends?|neighbou?rs?|colleagues?|co-?workers?|boss|"
    r"flatmate|roommate|landlord|classmate|trainer|teacher|doctor"
)
_SIDES = ("user", "assistant")
_OTHERS = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) (?:\w+[ -]){{0,2}}?(?:{_KIN})\b"
    r"|^[A-Z]\w+ (?:from|next door|and I\b)|\b(?:[Hh]is|[Hh]er|[Hh]e|[Ss]he)\b"
)


@dataclass(frozen=True, slots=True)
class SeenBlock:
    """A block that was shown; `told` is its day where it has one."""

    token: str
    date: str | None
    told: dt.date | None
    parsed: ParsedBlock


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and how well it covers the question. Masks have one bit per term."""

    block: SeenBlock
    index: int
    cover: float
    score: float
    mask: int
    """Terms the sentence itself holds, exactly or by a word of like meaning."""
    exact: int
    """Terms it holds exactly."""
    factor: float
    """What lowers the cover to the score: speaker, whose affairs, form."""

    @property
    def sentence(self) -> Sentence:
        """The sentence itself."""
        return self.block.parsed.sentences[self.index]

    def beside(self) -> Iterator[Sentence]:
        """The sentences right after and before it in the same turn."""
        for index in (self.index + 1, self.index - 1):
            if 0 <= index < len(self.block.parsed.sentences):
                other = self.block.parsed.sentences[index]
                if other.turn == self.sentence.turn:
                    yield other


def score_sentences(question: Question, blocks: Sequence[SeenBlock], top: int) -> list[Scored]:
    """The `top` best sentences, best first; ties go to the newer block, whatever the order shown."""
    matches = [_masks(question, block.parsed) for block in blocks]
    weights = _weights(question, blocks)
    total = sum(weights) or 1.0
    covers: dict[tuple[int, int, int, int], float] = {}
    speakers = {term: 1 << i for i, term in enumerate(question.terms) if term in question.names}
    found: list[Scored] = []
    for block, (exact, alike) in zip(blocks, matches, strict=True):
        sentences = block.parsed.sentences
        anywhere = 0
        for mask in exact.values():
            anywhere |= mask
        for index in sorted(exact.keys() | alike.keys()):
            own, like = exact.get(index, 0), alike.get(index, 0)
            if speakers:
                # Who speaks of "I" means the name the question uses.
                own |= speakers.get(stem(sentences[index].speaker), 0)
            turn = sentences[index].turn
            near = 0
            for other in (index - 1, index + 1):
                if 0 <= other < len(sentences) and sentences[other].turn == turn:
                    near |= exact.get(other, 0)
            key = (own, like, near, anywhere)
            cover = covers.get(key)
            if cover is None:
                cover = covers[key] = _cover(key, weights) / total
            factor = _factor(question, sentences[index]) if cover > NEGLIGIBLE else 0.0
            found.append(Scored(block, index, cover, cover * factor, own | like, own, factor))
    found.sort(key=_rank)
    return found[:top]


def _rank(scored: Scored) -> tuple[float, int, str, int]:
    block = scored.block
    return -scored.score, -(block.told.toordinal() if block.told else 0), block.token, scored.index


def _masks(question: Question, block: ParsedBlock) -> tuple[dict[int, int], dict[int, int]]:
    """Per sentence index, the terms it holds exactly, and those it holds a like word of."""
    exact: dict[int, int] = {}
    alike: dict[int, int] = {}
    postings = block.postings
    for i, (term, like) in enumerate(zip(question.terms, question.alike, strict=True)):
        bit = 1 << i
        for index in postings.get(term, ()):
            exact[index] = exact.get(index, 0) | bit
        for word in like:
            for index in postings.get(stem(word), ()):
                alike[index] = alike.get(index, 0) | bit
    return exact, alike


def _weights(question: Question, blocks: Sequence[SeenBlock]) -> list[float]:
    """Weight per term. Two sentences are added to each count, so that a word nobody used does not
    outweigh all others."""
    shown = sum(len(block.parsed.sentences) for block in blocks)
    counts = [2] * len(question.terms)
    for block in blocks:
        for i, term in enumerate(question.terms):
            counts[i] += len(block.parsed.postings.get(term, ()))
    return [
        math.log(1 + (shown + 2) / count)
        * (HEAD_WEIGHT if term in question.heads else 1.0)
        * (NAME_WEIGHT if term in question.names else 1.0)
        for term, count in zip(question.terms, counts, strict=True)
    ]


def _cover(key: tuple[int, int, int, int], weights: Sequence[float]) -> float:
    exact, alike, near, anywhere = key
    total = 0.0
    for i, weight in enumerate(weights):
        bit = 1 << i
        if exact & bit:
            total += weight
        elif alike & bit:
            total += weight * ALIKE
        elif near & bit:
            total += weight * NEAR
        elif anywhere & bit:
            total += weight * ELSEWHERE
    return total


def _factor(question: Question, sentence: Sentence) -> float:
    factor = 1.0
    speaker = sentence.speaker
    if speaker and (speaker == "assistant") != question.to_assistant and speaker in _SIDES:
        factor *= OTHER_SPEAKER
    text = sentence.text
    if text.endswith("?"):
        factor *= ASKING
    if text.count(" ") < SHORT_WORDS - 1:
        factor *= SHORT
    if question.mine and not question.others and _OTHERS.search(text):
        factor *= OTHER_PERSON
    return factor
