"""A fault in a file that contradicts itself is the file's, said in one line; any other fault is ours."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.store.blame import blamed
from memtui.store.check import check_file
from memtui.store.events import RunStateEvent
from tests.store import store_events as make
from tests.ui.driving import opened, press, screen_text

EDITS = {
    "an arm that is not there": "DELETE FROM arm",
    "a cell that is not there": "DELETE FROM cell",
    "text where a number belongs": "UPDATE episode SET requested='many', t_star='soon'",
    "JSON of another shape": "UPDATE episode SET views='[1]', coverage='{}'",
    "no JSON at all": "UPDATE arm SET config='{'",
    "an arm's choices as a list": "UPDATE arm SET config='[1]'",
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"), RunStateEvent("finished", make.AT))
    return path


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("statement", EDITS.values(), ids=EDITS.keys())
def test_check_finds_what_was_edited(run: Path, statement: str) -> None:
    assert check_file(run) == []
    edit(run, statement)
    assert any(problem.severity == "error" for problem in check_file(run))
    error = blamed(run, KeyError("arm"))
    assert error is not None and "memtui check" in str(error) and error.exit_code == 3


@pytest.mark.parametrize("statement", EDITS.values(), ids=EDITS.keys())
@pytest.mark.parametrize("verb", [["report", "--no-bootstrap"], ["failures"], ["ls"]])
def test_no_verb_ends_in_a_traceback(
    run: Path, statement: str, verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    edit(run, statement)
    code = main([verb[0], str(run.parent if verb == ["ls"] else run), *verb[1:]])
    said = capsys.readouterr().err
    assert code in (0, 3)
    assert "Traceback" not in said and (code == 0 or said.count("\n") == 1)


def test_a_whole_file_is_to_blame_for_nothing(run: Path) -> None:
    assert blamed(run, KeyError("arm")) is None


def test_what_is_no_run_file_is_to_blame_for_nothing(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text("name = 'x'")
    assert blamed(config, KeyError("arm")) is None


def test_ctrl_c_while_a_file_is_looked_into_is_no_traceback(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(path: Path) -> None:
        raise KeyboardInterrupt

    edit(run, EDITS["an arm's choices as a list"])
    monkeypatch.setattr("memtui.store.check.check_file", pressed)
    assert main(["report", str(run)]) == 130
    assert capsys.readouterr() == ("", "")


async def test_no_tab_ends_the_app(run: Path) -> None:
    edit(run, EDITS["an arm's choices as a list"])
    async with opened(run, (100, 30), notices=True) as (app, pilot):
        for _ in range(3):
            await press(pilot, "right_square_bracket")
        said = " ".join(screen_text(app).replace("▌", " ").split())  # wherever its lines break
        assert app.is_running and "contradicts itself" in said
