"""Paths that a reader types: what no file system takes is told in one line, and nothing ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.errors import UserError
from memtui.state.new_file import typed_path
from memtui.widgets.path_completion import completed
from tests.ui.driving import opened, press, screen_text

IMPOSSIBLE = [
    ("y" * 5_000, "cannot be used"),
    ("~nobody-has-this-name/x", "nobody's home"),
    ("a\x00b", "NUL"),
]


@pytest.mark.parametrize(("text", "said"), IMPOSSIBLE)
def test_what_no_file_can_be_called_is_refused_in_one_short_line(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as error:
        typed_path(text)
    assert len(str(error.value)) < 200


def test_everything_else_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    for name in ("file", "new", "dangling", "file/below", "[/bold]", "\x1b[31m"):
        assert typed_path(f"{tmp_path}/{name}") == tmp_path / name
    assert typed_path("~/x") == Path.home() / "x"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("my runs", "conf", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("one.toml", "notes.txt", "conf/alpha.toml", "conf/alps.toml", "conf/it's.toml"):
        (tmp_path / name).touch()
    (tmp_path / "my runs" / "long.toml").touch()
    (tmp_path / "conf" / "\x1b[31mred\u202e.toml").touch()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/conf/\xff.toml")).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("o", "one.toml"),
        ("c", "conf/"),
        ("conf/a", "conf/alp"),  # as far as both go on alike
        ("conf/alp", "conf/alp"),
        ("conf/alph", "conf/alpha.toml"),
        ("./conf/i", "'./conf/it'\"'\"'s.toml'"),
        ("m", "'my runs/"),  # the quotation mark stays open: there is more to come
        ("'my runs/", "'my runs/long.toml'"),
        ('"my runs/l', "'my runs/long.toml'"),
        ("n", "n"),  # no configuration
        ("one.toml --lim", "one.toml --lim"),
        ("nowhere/x", "nowhere/x"),
        ("conf/\x1b", "conf/\x1b"),  # is not put into a line where it would not be seen as it is
        ("~", "~/"),
        ("~nobody-has-this-name/", "~nobody-has-this-name/"),
        ("x" * 5_000 + "/", "x" * 5_000 + "/"),
        ("a\0b/", "a\0b/"),
    ],
)
def test_a_path_is_completed_as_far_as_it_is_certain(line: str, becomes: str, folder: Path) -> None:
    assert completed(line).line == becomes


def test_what_a_path_may_become_is_listed(folder: Path) -> None:
    assert completed("").names == ("conf/", "my runs/", "one.toml")
    assert completed(".").names == (".hidden/",)
    assert len(completed("conf/").names) == 5


async def test_tab_completes_the_path_of_a_configuration(folder: Path, run_file: Path) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, "1", "r", "slash")
        line = app.screen.query_one(Input)
        assert "conf/   my runs/   one.toml" in screen_text(app)
        await press(pilot, "m", "tab", "tab")
        assert line.value == "'my runs/long.toml'"
        line.value = ""
        await press(pilot, "c", "tab")
        shown = screen_text(app)
        assert "alpha.toml" in shown and "red\\u202e.toml" in shown and "\x1b" not in shown
        await press(pilot, "a", "tab")
        assert line.value == "conf/alp" and "it's" not in screen_text(app)
        await press(pilot, "escape", "tab")
        assert app.is_running and not line.display


@pytest.mark.parametrize("keys", [("1", "r", "slash"), ("3", "x", "tab")])
@pytest.mark.parametrize(("text", "said"), IMPOSSIBLE[:2])
async def test_the_dialogs_say_so_and_stay(
    keys: tuple[str, ...], text: str, said: str, run_file: Path
) -> None:
    async with opened(run_file) as (app, pilot):
        await press(pilot, *keys)
        line = app.screen.query_one(Input)
        line.value = text
        await press(pilot, "enter")
        assert app.is_running and app.screen.query_one(Input) is line
        assert said in screen_text(app)
