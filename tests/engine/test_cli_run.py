"""The verb: example, plan, run, continue, refuse; what goes to stdout and what to stderr."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from memtui.cli.run_progress import ProgressLine, progress_text
from memtui.store.events import LogEvent
from runners.engine.example import example_text
from tests.engine.tiny import rows

REPOSITORY = Path(__file__).resolve().parents[2]
SMALL = """
name = "small"
[data]
name = "synthetic"
limit = 4
[ladder]
scales = [0, 20]
[matrix]
memory = ["bm25"]
agent = ["search-once"]
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_the_example_validates_plans_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run", "--example"]) == 0
    example = capfd.readouterr().out
    assert example == example_text()
    Path("example.toml").write_text(example)
    assert cli.main(["run", "example.toml", "--plan"]) == 0
    plan = capfd.readouterr().out
    assert "nothing was run" in plan and not Path("runs").exists()
    assert cli.main(["run", "example.toml"]) == 0
    assert "Reliability" in capfd.readouterr().out
    assert rows(Path("runs/example.memtui"), "SELECT state FROM run") == [("finished",)]


def test_every_key_that_the_example_shows_is_one_that_is_known() -> None:
    """Each commented line, taken in on its own section, must be accepted."""
    from runners.engine.config import parse_config

    section = ""
    sections: dict[str, list[str]] = {}
    for line in example_text().split("\n"):
        text = line.removeprefix("# ").split("  #")[0].strip()
        if text.startswith("["):
            section = text.split("]")[0] + "]" * (2 if text.startswith("[[") else 1)
            continue
        if line.startswith("# ") and " = " in text and text[0].islower() and section != "[[arms]]":
            sections.setdefault(section, []).append(text)
    commented = [(name, text) for name, texts in sections.items() for text in texts]
    assert len(commented) > 40
    base = '[data]\nname = "a"\n[[arms]]\nmemory = "m"\nagent = "b"\n'
    for name, text in commented:
        if name in ("", "[data]"):
            head = f"{text}\n" if not name else ""
            body = f"{text}\n" if name else ""
            parse_config(head + base.replace('name = "a"\n', f'name = "a"\n{body}'))
        else:
            parse_config(f"{base}{name}\n{text}\n")


def test_run_and_continue(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(config), "--json"]) == 0
    out, err = capfd.readouterr()
    document = json.loads(out)
    assert (document["planned"], document["done"], document["done_now"]) == (8, 8, 8)
    assert document["report"]["cells"]
    assert "finished: 8 of 8 episodes" in err
    assert cli.main(["run", str(config), "--json", "--no-report"]) == 0
    again = json.loads(capfd.readouterr().out)
    assert (again["done"], again["done_now"], again["resumed"]) == (8, 0, True)
    assert again["report"] is None


def test_limit_out_and_new(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(config), "--limit", "2", "--no-report", "--out", "x.memtui"]) == 0
    assert rows(Path("x.memtui"), "SELECT count(*) FROM item") == [(2,)]
    assert cli.main(["run", str(config), "--no-report", "--out", "x.memtui"]) == 2
    err = capfd.readouterr().err
    assert "\n  data.limit: 2 -> 4\n" in err and "--new" in err
    assert cli.main(["run", str(config), "--no-report", "--out", "x.memtui", "--new"]) == 0
    assert rows(Path("x-2.memtui"), "SELECT count(*) FROM item") == [(4,)]


def test_plan_is_the_same_each_time(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plans = []
    for _ in range(2):
        assert cli.main(["run", str(config), "--plan", "--json"]) == 0
        plans.append(capfd.readouterr().out)
    assert plans[0] == plans[1]
    assert json.loads(plans[0])["episodes"] == 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('name = "synthetic"', 'name = "sinthetic"'),
        ('"bm25"', '"bm52"'),
        ('"search-once"', '"serch-once"'),
        ('"bm25"', '{ name = "bm25", k2 = 1 }'),
    ],
)
def test_misspelt_names_are_refused(
    config: Path, change: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    config.write_text(SMALL.replace(change, said))
    assert cli.main(["run", str(config)]) == 2
    err = capfd.readouterr().err
    assert err.startswith("memtui: ") and err.count("\n") == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[arms]]\nmemory = "bm25"\nagent = "read"\n', "arm bm25/read: agent 'read'"),
        ("[limits.memories.bn25]\nconcurrency = 1\n", "did you mean bm25?"),
        (
            '[[arms]]\nmemory = { name = "bm25", k = 3 }\nagent = "verify"\n',
            "configured twice",
        ),
        ('[models."openai/x"]\nconcurency = 2\n', "did you mean concurrency?"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    config: Path, text: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    config.write_text(SMALL + text)
    assert cli.main(["run", str(config), "--plan"]) == 2
    assert said in capfd.readouterr().err


def test_a_misspelt_option_is_a_usage_error() -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["run", "--tirals", "3"])
    assert left.value.code == 2


def test_no_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run"]) == 2
    assert "--example" in capfd.readouterr().err


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from memtui import cli\n"
        "try: cli.main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'numpy', 'textual', 'litellm', 'runners'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


SNAPSHOT: dict[str, Any] = {
    "planned": 200,
    "done": 50,
    "pending": 150,
    "state": "running",
    "rate": 5.0,
    "eta_s": 30.0,
    "pace": 5.0,
    "in_flight_total": 3,
    "retries": 1,
    "excluded": 2,
    "known_cost": 1.5,
    "cost": None,
}


def test_progress_says_what_is_known_and_what_is_a_bound() -> None:
    assert progress_text("x", SNAPSHOT) == (
        "x: 50 of 200 25 % · 5.0/s · about 30 s left · paced at 5/s · 3 under way · 1 retries"
        " · 2 excluded · >= 1.50 USD"
    )


def test_without_a_terminal_unchanged_lines_are_not_repeated() -> None:
    stream = io.StringIO()
    line = ProgressLine("x", stream)
    for _ in range(9):
        line.beat(SNAPSHOT)
    assert stream.getvalue().count("\n") == 1
    for _ in range(9):
        line.beat(SNAPSHOT)
    assert stream.getvalue().count("\n") == 2
    line.log(LogEvent("2026-01-01T00:00:00+00:00", "warning", "memory", "half \x1b[31mfull"))
    line.log(LogEvent("2026-01-01T00:00:00+00:00", "info", "memory", "all well"))
    assert stream.getvalue().count("\n") == 3 and "\x1b" not in stream.getvalue()


def test_a_progress_line_that_cannot_be_written_stops_nothing() -> None:
    tried: list[str] = []

    class Gone(io.StringIO):
        def write(self, text: str, /) -> int:
            tried.append(text)
            raise OSError(5, "Input/output error")

    line = ProgressLine("x", Gone())
    line.beat(SNAPSHOT)
    line.say("a line that no terminal takes")
    line.close()
    assert tried  # it was written to, and what that raised stayed inside


def test_on_a_terminal_one_line_rewrites_itself() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    line = ProgressLine("x", stream)
    line.beat(SNAPSHOT)
    line.beat(SNAPSHOT)
    line.say("done")
    assert stream.getvalue().count("\r\x1b[K") == 3
    assert stream.getvalue().endswith("\r\x1b[Kdone\n")


@pytest.mark.parametrize("name", ["own-data", "hard-budget", "local-model"])
def test_the_configurations_in_fixtures_plan_and_run(
    tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    config = REPOSITORY / "fixtures" / "experiments" / f"{name}.toml"
    assert cli.main(["run", str(config), "--plan"]) == 0
    plan = capfd.readouterr().out
    out = tmp_path / "a.memtui"
    if name == "local-model":
        assert "does not fit" in plan and "model-read" in plan
        return
    assert cli.main(["run", str(config), "--out", str(out), "--no-report"]) == 0
    ends = dict(rows(out, "SELECT end_reason, count(*) FROM episode GROUP BY 1"))
    assert set(ends) <= {"answered", "forced"}
    assert (ends.get("forced", 0) > 0) == (name == "hard-budget")
    if name == "hard-budget":
        asked = rows(out, "SELECT DISTINCT requested, executed, forced FROM episode ORDER BY 1")
        assert asked == [(1, 1, 0), (2, 1, 1)]
