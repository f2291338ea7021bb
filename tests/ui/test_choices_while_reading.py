"""The reader chooses otherwise, or leaves, while something is being read: nothing of before is taken for it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual import events

from memtui.screens import overview_types
from memtui.screens.overview import OverviewScreen
from memtui.state.fold_facts import fold_facts
from memtui.state.session import RunSession
from memtui.store.side_file import BAD_GOLD, FLAG
from memtui.widgets.lines import LineBlock
from tests.ui.driving import opened, press, settle
from tests.ui.make_run import written
from tests.ui.test_live_run import STORY, add, until


class Held:
    """A function that waits, once it was begun, until it may go on."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self.begun, self.go_on = Event(), Event()
        self._plain = plain

    def __call__(self, *args: Any, **named: Any) -> Any:
        found = self._plain(*args, **named)
        self.begun.set()
        self.go_on.wait(20)
        return found

    async def waits(self) -> None:
        """Until it is begun."""
        assert await asyncio.to_thread(self.begun.wait, 20)


@pytest.fixture
def own_run(run_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(run_file, tmp_path / "own.memtui"))


async def test_what_was_begun_before_a_question_is_left_out_is_not_kept(
    own_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = RunSession(own_run)
    try:
        (item,) = session.pages.items()[:1]
        session.mark([(FLAG, item.key, BAD_GOLD)])
        settings = session.settings
        whole = await session.ask(session.folds, settings)
        session.forget()
        held = Held(fold_facts)
        monkeypatch.setattr("memtui.state.session.fold_facts", held)
        reading = asyncio.create_task(session.ask(session.folds, settings))
        await held.waits()
        session.settings = replace(settings, without_flagged=True)
        assert session.leave_out()
        held.go_on.set()
        assert await reading == whole, "what was begun before"
        assert await session.ask(session.folds, session.settings) != whole
    finally:
        session.close()


async def test_a_tab_whose_file_is_left_while_its_facts_are_read_asks_no_more(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(RunSession.shared)
    monkeypatch.setattr(RunSession, "shared", lambda *asked: held(*asked))
    async with opened(run_file, (120, 36)) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        app.post_message(events.Key("right_square_bracket", "]"))
        await held.waits()
        screen.figures.forget()
        held.go_on.set()
        await settle(pilot)  # fails where the reading did
        assert screen.figures.report is not None, "asked again for what is shown now"


async def test_question_types_are_counted_of_the_next_file_where_the_turn_of_one_never_came(
    run_file: Path, own_run: Path
) -> None:
    async with opened(run_file, (160, 48)) as (app, pilot):
        assert app.session is not None
        held = Held(dict)
        reading = asyncio.create_task(app.session.ask(held))
        await held.waits()
        app.post_message(events.Key("j", "j"))
        screen = app.screen
        assert isinstance(screen, OverviewScreen)
        for _ in range(200):
            if screen._types._counting:
                break
            await asyncio.sleep(0.05)
        app.open_file(own_run)
        held.go_on.set()
        await reading
        await press(pilot, "2")
        block = app.screen.query_one("#lower", LineBlock)
        await until(pilot, lambda: any("by question type" in line.plain for line in block.lines))


async def test_question_types_are_not_counted_where_nobody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[None] = []
    later: list[Callable[[], object]] = []
    plain, timer = overview_types._counts, OverviewScreen.set_timer

    def counting(*asked: Any) -> Any:
        counted.append(None)
        return plain(*asked)

    def noting(self: OverviewScreen, delay: float, callback: Any = None, **more: Any) -> Any:
        if getattr(callback, "__self__", None) is self._types:
            later.append(callback)
        return timer(self, delay, callback, **more)

    monkeypatch.setattr(overview_types, "_counts", counting)
    monkeypatch.setattr(OverviewScreen, "set_timer", noting)
    path = tmp_path / "live.memtui"
    async with written(path, STORY) as sink, opened(path, (160, 48)) as (app, pilot):
        await until(pilot, lambda: bool(later))
        await press(pilot, "3")
        known = app.data_version
        await add(sink, 2, 1_000)
        await until(pilot, lambda: app.data_version > known)
        counted.clear()
        later[-1]()  # as its timer does
        await settle(pilot)
        assert not counted
        await press(pilot, "2")
        await until(pilot, lambda: bool(counted))
