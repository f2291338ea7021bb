"""Rejudging: verdicts are added beside the old ones, from the library and from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.errors import UserError
from memtui.model import EndReason, EpisodeId, Facts, Item, Label, Usage
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    ItemEvent,
    RunEvent,
    VerdictEvent,
)
from memtui.store.reader import open_run
from memtui.store.writer import RunWriter
from runners.judges.contract import Case, Judge, Verdict
from runners.judges.deterministic import DeterministicJudge
from runners.judges.model import ModelJudge
from runners.judges.rejudge import Rejudged, rejudge
from runners.models.chat import ChatReply
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.settings import ModelSettings

AT = "2024-01-01T00:00:00.000+00:00"
ANSWERS: tuple[str | None, ...] = ("Rome", "Oslo", None, "in Rome, I think", "Not in Rome")
OLD = (Label.RIGHT, Label.RIGHT, None, Label.WRONG, Label.UNKNOWN)


@pytest.fixture
async def run_file(tmp_path: Path) -> Path:
    """Five finished episodes, one without an answer, four judged by `old`."""
    path = tmp_path / "r.memtui"
    async with RunWriter(path) as sink:
        await sink.emit(
            RunEvent(
                "u", "r", "scale", {}, "h", "post_hoc", 2, 0.7, "old", planned=5, created_at=AT
            )
        )
        await sink.emit(ArmEvent("bm25/x", "x", "bm25", {}))
        for i, answer in enumerate(ANSWERS):
            await sink.emit(ItemEvent(Item(f"q{i}", "Where?", "Rome", "single-hop", f"q{i}")))
            id = EpisodeId("bm25/x", f"q{i}", "scale=0|seed=1", 0, 1)
            await sink.emit(EpisodeStarted(id, f"e{i}", None, 0.0, AT))
            if (label := OLD[i]) is not None:
                await sink.emit(VerdictEvent(f"e{i}", "old", label, AT))
            facts = Facts(1, 1, None, None, None, None, 0, 0)
            end = EndReason.ANSWERED if answer is not None else EndReason.EMPTY
            await sink.emit(EpisodeFinished(f"e{i}", id, end, facts, "·", AT, answer=answer))
        await sink.commit()
    return path


async def judged(path: Path, judge: Judge, only_missing: bool = False) -> Rejudged:
    with open_run(path) as reader:
        async with RunWriter(path) as sink:
            return await rejudge(
                reader,
                sink,
                judge,
                reader.episode_ids(),
                compare_with="old",
                concurrency=2,
                only_missing=only_missing,
            )


def labels(path: Path, judge: str) -> dict[str, list[str]]:
    with open_run(path) as reader:
        return {
            row.uid: [v.label for v in reader.verdicts(row.id) if v.judge == judge]
            for row in reader.episode_rows(reader.episode_ids()).values()
        }


async def test_verdicts_are_added_and_none_replaced(run_file: Path) -> None:
    before = labels(run_file, "old")
    result = await judged(run_file, DeterministicJudge())
    assert (result.judged, result.without_answer) == (4, 1)
    assert result.labels == {"right": 2, "wrong": 2, "unknown": 0}
    assert result.both == (3, 1)
    assert labels(run_file, "old") == before
    new = labels(run_file, "deterministic-v1")
    assert new == {"e0": ["right"], "e1": ["wrong"], "e2": [], "e3": ["right"], "e4": ["wrong"]}
    with open_run(run_file) as reader:
        assert reader.judges() == ["deterministic-v1", "old"]
        assert reader.run().judge == "old"


async def test_judging_twice_appends_and_missing_continues(run_file: Path) -> None:
    await judged(run_file, DeterministicJudge())
    result = await judged(run_file, DeterministicJudge(), only_missing=True)
    assert (result.judged, result.already_judged) == (0, 4)
    await judged(run_file, DeterministicJudge())
    assert labels(run_file, "deterministic-v1")["e0"] == ["right", "right"]


async def test_model_verdicts_bring_their_cost(run_file: Path) -> None:
    client = ScriptedClient([ChatReply("CORRECT", prompt=10, completion=1), ChatReply("hm")])
    judge = ModelJudge({"model": "m"}, ModelDoor(client))
    result = await judged(run_file, judge)
    assert result.labels == {"right": 1, "wrong": 0, "unknown": 3}
    assert result.usage.calls == 4 and result.usage.prompt is None
    with open_run(run_file) as reader:
        entries = reader.query(
            "SELECT phase, paid->>'$.prompt' FROM ledger WHERE owner='episode:e0'"
        )
    assert entries == [("judge", 10)]


class Broken:
    """A judge that crashes on one answer."""

    id = "broken"

    async def judge(self, case: Case) -> Verdict:
        if case.answer == "Oslo":
            raise RuntimeError("oops")
        return Verdict(
            Label.RIGHT, "fine", usage=Usage(prompt=1, completion=1, calls=1, attempts=1)
        )


async def test_a_crashing_judge_leaves_unknown_and_goes_on(run_file: Path) -> None:
    result = await judged(run_file, Broken())
    assert result.labels == {"right": 3, "wrong": 0, "unknown": 1}
    assert result.reasons == {"fine": 3, "judge_error": 1}


async def test_a_refused_key_stops_after_what_was_judged_is_safe(run_file: Path) -> None:
    script: list[Entry] = [
        ChatReply("CORRECT"),
        ChatReply("WRONG"),
        ModelError(ErrorKind.AUTH, "no key"),
    ]
    door = ModelDoor(ScriptedClient(script), default=ModelSettings(retries=0))
    judge = ModelJudge({"model": "m"}, door)
    with pytest.raises(ModelAccessError):
        await judged(run_file, judge)
    kept = labels(run_file, judge.id)
    assert sum(len(v) for v in kept.values()) == 2


def command(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["rejudge", *args])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_on_the_command_line(run_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = command(capsys, str(run_file), "--judge", "deterministic")
    assert code == 0 and "4: 2 right, 2 wrong, 0 unknown" in out
    assert "1 of 3 (33.3 %) with old" in out and "no answer  1" in out
    code, out, _ = command(capsys, str(run_file), "--judge", "deterministic", "--missing", "--json")
    found = json.loads(out)
    assert found["judged"] == 0 and found["already_judged"] == 4
    code, out, _ = command(
        capsys, str(run_file), "--judge", "deterministic", "--json", "--filter", "item:q1"
    )
    assert json.loads(out)["labels"] == {"right": 0, "wrong": 1, "unknown": 0}


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--judge", "determinstic"], 2, "did you mean deterministic"),
        (["--judge", "deterministic", "--concurrency", "0"], 2, "at least 1"),
        (["--judge", "deterministic", "--filter", "nonsense:1"], 2, "no field is called nonsense"),
    ],
)
def test_mistakes_on_the_command_line(
    run_file: Path, capsys: pytest.CaptureFixture[str], args: list[str], code: int, words: str
) -> None:
    found, out, err = command(capsys, str(run_file), *args)
    assert (found, out) == (code, "")
    assert words in err and err.count("\n") == 1


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = command(capsys, str(tmp_path / "no.memtui"), "--judge", "deterministic")
    assert code == 3 and err.count("\n") == 1


def test_a_file_that_is_being_written_is_refused(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = RunWriter(run_file).start()
    try:
        # The lease is per process on this machine: a second writer in it is refused as well.
        code, _, err = command(capsys, str(run_file), "--judge", "deterministic")
    finally:
        writer.close_sync()
    assert code == 2 and err


def test_user_errors_are_one_class() -> None:
    assert issubclass(ModelAccessError, UserError)
