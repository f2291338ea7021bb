"""A screen that is shown with its content, where the content comes before anyone sees that it is late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from textual.app import App

Read = TypeVar("Read")

AT_ONCE = 0.05
"""Seconds in which nobody sees that a picture is late."""


async def in_one_frame(app: App[Any], reading: Awaitable[Read]) -> Read:
    """What is read, with nothing painted while it is awaited: one frame instead of an empty one and a full one.

    Keys go where they went before, and what takes longer than `AT_ONCE` does not hold up the screen.
    """
    asked = asyncio.ensure_future(reading)
    try:
        with app.batch_update():
            await asyncio.wait([asked], timeout=AT_ONCE)
    except asyncio.CancelledError:
        asked.cancel()
        raise
    app.screen.check_idle()  # what was to be painted meanwhile
    return await asked
