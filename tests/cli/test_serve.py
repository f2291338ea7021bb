"""`memtui serve` answers its own pages on loopback with the app, and nobody else; Ctrl-C ends all of it."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # its stubs are not in the lock
import pytest

from memtui.cli import main
from tests.ui.make_run import Story, write

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("textual_serve") is None,
    reason="textual-serve is not installed (extra `serve`)",
)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("served") / "run.memtui"
    return asyncio.run(write(path, Story(items=2)))


class Served:
    """A server in a process of its own."""

    def __init__(self, path: Path, home: Path) -> None:
        env = os.environ | {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memtui", "serve", str(path), "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert found is not None, line
        self.url, self.port = found[0], int(found[1])

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture
def served(run_file: Path, tmp_path: Path) -> Iterator[Served]:
    one = Served(run_file, tmp_path)
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()


@pytest.mark.slow
@needs_package
async def test_the_app_is_in_the_page_and_ends_with_the_server(served: Served) -> None:
    from aiohttp import ClientSession

    async with ClientSession() as client:
        async with client.get(served.url) as answer:
            page = await answer.text()
        assert answer.status == 200 and "memtui run.memtui" in page
        assert "googleapis" not in page
        # Where the terminal takes keys; the page gives them to it, since nobody should need a mouse.
        takes_keys = "xterm-helper-textarea"
        assert f'querySelector(".{takes_keys}")' in page
        async with client.get(f"{served.url}/static/js/textual.js") as script:
            assert takes_keys in await script.text(), "the terminal calls it something else now"
        address = re.search(r'data-session-websocket-url="([^"]+)"', page)
        assert address is not None
        seen = b""
        async with client.ws_connect(f"{address[1]}?width=80&height=24") as window:
            async with asyncio.timeout(60):
                while b"Overview" not in seen:
                    seen += await window.receive_bytes()
                await window.send_json(["stdin", "3"])
                while b"Episodes" not in seen:
                    seen += await window.receive_bytes()
            server = psutil.Process(served.process.pid)
            listening = [c for c in server.net_connections() if c.status == psutil.CONN_LISTEN]
            assert {one.laddr.ip for one in listening} == {"127.0.0.1"}
            apps = server.children(recursive=True)
            assert apps
            ended = asyncio.create_task(asyncio.to_thread(served.end, signal.SIGINT))
            async for _ in window:  # as a browser does, which answers that its window is closed
                pass
            code, errors = await ended
        assert code == 0 and "Traceback" not in errors
        assert not psutil.wait_procs(apps, timeout=10)[1]


@pytest.mark.slow
@needs_package
async def test_pages_of_others_are_refused(served: Served) -> None:
    from aiohttp import ClientSession, WSServerHandshakeError

    async with ClientSession() as client:
        for headers in (
            {"Host": "evil.example"},
            {"Host": f"evil.example:{served.port}"},
            {"Host": "127.0.0.1:1"},
            {"Origin": "https://evil.example"},
            {"Origin": f"http://localhost:{served.port + 1}"},
            {"Origin": "null"},
        ):
            async with client.get(served.url, headers=headers) as answer:
                assert answer.status == 403, headers
        with pytest.raises(WSServerHandshakeError, match="403"):
            await client.ws_connect(f"{served.url}/ws", headers={"Origin": "http://evil.example"})
        own = {"Origin": f"http://localhost:{served.port}"}
        async with client.get(served.url, headers=own) as answer:
            assert answer.status == 200
    code, errors = await asyncio.to_thread(served.end, signal.SIGTERM)
    assert code == 0 and "Traceback" not in errors


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["serve", *words]) in (2, 3)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_what_cannot_be_served_is_one_line(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.memtui"
    broken.write_text("no database, but long enough to be looked at " * 10)
    assert "no file or folder" in refused(capsys, "nowhere.memtui")
    assert "not a run file" in refused(capsys, str(broken))
    for host in ("0.0.0.0", "192.168.1.1", "::", "example.org"):
        assert "--anyone" in refused(capsys, str(run_file), "--host", host)
    assert "--port" in refused(capsys, str(run_file), "--port", "70000")


@needs_package
def test_a_port_that_is_taken_is_one_line(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert "--port 0 takes a free port" in refused(capsys, str(run_file), "--port", port)


def test_without_the_package_it_says_how_to_add_it(
    run_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "memtui[serve]" in refused(capsys, str(run_file))
