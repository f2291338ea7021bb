"""The demo's own data set: seeded, embedded, in our own words (docs/baseline-agents.md).

About 60 questions of the LongMemEval types (arXiv 2410.10813) and a few nobody can answer, their
evidence in one to three sessions, and 450 everyday sessions of which many come close: the same thing
but somebody else's, or another fact about it. No filler contradicts a gold answer; sessions that do
are in the pool `contradictions`, which is in no ladder unless it is asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from memtui.errors import UserError
from runners.datasets import synthetic_topics_days as days
from runners.datasets import synthetic_topics_home as home
from runners.datasets import synthetic_topics_plain, synthetic_topics_tune
from runners.datasets.contract import DataSet, SourceItem, SourceSession
from runners.datasets.synthetic_dialogue import Glue, Topic
from runners.datasets.synthetic_drafts import Draft
from runners.datasets.synthetic_facts import TEST
from runners.datasets.synthetic_facts_tune import TUNE
from runners.datasets.synthetic_fillers import write_fillers
from runners.datasets.synthetic_items import POOL, ItemWriter
from runners.datasets.synthetic_kinds import Wording
from runners.datasets.synthetic_short import shorten
from runners.sessions import session_sha

SPLITS = ("test", "tune")
DEFAULT_SEED = 7
FILLERS = 450

_MODULES = {
    "test": (TEST, (home, days, synthetic_topics_plain), synthetic_topics_plain.GLUE),
    "tune": (TUNE, (synthetic_topics_tune,), synthetic_topics_tune.GLUE),
}


def load(
    seed: int = DEFAULT_SEED,
    split: str = "test",
    fillers: int = FILLERS,
    exchanges: int | None = None,
) -> DataSet:
    """Generate a split; the same seed gives the same bytes on every machine.

    `fillers` is the size of the pool: a small one is shared by all questions, which keeps the number of
    sessions low that a system with a slow model has to take in. With `filler_tokens` each filler ends
    before the turn that would take it beyond that many tokens (its first two turns stay).

    `test` is what the demo runs. `tune` exists to set the thresholds of the embedded agents and
    shares no person, thing, value or sentence with it. UserError for another split.
    """
    if split not in _MODULES:
        raise UserError(f"synthetic: no split {split!r}; there are {' and '.join(SPLITS)}")
    wording, topics, glue = wording_of(split)
    for name, value in (("fillers", fillers), ("exchanges", exchanges)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or value < 1
        ):
            raise UserError(f"synthetic: {name} must be a whole number of at least 1")
    rng = Random(f"memtui synthetic {split} {seed}")
    writer = ItemWriter(rng, wording, topics, glue)
    drafted = writer.write()
    pool = write_fillers(drafted, writer, fillers)
    drafts = [*writer.evidence, *writer.contradictions, *pool]
    if exchanges is not None:
        drafted = tuple(shorten(drafts, drafted, exchanges))
    names = _names(rng, drafts)
    sessions = {session.id: session for session in _sessions(names)}
    items = tuple(item.source({id(draft): name for name, draft in names}) for item in drafted)
    return DataSet(
        name="synthetic" if split == "test" else f"synthetic-{split}",
        sha256=_digest(items, sessions),
        items=items,
        sessions=sessions,
        pools=(POOL,),
        notes=(f"generated from seed {seed}, split {split}",),
        licence="Apache-2.0",
    )


def wording_of(split: str) -> tuple[Wording, Mapping[str, Topic], Glue]:
    """Everything a split may say: its facts, its topics by name, and what fits between."""
    wording, modules, glue = _MODULES[split]
    topics = [topic for module in modules for topic in vars(module).values()]
    return wording, {topic.name: topic for topic in topics if isinstance(topic, Topic)}, glue


def _names(rng: Random, drafts: Sequence[Draft]) -> list[tuple[str, Draft]]:
    """Ids in a random order, so that none says what its session is for."""
    numbers = list(range(1, len(drafts) + 1))
    rng.shuffle(numbers)
    named = [(f"syn-s{number:03}", draft) for number, draft in zip(numbers, drafts, strict=True)]
    return sorted(named, key=lambda pair: pair[0])


def _sessions(names: Iterable[tuple[str, Draft]]) -> Iterable[SourceSession]:
    for name, draft in names:
        yield SourceSession(
            id=name,
            turns=draft.turns,
            date=draft.date.isoformat(timespec="minutes"),
            sha=session_sha(draft.turns),
            pool=draft.pool,
            evidence_for=frozenset(draft.evidence_for),
            tags=draft.tags,
        )


def _digest(items: Sequence[SourceItem], sessions: Mapping[str, SourceSession]) -> str:
    """sha256 over everything that was generated."""
    parts = [
        [[item.key, item.question, item.gold, item.question_date, item.own] for item in items],
        [[session.id, session.sha, session.date, session.pool] for session in sessions.values()],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
