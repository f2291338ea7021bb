"""Triples by rule in a model's place: what a sentence is about, tied together.

Labelled (`extractor = "rules"`) wherever it is used; see `runners/memory/rule_extractor.py` for what
such an arm can and cannot show.
"""

from __future__ import annotations

import re

from runners.memory.chunking import sentences
from runners.memory.flat.words import words
from runners.memory.rule_extractor import STOP, entities, is_statement, keywords, title

PHRASES, CHARACTERS = 3, 32
"""Phrases per statement: each is tied to the first, which gives about as many triples as a model does.
In scripts without spaces a phrase is a character, and there must be more of them."""
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
PREDICATE_WORDS = 6


def sentence_triples(text: str) -> list[tuple[str, str, str]]:
    """For each statement, triples from its first phrase to its others; (speaker, …) for a lone one."""
    found: list[tuple[str, str, str]] = []
    for sentence in sentences(text):
        if not is_statement(sentence):
            continue
        about = keywords(sentence, _most(sentence))
        said = title(sentence, PREDICATE_WORDS)
        if len(about) == 1:
            speaker = sentence.partition(": ")[0]
            about = [speaker if speaker in ("user", "assistant") else "speaker", *about]
        found.extend((about[0], said, other) for other in about[1:])
    return found


def typed_entities(text: str) -> list[tuple[str, str]]:
    """What a text is about with a type: names are of type `concept`, all other words `object`."""
    names = {name.lower() for name in entities(text)}
    return [
        (word, "concept" if word in names else "object") for word in keywords(text, 2 * _most(text))
    ]


def query_words(text: str) -> list[str]:
    """The words of a question that carry content, each once."""
    return list(dict.fromkeys(word for word in words(text) if word not in STOP))


def _most(text: str) -> int:
    return CHARACTERS if _WITHOUT_SPACES.search(text) else PHRASES
