"""Recordings: a reply comes back as it was, is paid for once, and a broken file loses one line at most."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import EndReason, Usage
from runners.failures import end_reason_of
from runners.models.chat import ChatReply, ModelReply, ModelRequest, ToolRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError
from runners.models.recorded_vectors import RecordedEmbedder, read, written
from runners.models.recordings import CacheMode, Recordings
from runners.models.scripted import Entry, ScriptedClient
from runners.models.scripted_door import word_vector
from runners.models.settings import ModelSettings, Price

REQUEST = ModelRequest("m", ({"role": "user", "content": "hello"},), temperature=0.0)
FULL = ChatReply(
    "Grüße \ud800",
    "tool_calls",
    (ToolRequest("add", {"a": 1}, "c1"), ToolRequest("add", "not json", "")),
    reasoning="because",
    model="m-2024",
    prompt=10,
    cached=4,
    completion=5,
    reasoning_tokens=2,
    effective={"temperature": 0.0},
    alternatives=(("yes", -0.25), ("no", -1.5)),
)


def door(path: Path, mode: CacheMode, script: list[Entry] | None = None) -> ModelDoor:
    settings = ModelSettings(retries=0, price=Price(1.0, 2.0, 0.5))
    client = ScriptedClient(script or [ModelError(ErrorKind.CONNECTION, "no model")])
    return ModelDoor(client, {"m": settings}, recordings=Recordings(path, mode))


def said(reply: ModelReply) -> ModelReply:
    """A reply without what may differ from one time to the next."""
    return replace(reply, wall_ms=0.0, paid=None)


async def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "r.jsonl"
    recording = door(path, CacheMode.RECORD, [FULL])
    first = await recording.complete(REQUEST)
    again = await recording.complete(REQUEST)
    await recording.close()
    replay = door(path, CacheMode.REPLAY)
    played, twice = await replay.complete(REQUEST), await replay.complete(REQUEST)
    assert said(first) == said(again) == said(played) == said(twice)
    assert first.paid is None
    assert again.paid is not None and again.paid.calls == 0
    # A replay tells again what was paid then: once.
    assert played.paid == first.usage
    assert twice.paid == again.paid
    assert first.cold == played.cold
    assert played.cold is not None and played.cold.cached == 0


async def test_reading_keeps_nothing_new(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await door(path, CacheMode.RECORD, [FULL]).complete(REQUEST)
    size = path.stat().st_size
    reading = door(path, CacheMode.READ, ["new"])
    assert (await reading.complete(REQUEST)).text == FULL.text
    assert (await reading.complete(replace(REQUEST, repeat=1))).text == "new"
    assert path.stat().st_size == size


async def test_the_repeat_is_part_of_the_key(tmp_path: Path) -> None:
    recording = door(tmp_path / "r.jsonl", CacheMode.RECORD, ["one", "two"])
    assert (await recording.complete(REQUEST)).text == "one"
    assert (await recording.complete(replace(REQUEST, repeat=1))).text == "two"
    # Owner and phase are not: what two ask alike is asked once.
    assert (await recording.complete(replace(REQUEST, owner="x", phase="judge"))).text == "one"


async def test_two_at_once_ask_once(tmp_path: Path) -> None:
    client = ScriptedClient(["x"], delay=0.01)
    shared = ModelDoor(client, {}, recordings=Recordings(tmp_path / "r.jsonl", CacheMode.RECORD))
    await asyncio.gather(*(shared.complete(REQUEST) for _ in range(5)))
    assert len(client.requests) == 1


async def test_settled_failures_are_recorded_and_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    script: list[Entry] = [
        ModelError(ErrorKind.CONTEXT_OVERFLOW, "too long"),
        ModelError(ErrorKind.SERVER, "oops"),
    ]
    recording = door(path, CacheMode.RECORD, script)
    for repeat in (0, 1):
        with pytest.raises(ModelError):
            await recording.complete(replace(REQUEST, repeat=repeat))
    replay = door(path, CacheMode.REPLAY)
    with pytest.raises(ModelError, match="too long") as caught:
        await replay.complete(REQUEST)
    assert end_reason_of(caught.value) is EndReason.CONTEXT_OVERFLOW
    with pytest.raises(ModelError, match="no recording") as missing:
        await replay.complete(replace(REQUEST, repeat=1))
    assert end_reason_of(missing.value) is EndReason.PROVIDER_ERROR


async def test_recordings_of_another_run_end_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await door(path, CacheMode.RECORD, ["x"]).complete(REQUEST)
    replay = door(path, CacheMode.REPLAY)
    for repeat in (1, 2):
        with pytest.raises(ModelError):
            await replay.complete(replace(REQUEST, repeat=repeat))
    with pytest.raises(ModelAccessError, match="another configuration"):
        await replay.complete(replace(REQUEST, repeat=3))


@pytest.mark.parametrize("cut", [1, 20, 60])
async def test_a_killed_writer_loses_its_last_line_only(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "r.jsonl"
    recording = door(path, CacheMode.RECORD, ["one", "two"])
    await recording.complete(REQUEST)
    await recording.complete(replace(REQUEST, repeat=1))
    await recording.close()
    path.write_bytes(path.read_bytes()[:-cut])
    again = door(path, CacheMode.RECORD, ["two again"])
    assert (await again.complete(REQUEST)).text == "one"
    text = (await again.complete(replace(REQUEST, repeat=1))).text
    # Only the newline was lost in the first case; the line is whole.
    assert text == ("two" if cut == 1 else "two again")
    await again.complete(replace(REQUEST, repeat=2))
    await again.close()
    assert len(Recordings(path, CacheMode.READ)) == 3


async def test_a_compressed_file_is_replayed_but_not_recorded(tmp_path: Path) -> None:
    path, zipped = tmp_path / "r.jsonl", tmp_path / "r.jsonl.gz"
    await door(path, CacheMode.RECORD, ["x"]).complete(REQUEST)
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert (await door(zipped, CacheMode.REPLAY).complete(REQUEST)).text == "x"
    with pytest.raises(UserError, match="compress them afterwards"):
        Recordings(zipped, CacheMode.RECORD)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no recordings"):
        Recordings(tmp_path / "absent.jsonl", CacheMode.REPLAY)
    for content in ("{}\n", "hello\n", '{"memtui_recordings": 99}\n'):
        path = tmp_path / "other.jsonl"
        path.write_text(content)
        with pytest.raises(UserError, match="not a file of recordings"):
            Recordings(path, CacheMode.RECORD)
    (tmp_path / "broken.jsonl.gz").write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(UserError, match="cut off or damaged"):
        Recordings(tmp_path / "broken.jsonl.gz", CacheMode.READ)


counts = st.none() | st.integers(0, 10**6)


@given(
    text=st.none() | st.text(),
    finish=st.sampled_from(["stop", "length", None]),
    prompt=counts,
    cached=counts,
    completion=counts,
    cost=st.none() | st.floats(0, 10),
)
def test_every_reply_survives(
    tmp_path_factory: pytest.TempPathFactory,
    text: str | None,
    finish: str | None,
    prompt: int | None,
    cached: int | None,
    completion: int | None,
    cost: float | None,
) -> None:
    path = tmp_path_factory.mktemp("r") / "r.jsonl"
    usage = Usage(prompt, cached, completion, None, cost, 1, 2)
    reply = ModelReply(text, finish, (), "", "m", usage, 2, 0.0, REQUEST.settings(), {})
    kept = Recordings(path, CacheMode.RECORD)
    kept.keep("k", REQUEST, reply)
    kept.close()
    found = Recordings(path, CacheMode.READ).find("k", REQUEST)
    assert found is not None
    assert replace(found, paid=None) == replace(reply, text=text or None)


class Weights:
    """An embedder that counts what it is asked for, or is not there."""

    def __init__(self, *, absent: bool = False) -> None:
        self.texts: list[str] = []
        self.absent = absent

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        if self.absent:
            raise UserError("the weights are absent")
        self.texts += texts
        return [word_vector(text) for text in texts], Usage(calls=1, cost=0.0)


async def test_vectors_are_kept_exactly_and_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    weights = Weights()
    kept = Recordings(path, CacheMode.RECORD)
    recording = RecordedEmbedder(weights, kept, keep=True)
    first, _ = await recording.embed(["tea", "milk \ud800", "tea"])
    await recording.embed(["milk \ud800", "sugar"])
    kept.close()
    assert weights.texts == ["tea", "milk \ud800", "sugar"]
    again = Recordings(path, CacheMode.REPLAY)
    assert (again.vectors, len(again)) == (3, 0)
    replay = RecordedEmbedder(Weights(absent=True), again, keep=True)
    vectors, usage = await replay.embed(["tea", "milk \ud800", "tea"])
    assert [list(v) for v in vectors] == [pytest.approx(list(v), rel=1e-6, abs=1e-7) for v in first]
    assert usage.calls == 1
    with pytest.raises(UserError, match="absent"):
        await replay.embed(["coffee"])


async def test_vectors_are_not_kept_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    kept = Recordings(path, CacheMode.RECORD)
    await RecordedEmbedder(Weights(), kept, keep=False).embed(["tea"])
    assert not path.exists()


@given(st.lists(st.floats(width=32, allow_nan=False), max_size=8))
def test_a_vector_survives(vector: list[float]) -> None:
    assert read(written(vector)) == vector


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


async def recorded(path: Path, replies: int) -> list[bytes]:
    """A file of so many replies; its lines, the header first."""
    recording = door(path, CacheMode.RECORD, [f"reply {n}" for n in range(replies)])
    for n in range(replies):
        await recording.complete(replace(REQUEST, repeat=n))
    await recording.close()
    return lines_of(path)


async def test_a_line_cut_in_the_middle_of_the_file_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = await recorded(path, 3)
    lines[2] = lines[2][: len(lines[2]) // 2] + b"\n"
    path.write_bytes(b"".join(lines))
    again = door(path, CacheMode.RECORD, ["asked again"])
    assert again.recordings is not None and again.recordings.damaged == (3,)
    assert again.recordings.damage == (
        "recordings r.jsonl: line 3 is cut off or damaged; what it held is asked for again"
    )
    texts = [(await again.complete(replace(REQUEST, repeat=n))).text for n in range(3)]
    assert texts == ["reply 0", "asked again", "reply 2"]
    await again.close()
    replay = door(path, CacheMode.REPLAY)
    assert (await replay.complete(replace(REQUEST, repeat=1))).text == "asked again"


async def test_a_replay_says_which_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = await recorded(path, 3)
    # Cut in the middle of one line, and gone on with the next: two recordings in one line.
    lines[2] = lines[2][: len(lines[2]) // 2]
    path.write_bytes(b"".join(lines))
    replay = door(path, CacheMode.REPLAY)
    assert replay.recordings is not None
    assert (
        "line 3 is cut off or damaged; what it held cannot be replayed" in replay.recordings.damage
    )
    assert (await replay.complete(REQUEST)).text == "reply 0"
    for repeat in (1, 2):
        with pytest.raises(ModelError, match=r"r\.jsonl, whose line 3 is cut off") as caught:
            await replay.complete(replace(REQUEST, repeat=repeat))
        assert end_reason_of(caught.value) is EndReason.PROVIDER_ERROR


async def test_a_compressed_file_that_is_cut_is_one_clear_line(tmp_path: Path) -> None:
    path, zipped = tmp_path / "r.jsonl", tmp_path / "r.jsonl.gz"
    await recorded(path, 3)
    whole = gzip.compress(path.read_bytes())
    garbled = bytearray(whole)
    garbled[15:40] = bytes(25)
    for broken in (whole[: len(whole) // 2], whole[:-4], bytes(garbled)):
        zipped.write_bytes(broken)
        for mode in (CacheMode.READ, CacheMode.REPLAY):
            with pytest.raises(UserError, match="recordings") as caught:
                Recordings(zipped, mode)
            assert "\n" not in str(caught.value) and str(zipped) in str(caught.value)
    zipped.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"cut off or damaged .* with gzip -dc"):
        Recordings(zipped, CacheMode.READ)


async def test_there_must_be_something_to_replay(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = await recorded(path, 1)
    for left in (b"", lines[0], lines[0] + lines[1][:30]):
        path.write_bytes(left)
        with pytest.raises(UserError, match="to replay"):
            Recordings(path, CacheMode.REPLAY)
    assert len(Recordings(path, CacheMode.READ)) == 0


@pytest.mark.parametrize("left", [0, 9, -1])
async def test_a_first_line_that_was_cut_is_finished(tmp_path: Path, left: int) -> None:
    path = tmp_path / "r.jsonl"
    (first, _) = await recorded(path, 1)
    path.write_bytes(first[:left])
    assert (await recorded(path, 2))[0] == first
    assert len(Recordings(path, CacheMode.REPLAY)) == 2


async def test_two_runs_that_begin_one_file_leave_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    both = [door(path, CacheMode.RECORD, [f"reply {n}"]) for n in range(2)]
    for n, one in enumerate(both):
        await one.complete(replace(REQUEST, repeat=n))
        await one.close()
    found = Recordings(path, CacheMode.REPLAY)
    assert len(found) == 2 and not found.damaged


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"key":"a","reply":[1]}', b'{"key":"a"}', b"\0" * 4096]
)
async def test_a_line_of_anything_is_damage_and_no_more(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = await recorded(path, 2)
    path.write_bytes(b"".join([lines[0], line + b"\n", *lines[1:]]))
    found = Recordings(path, CacheMode.REPLAY)
    assert (len(found), found.damaged) == (2, (2,))


async def test_files_put_one_after_the_other_are_one(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = await recorded(path, 2)
    path.write_bytes(b"".join([*lines[:2], lines[0], *lines[2:]]))
    found = Recordings(path, CacheMode.REPLAY)
    assert (len(found), found.damage) == (2, "")
