"""HippoRAG 2's recognition memory: a language model keeps the facts that bear on the question.

Retrieval proposes, recognition disposes ("Recognition Memory" in the paper): of the facts
nearest to the question the model returns a subset, from which the walk over the graph starts. What it
returns is mapped back to the nearest of the facts it was given, since models reword; the release does
the same with `difflib` and no lower limit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from runners.memory.contract import Door
from runners.memory.extraction import Extracted, extract, prompt
from runners.memory.hierarchical.passages import Triple

FACTS = {
    "type": "object",
    "properties": {
        "fact": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
    },
    "required": ["fact"],
    "additionalProperties": False,
}

_ASK = """\
You are given a question and candidate facts, each a triple of subject, predicate and object. Keep the
facts that help to answer the question, directly or as a step towards the answer, at most four, in the
order of their use, word for word as given. Keep none if none helps. Reply with JSON: {"fact": [...]}.

Question: In which city does the founder of the tile workshop live?
Facts: {"fact": [["user", "works at", "casa azul"], ["casa azul", "is", "tile workshop"], \
["ana reis", "founded", "casa azul"], ["ana reis", "lives in", "gaia"], ["user", "plays", "cello"]]}
{"fact": [["casa azul", "is", "tile workshop"], ["ana reis", "founded", "casa azul"], \
["ana reis", "lives in", "gaia"]]}

Question: Which film did I see with Tom?
Facts: {"fact": [["tom", "repairs", "bicycles"], ["user", "met", "tom"]]}
{"fact": []}"""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the filter kept."""

    kept: tuple[int, ...]
    """Indices into the candidates, each once, in the model's order."""
    status: str
    """`kept`, `none` (the model kept none) or `unreadable` (its reply could not be used)."""
    asked: Extracted


async def recognise(
    door: Door, question: str, candidates: Sequence[Triple], *, max_tokens: int, attempts: int
) -> Recognised:
    """Ask the model which of the candidates bear on the question.

    An unreadable reply keeps none, as in the release: the search then falls back to dense retrieval.
    """
    given = json.dumps({"fact": [list(one) for one in candidates]}, ensure_ascii=False)
    found = await extract(
        door,
        prompt(_ASK, f"Question: {question}\nFacts: {given}"),
        FACTS,
        phase="search",
        max_tokens=max_tokens,
        attempts=attempts,
    )
    if not found.usable:
        return Recognised((), "unreadable", found)
    kept = mapped_back(found.value["fact"], candidates)
    return Recognised(kept, "kept" if kept else "none", found)


def mapped_back(returned: Sequence[Sequence[str]], candidates: Sequence[Triple]) -> tuple[int, ...]:
    """For each returned fact the index of the candidate it is most like, each candidate once."""
    texts = [" | ".join(one) for one in candidates]
    kept: dict[int, None] = {}
    for fact in returned:
        if not any(part.strip() for part in fact):
            continue
        text = " | ".join(fact).lower()
        close = get_close_matches(text, texts, n=1, cutoff=0.0)
        if close:
            kept.setdefault(texts.index(close[0]))
    return tuple(kept)
