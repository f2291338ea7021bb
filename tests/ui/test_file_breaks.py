"""The file goes bad while it is on screen: the app says so, whatever is pressed, and stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from memtui.store.errors import StoreError
from memtui.store.reader import RunReader
from tests.ui.driving import opened, press, screen_text
from tests.ui.make_run import Story, write

KEYS = (
    *("j", "k", "G", "g", "slash", "escape", "e", "w", "v", "0", "s", "S", "minus", "equals_sign"),
    *("a", "A", "J", "enter", "l", "h", "m", "M", "L", "H", "escape", "i", "escape", "y", "c"),
    *("x", "escape", "t", "n", "N", "question_mark", "escape", "tab", "z", "z"),
)


@pytest.mark.parametrize("screen", ["2", "3", "4", "5", "6"])
async def test_no_key_ends_the_app_on_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screen: str
) -> None:
    path = tmp_path / "a.memtui"
    await write(path, Story(items=4))

    def damaged(self: RunReader, sql: str, params: Sequence[object] = ()) -> list[object]:
        raise StoreError(f"{self.path} is damaged (database disk image is malformed)")

    async with opened(path, (120, 36), notices=True) as (app, pilot):
        await press(pilot, "3", "j", screen)
        monkeypatch.setattr(RunReader, "query", damaged)
        for key in KEYS:
            await press(pilot, key)
            assert app.is_running, f"{key} ended the app"
        await press(pilot, "escape", "3")
        assert "unreadable" in screen_text(app)
