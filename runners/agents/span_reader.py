"""Reads an answer off shown text: spans, versions of a fact, two-step questions, confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from runners.agents import span_question as q
from runners.agents.contract import ShownBlock
from runners.agents.span_answers import Span, clip, date_text, is_past, read_date, spans
from runners.agents.span_question import Question
from runners.agents.span_score import Scored, SeenBlock, score_sentences
from runners.agents.span_text import BlockCache, stem, words
from runners.normalise import normalise

BESIDE, TOLD = 0.7, 0.5
"""Fit of a span in the next sentence, and of the block's own date where a question asks when and the
sentence does not say."""
OPEN_FIT, WHOLE, NO_FIT = 0.65, 0.35, 0.1
"""Fit of a whole sentence in place of a span: for an open question, where some name was asked for, and
where a value was."""
RIVAL_FROM, RIVAL_COST = 0.5, 0.6
"""A different answer costs confidence from half of the best score on, 60 % of it at a tie."""
SAME_FACT = 0.7
"""Share of the best score above which two answers to the same words are versions of one fact."""
WELL_COVERED = 0.8
"""Cover from which a question is not taken in two steps."""
HALF_FOUND = 0.4
"""Factor for a choice of which only one side was found."""
READ_SENTENCES = 24
"""Sentences whose spans are looked at, best score first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer and where it was read; `score`, `cover` and `fit` are in [0, 1]."""

    answer: str
    score: float
    cover: float
    fit: float
    sentence: str
    token: str
    date: str | None
    mask: int = 0
    """Question terms in its sentence."""
    exact: int = 0
    """Those of them that stand there word for word."""
    factor: float = 1.0
    """What lowers the score of its sentence: speaker, whose affairs, form."""
    via: str = ""
    """The name over which it was reached, when the question takes two steps."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What everything shown so far says; `best` is None when no sentence matches at all."""

    best: Candidate | None
    rival: Candidate | None
    """The best different answer that is not an older version of `best`."""
    confidence: float
    lead: str = ""
    """A name in the best matching sentence that the question does not mention."""


_WHOLE_FIT = {q.OPEN: OPEN_FIT, q.TITLE: WHOLE, q.PLACE: WHOLE, q.NAME: WHOLE}
NOTHING = Reading(None, None, 0.0)


class SpanReader:
    """Reads the blocks of one episode; blocks are added as they are shown."""

    def __init__(self, question: str, cache: BlockCache) -> None:
        self.question = q.understand(question)
        self._cache = cache
        self._blocks: list[SeenBlock] = []
        self._known: set[tuple[str, str]] = set()
        self._plain: set[str] = set()

    @property
    def blocks(self) -> int:
        """Distinct blocks seen."""
        return len(self._blocks)

    def add(self, blocks: Iterable[ShownBlock]) -> int:
        """Take in what was shown; returns how many blocks had not been seen before."""
        new = 0
        for block in blocks:
            key = (block.token, block.text)
            if key in self._known:
                continue
            self._known.add(key)
            parsed = self._cache.get(block.text)
            self._blocks.append(SeenBlock(block.token, block.date, day_of(block.date), parsed))
            self._plain |= parsed.plain
            new += 1
        return new

    def read(self) -> Reading:
        """The best answer in everything shown so far, its closest rival and the confidence."""
        if self.question.kind == q.CHOICE:
            return self._choose()
        scored = self._score(self.question)
        if not scored:
            return NOTHING
        best, rival = self._pick(self.question, scored)
        lead = self._lead(scored[0])
        if lead and (best is None or best.fit < BESIDE or best.cover < WELL_COVERED):
            hop = self._hop(scored[0], lead)
            if hop is not None and (best is None or hop.score > best.score):
                best, rival = hop, best
        return Reading(best, rival, _confidence(best, rival), lead)

    def _score(self, question: Question) -> list[Scored]:
        return score_sentences(question, self._blocks, READ_SENTENCES)

    def _pick(
        self, question: Question, scored: Sequence[Scored]
    ) -> tuple[Candidate | None, Candidate | None]:
        """The best candidate after newer versions replaced older ones, and its rival."""
        found: dict[str, Candidate] = {}
        for place in scored:
            for candidate in self._candidates(question, place):
                key = normalise(candidate.answer)
                held = found.get(key)
                if key and (held is None or candidate.score > held.score):
                    found[key] = candidate
        ranked = sorted(found.values(), key=lambda candidate: -candidate.score)
        if not ranked:
            return None, None
        best = ranked[0]
        things = best.exact & _things(question)
        versions = [
            c
            for c in ranked
            if c.score >= SAME_FACT * best.score
            and c.exact & _things(question) == things
            and c.factor >= best.factor
            and c.date is not None
        ]
        if len(versions) > 1 and best.date is not None and question.kind != q.DATE:
            best = (max if question.latest else min)(versions, key=lambda c: c.date or "")
        others = [c for c in ranked if c is not best and c not in versions]
        return best, others[0] if others else None

    def _candidates(self, question: Question, place: Scored) -> Iterable[Candidate]:
        sentence = place.sentence
        told = place.block.told
        found = [
            (sentence.text, span, span.fit)
            for span in spans(question, sentence.text, told, self._plain)
        ]
        if not found:
            found = [
                (f"{sentence.text} {other.text}", span, span.fit * BESIDE)
                for other in place.beside()
                for span in spans(question, other.text, told, self._plain)
            ]
        if not found and question.kind == q.DATE and told is not None and is_past(sentence.text):
            found = [(sentence.text, Span(date_text(told), TOLD, 0), TOLD)]
        if not found:
            whole = _WHOLE_FIT.get(question.kind, NO_FIT)
            found = [(sentence.text, Span(clip(sentence.text), whole, 0), whole)]
        for text, span, fit in found:
            yield Candidate(
                answer=clip(span.text),
                score=place.score * fit,
                cover=place.cover,
                fit=fit,
                sentence=clip(text, span.at),
                token=place.block.token,
                date=place.block.date,
                mask=place.mask,
                exact=place.exact,
                factor=place.factor,
            )

    def _lead(self, place: Scored) -> str:
        """A person or thing by name in a sentence, which the question does not name."""
        named = replace(self.question, kind=q.PERSON)
        found = spans(named, place.sentence.text, None, self._plain)
        return found[0].text if found else ""

    def _hop(self, first: Scored, lead: str) -> Candidate | None:
        """The answer to the rest of the question, once `lead` stands for the part that `first` holds."""
        question = self.question
        left = [i for i in range(len(question.terms)) if not first.mask >> i & 1]
        if not first.mask:
            return None
        name = stem(words(lead)[0].lower())
        rest = replace(
            question,
            terms=(name, *(question.terms[i] for i in left)),
            keywords=(lead, *(question.keywords[i] for i in left)),
            alike=((), *(question.alike[i] for i in left)),
            names=question.names | {name},
            mine=False,
        )
        best, _ = self._pick(rest, self._score(rest))
        if best is None or best.fit <= WHOLE or not best.mask & 1:
            return None
        if best.sentence == first.sentence.text:
            return None
        return replace(best, score=best.fit * (best.cover + first.cover) / 2, via=lead)

    def _choose(self) -> Reading:
        """Which of two things came first (or last), by the days of the sentences that tell of them."""
        found: list[tuple[date, Candidate]] = []
        for option in self.question.options:
            side = replace(q.understand(option), kind=q.DATE, mine=self.question.mine)
            best, _ = self._pick(side, self._score(side))
            if best is not None and (day := _answer_day(best)) is not None:
                found.append((day, replace(best, answer=clip(option))))
        if not found:
            return NOTHING
        found.sort(key=lambda pair: pair[0], reverse=self.question.latest)
        picked = found[0][1]
        if len(found) == 1:
            half = replace(picked, score=picked.score * HALF_FOUND)
            return Reading(half, None, half.score)
        other = found[-1][1]
        score = min(picked.score, other.score)
        return Reading(replace(picked, score=score), other, score)


def _things(question: Question) -> int:
    """Mask of the terms no other word is likely to stand for: what the question is about."""
    return sum(1 << i for i, like in enumerate(question.alike) if not like)


def _confidence(best: Candidate | None, rival: Candidate | None) -> float:
    if best is None or best.score <= 0:
        return 0.0
    if rival is None:
        return best.score
    close = min(max(rival.score / best.score - RIVAL_FROM, 0.0) / (1 - RIVAL_FROM), 1.0)
    return best.score * (1 - RIVAL_COST * close)


def _answer_day(candidate: Candidate) -> date | None:
    return read_date(candidate.answer) or day_of(candidate.date)


def day_of(text: str | None) -> date | None:
    """The day of an ISO date; None where there is none or it cannot be read."""
    try:
        return None if text is None else date.fromisoformat(text[:10])
    except ValueError:
        return None
