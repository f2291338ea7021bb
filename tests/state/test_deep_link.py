"""A link opens the view it was copied from."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.cli import open as open_verb
from memtui.errors import UserError
from memtui.state.deep_link import choose, episode_of, link
from memtui.state.session import RunSession
from tests.ui.make_run import Story, write


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("link") / "a run.memtui"
    return asyncio.run(write(path, Story(items=2, scales=(0.0,))))


def test_a_link_gives_back_every_choice(run_file: Path) -> None:
    session = RunSession(run_file)
    row = session.pages.episode_rows([3])[3]
    session.settings = replace(
        session.settings, budget=1, alpha=0.9, judge="strict", filter='out:wrong "two words"'
    )
    words = shlex.split(link(session, "episodes", row.key))
    parser = argparse.ArgumentParser()
    open_verb.add_arguments(parser)
    args = parser.parse_args(words[1:])
    again = RunSession(args.path)
    choose(again, budget=args.budget, alpha=args.alpha, judge=args.judge, filter_text=args.filter)
    assert again.settings == session.settings
    assert args.screen == "episodes" and episode_of(again, args.episode) == 3
    assert episode_of(again, row.uid) == 3 and episode_of(again, "3") == 3
    session.close()
    again.close()


def test_what_the_file_cannot_answer_is_an_error(run_file: Path) -> None:
    session = RunSession(run_file)
    with pytest.raises(UserError, match="did you mean strict"):
        choose(session, judge="strikt")
    with pytest.raises(UserError, match="alpha"):
        choose(session, alpha=0.0)
    with pytest.raises(UserError, match="no field is called"):
        choose(session, filter_text="nonsense:1")
    with pytest.raises(UserError, match="no episode"):
        episode_of(session, "99999")
    session.close()
