"""Search queries made from a question by fixed rules: no model, no randomness."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import combinations

from runners.agents.span_question import Question
from runners.agents.span_reader import Reading
from runners.agents.span_text import stem, stems, words

MOST_ALIKE = 4
"""Words of like meaning added to a query."""


def next_query(question: Question, reading: Reading, asked: Set[frozenset[str]]) -> tuple[str, str]:
    """The next query not asked before and the rule that made it; two empty texts when none is left.

    `asked` holds earlier queries as sets of stems: another order of the same words is no new query.
    """
    for rule, query in _queries(question, reading):
        if query and query_key(query) not in asked:
            return query, rule
    return "", ""


def query_key(query: str) -> frozenset[str]:
    """A query without order and word forms."""
    return frozenset(stems(query))


def _queries(question: Question, reading: Reading) -> Iterator[tuple[str, str]]:
    keywords = question.keywords
    yield "the question", question.text
    best = reading.best
    if reading.lead and (best is None or best.fit < 1.0 or not best.via):
        held = best.mask if best is not None and not best.via else 0
        rest = [word for i, word in enumerate(keywords) if not held >> i & 1]
        yield "a name that was found", " ".join((reading.lead, *rest))
    alike = _alike(question)
    specific = [word for word in keywords if stem(word.lower()) not in question.heads]
    things = [word for word in specific if not _has_alike(question, word)]
    yield "key words and like words", " ".join((*specific, *alike[:MOST_ALIKE]))
    if best is not None:
        yield "the candidate answer", " ".join((*things, *words(best.answer)[:6]))
    yield "the key words", " ".join(keywords)
    yield "the thing alone", " ".join(things)
    yield "the thing and like words", " ".join((*things, *alike))
    for size in (len(keywords) - 1, 2, 1):
        if 0 < size < len(keywords):
            for chosen in combinations(keywords, size):
                yield "fewer key words", " ".join(chosen)
    for word in things:
        for like in alike:
            yield "one key word and a like word", f"{word} {like}"
    if reading.rival is not None:
        yield "the second candidate", " ".join((*things, *words(reading.rival.answer)[:6]))


def _alike(question: Question) -> list[str]:
    """Words a statement may use instead of the question's, likely ones of each term first."""
    most = max(map(len, question.alike), default=0)
    found = [group[i] for i in range(most) for group in question.alike if i < len(group)]
    return list(dict.fromkeys(found))


def _has_alike(question: Question, word: str) -> bool:
    key = stem(word.lower())
    return any(
        term == key and like for term, like in zip(question.terms, question.alike, strict=True)
    )
