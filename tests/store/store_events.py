"""Small events for the tests of the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from memtui.model import EndReason, EpisodeId, Evidence, Facts, Hit, Item, Label, Turn, Usage
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    Event,
    HaystackEvent,
    ItemEvent,
    RunEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)
from memtui.store.writer import RunWriter

AT = "2026-01-02T03:04:05+00:00"
ARM = "bm25/search-once"
TOKEN = "0123456789ab"


def run(uid: str = "run-1", **changes: Any) -> RunEvent:
    return replace(
        RunEvent(
            uid=uid,
            name="a run",
            protocol="scale",
            config={"k": 12},
            config_hash="c0ffee",
            mode="post_hoc",
            budget=2,
            alpha=0.7,
            judge="rules",
            planned=1,
            created_at=AT,
            scales=(0.0, 100.0),
        ),
        **changes,
    )


def opening(**changes: Any) -> list[Event]:
    """A run with one arm, one item, one session and one haystack."""
    return [
        run(**changes),
        ArmEvent(ARM, "search-once", "bm25", {"k": 12}),
        ItemEvent(item()),
        SessionEvent(TOKEN, "ab" * 32, (Turn("user", "I moved in May."),), 4, source="s1"),
        HaystackEvent(
            "h1", "q1", 100, 1, "original", ((TOKEN, "2023-05-01", "evidence"),), 4, "t", 0
        ),
    ]


def item(key: str = "q1", **changes: Any) -> Item:
    made = Item(key, "When did she move?", "in May", "single", "c1", gold_raw="in May")
    return replace(made, **{"evidence": (Evidence("s1", TOKEN, 0),), **changes})


def episode_id(item: str = "q1", repeat: int = 0, attempt: int = 1, seed: int = 1) -> EpisodeId:
    return EpisodeId(ARM, item, f"scale=100|seed={seed}", repeat, attempt)


def started(uid: str, id: EpisodeId | None = None) -> EpisodeStarted:
    return EpisodeStarted(id or episode_id(), uid, "h1", 100, AT)


def step(uid: str, seq: int, **changes: Any) -> StepEvent:
    made = StepEvent(
        uid,
        seq,
        "memory_call",
        AT,
        "search",
        counts_as_call=True,
        call_no=seq,
        query="moved when",
        k_asked=12,
        k_returned=1,
        k_shown=1,
        hits=(Hit(TOKEN, 1.5, first=0, last=0),),
        gold_ranks=((f"{TOKEN}:0", 1),),
        gold_new=1,
        gold_cum=1,
        new_hits=1,
    )
    return replace(made, **changes)


def facts(requested: int = 1) -> Facts:
    return Facts(requested, requested, 1, 1, 1, 1, 0, 0, (0, 1))


def finished(uid: str, id: EpisodeId | None = None, **changes: Any) -> EpisodeFinished:
    made = EpisodeFinished(
        uid,
        id or episode_id(),
        EndReason.ANSWERED,
        facts(),
        "◆",
        AT,
        "in May",
        usage=Usage(calls=1),
    )
    return replace(made, **changes)


def verdict(uid: str, label: Label = Label.RIGHT, judge: str = "rules") -> VerdictEvent:
    return VerdictEvent(uid, judge, label, AT)


def whole_episode(uid: str, id: EpisodeId | None = None) -> list[Event]:
    return [started(uid, id), step(uid, 1), verdict(uid), finished(uid, id)]


def write(path: Path, *events: Event, **options: Any) -> None:
    """Write events to a file and close it."""
    writer = RunWriter(path, **options).start()
    try:
        for event in events:
            writer.put(event)
    finally:
        writer.close_sync()


def file_bytes(path: Path) -> bytes:
    """Bytes of the file and of everything beside it that belongs to it."""
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(path.name + "*")))
