"""Every name that is looked up, and every address connected to, while systems run: none but loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bench_prepare import measure
from runners.memory.conformance_material import haystack, session
from runners.memory.packages.pool import WorkerPool
from runners.memory.packages.recipes import RECIPES
from runners.memory.packages.system import PackageSystem
from runners.memory.registry import OWN
from runners.models import local_server
from runners.models.local_server import LocalModel, LocalServer, local_model, problem
from runners.models.scripted_door import ScriptedDoor
from tests.memory.fake_minilm import FakeMiniLM
from tests.memory.sockets_seen import SocketWatch, addresses_of, beyond
from tests.memory.test_package_workers import every_message, found, launch

SMALLEST = "local/smollm2-135m"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_recorders: list[list[str]] = []


def _hook(event: str, args: tuple[Any, ...]) -> None:
    """Sees what Python's own socket module does, whoever asks it: also asyncio's threads."""
    if not _recorders or not event.startswith("socket."):
        return
    if event in _LOOK_UPS:
        _recorders[-1].append(str(args[0]))
    elif event in _SENDING and isinstance(args[1], tuple):
        _recorders[-1].append(str(args[1][0]))


sys.addaudithook(_hook)  # for good: hooks cannot be taken back, so it only listens when asked


@pytest.fixture
def looked_up() -> Iterator[list[str]]:
    _recorders.append([])
    yield _recorders[-1]
    _recorders.pop()


@pytest.mark.parametrize("name", OWN)
async def test_a_run_of_our_own_looks_up_nothing(
    name: str, tmp_path: Path, fake_minilm: FakeMiniLM, looked_up: list[str]
) -> None:
    row = await measure(name, {}, tmp_path, items=2, scales=(0, 6))
    assert row.episodes > 0 and looked_up == []


async def test_a_package_reaches_its_gateway_and_nothing_else(looked_up: list[str]) -> None:
    pool = WorkerPool(launch, 1)
    system = PackageSystem.sharing(RECIPES["pkg:mem0-2"], pool)
    sessions = [session("the cat sat"), session("a dog ran")]
    artifacts = {one.sha: await system.prepare(one, None) for one in sessions}
    texts = {one.sha: one for one in sessions}
    door = ScriptedDoor(every_message)
    with SocketWatch() as watch:
        view = await system.open(haystack(sessions), artifacts, texts, None, door)
        assert len(await found(view, "the cat sat")) == 2
    assert door.counts["ingest", "complete"] == 2, "the package did reach the gateway"
    await view.close()
    assert set(looked_up) <= LOOPBACK
    assert await pool.refused() == ()
    assert beyond(watch.seen) == []
    pool.close()


def completion(base: str) -> dict[str, Any]:
    body = {"model": "x", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 4}
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request) as reply:
        found: dict[str, Any] = json.load(reply)
    return found


async def test_the_model_server_listens_to_this_machine_alone(
    looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real one where it is installed, in native code; else the process that stands in for it."""
    if problem(SMALLEST) is None:
        model = local_model(SMALLEST, 1, 512)
    else:
        monkeypatch.setattr(local_server, "_CHILD", "tests.models.served_model")
        model = LocalModel("stand-in", Path("none"))
    server = LocalServer(model)
    with SocketWatch() as watch:
        await server.start()
        reply = await asyncio.to_thread(completion, server.url)
        await server.close()
    assert reply["choices"][0]["message"]["content"] is not None
    assert watch.seen >= {"tcp 127.0.0.1"} and beyond(watch.seen) == []
    assert looked_up and set(looked_up) <= LOOPBACK


def test_the_watch_sees_a_socket_that_is_open_to_all() -> None:
    code = "import socket, sys; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 0));"
    code += " print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None and child.stdin is not None
        child.stdout.readline()
        assert beyond(addresses_of([child.pid])) == ["udp 0.0.0.0"]
        child.stdin.close()


def test_the_recorder_sees_a_name(looked_up: list[str]) -> None:
    socket.getaddrinfo("localhost", 80)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", 9), timeout=0.1)
    assert looked_up[0] == "localhost" and "127.0.0.1" in looked_up
