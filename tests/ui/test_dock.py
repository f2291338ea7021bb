"""The dock of a run that is being written: what goes on, what waits, what went wrong, and silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.store.events import RunStateEvent
from tests.ui.beating import BUSY, GOING_ON, beat, broken, going_on
from tests.ui.driving import opened, press, reversed_text, screen_text, settle
from tests.ui.make_run import ARMS, at
from tests.ui.test_live_run import until

FRESH = -3600.0
"""A heartbeat of the near future: however slow the machine, it is never stale."""


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_dock(
    size: tuple[int, int], tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    async with going_on(tmp_path / "live.memtui") as sink:
        await beat(sink, BUSY, age=FRESH)
        async with opened(tmp_path / "live.memtui", size) as (app, pilot):
            await until(pilot, lambda: "paused 4.0 s" in screen_text(app))
            golden(f"dock-{size[0]}x{size[1]}", screen_text(app))


async def test_the_dock_without_colour(
    tmp_path: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with going_on(tmp_path / "live.memtui") as sink:
        await broken(sink, GOING_ON, 300)
        await beat(sink, BUSY, age=FRESH)
        async with opened(tmp_path / "live.memtui") as (app, pilot):
            await until(pilot, lambda: "ALARM" in screen_text(app))
            golden("dock-alarm-no-colour", reversed_text(app))


async def test_an_alarm_comes_while_the_run_goes_on_and_stays_when_it_has_ended(
    tmp_path: Path,
) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path) as sink, opened(path, (120, 36)) as (app, pilot):
        await until(pilot, lambda: "in flight 5" in screen_text(app))
        assert "ALARM" not in screen_text(app)
        await broken(sink, GOING_ON, 300)
        said = "ALARM all arms: 301 of 324 episodes end with memory_error"
        await until(pilot, lambda: said in screen_text(app))
        await sink.emit(RunStateEvent("finished", at(3_900)))
        await sink.commit()
        await until(pilot, lambda: "finished" in screen_text(app))
        assert said in screen_text(app) and "in flight" not in screen_text(app)


async def test_a_heartbeat_alone_brings_the_dock_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path) as sink, opened(path, (120, 36)) as (app, pilot):
        await until(pilot, lambda: "in flight 5" in screen_text(app))
        await beat(sink, BUSY | {"in_flight": BUSY["in_flight"][:2], "in_flight_total": 2})
        await until(pilot, lambda: "in flight 2" in screen_text(app))


async def test_a_new_alarm_is_said_on_whatever_screen(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path) as sink, opened(path, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "3")
        await broken(sink, GOING_ON, 300)
        await until(pilot, lambda: "ALARM" in screen_text(app))
        assert "3 Episodes" in screen_text(app)


async def test_an_alarm_is_about_the_run_and_not_about_the_filter(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path, replace(GOING_ON, items=12)), opened(path) as (app, pilot):
        session = app.session
        assert session is not None
        app.change(replace(session.settings, filter="end:memory_error"))
        await settle(pilot)
        assert "ALARM" not in screen_text(app)


async def test_silence_is_said_with_its_age_instead_of_rates(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path) as sink:
        await beat(sink, BUSY, age=500.0)
        async with opened(path) as (app, _):
            shown = screen_text(app)
            assert "no sign of life for 8m2" in shown and "5 were in flight" in shown
            assert "/min" not in shown and "rpm" not in shown
            assert "running" in shown.splitlines()[0]


async def test_a_driver_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path) as sink:
        await beat(sink, BUSY, age=500.0)
    async with opened(path, (120, 36)) as (app, _):
        shown = screen_text(app)
        assert "interrupted" in shown.splitlines()[0]
        assert "its driver is gone: last sign of life 8m2" in shown
        assert "5 episodes in flight; run it again to continue" in shown


async def test_running_stays_in_row_1_on_every_screen_at_80_columns(tmp_path: Path) -> None:
    path = tmp_path / "a-run-with-quite-a-long-name.memtui"
    async with going_on(path), opened(path) as (app, pilot):
        for keys in (("2",), ("3", "e"), ("enter",), ("5",), ("6",)):
            await press(pilot, *keys)
            assert "▸ running" in screen_text(app).splitlines()[0]


async def test_a_run_that_did_not_end_says_so_on_every_screen_at_80_columns(tmp_path: Path) -> None:
    path = tmp_path / "a-run-with-quite-a-long-name.memtui"
    async with going_on(path) as sink:
        await beat(sink, BUSY, age=500.0)
    async with opened(path) as (app, pilot):
        for keys in (("2",), ("3", "e"), ("enter",), ("5",), ("6",)):
            await press(pilot, *keys)
            assert "◌ interrupted" in screen_text(app).splitlines()[0]


async def test_twelve_arms_at_80x24_leave_room_for_what_goes_on(tmp_path: Path) -> None:
    arms = tuple((f"{m}-{n}", a, c, s) for n in (1, 2) for m, a, c, s in ARMS)
    story = replace(GOING_ON, arms=arms, scales=(0.0,), items=2)
    async with going_on(tmp_path / "live.memtui", story) as sink:
        await beat(sink, BUSY, age=FRESH)
        async with opened(tmp_path / "live.memtui") as (app, pilot):
            await until(pilot, lambda: "5 in flight" in screen_text(app))
            shown = screen_text(app)
            assert "12 of 24" in shown and "Which town did" in shown
