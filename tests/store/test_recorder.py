"""A harness of one's own, recorded in a few lines."""

from __future__ import annotations

import asyncio
import runpy
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memtui import Recorder
from memtui.errors import UserError
from memtui.model import Hit, Turn, Usage
from memtui.recorded_episode import EpisodeRecord
from memtui.report.build import build_report
from memtui.store.check import check_file
from memtui.store.errors import StoreError
from memtui.store.reader import RunReader, open_run
from memtui.store.records import EpisodeDetail

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "foreign_loop.py"


def ask(rec: Recorder, **more: Any) -> EpisodeRecord:
    return rec.episode(question="When did she move?", gold="in May", evidence=["s1"], **more)


def detail(reader: RunReader, episode: int = 1) -> EpisodeDetail:
    found = reader.episode(episode)
    assert found is not None
    return found


def test_the_example_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "my.memtui"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(path)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert check_file(path) == []
    with open_run(path) as reader:
        assert reader.run().state == "finished"
        assert [f.label for f in reader.episode_facts("harness")] == ["right", "right"]
        assert detail(reader).row.strip == "◆"


def test_facts_are_counted_for_the_harness(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path, name="mine", arm="mymem/gpt", budget=2) as rec:
        rec.session("s1", [("user", "I moved in May"), ("assistant", "Nice")], date="2023-05-01")
        rec.session("s3", [])
        rec.session("s9", [])
        rec.session("s2", [{"role": "user", "content": "guitar"}, Turn("assistant", "ok")])
        with rec.episode(
            question="When did she move?",
            gold="in May",
            evidence=[("s1", 0), "s2"],
            scale=100,
            seed=3,
            haystack=["s1", "s2", "s3"],
        ) as ep:
            ep.model(raw='{"tool": "search"}', usage={"prompt_tokens": 10, "completion_tokens": 2})
            ep.memory_call("search", "moved when", hits=["s9", ("s3", 0.1)], k=12)
            ep.memory_call("search", "when moved", hits=[Hit("s1", 0.5, first=0, last=1)])
            ep.memory_call("search", "when moved", hits=["s2", Hit("s1", first=0, last=1)])
            ep.memory_call("search", "more", status="refused")
            ep.tool("calculator", raw="1+1", text="2")
            ep.model(usage=Usage(prompt=5, completion=1, calls=1, attempts=1))
            ep.answer("in May", right=True)
            ep.verdict(None, judge="other", reason="unparsable")
    assert check_file(path) == []
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert (fact.requested, fact.executed, fact.first_hit, fact.t_star) == (4, 3, 2, 3)
        assert (fact.gold_total, fact.gold_found, fact.end_reason) == (2, 2, "answered")
        found = detail(reader)
        assert found.row.strip == "◇◈◆×"
        assert (found.row.prompt_tokens, found.row.completion_tokens, found.row.cost) == (
            15,
            3,
            None,
        )
        assert found.row.conditions == "scale=100"
        assert found.row.labels == {"harness": "right", "other": "unknown"}
        assert found.haystack is not None
        assert found.haystack.n_irrelevant == 1
        kinds = [s.kind for s in reader.steps(1)]
        assert kinds == ["model", *["memory_call"] * 4, "tool", "model", "answer"]
        calls = [s for s in reader.steps(1) if s.kind == "memory_call"]
        assert [c.similarity_kind for c in calls] == ["", "reordered", "exact", "different"]
        assert [c.gold_ranks for c in calls][1] == (("s1:0", 1),)
        progress = reader.progress()
        assert (progress.planned, progress.done) == (1, 1)


def test_what_the_memory_asked_of_models_is_part_of_the_episode(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec, ask(rec) as ep:
        ep.model(usage=Usage(prompt=5, completion=1, cost=0.5, calls=1, attempts=1))
        ep.memory_call("search", "q", usage=Usage(prompt=7, completion=2, cost=0.25, calls=1))
        ep.memory_call("search", "r")  # says nothing: it need not have asked a model
        ep.answer("in May")
    with open_run(path) as reader:
        row = detail(reader).row
        assert (row.prompt_tokens, row.completion_tokens, row.cost) == (12, 3, 0.75)


async def test_async_harnesses_use_the_same_calls(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"

    async def one(rec: Recorder, n: int) -> None:
        async with ask(rec, scale=n) as ep:
            await asyncio.sleep(0)
            ep.memory_call("search", "q", hits=["s1"])
            ep.answer("in May", right=n % 2 == 0)

    async with Recorder(path, arm="mem/agent", scales=range(10)) as rec:
        await asyncio.gather(*[one(rec, n) for n in range(10)])
    with open_run(path) as reader:
        assert reader.progress().done == 10
        assert len(reader.cells()) == 10


@pytest.mark.parametrize(
    ("error", "reason", "counts"),
    [
        (ValueError("bad index"), "memory_error", True),
        (TimeoutError(), "timeout", True),
        (ConnectionError("503"), "provider_error", True),
        (KeyboardInterrupt(), "cancelled", False),
        (asyncio.CancelledError(), "cancelled", False),
    ],
)
def test_an_exception_ends_the_episode_as_told(
    tmp_path: Path, error: BaseException, reason: str, counts: bool
) -> None:
    path = tmp_path / "a.memtui"
    told = {ConnectionError: "provider_error"}
    with pytest.raises(type(error)), Recorder(path, errors=told) as rec, ask(rec) as ep:
        ep.memory_call("search", "q")
        raise error
    with open_run(path) as reader:
        row = detail(reader).row
        assert (row.end_reason, row.counts, row.done) == (reason, counts, True)
        assert type(error).__name__ in row.error
        assert reader.run().state == "interrupted"


def test_an_episode_without_an_answer_is_empty_or_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec:
        with ask(rec) as ep:
            ep.memory_call("search", "q")
        with ask(rec, repeat=1) as ep:
            ep.end("step_cap")
        with ask(rec, repeat=2) as ep:
            ep.answer("in May", forced=True)
            with pytest.raises(UserError, match="no end reason 'tired'"):
                ep.end("tired")
    with open_run(path) as reader:
        ends = {f.repeat: f.end_reason for f in reader.episode_facts("harness")}
        assert ends == {0: "empty", 1: "step_cap", 2: "forced"}
        assert [f.label for f in reader.episode_facts("harness")] == [None] * 3


def test_a_file_is_continued_with_new_attempts(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    for right in (False, True):
        with Recorder(path, config={"model": "m"}) as rec, ask(rec) as ep:
            ep.answer("x", right=right)
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert (fact.attempt, fact.label) == (2, "right")
        assert reader.progress().planned == 1
    with pytest.raises(StoreError, match="another configuration"):
        Recorder(path, config={"model": "n"}).start()
    Recorder(path, config={"model": "m"}).start()._writer.close_sync()  # the refusal let go


def test_naive_times_and_odd_arms_are_refused(tmp_path: Path) -> None:
    naive = datetime(2026, 1, 2)  # noqa: DTZ001 - the point of the test
    with Recorder(tmp_path / "a.memtui") as rec:
        with pytest.raises(UserError, match="has no time zone"):
            ask(rec, at=naive)
        with ask(rec) as ep:
            with pytest.raises(UserError, match="has no time zone"):
                ep.memory_call("search", "q", at=naive)
            ep.answer("x")
        with pytest.raises(UserError, match="memory/agent"):
            rec.arm("just-a-name")
    with open_run(tmp_path / "a.memtui") as reader:
        assert [s.seq for s in reader.steps(1)] == [1]  # the refused call left no gap


def test_a_memory_without_provenance_has_no_coverage(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path, provenance="none") as rec, ask(rec) as ep:
        ep.memory_call("search", "q", hits=[Hit("m1", text="she moved in May")])
        ep.answer("in May", right=True)
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert (fact.gold_total, fact.gold_found) == (None, None)
        assert reader.steps(1)[0].hits[0].text == "she moved in May"


def test_tokens_after_evidence_that_was_in_the_context(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path, name="mine", arm="window/gpt", budget=2) as rec, ask(rec) as episode:
        episode.context(["s1"])
        episode.model(usage={"prompt_tokens": 70, "completion_tokens": 7})
        episode.answer("in May", right=True)
    with open_run(path) as reader:
        (cell,) = build_report(reader, tokens=True).cells
        assert cell.tokens_after == (77, 1, 0)
