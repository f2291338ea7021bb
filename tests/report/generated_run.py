"""Run files for tests: every end reason, verdict, coverage and some hostile text, all seeded."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.metrics.facts import FactTracker
from memtui.metrics.similarity import QueryHistory
from memtui.model import (
    EndReason,
    EpisodeId,
    Evidence,
    EvidenceStatus,
    Hit,
    Item,
    Label,
    Turn,
    Usage,
)
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    HaystackEvent,
    ItemEvent,
    RunEvent,
    RunStateEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)
from memtui.store.writer import RunWriter

AT = "2026-05-08T12:00:00+00:00"
HOSTILE = (
    "multi-agent",
    "don't",
    "what is 500 Mbps?",
    '"',
    "NEAR(",
    "a AND",
    "C++",
    "100%",
    "a_b",
    "POL-358",
    "20.04",
    "=1+1",
    "line1\nline2",
    "日本語",
    "nul\0byte",
    "[/bold] \x1b[31mred",
    "ÄÖÜ ß",
    "-minus",
    "x:y",
    "\\%_",
)
RUNG = (0.0, 100.0, 200.0)
ARMS = ("bm25/search-once", "dense/until-confident", "full-history/read")


@dataclass
class Script:
    """One episode in short; `hits` lists the sessions each call returns."""

    arm: str
    item: str
    scale: float = 0.0
    calls: Sequence[Sequence[str]] = ()
    label: str | None = "right"
    end: str = "answered"
    answer: str | None = "an answer"
    repeat: int = 0
    seed: int = 1
    forced: bool = False
    abstained: bool = False
    refused: int = 0
    running: bool = False
    other_label: str | None = None
    queries: Sequence[str] = ()
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    wall_ms: float | None = 1200.0


class RunFile:
    """Writes a run file from items and scripts."""

    def __init__(self, path: Path, **run: Any) -> None:
        self.path = path
        self.run: dict[str, Any] = {
            "uid": "u" * 16,
            "name": "test run",
            "protocol": "scale",
            "config": {"budget": {"call_cap": 20, "calls": 2}},
            "config_hash": "c0ffee",
            "mode": "post_hoc",
            "budget": 2,
            "alpha": 0.7,
            "judge": "deterministic-1",
            "planned": 0,
            "scales": RUNG,
            "created_at": AT,
            "dataset": {"name": "made up", "sha256": "abc123"},
            "versions": {"memtui": "0.1.0"},
            "seeds": {"ladder": [1]},
        } | run
        self.items: dict[str, Item] = {}
        self.arms: dict[str, ArmEvent] = {}
        self.haystacks: dict[str, HaystackEvent] = {}
        self.scripts: list[Script] = []
        self.state = "finished"

    def item(self, key: str, **fields: Any) -> Item:
        """Declare an item; its evidence is session `e-<key>` unless told otherwise."""
        values: dict[str, Any] = {
            "question": f"What about {key}?",
            "gold": "gold answer",
            "qtype": "single",
            "cluster": key,
            "evidence": (Evidence(key, f"e-{key}", None),),
        } | fields
        self.items[key] = Item(key=key, **values)
        return self.items[key]

    def arm(self, key: str, **fields: Any) -> None:
        """Declare an arm; `tools` in its configuration unless told otherwise."""
        memory, agent = key.split("/")
        config = {"tools": [] if memory == "full-history" else [{"name": "search"}]}
        values: dict[str, Any] = {"config": config} | fields
        self.arms[key] = ArmEvent(key=key, agent=agent, memory=memory, **values)

    def add(self, *args: Any, **fields: Any) -> Script:
        """Add an episode."""
        script = Script(*args, **fields)
        self.scripts.append(script)
        return script

    def haystack(self, item: str, scale: float, seed: int, **fields: Any) -> str:
        """Declare the haystack of an item at a rung."""
        key = f"{item}@{scale}#{seed}"
        if key not in self.haystacks or fields:
            values: dict[str, Any] = {
                "positions": ((f"e-{item}", "2026-01-01T10:00:00", "evidence"),),
                "tokens": 1000 + int(scale) * 10,
                "tokenizer": "words",
                "n_irrelevant": int(scale),
                "evidence_age": 0.5,
            } | fields
            self.haystacks[key] = HaystackEvent(
                key=key,
                item=item,
                scale=scale,
                ladder_seed=seed,
                date_policy="balanced",
                **values,
            )
        return key

    def write(self) -> Path:
        """Write everything and return the path."""
        for script in self.scripts:
            self.haystack(script.item, script.scale, script.seed)
            if script.arm not in self.arms:
                self.arm(script.arm)
        writer = RunWriter(self.path).start()
        try:
            writer.put(RunEvent(**self.run | {"planned": self.run["planned"] or len(self.scripts)}))
            for arm in self.arms.values():
                writer.put(arm)
            for item in self.items.values():
                writer.put(ItemEvent(item))
            for haystack in self.haystacks.values():
                writer.put(haystack)
            for token in self._tokens():
                writer.put(SessionEvent(token, token, (Turn("user", f"text of {token}"),), 10))
            for number, script in enumerate(self.scripts):
                self._episode(writer, number, script)
            writer.put(RunStateEvent(self.state, AT))
        finally:
            writer.close_sync()
        return self.path

    def _tokens(self) -> list[str]:
        """Every session that is evidence, a position of a history, or a hit."""
        found: dict[str, None] = {}
        for item in self.items.values():
            found.update((e.session, None) for e in item.evidence if e.session is not None)
        for haystack in self.haystacks.values():
            found.update((token, None) for token, _, _ in haystack.positions)
        for script in self.scripts:
            found.update((ref, None) for refs in script.calls for ref in refs)
        return list(found)

    def _episode(self, writer: RunWriter, number: int, script: Script) -> None:
        uid = f"episode{number:06d}"
        scale = int(script.scale) if script.scale >= 0 else "own"
        identity = EpisodeId(
            script.arm, script.item, f"scale={scale}|seed={script.seed}", script.repeat, 1
        )
        haystack = f"{script.item}@{script.scale}#{script.seed}"
        writer.put(EpisodeStarted(identity, uid, haystack, script.scale, AT))
        tracker = FactTracker(self.items[script.item].evidence, self.arms[script.arm].provenance)
        seq = 0
        history = QueryHistory()
        for call, refs in enumerate(script.calls, 1):
            seq += 1
            query = script.queries[call - 1] if script.queries else f"query {call}"
            near = history.add(query)
            writer.put(
                StepEvent(
                    uid, seq, "model", AT, name="agent", usage=Usage(prompt=100, completion=10)
                )
            )
            hits = tuple(Hit(ref, 1.0 / rank) for rank, ref in enumerate(refs, 1))
            found = tracker.call(hits)
            seq += 1
            writer.put(
                StepEvent(
                    uid,
                    seq,
                    "memory_call",
                    AT,
                    name="search",
                    counts_as_call=True,
                    call_no=call,
                    query=query,
                    similarity=near.value,
                    similarity_kind=near.kind,
                    k_asked=12,
                    k_returned=len(hits),
                    k_shown=len(hits),
                    hits=hits,
                    gold_ranks=found.gold_ranks,
                    gold_new=found.gold_new,
                    gold_cum=found.gold_cum,
                    new_hits=found.new_hits,
                    wall_ms=12.5,
                )
            )
        for extra in range(script.refused):
            seq += 1
            tracker.call((), status="refused", executed=False)
            writer.put(
                StepEvent(
                    uid,
                    seq,
                    "memory_call",
                    AT,
                    name="search",
                    status="refused",
                    counts_as_call=True,
                    call_no=len(script.calls) + 1 + extra,
                    query="one more",
                    text="Refused: the budget is used up.",
                )
            )
        if script.running:
            return
        if script.answer is not None:
            seq += 1
            writer.put(StepEvent(uid, seq, "answer", AT, text=script.answer))
        writer.put(
            EpisodeFinished(
                episode=uid,
                id=identity,
                end_reason=EndReason(script.end),
                facts=tracker.facts(),
                strip=tracker.strip,
                at=AT,
                answer=script.answer,
                answer_raw=script.answer,
                forced=script.forced,
                abstained=script.abstained,
                usage=script.usage,
                wall_ms=script.wall_ms,
                error=script.error,
                views=tracker.views(),
            )
        )
        judge = self.run["judge"]
        for name, label in ((judge, script.label), ("other-judge", script.other_label)):
            if label is not None:
                writer.put(VerdictEvent(uid, name, Label(label), AT, reason="rule"))


def anything(path: Path, episodes: int = 400, seed: int = 1, mode: str = "post_hoc") -> Path:
    """A file that holds a bit of everything a filter or a report may meet."""
    draw = random.Random(seed)
    run = RunFile(path, mode=mode)
    for number in range(30):
        key = f"q{number}"
        evidence = [Evidence(f"{key}-{n}", f"e-{key}-{n}", None) for n in range(draw.randint(0, 3))]
        if draw.random() < 0.15:
            evidence.append(Evidence("D", None, None, EvidenceStatus.DANGLING))
        run.item(
            key,
            question=f"{draw.choice(HOSTILE)} {key}",
            gold=draw.choice([None, "7 May 2023", draw.choice(HOSTILE)]),
            qtype=draw.choice(["temporal", "multi-hop", "unknown(6)"]),
            cluster=f"conv-{number % 7}",
            answerable=draw.random() > 0.2,
            evidence=tuple(evidence),
            flags=tuple(draw.sample(["span_answerable", "evidence-empty", "answer-not-string"], 1))
            if draw.random() < 0.4
            else (),
        )
    run.arm(ARMS[0])
    run.arm(ARMS[1], provenance="partial")
    run.arm(ARMS[2])
    for _ in range(episodes):
        key = f"q{draw.randrange(30)}"
        arm = draw.choice(ARMS)
        sessions = [f"e-{key}-{n}" for n in range(3)] + [f"f-{n}" for n in range(5)]
        calls = 0 if arm == ARMS[2] else draw.choice([0, 1, 1, 2, 2, 3, 5])
        end = draw.choice([*["answered"] * 6, *(str(reason) for reason in EndReason)])
        known = draw.random() < 0.7
        run.add(
            arm,
            key,
            draw.choice([-1.0, *RUNG]),
            [draw.sample(sessions, draw.randint(0, 3)) for _ in range(calls)],
            label=draw.choice([None, "right", "right", "wrong", "wrong", "unknown"]),
            other_label=draw.choice([None, "right", "wrong"]),
            end=end,
            answer=draw.choice([None, "", "an answer", *HOSTILE]),
            repeat=draw.randrange(10_000),
            seed=draw.choice([1, 2]),
            forced=draw.random() < 0.1,
            abstained=draw.random() < 0.2,
            refused=draw.choice([0, 0, 0, 1]),
            running=draw.random() < 0.05,
            error=draw.choice(["", "", "boom: [/x] 100%"]),
            usage=Usage(
                prompt=draw.randrange(5000) if known else None,
                completion=draw.randrange(500) if known else None,
                cost=draw.random() / 100 if known else None,
            ),
            wall_ms=draw.choice([None, draw.random() * 10_000]),
        )
    return run.write()
