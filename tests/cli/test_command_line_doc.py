"""docs/command-line.md says what the program does: arguments, examples, JSON documents, environment."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from memtui.cli import OPEN, VERBS
from memtui.cli.parsing import arguments_of, build_parser, options_of, parsers_in
from tests.cli.documented_json import PAGE, Node, complaints, schemas

ROOT = PAGE.parents[1]
TEXT = PAGE.read_text(encoding="utf-8")
EXPERIMENT = """
name = "demo"
repeats = 2
[data]
name = "synthetic"
keys = ["syn-q01", "syn-q06", "syn-q09", "syn-q10", "syn-q24", "syn-q45"]
[ladder]
scales = [0, 100]
seeds = [1, 2]
[budget]
calls = 2
[matrix]
memory = ["bm25"]
agent = ["search-once", "verify"]
[[arms]]
memory = "full-history"
agent = "read"
"""


class Workplace:
    """A folder with a finished run in ./runs, and what the verbs printed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, line: str, capfd: pytest.CaptureFixture[str], code: int = 0) -> str:
        capfd.readouterr()
        assert cli.main(shlex.split(line)) == code, f"memtui {line}: {capfd.readouterr().err}"
        return capfd.readouterr().out

    def document(self, line: str, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(f"{line} --json", capfd))
        return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documented")
    (folder / "demo.toml").write_text(EXPERIMENT)
    out = folder / "runs" / "demo.memtui"
    command = ["run", str(folder / "demo.toml"), "--out", str(out), "--full-speed", "--no-report"]
    assert cli.main(command) == 0
    return folder


@pytest.fixture
def memtui(finished: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.chdir(finished)
    return Workplace(finished)


def section(verb: str) -> str:
    """The text of a verb's section."""
    title = "## `memtui [PATH]`\n" if verb == OPEN else f"## `memtui {verb}`\n"
    start = TEXT.index(title)
    return TEXT[start : TEXT.index("\n## ", start + 1)]


# --- arguments ----------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [OPEN, *VERBS])
def test_each_verb_is_documented_with_every_argument_and_no_other(verb: str) -> None:
    found = re.search(rf"<!-- arguments of {verb} -->(.*?)<!-- end of", section(verb), re.DOTALL)
    assert found, f"no arguments of {verb}: run docs/make_command_line.py"
    written = set(re.findall(r"^\| `(?:-\w, )?(--[\w-]+)", found[1], re.MULTILINE))
    parser = build_parser(verb)
    options = {text for _, one in parsers_in(parser) for text in options_of(one)}
    assert written == {text for text in options if text.startswith("--")}
    for action, one in parsers_in(parser):
        assert not action or f"`{verb} {action}`" in found[1]
        for argument in arguments_of(one):
            assert argument.help, f"memtui {verb} {action}: {argument.dest} has no help"
            assert argument.option_strings or str(argument.metavar) in found[1]


def test_each_verb_says_one_thing_of_itself() -> None:
    for verb, text in VERBS.items():
        assert text == importlib.import_module(f"memtui.cli.{verb}").HELP
        assert text[0].islower() and not text.endswith(".") and len(text) <= 78


def test_the_page_is_made_from_the_parsers() -> None:
    path = ROOT / "docs" / "make_command_line.py"
    spec = importlib.util.spec_from_file_location("make_command_line", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.filled(TEXT) == TEXT, "run docs/make_command_line.py"
    with pytest.raises(KeyError):
        module.filled("<!-- arguments of reprot -->\n<!-- end of arguments -->")


def test_rates_take_budget_judge_and_filter_and_facts_take_json() -> None:
    for verb in (OPEN, "report", "failures", "ladder", "compare"):
        assert {"--budget", "--judge", "--filter"} <= set(options_of(build_parser(verb))), verb
    assert "--alpha" in options_of(build_parser("report"))
    for verb in VERBS:
        for action, parser in parsers_in(build_parser(verb)):
            actions = [name for name, _ in parsers_in(parser) if name]
            if verb not in ("completion", "serve") and not actions:
                assert "--json" in options_of(parser), f"memtui {verb} {action}"


# --- help, misspellings -------------------------------------------------------------------------


def test_help_is_an_overview_and_each_verb_has_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["help"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        assert ended.value.code == 0
        shown = capsys.readouterr().out
        assert all(f"memtui {verb}" in shown for verb in VERBS) and "--theme" in shown
        assert max(map(len, shown.split("\n"))) <= 100
    for words in (["report", "--help"], ["help", "report"], ["data", "lint", "--help"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        assert ended.value.code == 0
        assert f"usage: memtui {words[-1 if words[0] == 'help' else 0]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["reprot", "x"], "did you mean `memtui report`?"),
        (["report", "x", "--budegt", "3"], "did you mean --budget?"),
        (["report", "x", "--budg", "3"], "did you mean --budget?"),
        (["data", "lint", "x", "--sesions=3"], "did you mean --sessions?"),
        (["data", "list", "--jso"], "did you mean --json?"),
    ],
)
def test_what_is_misspelt_is_answered_with_what_was_meant(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = cli.main(words)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert meant in capsys.readouterr().err


# --- examples -----------------------------------------------------------------------------------


def examples() -> list[str]:
    """Lines of the ```sh blocks, in order."""
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.strip().split("\n")]


def test_every_example_runs(
    memtui: Workplace, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(examples()) > 20
    used = set()
    for line in examples():
        command, _, out = line.partition(" > ")
        program, *words = shlex.split(command)
        assert program == "memtui"
        used.add(words[0])
        capfd.readouterr()
        code = cli.main(words)
        printed = capfd.readouterr()
        # What a machine lacks is no fault of the example.
        assert code == 0 or words[0] == "doctor", f"{line}: {printed.err}"
        assert printed.out or words[0] == "export" or "--no-report" in words, line
        if out:
            Path(out).write_text(printed.out, encoding="utf-8")
    assert used == set(VERBS) - {"demo", "serve"}


# --- JSON ---------------------------------------------------------------------------------------

SCHEMAS = schemas()


def first(memtui: Workplace, capfd: pytest.CaptureFixture[str], where: str) -> dict[str, Any]:
    """The first failure that passes a filter."""
    found = memtui.document(f"failures runs/demo.memtui --filter '{where}'", capfd)["episodes"][0]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ("memtui-report-1", "report runs/demo.memtui --tokens --by question_type"),
        ("memtui-report-1", "report runs/demo.memtui --filter arm:nothing --no-bootstrap"),
        ("memtui-failures-1", "failures runs/demo.memtui --limit 0 --budget 1"),
        ("memtui-ladder-1", "ladder runs/demo.memtui syn-q10"),
        ("memtui-ladder-1", "ladder runs/demo.memtui syn-q01"),
        ("memtui-compare-1", "compare runs/demo.memtui --arms search verify"),
        ("memtui-now-1", "show runs/demo.memtui --now"),
        ("memtui-runs-1", "ls"),
        ("memtui-check-1", "check runs/demo.memtui"),
        ("memtui-run-1", "run demo.toml"),
        ("memtui-run-1", "run demo.toml --no-report"),
        ("memtui-plan-1", "run demo.toml --plan"),
        ("memtui-rejudge-1", "rejudge runs/demo.memtui --judge deterministic"),
        ("memtui-systems-1", "systems"),
        ("memtui-systems-check-1", "systems check bm25"),
        ("memtui-models-1", "models list"),
        ("memtui-data-list-1", "data list"),
    ],
)
def test_documents_are_as_documented(
    schema: str, line: str, memtui: Workplace, capfd: pytest.CaptureFixture[str]
) -> None:
    found = memtui.document(line, capfd)
    assert found["schema"] == schema
    assert sorted(set(complaints(found, SCHEMAS[schema], SCHEMAS))) == []


def test_an_episode_is_as_documented(memtui: Workplace, capfd: pytest.CaptureFixture[str]) -> None:
    for where in ("arm:verify", "arm:full-history", "answerable:no"):
        number = first(memtui, capfd, where)["id"]
        found = memtui.document(f"show runs/demo.memtui {number}", capfd)
        assert sorted(set(complaints(found, SCHEMAS["memtui-episode-1"], SCHEMAS))) == []
        assert found["steps"]


def test_documents_about_files_are_as_documented(
    memtui: Workplace,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What writes a file, fetches one, or depends on the machine."""
    from runners.datasets import download
    from runners.memory.packages import environment
    from runners.models import weights

    hostile = ROOT / "fixtures" / "data" / "hostile.jsonl"
    damaged = tmp_path / "damaged.memtui"
    damaged.write_bytes(b"no database")
    monkeypatch.setattr(weights, "install", lambda *_, **__: weights.Installed(tmp_path, "here"))
    got = download.Fetched(tmp_path / "x.json", "ab" * 32, 3, matches=True, was_there=False)
    monkeypatch.setattr(download, "get", lambda *_, **__: got)
    monkeypatch.setattr(environment, "install", lambda *_: tmp_path)
    lines = {
        "memtui-systems-change-1": "systems install pkg:mem0-2",
        "memtui-data-lint-1": f"data lint {hostile}",
        "memtui-data-convert-1": f"data convert {hostile} {tmp_path / 'x.jsonl'} --skip-bad-lines",
        "memtui-data-get-1": "data get locomo",
        "memtui-export-1": f"export runs/demo.memtui {tmp_path / 'copy.memtui'}",
        "memtui-models-install-1": "models install minilm",
        "memtui-runs-1": f"ls {tmp_path}",
    }
    for schema, line in lines.items():
        found = memtui.document(line, capfd)
        assert found["schema"] == schema
        assert sorted(set(complaints(found, SCHEMAS[schema], SCHEMAS))) == []
    capfd.readouterr()
    for line in (f"check {damaged} --json", "doctor --json"):
        assert cli.main(line.split()) in (0, 1, 3)
        found = json.loads(capfd.readouterr().out)
        assert sorted(set(complaints(found, SCHEMAS[found["schema"]], SCHEMAS))) == []


def test_every_documented_schema_is_printed_by_some_verb() -> None:
    documents = {name for name in SCHEMAS if name.startswith("memtui-")}
    source = "".join(
        path.read_text(encoding="utf-8")
        for room in ("memtui", "runners")
        for path in (ROOT / room).rglob("*.py")
    )
    names = r'(?:"schema": |^SCHEMA = )"(memtui-[a-z-]+-1)"'
    printed = set(re.findall(names, source, re.MULTILINE))
    assert documents == printed
    mentioned = set(re.findall(r"\(#(memtui-[a-z-]+-1)\)", TEXT))
    assert mentioned == documents


def test_a_complaint_is_made_where_a_document_differs() -> None:
    known = {"Inner": Node(keys={"n": Node(["integer"])})}
    node = Node(
        keys={"a": Node(["Inner", "null"]), "b": Node(below="[]", keys={"": Node(["text"])})}
    )
    assert list(complaints({"a": None, "b": ["x"]}, node, known)) == []
    assert list(complaints({"a": {"n": 1}, "b": []}, node, known)) == []
    wrong = list(complaints({"a": {"n": None}, "b": [1], "c": 2}, node, known))
    assert len(wrong) == 3
    assert "documented but not printed: b" in " ".join(complaints({"a": None}, node, known))


# --- environment --------------------------------------------------------------------------------


def test_every_variable_that_is_read_is_documented() -> None:
    read = re.compile(r"environ(?:\.get\(|\.setdefault\(|\[)\s*\"([A-Z_]+)\"")
    names = {"MEMTUI_ALLOW_NETWORK_FS", "XDG_DATA_HOME", "XDG_CACHE_HOME"}
    for room in ("memtui", "runners"):
        for path in (ROOT / room).rglob("*.py"):
            if "workers" not in path.parts:  # programs of other packages' environments
                names |= set(read.findall(path.read_text(encoding="utf-8")))
    start = TEXT.index("## Environment")
    table = TEXT[start : TEXT.index("\n## ", start + 1)]
    assert sorted(name for name in names if name not in table) == []
