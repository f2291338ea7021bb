"""Paths that a reader types: what no file system takes is told in one line, and nothing ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from memtui.errors import UserError
from memtui.state.new_file import typed_path
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
