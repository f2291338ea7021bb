"""A package in a process of its own: it may crash, hang or phone home, and an episode ends all the same."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import EndReason
from runners.failures import ProviderError, end_reason_of
from runners.memory.conformance import check_system
from runners.memory.conformance_material import haystack, session
from runners.memory.conformance_rules import RULES
from runners.memory.contract import MemoryError_, SessionText
from runners.memory.packages import system as package_system
from runners.memory.packages.check import CLOSING
from runners.memory.packages.pool import WorkerPool
from runners.memory.packages.recipes import HERE, RECIPES
from runners.memory.packages.system import PackageSystem, PackageView
from runners.memory.packages.worker_process import WorkerFailed, WorkerProcess, WorkerTimeout
from runners.models.scripted_door import Messages, Reply, ScriptedDoor

psutil: Any = import_module("psutil")
FAKE = Path(__file__).with_name("fake_package.py")
WORKERS = HERE / "workers"


def every_message(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
    return [message["content"] for message in messages]


def launch(**environ: str) -> WorkerProcess:
    command = [sys.executable, str(FAKE)]
    return WorkerProcess("pkg:fake", command, {"PYTHONPATH": str(WORKERS), **environ})


@pytest.fixture
def system() -> Iterator[PackageSystem]:
    made = fake()
    yield made
    made.pool.close()


def fake(start: Callable[[], WorkerProcess] = launch, **options: Any) -> PackageSystem:
    return PackageSystem.sharing(RECIPES["pkg:mem0-2"], WorkerPool(start, 2), **options)


async def opened(
    system: PackageSystem, *said: str, door: ScriptedDoor | None = None
) -> PackageView:
    sessions = [session(text) for text in said]
    artifacts = {one.sha: await system.prepare(one, None) for one in sessions}
    texts = {one.sha: one for one in sessions}
    return await system.open(
        haystack(sessions), artifacts, texts, None, door or ScriptedDoor(every_message)
    )


async def found(view: PackageView, query: str) -> list[str | None]:
    result = await view.call("memory_search", {"query": query})
    return [hit.text for hit in result.hits]


async def test_a_package_keeps_the_contract() -> None:
    pool = WorkerPool(launch, 1)
    report = await check_system(
        lambda: PackageSystem.sharing(RECIPES["pkg:mem0-2"], pool),
        responder=every_message,
        rules=[rule for rule in RULES if rule != CLOSING],
    )
    pool.close()
    assert report.ok, str(report)
    assert pool.started == 1


async def test_closing_ends_the_processes_and_a_view_opened_later_starts_one_anew() -> None:
    made: list[PackageSystem] = []
    tried: list[str] = []

    def owner() -> PackageSystem:
        one = PackageSystem(RECIPES["pkg:mem0-2"])
        one.pool = WorkerPool(launch, 1)
        made.append(one)
        return one

    report = await check_system(
        owner, responder=every_message, rules=["closing gives back"], on_rule=tried.append
    )
    assert tried == ["closing gives back"]
    (check,) = report.checks
    assert check.status == "passed" and "all gone" in check.detail, str(report)
    assert made[-1].pool.started == 2, "one before it was closed, one after"


async def test_a_system_that_shares_its_processes_leaves_them_to_the_others() -> None:
    pool = WorkerPool(launch, 1)
    one, other = (PackageSystem.sharing(RECIPES["pkg:mem0-2"], pool) for _ in range(2))
    view = await opened(other, "the cat sat")
    await one.close()
    assert await found(view, "the cat sat") == ["[2024-03-01] the cat sat"]
    pool.close()


async def test_hits_name_sessions_and_dates(system: PackageSystem) -> None:
    view = await opened(system, "the cat sat", "a dog ran", "the cat left")
    result = await view.call("memory_search", {"query": "the cat left", "k": 2})
    assert [hit.text for hit in result.hits] == [
        "[2024-03-03] the cat left",
        "[2024-03-01] the cat sat",
    ]
    positions = haystack([session(t) for t in ("the cat sat", "a dog ran", "the cat left")])
    assert [hit.sources for hit in result.hits] == [
        (positions.positions[2].token,),
        (positions.positions[0].token,),
    ]
    assert view.stored == 3


async def test_a_crash_fails_the_episode_and_the_next_one_gets_a_new_process(
    system: PackageSystem,
) -> None:
    view = await opened(system, "one thing")
    with pytest.raises(WorkerFailed, match=r"exit code 3\): something broke") as caught:
        await found(view, "CRASH")
    assert end_reason_of(caught.value) is EndReason.MEMORY_ERROR
    with pytest.raises(MemoryError_):
        await found(view, "one")
    await view.close()
    again = await opened(system, "another thing")
    assert await found(again, "another") == ["[2024-03-01] another thing"]
    assert system.pool.started == 2


async def test_a_crash_while_it_is_filled_is_the_systems_failure(system: PackageSystem) -> None:
    with pytest.raises(WorkerFailed, match="exit code 3"):
        await opened(system, "one thing", "CRASH")
    assert await found(await opened(system, "fine"), "fine")


async def test_a_package_that_cannot_start_is_the_systems_failure() -> None:
    broken = fake(lambda: launch(FAKE_START="crash"))
    for _ in range(2):
        with pytest.raises(WorkerFailed, match="exit code 7"):
            await opened(broken, "x")
    assert broken.pool.started == 2


async def test_what_a_package_raises_is_told(system: PackageSystem) -> None:
    view = await opened(system, "x")
    with pytest.raises(WorkerFailed, match="RuntimeError: the package cannot do this") as caught:
        await found(view, "RAISE")
    assert "fake_package.py" in caught.value.__notes__[0]
    assert await found(view, "x"), "the process lives on"


async def test_a_reply_that_cannot_be_read_is_counted(system: PackageSystem) -> None:
    view = await opened(system, "x", "UNREADABLE", "y")
    assert view.stored == 2
    result = await view.call("memory_search", {"query": "x"})
    assert result.data == {"unread_batches": 1, "unread_why": "the reply is no JSON"}
    assert not (await (await opened(system, "x")).call("memory_search", {"query": "x"})).data


async def test_a_hang_ends_the_process() -> None:
    system = fake(search_s=0.5)
    view = await opened(system, "x")
    pid = view._worker.pid
    with pytest.raises(WorkerTimeout, match=r"did not answer `search` in 0\.5 s") as caught:
        await found(view, "HANG")
    assert end_reason_of(caught.value) is EndReason.MEMORY_ERROR
    assert not psutil.pid_exists(pid)
    assert await found(await opened(system, "y"), "y")
    system.pool.close()


async def test_a_call_that_is_given_up_retires_its_process(system: PackageSystem) -> None:
    view, other = await opened(system, "x"), await opened(system, "y")
    third = await opened(system, "z")
    assert third._worker is view._worker, "two processes, and the third view shares the first"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await found(view, "HANG")
    assert await found(third, "z"), "others in the same process are not harmed"
    await view.close()
    assert (await opened(system, "w"))._worker is not third._worker
    await third.close()
    assert not psutil.pid_exists(third._worker.pid)
    assert await found(other, "y")


async def test_what_nobody_waits_for_any_more_fails_without_a_word(system: PackageSystem) -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, said: complaints.append(said))
    gc.freeze()  # what was there before is not looked through twenty times
    try:
        view = await opened(system, "x")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await found(view, "HANG")
        view._worker.kill()
        for _ in range(20):
            gc.collect()
            await asyncio.sleep(0.01)
    finally:
        gc.unfreeze()
    assert complaints == []


async def test_printing_does_not_break_the_protocol(system: PackageSystem) -> None:
    view = await opened(system, "PRINT", "x")
    assert await found(view, "PRINT")


async def test_no_name_but_loopback_is_looked_up(system: PackageSystem) -> None:
    view = await opened(system, "x")
    network = await view._worker.ask("network", 5)
    assert network == {"look_ups": network["look_ups"], "refused": []}
    assert set(network["look_ups"]) <= {"127.0.0.1", "localhost"}
    with pytest.raises(WorkerFailed, match="may not leave this machine"):
        await found(view, "LOOK UP telemetry.example.org")
    assert (await view._worker.ask("network", 5))["refused"] == ["telemetry.example.org"]


async def test_the_users_environment_is_not_handed_over(
    system: PackageSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-users-own")
    view = await opened(system, "x")
    environ = psutil.Process(view._worker.pid).environ()
    assert "sk-users-own" not in json.dumps(environ)
    assert environ["HOME"] == str(view._worker.folder)


async def test_a_model_that_fails_is_not_the_packages_failure(system: PackageSystem) -> None:
    def fails(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
        return ProviderError("credit is used up")

    with pytest.raises(ProviderError, match="credit is used up"):
        await opened(system, "x", door=ScriptedDoor(fails))


async def test_a_model_that_stalls_is_not_the_packages_failure() -> None:
    class Stalling(ScriptedDoor):
        async def complete(self, *args: Any, **keywords: Any) -> Any:
            await asyncio.sleep(3600)

    system = fake(add_s=0.5)
    with pytest.raises(ProviderError, match="waited for a model"):
        await opened(system, "x", door=Stalling())
    system.pool.close()


async def test_closing_leaves_no_process_and_no_folder(system: PackageSystem) -> None:
    view = await opened(system, "CHILD", "x")
    worker = view._worker
    family = [psutil.Process(worker.pid), *psutil.Process(worker.pid).children(recursive=True)]
    assert len(family) == 2
    folder = worker.folder
    await view.close()
    system.pool.close()
    _, alive = psutil.wait_procs(family, timeout=5)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
    assert not folder.exists()
    assert not [c for c in psutil.Process().children() if c.status() == psutil.STATUS_ZOMBIE]


async def test_who_ends_a_process_that_died_waits_until_nothing_of_it_is_left(
    system: PackageSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a process is killed just before a run breaks off: its state must not stay behind."""
    worker = (await opened(system, "x"))._worker
    real, begun = shutil.rmtree, threading.Event()

    def slow(folder: Path, **options: Any) -> None:
        begun.set()
        time.sleep(0.2)
        real(folder, **options)

    monkeypatch.setattr(shutil, "rmtree", slow)
    os.kill(worker.pid, signal.SIGKILL)
    assert await asyncio.to_thread(begun.wait, 5)
    assert worker.folder.exists()
    await asyncio.to_thread(system.pool.close)
    assert not worker.folder.exists()


async def test_a_system_that_is_dropped_ends_its_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(package_system, "start_worker", lambda recipe: launch())
    system = PackageSystem(RECIPES["pkg:mem0-2"])
    view = await opened(system, "x")
    pid = view._worker.pid
    del view, system
    for _ in range(50):
        if not psutil.pid_exists(pid):
            break
        await asyncio.sleep(0.1)
    assert not psutil.pid_exists(pid)


def test_the_process_ends_with_its_parent(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
sys.path[:0] = {[str(FAKE.parents[2])]!r}
from tests.memory.test_package_workers import launch
async def main():
    worker = launch()
    await worker.ready()
    worker.tell("open", view="v", settings={{}})
    worker.tell("search", view="v", query="CHILD", k=1)
    worker.tell("open", view="w", settings={{}})
    worker.tell("search", view="w", query="HANG", k=1)
    print(worker.pid, worker.folder, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid, folder = parent.stdout.readline().split(" ", 1)
    group = int(pid)
    assert os.getpgid(group) == group
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not _alive(group) and not Path(folder.strip()).exists():
            break
        time.sleep(0.1)
    assert not _alive(group)
    assert not Path(folder.strip()).exists()


def _alive(group: int) -> list[Any]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


async def test_no_environment_is_a_matter_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    one: SessionText = session("x")
    system = PackageSystem(RECIPES["pkg:mem0-2"])
    artifacts = {one.sha: await system.prepare(one, None)}
    with pytest.raises(UserError, match="run `memtui systems install pkg:mem0-2`"):
        await system.open(haystack([one]), artifacts, {one.sha: one}, None, ScriptedDoor())
