"""What tells episodes of one question, arm and scale apart: nothing, a seed, a repeat, or both."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.model import EpisodeId
from memtui.state.told_apart import Apart, SeenApart
from memtui.store.reader import open_run
from tests.report.generated_run import RunFile

KEY = EpisodeId("an|arm|seed=7", "q|r3", "scale=100|seed=2", 1, 1).key


@pytest.mark.parametrize(
    ("apart", "mark"),
    [
        (Apart(), ""),
        (Apart(repeats=True), "r1"),
        (Apart(seeds=True), "s2"),
        (Apart(seeds=True, repeats=True), "s2 r1"),
    ],
)
def test_a_mark_says_what_differs_in_the_run(apart: Apart, mark: str) -> None:
    assert apart.mark(KEY, 1) == mark
    assert len(mark) <= apart.width == len(apart.heading)


def test_an_episode_of_no_seed_is_one_of_its_own() -> None:
    assert Apart(seeds=True).mark("arm|q|x=1|r0", 0) == "s–"


@pytest.mark.parametrize("repeats", [(0,), (0, 1), (3,)])
def test_repeats_are_seen_in_the_facts(repeats: tuple[int, ...], tmp_path: Path) -> None:
    run = RunFile(tmp_path / "r.memtui")
    run.item("q0")
    for repeat in repeats:
        run.add("bm25/search-once", "q0", 0.0, [["x"]], "right", repeat=repeat)
    with open_run(run.write()) as reader:
        seen = SeenApart()
        facts = reader.packed_facts(reader.judges()[0])
        assert seen.now(reader, facts) == seen.now(reader, facts) == Apart(False, len(repeats) > 1)
