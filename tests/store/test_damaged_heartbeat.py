"""A damaged heartbeat takes nothing but the state out of a file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.store.reader import open_run
from memtui.store.tail import Changes
from memtui.store.workspace import summarise
from tests.store import store_events as make
from tests.ui.driving import opened, screen_text, settle

DAMAGES = (
    "snapshot='{not json'", "snapshot=x'ff00'", "snapshot='[1]'", "at='yesterday'", "at=12",
    "at='2026-01-01T00:00:00'", "pid='abc'",
)  # fmt: skip


def damaged(path: Path, damage: str) -> Path:
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET state='running'")
        row = (1, "2026-01-01T00:00:00+00:00", 7, "here", "{}")
        connection.execute("INSERT OR REPLACE INTO heartbeat VALUES(?,?,?,?,?)", row)
        connection.execute(f"UPDATE heartbeat SET {damage}")
    return path


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_rest_of_the_file_is_read(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(tmp_path / "a.memtui", damage)
    with open_run(path) as reader:
        beat = reader.heartbeat()
        assert beat is not None and beat.damaged and beat.snapshot == {}
        assert reader.progress().done == 1
    summary = summarise(path)
    assert (summary.state, summary.heartbeat_age) == ("unknown", None)
    assert summary.warning.startswith("its heartbeat is damaged")
    assert main(["report", str(path), "--no-bootstrap"]) == 0
    assert "\nunknown · 1 of " in capsys.readouterr().out
    assert main(["show", str(path), "--now"]) == 0
    assert main(["ls", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "! a.memtui: its heartbeat is damaged" in said


def test_a_good_heartbeat_is_none_of_these(tmp_path: Path) -> None:
    summary = summarise(damaged(tmp_path / "a.memtui", "pid=8"))
    assert summary.state == "interrupted" and not summary.warning
    assert summary.beat is not None and summary.beat.pid == 8


async def test_the_app_opens_it_and_says_so(tmp_path: Path) -> None:
    path = damaged(tmp_path / "a.memtui", DAMAGES[0])
    async with opened(path, (120, 30), notices=True) as (app, _):
        shown = screen_text(app)
        assert "? state unknown" in shown.splitlines()[0]
        assert "its heartbeat is damaged" in shown


async def test_the_app_goes_on_saying_so_until_it_is_sound(tmp_path: Path) -> None:
    path = damaged(tmp_path / "a.memtui", "pid=8")

    def set_to(damage: str, note: str) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE heartbeat SET {damage}")
            connection.execute("UPDATE run SET note=?, rev=rev+1", (note,))

    async with opened(path, (120, 30), notices=True) as (app, pilot):

        async def until(there: Callable[[], bool]) -> None:
            for _ in range(100):
                await asyncio.sleep(0.05)
                await settle(pilot)
                if there():
                    return
            raise AssertionError(screen_text(app))

        session = app.session
        assert session is not None and not session.header.warning
        set_to("snapshot='{not json', at='2026-01-01T00:00:02+00:00'", "damaged")
        await until(lambda: "its heartbeat is damaged" in screen_text(app))
        changed = Changes(0, "running", run=True)  # the note, and nothing of the heartbeat
        header = await session.ask(session.changed_header, changes=changed)
        assert header.warning == session.header.warning != ""
        set_to("snapshot='{}', at='2026-01-01T00:00:03+00:00'", "sound")
        await until(lambda: not session.header.warning)
