"""Which configurations are at hand, what their plan says, and which file a run of one is written to."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from memtui.cli import main
from memtui.errors import UserError
from memtui.state.child_run import error_line, start_run, still_running
from memtui.state.run_configurations import (
    Plan,
    _plan,
    ask_for_plan,
    begun_with,
    configurations,
    target_for,
    target_of,
)
from memtui.state.run_list import RunLine
from memtui.store.records import Progress
from memtui.store.workspace import RunSummary, summarise

PLAN = Plan("small", "abc", 4, 16, ("bm25/x",), ("0",), 0, 0.0, 0.0, (), 0, ())
EXPERIMENT = '[data]\nname = "synthetic"\n[ladder]\nscales = [0]\n'


def line(path: Path, state: str = "finished", hash: str = "abc", done: int = 16) -> RunLine:
    progress = Progress(16, done, 0, done, 0)
    return RunLine(
        RunSummary(path, state, uid="u", config_hash=hash, said=state, progress=progress)
    )


def test_experiments_of_the_usual_places_are_found_once_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("runs/here.toml", "beside.toml", "configs/a.toml", "runs/configs/b.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'name = "{Path(name).stem} run"\n{EXPERIMENT}')
    (tmp_path / "deeper/than/that").mkdir(parents=True)
    (tmp_path / "deeper/than/that/c.toml").write_text(EXPERIMENT)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (tmp_path / "huge.toml").write_text("#" * 300_000)
    (tmp_path / "bytes.toml").write_bytes(b'name = "\xff"')
    (tmp_path / "odd.toml").write_text("name = 7\n" + EXPERIMENT)
    (tmp_path / "runs/folder.toml").mkdir()
    found = {str(one.path): one for one in configurations(Path("runs"))}
    assert next(iter(found)) == "runs/here.toml"
    assert set(found) == {
        *("runs/here.toml", "runs/configs/b.toml", "beside.toml", "configs/a.toml"),
        *("bytes.toml", "odd.toml"),
    }
    assert found["beside.toml"].name == "beside run" and not found["beside.toml"].problem
    assert found["odd.toml"].name == "odd" and "is not TOML" in found["bytes.toml"].problem
    assert configurations(Path("nowhere")) != []  # the working folder is looked at all the same


def test_a_new_run_gets_a_file_of_its_own(tmp_path: Path) -> None:
    assert target_of(tmp_path, PLAN, []).out == tmp_path / "small.memtui"
    (tmp_path / "small.memtui").touch()
    (tmp_path / "small-2.memtui").touch()
    target = target_of(tmp_path, PLAN, [line(tmp_path / "small.memtui")])
    assert target.out.name == "small-3.memtui" and target.ready
    assert "small.memtui is there already and stays as it is" in target.sentence
    outside = target_of(tmp_path, replace(PLAN, name="../../etc/x"), [])
    assert outside.out.parent == tmp_path
    long = target_of(tmp_path, replace(PLAN, name="界" * 300), [])
    assert long.out.parent == tmp_path and not long.out.exists()


def test_what_was_begun_with_these_settings_goes_on(tmp_path: Path) -> None:
    begun = line(tmp_path / "old.memtui", "interrupted", done=3)
    target = target_of(tmp_path, PLAN, [line(tmp_path / "x.memtui", hash="other"), begun])
    assert target.out == begun.path and target.ready and "3 of 16" in target.sentence
    running = target_of(tmp_path, PLAN, [line(tmp_path / "old.memtui", "running", done=3)])
    assert not running.ready and "is running with these very settings" in running.sentence
    damaged = target_of(tmp_path, PLAN, [line(tmp_path / "old.memtui", "unusable", done=3)])
    assert damaged.out.name == "small.memtui"


def test_an_interrupted_run_goes_on_with_its_own_settings_only(tmp_path: Path) -> None:
    begun = line(tmp_path / "old.memtui", "interrupted", done=3)
    assert target_for(begun, PLAN).ready
    other = target_for(begun, replace(PLAN, config_hash="other"))
    assert not other.ready and "not the settings" in other.sentence


def test_a_plan_is_read_tolerantly_and_a_foreign_answer_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [{"arm": "a", "scale": 0}, {"arm": "a", "scale": "own"}, {"arm": "b", "scale": 0}]
    told = {"name": "n", "config_hash": "h", "items": 2, "episodes": 6, "cells": cells}
    plan = _plan(told)
    assert plan.arms == ("a", "b") and plan.scales == ("0", "own") and plan.cost is None
    answer = tmp_path / "answer"
    answer.write_text(f"#!/bin/sh\necho '{orjson.dumps(told).decode()}'\n")
    answer.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(answer))
    assert asyncio.run(ask_for_plan(Path("x.toml"))) == plan
    for script, words in (
        ("echo '[]'", "could not be read"),
        ("echo no JSON", "could not be read"),
        ("echo 'memtui: line one' >&2; echo '  detail' >&2; exit 2", "line one"),
        ("exit 3", "could not be made"),
    ):
        answer.write_text(f"#!/bin/sh\n{script}\n")
        with pytest.raises(UserError, match=words):
            asyncio.run(ask_for_plan(Path("x.toml")))


def test_the_log_keeps_earlier_sittings_and_the_last_words_are_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    monkeypatch.setattr(sys, "executable", str(program))
    out = tmp_path / "a.b.memtui"
    words = []
    for script in ("echo 'memtui: first'; exit 2", "exit 4"):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        child = start_run(Path("x.toml"), out)
        child._process.wait()
        assert child not in still_running()
        words.append(child.last_words())
    assert words == ["first", "exit code 4"]
    assert (tmp_path / "a.b.log").read_text() == "memtui: first\n"
    with pytest.raises(UserError, match="cannot be started"):
        start_run(Path("x.toml"), tmp_path / "nowhere" / "a.memtui")


def test_the_line_of_an_error_is_the_one_under_the_programs_name() -> None:
    assert error_line("a\nmemtui: b\n  c\n") == "b"
    assert error_line("Traceback\nValueError: x\n\n") == "ValueError: x"
    assert error_line("") == ""


SMALL = """
name = "small"
alpha = 0.5
[data]
name = "synthetic"
[ladder]
scales = [0]
[budget]
calls = 2
[[arms]]
memory = { name = "bm25" }
agent = { name = "search-once" }
"""


def test_a_run_remembers_the_options_it_must_be_continued_with(tmp_path: Path) -> None:
    config, out = tmp_path / "small.toml", tmp_path / "small.memtui"
    config.write_text(SMALL)
    assert main(["run", str(config), "--limit", "2", "--out", str(out), "--no-report"]) == 0
    options = begun_with(out).options
    assert options == ("--limit", "2")
    hash = summarise(out).config_hash
    assert asyncio.run(ask_for_plan(config, options)).config_hash == hash
    assert asyncio.run(ask_for_plan(config)).config_hash != hash
    for gone in (config, tmp_path / "missing"):
        with pytest.raises(UserError):
            begun_with(gone)
