"""A configuration is checked key by key, and what is wrong is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.metrics.scales import OWN
from runners.engine.config import arm_key, check_config, load_config, parse_config

GOOD = """
[data]
name = "synthetic"
[ladder]
scales = [100, "own", 0]
[[arms]]
memory = { name = "bm25", label = "turns", granularity = "turn" }
agent = "search-once"
[matrix]
memory = ["bm25"]
agent = ["search-once", "verify"]
"""


def test_a_good_one() -> None:
    config = parse_config(GOOD, name="file")
    assert config.name == "file"
    assert config.ladder.scales == (OWN, 0.0, 100.0)
    assert [arm_key(arm) for arm in config.all_arms()] == [
        "bm25/search-once",
        "bm25/verify",
        "turns/search-once",
    ]
    assert config.arms[0].memory.options == {"granularity": "turn"}
    assert (config.budget.calls, config.k, config.alpha) == (2, 12, 0.7)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("[budgett]\ncalls = 2", "unknown key `budgett`; did you mean budget?"),
        ("[limits]\nworkerz = 2", "unknown key `limits.workerz`; did you mean workers?"),
        ("[budget]\ncalls = -1", "`budget.calls` = -1"),
        ("[budget]\ncalls = 20", "calls = 20 must be below call_cap = 20"),
        ("[budget]\ncalls = 5\nstep_cap = 5", "calls = 5 must be below step_cap = 5"),
        ("[budget]\nmode = 'soft'", "`budget.mode` = 'soft'"),
        ("[caps]\ncost = 0", "`caps.cost` = 0"),
        ("[limits]\nmemory_s = inf", "`limits.memory_s`"),
        ("[models]\nafter_cut = 0.5", "after_cut is 0 (do not ask again), 1 or more"),
        ("[models]\nafter_cut = -1", "`models.after_cut` = -1"),
        ("[alarm]\nshare = 1.5", "`alarm.share` = 1.5"),
        (
            "[limits.memories.bm25]\nconcurency = 2",
            "`limits.memories.bm25.concurency`; did you mean",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_config(GOOD + change, "e.toml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("e.toml: ") and "\n" not in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({}, "`data` is missing"),
        ({"data": {"name": "a"}}, "no arms"),
        ({"data": {"name": "a"}, "matrix": {"memory": ["m"], "agent": ["a", "a"]}}, "called 'm/a'"),
        ({"data": {"name": "a"}, "matrix": {"memory": [], "agent": ["a"]}}, "`matrix.memory`"),
        ({"data": {"name": "a"}, "judges": []}, "`judges`"),
        ({"data": {"name": "a"}, "ladder": {"scales": [0, 0]}}, "listed twice"),
        ({"data": {"name": "a"}, "ladder": {"scales": ["owl"]}}, "not 'owl'"),
        ({"data": {"name": "a"}, "ladder": {"scales": [True]}}, "a scale is"),
        ({"data": {"name": "a"}, "ladder": {"scales": [-5]}}, "a scale is"),
        ({"data": {"name": "a"}, "ladder": {"scales": []}}, "`ladder.scales`"),
        ({"data": {"name": "a"}, "name": "a/b"}, "`name` = 'a/b'"),
        ({"data": {"name": "a", "limit": "3"}}, "`data.limit` = '3'"),
    ],
)
def test_more_that_is_refused(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as refused:
        check_config(raw)
    assert said in str(refused.value)


def test_many_errors_are_counted() -> None:
    with pytest.raises(UserError, match="and 2 more"):
        check_config({"a": 1, "b": 2, "c": 3, "d": 4})


def test_not_toml() -> None:
    with pytest.raises(UserError, match=r"e.toml is not valid TOML: .*line 1"):
        parse_config("name = = 3\n", "e.toml")


def test_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no configuration"):
        load_config(tmp_path / "absent.toml")
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace('name = "synthetic"', 'name = "jsonl"\npath = "data/q.jsonl"'))
    config = load_config(path)
    assert config.name == "mine"
    assert config.data.path == str(tmp_path / "data" / "q.jsonl")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="cannot read"):
        load_config(path)
