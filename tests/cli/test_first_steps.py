"""What somebody meets who has only just cloned the project: every command that is named exists."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.cli.demo import _last_line
from memtui.cli.printing import program
from memtui.errors import how_to_add
from memtui.recorder import Recorder

ROOT = Path(__file__).resolve().parents[2]
NAMED = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(project["project"]["optional-dependencies"])


def test_every_extra_that_is_named_can_be_installed() -> None:
    texts = [path.read_text(encoding="utf-8") for path in NAMED]
    named = {name for text in texts for name in re.findall(r"(?:memtui|\.)\[([a-z]+)\]", text)}
    assert {"llm", "local"} <= named <= extras()


@pytest.mark.parametrize("extra", ["llm", "local"])
def test_advice_names_what_make_and_pip_know(extra: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    said = how_to_add(extra)
    assert f"`make {extra}`" in said and extra in targets
    assert f"memtui[{extra}]" in said and extra in extras()


def test_make_targets_of_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for path in NAMED:
        for line in re.findall(r"`make ([a-z -]+)`", path.read_text(encoding="utf-8")):
            assert set(line.split()) <= targets, (path, line)


def test_ls_where_nothing_was_run_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ls"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "memtui demo" in said.err


def test_the_program_is_named_so_that_it_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "memtui").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "memtui").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == ".venv/bin/memtui"
    monkeypatch.setenv("PATH", str(folder))
    assert program() == "memtui"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == str(folder / "memtui")


def test_failures_name_the_keys_that_ladder_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.memtui"
    with (
        Recorder(file, name="own", arm="mymem/gpt", budget=2) as rec,
        rec.episode(item="move-7", question="When did she move?", gold="May", scale=100) as ep,
    ):
        ep.memory_call("search", "moved when", hits=["s1"], k=12)
        ep.answer("June", right=False)
    assert main(["failures", str(file)]) == 0
    assert "move-7" in capsys.readouterr().out
    assert main(["show", str(file), "1"]) == 0
    shown = capsys.readouterr().out
    # What was not told leaves no empty place: no type between two dots, no reason in brackets.
    assert "item move-7 · history" in shown and "wrong\n" in shown and "()" not in shown


CONFIG = """
[data]
name = "synthetic"
limit = 2
[ladder]
scales = [0]
[matrix]
memory = ["bm25"]
agent = ["search-once"]
[caps]
episodes = 1
"""


def test_a_demo_that_was_left_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config, out = Path("demo.toml"), Path("demo.memtui")
    config.write_text(CONFIG, encoding="utf-8")
    main(["run", str(config), "--out", str(out)])
    assert "goes on" in _last_line(config, out, running=True)
    said = _last_line(config, out, running=False)
    assert said.endswith(" run demo.toml --out demo.memtui")
    command = said.rpartition(" run ")[2].split()
    capsys.readouterr()
    assert main(["run", *command]) == 0
    assert "finished" in capsys.readouterr().err
    assert _last_line(config, out, running=False).startswith("the run is finished")
