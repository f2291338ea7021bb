"""`memtui ls`: the facts of the list of runs, in the same order, with aliases and notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from memtui.state.run_list import RunList, ordered
from memtui.store.side_file import SideFile
from tests.ui.make_run import Story, write
from tests.ui.run_folder import RunFolder


@pytest.fixture
async def folder(tmp_path: Path) -> RunFolder:
    source = await write(tmp_path / "source.memtui", Story(items=2, scales=(0.0,)))
    return RunFolder(source, tmp_path / "runs")


@pytest.fixture
def listed(folder: RunFolder) -> Iterator[RunFolder]:
    yield folder
    folder.close()


def document(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capfd.readouterr()
    assert cli.main(["ls", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def test_the_document_has_the_facts_of_the_screen_in_its_order(
    listed: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = RunList(listed.folder)
    lines = ordered([runs.with_rates(line) for line in runs.glance()], "cost")
    found = document(capfd, str(listed.folder), "--sort", "cost")["runs"]
    assert [run["file"] for run in found] == [str(line.path) for line in lines]
    by_name = {Path(run["file"]).stem: run for run in found}
    ladder, live = by_name["ladder"], by_name["live"]
    assert (ladder["alias"], ladder["note"]) == ("baseline", "the run of the figures")
    assert (ladder["cost_usd"], ladder["cost_partial"]) == (1.75, False)
    assert (live["cost_usd"], live["cost_partial"], live["eta_s"]) == (0.04, True, 1080)
    assert by_name["cut-off"]["state"] == "interrupted" and by_name["cut-off"]["cost_usd"] is None
    assert by_name["damaged"]["trouble"] == "damaged" and by_name["damaged"]["rates"] is None
    rates = ladder["rates"]
    assert rates["pass"] + rates["exhausted"] + rates["wrong"] == rates["n"] > 0
    assert rates["scales"] == [{"scale": 0, "pass": rates["pass"], "n": rates["n"]}]


def test_without_rates_no_episode_is_read(
    listed: RunFolder, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunList, "with_rates", lambda *_: pytest.fail("read"))
    found = document(capfd, str(listed.folder), "--no-rates", "--sort=-name")["runs"]
    assert [Path(run["file"]).stem for run in found][:2] == ["newer", "live"]
    assert all(run["rates"] is None for run in found)


def test_alias_and_note_are_kept_beside_and_taken_away(
    listed: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(listed.interrupted)
    assert cli.main(["ls", "--alias", path, " \x1b[31mred ", "--note", path, "why"]) == 0
    shown = capfd.readouterr().out
    assert "red" in shown and "\x1b" not in shown and "note cut-off.memtui: why" in shown
    side = SideFile(listed.interrupted, "run-10")
    assert side.read().aliases == {"": "\x1b[31mred"} and side.read().notes == {"": "why"}
    assert cli.main(["ls", str(listed.folder), "--alias", path, ""]) == 0
    assert side.read().aliases == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sort", "passs"], "did you mean pass?"),
        (["--alias", "nowhere.memtui", "x"], "no run file at nowhere.memtui"),
    ],
)
def test_mistakes_are_answered(
    words: list[str], said: str, listed: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ls", str(listed.folder), *words]) in (2, 3)
    assert said in capfd.readouterr().err


def test_a_long_alias_leaves_the_table_readable(
    listed: RunFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ls", "--alias", str(listed.finished), "界" * 300]) == 0
    assert max(map(len, capfd.readouterr().out.split("\n"))) < 220
