"""README and docs: their commands exist, their code runs, their configurations are taken, their links lead."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from memtui.cli import OPEN, VERBS
from memtui.cli.parsing import build_parser, options_of, parsers_in

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MADE_LATER = re.compile(r"\.png$")
"""PNG twins of the pictures are made on request (screenshots/make.py --png) and may be absent."""


def blocks(page: Path, language: str) -> list[str]:
    """Fenced blocks of one language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def of_language(language: str) -> list[Any]:
    """Every block of a language, named after its page."""
    return [
        pytest.param(block, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, language))
    ]


# --- commands -----------------------------------------------------------------------------------


def commands() -> list[Any]:
    """Lines of fenced blocks that start with `memtui`, and commands inside backticks."""
    found: dict[tuple[str, str], None] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fenced = "\n".join(
            re.findall(r"^```(?:text|sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        )
        prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        lines = [line for line in fenced.split("\n") if line.startswith("memtui ")]
        lines += re.findall(r"`(memtui [^`]+)`", prose)
        for line in lines:
            for one in line.split(" · "):
                found[page.name, one.strip()] = None
    return [pytest.param(line, id=f"{name}: {line[:60]}") for name, line in found]


@pytest.mark.parametrize("line", commands())
def test_each_command_is_one_that_exists(line: str) -> None:
    words = shlex.split(re.sub(r" {2,}.*| #.*", "", line).split(" > ")[0].replace("…", ""))[1:]
    if not words or words[0] in {"VERB", "[PATH]", "PATH"}:
        return
    verb = words[0] if words[0] in VERBS else OPEN
    assert verb != OPEN or "." in words[0] or words[0].startswith("-") or words[0] == "FILE", line
    known = {"--help", "-h"}
    actions = set()
    for action, parser in parsers_in(build_parser(verb)):
        known |= set(options_of(parser))
        actions |= {action}
    options = [one.strip("[]").split("=")[0] for word in words for one in word.split("|")]
    unknown = {one for one in options if one.startswith("--")} - known
    assert not unknown, f"{line}: {unknown}"
    if len(actions) > 1 and verb != "systems" and len(words) > 1:
        assert set(words[1].split("|")) <= actions, line


# --- python -------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", of_language("python"))
def test_python_blocks_are_python_and_import_what_there_is(block: str) -> None:
    tree = compile(
        block,
        "block",
        "exec",
        flags=ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            module = importlib.import_module(node.module)
            for name in node.names:
                assert hasattr(module, name.name), f"{node.module} has no {name.name}"


def run_block(block: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a block, which may await at its top level."""
    code = compile(block, "block", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    found = eval(code, names)
    if inspect.iscoroutine(found):
        asyncio.run(found)
    return names


def block_with(page: str, text: str) -> str:
    """The one python block of a page that holds `text`."""
    (found,) = [one for one in blocks(ROOT / "docs" / page, "python") if text in one]
    return found


def test_the_three_lines_of_the_recorder_make_a_run_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_block(block_with("recording-your-own-harness.md", "from memtui import Recorder"), {})
    assert cli.main(["show", "my.memtui", "1"]) == 0
    assert "When did she move?" in capfd.readouterr().out


def test_the_plan_of_a_benchmark_has_the_methods_that_are_shown() -> None:
    from runners.datasets.synthetic import load
    from runners.protocols.scale import ScaleOptions, ScalePlan

    block = block_with("adding-a-benchmark.md", "plan = ScalePlan(")
    dataset = load()
    names = {"ScalePlan": ScalePlan, "ScaleOptions": ScaleOptions, "dataset": dataset}
    first = ScalePlan(dataset, ["bm25/search-once"], ScaleOptions(), salt="…")
    item = first.items()[0].key
    assert run_block(block, {**names, "item": item, "seed": 1})["plan"].planned > 100


def test_an_experiment_runs_from_python_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run", "--example"]) == 0
    Path("mine.toml").write_text(capfd.readouterr().out, encoding="utf-8")
    names = run_block(block_with("running-experiments.md", "run_experiment"), {})
    assert names["result"].exit_code == 0
    assert Path("mine.memtui").is_file()


# --- configurations -----------------------------------------------------------------------------


@pytest.mark.parametrize("block", of_language("toml"))
def test_configurations_are_taken(block: str) -> None:
    from runners.engine.config import parse_config

    table = tomllib.loads(block)
    if "project" in table:
        assert table["project"]["entry-points"]
        return
    text = block
    if "agent" in table:
        text = f'[[arms]]\nmemory = "bm25"\n{block}'
    elif "arms" not in table:
        text = f'{block}\n[[arms]]\nmemory = "bm25"\nagent = "search-once"\n'
    if "data" not in table:
        text = f'{text}\n[data]\nname = "synthetic"\n'
    assert parse_config(text).arms


# --- links --------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """Anchors of the headings, as the forges make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_there_are(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target or MADE_LATER.search(target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name}: {target}"
