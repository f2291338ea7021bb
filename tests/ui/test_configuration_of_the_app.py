"""A configuration changes keys, hints and help; what cannot be used is said, and the app starts all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.screens.keymap import key_name, keymap_of
from memtui.state.configuration import Configuration, read_configuration
from tests.ui.driving import press, screen_text, settle

pytestmark = pytest.mark.usefixtures("lasting_notices")


def configured(tmp_path: Path, text: str) -> Configuration:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return read_configuration(path)


@asynccontextmanager
async def opened_with(
    run: Path, configuration: Configuration
) -> AsyncIterator[tuple[MemtuiApp, Pilot[Any]]]:
    app = MemtuiApp(run, configuration=configuration)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        yield app, pilot


def said(app: MemtuiApp) -> list[str]:
    return [notice.message for notice in app._notifications]


async def test_keys_alpha_and_judge_of_the_configuration_hold(
    run_file: Path, tmp_path: Path
) -> None:
    text = (
        'alpha = 0.5\njudge = "strict"\n[keys]\n"app.budget-down" = ["B", "ctrl+b"]\n'
        '"app.quit" = "Q"\n"episodes.exhausted" = "E"\n"app.export" = "w"\n'
    )
    # w is a key of the list of episodes: there, and only there, it would be lost.
    async with opened_with(run_file, configured(tmp_path, text)) as (app, pilot):
        assert app.session is not None
        assert (app.session.settings.alpha, app.session.settings.judge) == (0.5, "strict")
        assert [line for line in said(app) if "w is episodes.wrong already, on episodes" in line]
        shown = screen_text(app)
        assert "B = budget" in shown and "Q quit" in shown
        await press(pilot, "minus")
        assert app.session.settings.budget == 2
        await press(pilot, "B")
        assert app.session.settings.budget == 1
        await press(pilot, "ctrl+b")
        assert app.session.settings.budget == 0
        await press(pilot, "3", "e")
        assert app.session.settings.quick == "all"
        await press(pilot, "E")
        assert app.session.settings.quick == "exhausted"
        assert "E w v exhausted" in screen_text(app)
        await press(pilot, "question_mark")
        assert "  E w v " in screen_text(app)
        await press(pilot, "escape", "q")
        assert app.is_running


async def test_a_judge_the_file_does_not_have_leaves_the_run_s_own(
    run_file: Path, tmp_path: Path
) -> None:
    async with opened_with(run_file, configured(tmp_path, 'judge = "nobody"')) as (app, _):
        assert app.session is not None and app.session.settings.judge == "rules"
        assert not said(app)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('"app.qiut" = "Q"', "did you mean app.quit"),
        ('"app.quit" = "foo+x"', "'foo+x' is no key"),
        ('"app.quit" = "nokey"', "'nokey' is no key"),
        ('"app.quit" = "y"', "y is app.copy already, everywhere: app.quit keeps its own key"),
        ('"app.copy" = "j"', "j is list.down already"),
        ('"ladder.flip" = "r"', "r is ladder.variant already, on ladder"),
    ],
)
async def test_what_cannot_be_used_is_one_line_and_the_app_starts(
    line: str, says: str, run_file: Path, tmp_path: Path
) -> None:
    configuration = configured(tmp_path, f'[keys]\n"app.pager" = "ctrl+o"\n{line}\n')
    async with opened_with(run_file, configuration) as (app, pilot):
        wrong = [one for one in said(app) if says in one]
        assert len(wrong) == 1 and wrong[0].startswith(f"{configuration.path}:3: ")
        assert app.keys_changed == {"app.pager": "ctrl+o"}
        await press(pilot, "3")
        assert "3 Episodes" in screen_text(app)


def test_two_keys_may_be_exchanged_and_one_may_be_given_away(tmp_path: Path) -> None:
    swapped = configured(tmp_path, '[keys]\n"app.copy" = "o"\n"app.pager" = "y"\n')
    assert keymap_of(swapped, MemtuiApp) == ({"app.copy": "o", "app.pager": "y"}, [])
    both = configured(tmp_path, '[keys]\n"app.copy" = "Z"\n"app.pager" = "Z"\n')
    keymap, problems = keymap_of(both, MemtuiApp)
    assert len(keymap) == len(problems) == 1


async def test_exchanged_keys_do_what_the_other_did(run_file: Path, tmp_path: Path) -> None:
    text = '[keys]\n"app.budget-down" = "a"\n"app.alpha-down" = "minus"\n'
    async with opened_with(run_file, configured(tmp_path, text)) as (app, pilot):
        assert app.session is not None
        await press(pilot, "a")
        assert app.session.settings.budget == 1
        await press(pilot, "minus")
        assert app.session.settings.alpha == 0.65


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("e", "e"), ("?", "question_mark"), (",", "comma"), ("ctrl+x", "ctrl+x"),
        ("PgDn", "pagedown"), ("Esc", "escape"), ("f5", "f5"), ("Ctrl+?", "ctrl+question_mark"),
        ("foo", None), ("ctrl+", None), ("hyped+x", None), ("\x1b", None),
    ],
)  # fmt: skip
def test_keys_as_people_write_them(written: str, name: str | None) -> None:
    assert key_name(written) == name


def test_a_file_of_lists_in_lists_is_one_line(tmp_path: Path) -> None:
    found = configured(tmp_path, "x=" + "[" * 5000)
    assert [line.endswith("lists in lists, too many") for line in found.problems] == [True]
