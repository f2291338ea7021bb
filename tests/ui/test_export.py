"""`x` keeps what is on screen: the picture, and the data as the command line prints it."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as Tree
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.cli import main
from memtui.errors import UserError
from memtui.screens.export import ExportDialog
from memtui.state import new_file
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.test_hostile_run import assert_sane, hostile_run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, and the only one that can be written beside a run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(run_file: Path, folder: Path) -> Path:
    path = folder / "invented.memtui"
    path.write_bytes(run_file.read_bytes())
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def texts_in(folder: Path, suffix: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in folder.glob(f"*.{suffix}")]


async def export(pilot: Pilot[Any], *keys: str) -> None:
    await press(pilot, "x", *keys, "enter")
    await settle(pilot)


def printed(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    capfd.readouterr()
    assert main(words) == 0
    return capfd.readouterr().out


async def test_the_overview_is_exported_as_the_report_prints_it(
    run: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with opened(run) as (app, pilot):
        await press(pilot, "minus", "a")
        assert app.session is not None
        choices = ("--budget", "1", "--alpha", f"{app.session.settings.alpha:g}")
        await export(pilot, "c")
        await export(pilot, "j")
    kept = (folder / "invented-overview.csv").read_bytes().decode()
    assert kept == printed(capfd, "report", str(run), "--csv", *choices)
    kept = (folder / "invented-overview.json").read_text()
    assert json.loads(kept) == json.loads(printed(capfd, "report", str(run), "--json", *choices))


async def test_text_and_svg_hold_what_is_on_screen(run: Path, folder: Path) -> None:
    async with opened(run) as (app, pilot):
        shown = screen_text(app)
        await export(pilot, "t")
        await export(pilot, "s")
        await export(pilot, "t")
        assert app.clipboard == str(folder / "invented-overview-2.txt")
    assert (folder / "invented-overview.txt").read_text() == shown + "\n"
    svg = Tree.fromstring((folder / "invented-overview.svg").read_text())
    assert "hybrid/until-confident" in "".join(svg.itertext()).replace("\xa0", " ")


async def test_every_screen_exports_its_data(
    run: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with opened(run) as (_, pilot):
        await press(pilot, "3", "e", "j")
        for keys in ((), ("enter",), ("d",), ("5",), ("6",), ("enter",), ("1",)):
            await press(pilot, *keys)
            await export(pilot, "j")
            await export(pilot, "c")
        names = {*names_in(folder)}
    for name in ("episodes", "trajectory", "trajectory-2", "ladder", "compare", "compare-2"):
        assert f"invented-{name}.json" in names and f"invented-{name}.csv" in names
    assert {"runs.json", "runs.csv"} <= names

    def read(name: str) -> Any:
        return json.loads((folder / f"{name}.json").read_text())

    listed = read("invented-episodes")
    assert listed["schema"] == "memtui-failures-1" and listed["total"] == len(listed["episodes"])
    assert {one["outcome"] for one in listed["episodes"]} == {"exhausted"}
    episode = read("invented-trajectory")
    twin = json.loads(printed(capfd, "show", str(run), str(episode["id"]), "--json"))
    assert episode == twin
    ladder = read("invented-ladder")
    assert ladder == json.loads(printed(capfd, "ladder", str(run), ladder["item"]["key"], "--json"))
    arms = read("invented-compare")["a"]["arm"], read("invented-compare")["b"]["arm"]
    twin = json.loads(printed(capfd, "compare", str(run), "--arms", *arms, "--json"))
    assert read("invented-compare") == twin
    assert [one["schema"] for one in read("invented-compare-2")] == ["memtui-episode-1"] * 2
    rows = (folder / "invented-trajectory.csv").read_text().splitlines()
    assert rows[0].startswith("arm,episode,seq,kind") and len(rows) > len(episode["steps"])


async def test_nothing_is_overwritten_and_the_name_can_be_changed(run: Path, folder: Path) -> None:
    (folder / "mine.txt").write_text("kept")
    async with opened(run) as (app, pilot):
        await press(pilot, "x", "tab", "ctrl+u", *"mine", "full_stop", *"txt")
        dialog = app.screen
        assert isinstance(dialog, ExportDialog)
        line = dialog.name_line
        line.value = str(folder / "mine.txt")
        await press(pilot, "enter")
        assert app.screen is dialog and "exists" in screen_text(app)
        line.value = str(folder / "nowhere" / "mine.txt")
        await press(pilot, "enter")
        assert app.screen is dialog and "no folder" in screen_text(app)
        line.value = str(folder / "other.txt")
        await press(pilot, "enter")
        await settle(pilot)
    assert (folder / "mine.txt").read_text() == "kept"
    assert (folder / "other.txt").exists()


async def test_a_full_disk_is_one_line_and_leaves_nothing(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    async with opened(run) as (app, pilot):
        await export(pilot, "t")
        said = [notice.message for notice in app._notifications]
        assert [line for line in said if "no space left on device" in line]
    assert names_in(folder) == ["invented.memtui"]


async def test_the_help_can_be_exported_and_escape_keeps_nothing(run: Path, folder: Path) -> None:
    async with opened(run) as (_, pilot):
        await press(pilot, "question_mark")
        await export(pilot, "t")
        await press(pilot, "x", "escape")
    text = (folder / "invented-overview.txt").read_text()
    assert "keys and signs" in text
    assert len(names_in(folder)) == 2


async def test_no_secret_leaves_with_an_export(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hybrid/until-confident")
    async with opened(run) as (_, pilot):
        for form in "tscj":
            await export(pilot, form)
    for suffix in ("txt", "svg", "csv", "json"):
        text = (folder / f"invented-overview.{suffix}").read_text().replace("&#160;", " ")
        assert "hybrid/until-confident" not in text
        assert "secret removed" in text


def test_a_new_file_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    new_file.write_new(path, "one")
    with pytest.raises(UserError, match="exists"):
        new_file.write_new(path, "two")
    assert path.read_text() == "one" and [*tmp_path.iterdir()] == [path]
    assert new_file.free_name(tmp_path, "a", "txt").name == "a-2.txt"
    assert new_file.plain_name("../\x1b[31m run $(x)") == "31m-run-x"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        new_file.write_new(tmp_path / "none" / "a.txt", "one")


async def test_hostile_texts_leave_exactly_as_data_and_harmless_as_pictures(
    tmp_path: Path, folder: Path
) -> None:
    path = await hostile_run(folder / "hostile[b].memtui")
    async with opened(path) as (app, pilot):
        for keys in (("2",), ("3",), ("enter",), ("d",), ("5",), ("6",), ("1",)):
            await press(pilot, *keys)
            for form in "tscj":
                await export(pilot, form)
            await press(pilot, "x", "escape")
        assert app.session is not None
        questions = {row[0] for row in app.session.pages.query("SELECT question FROM item")}
    names = names_in(folder)
    assert len(names) > 20 and all(name.isascii() and " " not in name for name in names)
    for text in texts_in(folder, "txt"):
        assert_sane(text, 80)
    for svg in texts_in(folder, "svg"):
        Tree.fromstring(svg)
        assert "\x1b" not in svg
    with (folder / "hostile-b-episodes.csv").open(newline="", encoding="utf-8") as file:
        assert {row["question"] for row in csv.DictReader(file)} <= questions
    listed = json.loads((folder / "hostile-b-episodes.json").read_text())["episodes"]
    assert listed and {one["question"] for one in listed} <= questions


@pytest.mark.parametrize(("ascii_only", "corner"), [(False, "╭"), (True, "+-")])
async def test_without_colour_the_chosen_form_and_the_edge_of_the_dialog_are_seen(
    ascii_only: bool, corner: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(run, ascii_only=ascii_only) as (app, pilot):
        await press(pilot, "x", "s")
        shown = reversed_text(app)
        assert "⟦ s ⟧ SVG" in shown
        assert "⟦ t ⟧" not in shown
        assert corner in shown
        assert ascii_only == ("╭" not in shown)
        await press(pilot, "escape", "colon")
        await settle(pilot)
        assert corner in screen_text(app)
