"""Replaying a run that was interrupted, continued and judged again, as a real writer left it."""

from __future__ import annotations

from pathlib import Path

from memtui.metrics.outcome import standing
from memtui.model import EndReason, EpisodeId, Facts, Label
from memtui.state.replay import Replay
from memtui.state.timeline import read_timeline
from memtui.store.events import EpisodeFinished, EpisodeStarted, EventSink, VerdictEvent
from memtui.store.reader import open_run
from memtui.store.writer import RunWriter
from tests.state.folded_facts import fold_cells
from tests.ui.invented import question
from tests.ui.make_run import ARMS, Story, at, declare

STORY = Story(name="sittings", state="running", items=3, arms=ARMS[:1], scales=(0.0,))
NIGHT = 8 * 3600


async def attempt(
    sink: EventSink, item: int, number: int, start: int, end: EndReason | None, *, label: str = ""
) -> str:
    """One attempt of a question's only episode: ten seconds, or never ended."""
    memory, agent, _, _ = STORY.arms[0]
    id = EpisodeId(f"{memory}/{agent}", question(item)[0].key, "scale=0|seed=1", 0, number)
    uid = f"{item} {number}"
    await sink.emit(EpisodeStarted(id, uid, None, 0.0, at(start)))
    if label:
        await sink.emit(VerdictEvent(uid, "rules", Label(label), at(start + 9)))
    if end is not None:
        facts = Facts(1, 1, 1, 1, 1, 1, 0, 0)
        await sink.emit(EpisodeFinished(uid, id, end, facts, "◆", at(start + 10)))
        await sink.commit()
    return uid


async def two_sittings(path: Path) -> None:
    """Right, a provider failure and one cut off; a night; the last two again; then judged once more."""
    async with RunWriter(path) as sink:
        await declare(sink, STORY)
        first = await attempt(sink, 0, 1, 0, EndReason.ANSWERED, label="right")
        await attempt(sink, 1, 1, 5, EndReason.PROVIDER_ERROR)
        await attempt(sink, 2, 1, 8, None)
    async with RunWriter(path) as sink:
        await declare(sink, STORY)
        await attempt(sink, 1, 2, NIGHT, EndReason.ANSWERED, label="wrong")
        await attempt(sink, 2, 2, NIGHT + 5, EndReason.ANSWERED, label="right")
    async with RunWriter(path) as sink:
        await sink.emit(VerdictEvent(first, "rules", Label.WRONG, at(NIGHT + 3_000)))
        await sink.commit()


async def test_every_sitting_is_shown_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.memtui"
    await two_sittings(path)
    with open_run(path) as reader:
        run, facts = reader.run(), {fact.id: fact for fact in reader.episode_facts("rules")}
        line = read_timeline(reader, "rules", facts)
        progress = reader.progress()
    replay = Replay(line, run.mode, run.planned)

    def outcomes() -> list[tuple[int, str]]:
        found = []
        for fact in replay.facts():
            held = standing(fact.end_reason, fact.label, fact.done)
            word = "pending" if held.pending else held.cause or ("right" if held.right else "wrong")
            found.append((fact.item_id, word))
        return sorted(found)

    replay.go_to(9)
    assert outcomes() == [(1, "pending"), (2, "pending"), (3, "pending")]
    replay.go_to(15.5)
    assert outcomes()[:2] == [(1, "right"), (2, "provider")]
    assert (
        line.length < 60 and line.pauses >= 2
    )  # the night, and the time until it was judged again
    replay.go_to(line.length)
    assert outcomes() == [(1, "wrong"), (2, "wrong"), (3, "right")]
    assert replay.folds() == fold_cells(list(facts.values()), run.mode)
    assert (replay.progress.done, replay.progress.not_counted) == (3, 2)
    assert replay.progress == progress
