"""Writes a small invented run file: six arms, five scales, every outcome; live or finished.

`python tests/ui/make_run.py OUT.memtui [ITEMS]` makes one to look at.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui.metrics.facts import FactTracker
from memtui.metrics.similarity import QueryHistory
from memtui.model import EndReason, EpisodeId, Hit, Item, Label, Turn, Usage
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    EventSink,
    HaystackEvent,
    HeartbeatEvent,
    ItemEvent,
    LogEvent,
    RunEvent,
    RunStateEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)
from memtui.store.writer import RunWriter
from tests.ui.invented import InventedSession, filler, question

SCALES = (0.0, 50.0, 100.0, 200.0, 400.0)
SESSIONS_SHOWN = 24
"""Haystacks are kept small: a scale of 400 lists this many fillers at most."""

ARMS: tuple[tuple[str, str, float, float], ...] = (
    # memory, agent, chance to find a unit per call at scale 0, loss of it up to the largest scale
    ("hybrid", "until-confident", 0.88, 0.30),
    ("dense", "until-confident", 0.82, 0.34),
    ("bm25", "until-confident", 0.80, 0.42),
    ("hybrid", "search-once", 0.86, 0.38),
    ("bm25", "search-once", 0.78, 0.46),
    ("full-history", "read", 0.97, 0.75),
)


@dataclass
class Story:
    """What a fixture run is made of; the defaults give the run of the goldens."""

    name: str = "invented"
    items: int = 24
    scales: Sequence[float] = SCALES
    arms: Sequence[tuple[str, str, float, float]] = ARMS
    budget: int = 2
    judges: Sequence[str] = ("rules", "strict")
    state: str = "finished"
    nasty: Sequence[str] = ()
    """Texts put into every free-text column in turn."""
    extra_turns: Sequence[Turn] = ()
    """Turns appended to every evidence session."""
    calls: int | None = None
    """Exactly this many calls in every episode (a very long one)."""
    fillers: int = 40
    used: list[str] = field(default_factory=list)

    def arm_key(self, memory: str, agent: str) -> str:
        """The key of an arm; the same one each time."""
        plain = f"{memory}/{agent}"
        return f"{plain} {self.nasty[len(plain) % len(self.nasty)]}" if self.nasty else plain

    def text(self, plain: str) -> str:
        """The plain text, or the next nasty one."""
        if not self.nasty:
            return plain
        self.used.append(plain)
        return f"{plain} {self.nasty[len(self.used) % len(self.nasty)]}"


def at(second: int) -> str:
    """A moment of the invented day."""
    return f"2025-03-01T{10 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}+00:00"


async def declare(sink: EventSink, story: Story) -> list[tuple[Item, tuple[InventedSession, ...]]]:
    """Run, arms, items, sessions."""
    planned = len(story.arms) * len(story.scales) * story.items
    await sink.emit(
        RunEvent(
            uid=f"run-{story.name}",
            name=story.text(story.name),
            protocol="scale",
            config={"note": story.text("invented")},
            config_hash="0" * 16,
            mode="post_hoc",
            budget=story.budget,
            alpha=0.7,
            judge=story.judges[0],
            planned=planned,
            created_at=at(0),
            scales=tuple(story.scales),
            dataset={"name": "invented"},
        )
    )
    for memory, agent, _, _ in story.arms:
        await sink.emit(
            ArmEvent(
                key=story.arm_key(memory, agent),
                agent=agent,
                memory=memory,
                config={"tools": []} if agent == "read" else {},
                note=story.text("baseline: reads spans only"),
            )
        )
    asked = []
    for number in range(story.items):
        item, sessions = question(number)
        item = replace(
            item,
            question=story.text(item.question),
            gold=None if item.gold is None else story.text(item.gold),
            qtype=story.text(item.qtype),
        )
        await sink.emit(ItemEvent(item))
        for session in sessions:
            turns = (*session.turns, *story.extra_turns)
            turns = tuple(Turn(story.text(t.role), story.text(t.text)) for t in turns)
            await sink.emit(_session(replace(session, turns=turns), f"D{number}"))
        asked.append((item, sessions))
    for number in range(story.fillers):
        await sink.emit(_session(filler(number), f"filler-{number}"))
    return asked


def _session(session: InventedSession, source: str) -> SessionEvent:
    return SessionEvent(
        session.token, session.token * 4, session.turns, 120, source=source, date=session.date
    )


async def run_one(
    sink: EventSink,
    story: Story,
    arm: tuple[str, str, float, float],
    scale: float,
    item: Item,
    sessions: tuple[InventedSession, ...],
    clock: int,
    *,
    finish: bool = True,
    repeat: int = 0,
) -> str:
    """One episode, step by step; returns its uid."""
    memory, agent, chance, loss = arm
    rng = random.Random(f"{story.name} {memory} {agent} {scale} {item.key}")
    key = story.arm_key(memory, agent)
    uid = f"{key} {scale:g} {item.key} {repeat}"
    episode = EpisodeId(key, item.key, f"scale={scale:g}|seed=1", repeat, 1)
    hay = f"{item.key}@{scale:g}"
    fillers = [filler(n) for n in range(min(int(scale), story.fillers, SESSIONS_SHOWN))]
    haystack = sorted([*fillers, *sessions], key=lambda session: session.date)
    roles = {session.token: "evidence" for session in sessions}
    await sink.emit(
        HaystackEvent(
            hay, item.key, scale, 1, "as-dated",
            tuple((s.token, s.date, roles.get(s.token, "filler")) for s in haystack),
            tokens=120 * (int(scale) + len(sessions)), tokenizer="words", n_irrelevant=int(scale),
        )
    )  # fmt: skip
    await sink.emit(EpisodeStarted(episode, uid, hay, scale, at(clock)))
    largest = max(story.scales) or 1.0
    find = chance - loss * (scale / largest) ** 0.5
    tracker, queries = FactTracker(item.evidence), QueryHistory()
    steps = _Steps(sink, uid, clock, story)
    if agent == "read":
        seen = rng.random() < find
        hits = tuple(
            Hit(s.token, shown=seen or s.token not in roles or rng.random() < 0.4) for s in haystack
        )
        await steps.context(hits, tracker)
    else:
        await _search(steps, story, rng, find, item, sessions, fillers, tracker, queries, agent)
    facts = tracker.facts()
    covered = facts.t_star is not None
    right = rng.random() < (0.93 if covered else 0.08)
    if not item.answerable:
        right = rng.random() < 0.6
    fault = rng.random()
    end, answer = (
        EndReason.ANSWERED,
        item.gold if right else rng.choice(("Vienna", "six", "in July")),
    )
    abstained = not item.answerable and right
    if fault < 0.015:
        end, answer = EndReason.PROVIDER_ERROR, None
    elif fault < 0.03:
        end, answer = EndReason.EMPTY, None
    elif fault < 0.04:
        end, answer = EndReason.MEMORY_ERROR, None
    if not finish:
        return uid
    if answer is not None:
        answer = story.text(answer)
        await steps.answer(answer)
        for number, judge in enumerate(story.judges):
            label = Label.RIGHT if right and (number == 0 or rng.random() < 0.9) else Label.WRONG
            raw = story.text(f'{{"verdict": "{label}"}}')
            await sink.emit(
                VerdictEvent(uid, judge, label, at(clock + 9), raw=raw, reason="contains")
            )
    else:
        await steps.error(end)
    tokens = 900 + 310 * facts.requested + rng.randint(0, 90)
    await sink.emit(
        EpisodeFinished(
            uid, episode, end, facts, tracker.strip, at(clock + 10),
            answer=answer, answer_raw=answer, abstained=abstained,
            usage=Usage(prompt=tokens, completion=30, cost=None, calls=facts.requested + 1),
            wall_ms=900.0 * (facts.requested + 1) + rng.randint(0, 400),
            error=story.text("503 from the provider") if end is EndReason.PROVIDER_ERROR else "",
            views=tracker.views(),
        )
    )  # fmt: skip
    return uid


async def _search(
    steps: _Steps,
    story: Story,
    rng: random.Random,
    find: float,
    item: Item,
    sessions: tuple[InventedSession, ...],
    fillers: list[InventedSession],
    tracker: FactTracker,
    queries: QueryHistory,
    agent: str,
) -> None:
    most = 1 if agent == "search-once" else rng.choice((2, 3, 3, 4, 5))
    for call in range(story.calls or most):
        words = item.question.rstrip("?").split()
        query = (
            item.question if call == 0 else " ".join(rng.sample(words, max(1, len(words) - call)))
        )
        hits: list[Hit] = []
        for session in rng.sample(fillers, min(len(fillers), 5)):
            hits.append(Hit(session.token, rng.uniform(2, 9), first=0, last=len(session.turns) - 1))
        for session in sessions:
            if rng.random() < find:
                place = rng.randint(0, len(hits))
                last = len(session.turns) - 1
                hits.insert(place, Hit(session.token, rng.uniform(6, 12), first=0, last=last))
        hits.sort(key=lambda hit: -(hit.score or 0.0))
        hits = [replace(hit, shown=rank < 5) for rank, hit in enumerate(hits)]
        await steps.call(query, tuple(hits), tracker, queries)
        if story.calls is None and tracker.facts().t_star is not None and rng.random() < 0.6:
            break


class _Steps:
    """Numbers the steps of one episode."""

    def __init__(self, sink: EventSink, uid: str, clock: int, story: Story) -> None:
        self._sink, self._uid, self._clock, self._story = sink, uid, clock, story
        self._seq = 0
        self._calls = 0

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    async def call(
        self, query: str, hits: tuple[Hit, ...], tracker: FactTracker, queries: QueryHistory
    ) -> None:
        self._calls += 1
        asked = self._story.text(query)
        thought = self._story.text("confidence 0.41 is below 0.60: search again")
        await self._sink.emit(
            StepEvent(
                self._uid, self._next(), "model", at(self._clock), name="extractive",
                text=thought, wall_ms=3.0, raw=f'{{"search": "{asked}"}}',
            )
        )  # fmt: skip
        facts = tracker.call(hits)
        near = queries.add(query)
        await self._sink.emit(
            StepEvent(
                self._uid, self._next(), "memory_call", at(self._clock + self._calls),
                name="search", counts_as_call=True, call_no=self._calls, query=asked,
                k_asked=8, k_returned=len(hits), k_shown=sum(hit.shown for hit in hits),
                hits=hits, gold_ranks=facts.gold_ranks, gold_new=facts.gold_new,
                gold_cum=facts.gold_cum, new_hits=facts.new_hits,
                similarity=near.value, similarity_kind=near.kind, raw=f'{{"query": "{asked}"}}',
                wall_ms=12.5,
            )
        )  # fmt: skip

    async def context(self, hits: tuple[Hit, ...], tracker: FactTracker) -> None:
        facts = tracker.context(hits)
        await self._sink.emit(
            StepEvent(
                self._uid, self._next(), "context", at(self._clock), call_no=0, hits=hits,
                k_returned=len(hits), k_shown=sum(hit.shown for hit in hits),
                gold_ranks=facts.gold_ranks, gold_new=facts.gold_new, gold_cum=facts.gold_cum,
                new_hits=facts.new_hits, wall_ms=4.0, data={"tokens": 2048},
            )
        )  # fmt: skip

    async def answer(self, answer: str) -> None:
        text = self._story.text("confidence 0.87: answer")
        model = StepEvent(self._uid, self._next(), "model", at(self._clock + 8), text=text)
        await self._sink.emit(model)
        await self._sink.emit(
            StepEvent(
                self._uid, self._next(), "answer", at(self._clock + 8), text=answer, raw=answer
            )
        )

    async def error(self, reason: EndReason) -> None:
        text = self._story.text(f"ended by {reason}")
        await self._sink.emit(
            StepEvent(
                self._uid, self._next(), "error", at(self._clock + 8), name="agent",
                status=reason.value, text=text,
            )
        )  # fmt: skip


@asynccontextmanager
async def written(path: Path, story: Story) -> AsyncIterator[RunWriter]:
    """A writer to go on with, after all episodes of the story are in the file."""
    async with RunWriter(path) as sink:
        asked = await declare(sink, story)
        clock = 0
        for item, sessions in asked:
            for scale in story.scales:
                for arm in story.arms:
                    await run_one(sink, story, arm, scale, item, sessions, clock)
                    clock += 1
        await sink.emit(LogEvent(at(clock), "warning", "retry", story.text("2 retries after 429")))
        if story.state == "finished":
            await sink.emit(RunStateEvent("finished", at(clock)))
        else:
            snapshot = {"in_flight": [], "note": story.text("paced")}
            await sink.emit(HeartbeatEvent(at(clock), 1, "host", snapshot))
        await sink.commit()
        yield sink


async def write(path: Path, story: Story | None = None) -> Path:
    """Write a whole run file and close it."""
    async with written(path, story or Story()):
        pass
    return path


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    asyncio.run(write(Path(sys.argv[1]), Story(items=count)))
