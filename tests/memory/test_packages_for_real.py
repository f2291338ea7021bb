"""The published packages themselves, installed from their pins and held to the contract.

Scripted replies stand in for the model, hashed words for the embedder; everything else is real: the
environment, the process, the client libraries, the gateway.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtui import cli
from memtui.errors import UserError
from memtui.model import EndReason
from runners.failures import end_reason_of
from runners.memory.conformance import NOT_APPLICABLE
from runners.memory.conformance_material import haystack, session
from runners.memory.conformance_rules import RULES
from runners.memory.packages import environment
from runners.memory.packages.check import OWN_NETWORK, check_package
from runners.memory.packages.recipes import RECIPES, Recipe
from runners.memory.packages.replies import REPLIES
from runners.memory.packages.system import PackageSystem, PackageView
from runners.memory.packages.worker_process import WorkerFailed
from runners.models.scripted_door import Messages, Reply, ScriptedDoor
from tests.memory.sockets_seen import SocketWatch, beyond

pytestmark = pytest.mark.slow

TRIED = ("pkg:mem0-2", "pkg:graphiti")
LONG = ("scratch equivalence", "200 kB session", "k is respected")
"""Rules that fill more than a hundred sessions: minutes, where a session takes half a second."""
FACTS = ("Ann moved to Lisbon.", "Ann adopted a greyhound.", "Ann passed the sailing exam.")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments outlive a test run: what was installed once is there the next time."""
    folder = Path(tempfile.gettempdir()) / f"memtui-test-packages-{os.getuid()}"
    monkeypatch.setenv("MEMTUI_HOME", str(folder))


def installed(name: str) -> Recipe:
    """The recipe, its environment made; skips only where no package index answers."""
    recipe = RECIPES[name]
    if environment.state(recipe) == "ready":
        return recipe
    if not index_answers():
        pytest.skip(f"no package index can be reached, so {name} cannot be installed")
    assert cli.main(["systems", "install", name]) == 0
    return recipe


def index_answers() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = ["download", "--quiet", "--no-deps", "--retries", "1", "--timeout", "10", "-d"]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *command, folder, "idna"],
            capture_output=True,
            check=False,
        )
    return done.returncode == 0


async def opened(
    system: PackageSystem, door: ScriptedDoor, said: tuple[str, ...] = FACTS
) -> PackageView:
    sessions = [session(text) for text in said]
    artifacts = {one.sha: await system.prepare(one, None) for one in sessions}
    texts = {one.sha: one for one in sessions}
    return await system.open(haystack(sessions), artifacts, texts, None, door)


async def test_mem0_2_keeps_the_contract() -> None:
    report = await check_package(installed("pkg:mem0-2"))
    assert report.ok, str(report)
    assert [check.rule for check in report.checks] == [*RULES, OWN_NETWORK]
    applied = [check for check in report.checks if check.status != NOT_APPLICABLE]
    assert len(applied) >= len(RULES) - 3


async def test_graphiti_keeps_the_contract() -> None:
    rules = [rule for rule in RULES if rule not in LONG]
    report = await check_package(installed("pkg:graphiti"), rules=rules)
    assert report.ok, str(report)
    assert [check.rule for check in report.checks] == [*rules, OWN_NETWORK]
    limits = [c.rule for c in report.checks if c.detail.startswith("known limit of graphiti-core")]
    assert limits == ["scripts without spaces"]


@pytest.mark.parametrize("name", TRIED)
async def test_a_haystack_is_asked_and_answered_the_same_in_every_run(name: str) -> None:
    recipe = installed(name)
    asked: list[list[Any]] = []
    found = []
    shared, fresh = PackageSystem(recipe, workers=1), PackageSystem(recipe, workers=1)
    # The second haystack is filled beside another in the same process, the third in one of its own.
    for system, said in ((shared, FACTS[:1]), (shared, FACTS), (fresh, FACTS)):
        door = ScriptedDoor(REPLIES[name])
        view = await opened(system, door, said)
        hits = (await view.call("memory_search", {"query": FACTS[0]})).hits
        asked.append([one.messages for one in door.asked])
        found.append(hits)
    shared.pool.close()
    fresh.pool.close()
    assert asked[1] == asked[2]
    assert found[1] == found[2] != ()
    assert found[0][0].text == found[1][0].text


@pytest.mark.parametrize("name", TRIED)
async def test_a_session_is_read_under_its_own_date_and_nobody_else_is_asked(name: str) -> None:
    door = ScriptedDoor(REPLIES[name])
    system = PackageSystem(installed(name))
    # Its own word is that of an audit hook; native code and children show in their sockets.
    with SocketWatch() as watch:
        view = await opened(system, door)
        hits = (await view.call("memory_search", {"query": FACTS[2]})).hits
        told = await view._worker.ask("network", 10)
    assert set(told["look_ups"]) <= {"127.0.0.1", "localhost"} and told["refused"] == []
    assert watch.seen >= {"tcp 127.0.0.1"} and beyond(watch.seen) == []
    prompts = [one.text for one in door.asked]
    dates = [re.findall(r"2024-03-0[123]", prompt) for prompt in prompts]
    first, *_, last = filter(None, dates)
    assert (first[0], last[-1]) == ("2024-03-01", "2024-03-03")
    today = datetime.now(UTC).date().isoformat()
    assert today not in "".join(prompts)
    assert hits[0].text is not None and hits[0].text.startswith("[2024-03-03] Ann passed")
    await view.close()
    system.pool.close()


@pytest.mark.parametrize("name", TRIED)
async def test_a_killed_process_is_the_systems_failure_and_is_replaced(name: str) -> None:
    system = PackageSystem(installed(name), workers=1)
    view = await opened(system, ScriptedDoor(REPLIES[name]), FACTS[:1])
    os.kill(view._worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerFailed, match="signal SIGKILL") as caught:
        await view.call("memory_search", {"query": "Lisbon"})
    assert end_reason_of(caught.value) is EndReason.MEMORY_ERROR
    await view.close()
    again = await opened(system, ScriptedDoor(REPLIES[name]), FACTS[:1])
    assert (await again.call("memory_search", {"query": FACTS[0]})).hits
    assert system.pool.started == 2
    system.pool.close()


@pytest.mark.parametrize("name", TRIED)
async def test_nonsense_from_the_model_is_counted_and_survived(name: str) -> None:
    def nonsense(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
        return "I would rather not."

    system = PackageSystem(installed(name))
    view = await opened(system, ScriptedDoor(nonsense), FACTS[:2])
    result = await view.call("memory_search", {"query": "Lisbon"})
    assert not result.hits
    assert result.data["unread_batches"] == 2
    assert view.stored == 0
    system.pool.close()


async def test_a_run_without_a_model_is_told_so() -> None:
    def no_model(messages: Messages, schema: Mapping[str, Any] | None) -> Reply:
        return UserError("the run names no model")

    system = PackageSystem(installed("pkg:mem0-2"))
    with pytest.raises(UserError, match="names no model"):
        await opened(system, ScriptedDoor(no_model), FACTS[:1])
    system.pool.close()
