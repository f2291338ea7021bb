"""A terminal that is gone (closed window, dropped connection) ends the app too, and soon."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ui.test_terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("state", ["idle", "busy", "in the pager", "suspended"])
def test_the_app_ends_with_its_terminal(
    state: str, run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "less")
    terminal = Terminal(str(run_file))
    terminal.read_until("Overview")
    if state == "busy":
        # More is drawn than the dead terminal will ever take.
        os.write(terminal.fd, b"3" + b"jjjjjjkkkk" * 30)
    elif state == "in the pager":
        if shutil.which("less") is None:
            pytest.skip("less is not installed")
        os.write(terminal.fd, b"o")
        terminal.read_until("answerable: n")
    elif state == "suspended":
        os.write(terminal.fd, b"\x1a")
        time.sleep(1)
    os.close(terminal.fd)
    limit = time.monotonic() + 60
    while os.waitpid(terminal.pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > limit:
            os.kill(terminal.pid, signal.SIGKILL)
            os.waitpid(terminal.pid, 0)
            raise AssertionError("still there a minute after its terminal was closed")
        time.sleep(0.2)


STUCK = """
import asyncio, os, signal, sys
from pathlib import Path
from memtui import app

async def main():
    app.PATIENCE = 0.5
    app.MemtuiApp.exit = lambda *args, **more: None
    async with app.MemtuiApp(Path(sys.argv[1])).run_test():
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(30)

asyncio.run(main())
"""


def test_an_app_that_cannot_end_in_good_order_ends_all_the_same(
    run_file: Path, tmp_path: Path
) -> None:
    script = tmp_path / "stuck.py"
    script.write_text(STUCK)
    done = subprocess.run(
        [sys.executable, str(script), str(run_file)], timeout=60, check=False, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM, done.stderr.decode()[-2_000:]
