"""How many questions flip between two scales, and what is no pair of scales at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.state.ladder_flips import Flips, flips_between_scales, seeds_of
from memtui.store.reader import RunReader, open_run
from tests.report.generated_run import RunFile

ARM = "dense/search-once"
OUTCOMES = {
    "a": ("right", "wrong", "right"),
    "b": ("right", "right", "wrong"),
    "c": ("wrong", "right", None),
    "d": ("right", "right", "right"),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = RunFile(tmp_path_factory.mktemp("flips") / "a.memtui")
    for key, labels in OUTCOMES.items():
        run.item(key)
        for scale, label in zip((0.0, 100.0, 200.0), labels, strict=True):
            end = "answered" if label else "provider_error"
            run.add(ARM, key, scale, [["x"]], label, end=end)
        run.add(ARM, key, -1.0, [["x"]], "wrong")  # its own history: no rung
        run.add("bm25/search-once", key, 0.0, [["x"]], "right")
    for seed, label in ((2, "wrong"), (3, "right")):
        run.add(ARM, "d", 0.0, [["x"]], "right", seed=seed)
        run.add(ARM, "d", 100.0, [["x"]], label, seed=seed)
    return run.write()


@pytest.fixture(scope="module")
def reader(path: Path) -> RunReader:
    return open_run(path)


def counted(reader: RunReader, items: set[int] | None = None) -> dict[float, Flips]:
    cells = {cell.id: cell for cell in reader.cells()}
    facts = reader.episode_facts("deterministic-1")
    found = flips_between_scales(facts, cells, seeds_of(reader), 2, "post_hoc", items)
    assert found["bm25/search-once", ""] == {}
    return found[ARM, ""]


def test_flips_are_counted_from_the_next_smaller_scale(reader: RunReader) -> None:
    assert counted(reader) == {100.0: Flips(2, 1, 6), 200.0: Flips(1, 1, 3)}


def test_only_the_questions_wanted_count(reader: RunReader) -> None:
    number = reader.query("SELECT id FROM item WHERE key='b'")[0][0]
    cells = {cell.id: cell for cell in reader.cells()}
    facts = reader.episode_facts("deterministic-1")
    found = flips_between_scales(facts, cells, {}, 2, "post_hoc", {number})
    assert found[ARM, ""] == {100.0: Flips(0, 0, 1), 200.0: Flips(1, 0, 1)}
    assert flips_between_scales(facts, cells, {}, 2, "post_hoc", set()) == {}


def test_the_twin_says_flips_and_what_the_filter_leaves_out(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["ladder", str(path), "a", "--filter", "arm:dense"]) == 0
    text = capfd.readouterr().out
    assert "the filter leaves out 1 arm: bm25/search-once" in text
    assert "↓2 ↑1 of 6" in text and "↓1 ↑1 of 3" in text
    assert main(["ladder", str(path), "a", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["left_out"] == []
    assert {"arm": ARM, "conditions": "", "scale": 200.0, "lost": 1, "regained": 1, "n": 3} in [
        one | {"scale": float(one["scale"])} for one in found["flips"]
    ]
