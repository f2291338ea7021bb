"""Driving the app without a terminal: open, press, wait until nothing moves, read the screen."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled, WorkerFailed

from memtui.app import ChildRun, MemtuiApp

CHARACTERS = {"slash": "/", "colon": ":", "space": " ", "question_mark": "?", "minus": "-"}
MOST_TURNS = 20_000
"""Turns of the event loop after which an app that is still busy is taken for one that never rests."""


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until readers have answered and the screen has been drawn: nothing is left to do.

    No clock is waited for: once all else is done, what is left to be drawn is drawn as `Pilot.pause`
    draws it, and not with the next frame.
    """
    asked: Screen[Any] | None = None
    turns = 0
    while turns < MOST_TURNS:
        ran = await _run_on(MOST_TURNS - turns)
        turns += 1 + ran
        if ran:
            asked = None
        app = pilot.app
        if app._exit:
            return  # it draws nothing any more
        running = [worker for worker in app.workers if not worker.is_finished]
        for worker in running:
            # A newer choice cancels the reading of an older one; what failed is shown by the app.
            with contextlib.suppress(WorkerCancelled, WorkerFailed):
                await worker.wait()
        if running:
            asked = None
        elif _undrawn(app.screen):
            asked = None
            app.screen._on_timer_update()
            if _undrawn(app.screen):
                await asyncio.sleep(0.001)
        elif asked is app.screen:
            return
        else:
            # Nothing can run, yet a widget may be waiting amid a message: each is asked to take one more.
            asked = app.screen
            await pilot._wait_for_screen()
    raise AssertionError(f"the app comes to no rest:\n{screen_text(pilot.app)}")  # type: ignore[arg-type]  # the app under test


async def _run_on(most: int) -> int:
    """Let everything run that can; how many turns that took, 0 where nothing could."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # asyncio's, told to nobody
    for turn in range(most):
        await asyncio.sleep(0)
        if not ready:
            return turn
    return most


def _undrawn(screen: Screen[Any]) -> bool:
    """Whether the screen is still to be laid out or drawn."""
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._dirty_widgets
        or screen._callbacks
    )


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one by one, each to its end (`Pilot.press` sleeps 60 ms more for each)."""
    for key in keys:
        character = key if len(key) == 1 else CHARACTERS.get(key)
        pilot.app.post_message(events.Key(key, character))
        await settle(pilot)


@asynccontextmanager
async def opened(
    path: Path,
    size: tuple[int, int] = (80, 24),
    *,
    theme: str = "dark",
    ascii_only: bool = False,
    child: ChildRun | None = None,
    notices: bool = False,
) -> AsyncIterator[tuple[MemtuiApp, Pilot[Any]]]:
    """The app on a file or folder, drawn and at rest."""
    app = MemtuiApp(path, theme=theme, ascii_only=ascii_only, child=child)
    async with app.run_test(size=size, notifications=notices) as pilot:
        await settle(pilot)
        yield app, pilot


def screen_text(app: MemtuiApp) -> str:
    """What the screen shows, one line per row, blanks at the end left out."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def reversed_text(app: MemtuiApp) -> str:
    """As `screen_text`, with what is drawn in reverse between ⟦ and ⟧."""
    rows = []
    for strip in app.screen._compositor.render_strips():
        row, lit = "", False
        for segment in strip:
            now = bool(segment.style and segment.style.reverse)
            if now != lit:
                row += "⟦" if now else "⟧"
                lit = now
            row += segment.text
        rows.append((row + "⟧" if lit else row).rstrip())
    return "\n".join(rows)


def styled_rows(app: MemtuiApp, rows: range) -> str:
    """Rows of the screen with the style of every run of cells: what colours say, in a text."""
    shown = []
    for strip in [*app.screen._compositor.render_strips()][rows.start : rows.stop]:
        row = ""
        for segment in strip:
            if segment.text.strip():
                row += f"{{{segment.style}}}{segment.text.strip()} "
        shown.append(row.rstrip())
    return "\n".join(shown)
