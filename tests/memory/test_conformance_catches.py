"""A suite that nothing fails is worth nothing: each faulty system breaks the rule that names its fault."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest

from runners.memory import conformance_limits
from runners.memory.conformance import check_system
from runners.memory.conformance_rules import RULES
from runners.memory.contract import Door, MemorySystem, SessionText
from runners.memory.network_guard import NetworkRefused, no_network
from tests.memory.faulty_systems import FAULTS, LeavesAProcess
from tests.memory.plain_system import Plain, Words


async def test_the_system_without_a_fault_passes() -> None:
    report = await check_system(Plain)
    assert report.ok, str(report)


@pytest.mark.parametrize(("rule", "factory"), FAULTS)
async def test_the_fault_breaks_its_rule(rule: str, factory: Callable[[], MemorySystem]) -> None:
    report = await check_system(factory)
    assert rule in {check.rule for check in report.failed}, str(report)
    assert not report.ok and f"failed  {rule}" in str(report)


def test_every_rule_has_a_fault() -> None:
    assert {rule for rule, _ in FAULTS} == set(RULES)


async def test_a_rule_that_hangs_is_a_rule_that_failed() -> None:
    class Hangs(Plain):
        async def prepare(self, session: SessionText, door: Door | None) -> Words:
            await asyncio.sleep(60)
            return set()

    report = await check_system(Hangs, rule_seconds=0.05)
    assert any("not done after" in check.detail for check in report.failed)


async def test_a_zombie_is_a_process_that_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance_limits, "LEAVE_S", 0.3)
    made: list[LeavesAProcess] = []

    def factory() -> LeavesAProcess:
        made.append(LeavesAProcess())
        return made[-1]

    report = await check_system(factory, rules=["closing gives back"])
    (failed,) = report.failed
    assert "(zombie)" in failed.detail and "still there" in failed.detail
    for one in made:
        if one.first is not None:
            one.first.wait(5)


async def test_a_system_that_reaps_its_processes_passes() -> None:
    class Tidy(LeavesAProcess):
        async def close(self) -> None:
            await super().close()
            if self.first is not None:
                self.first.wait(5)

    report = await check_system(Tidy, rules=["closing gives back"])
    (check,) = report.checks
    assert (check.status, check.detail) == ("passed", "processes started: 1, all gone")


def test_the_guard_refuses_and_then_lets_go() -> None:
    with no_network() as tried:
        with pytest.raises(NetworkRefused):
            socket.create_connection(("127.0.0.1", 9))
        with pytest.raises(NetworkRefused):
            socket.getaddrinfo("example.org", 80)
        left, right = socket.socketpair()
        left.close()
        right.close()
    assert len(tried) == 2
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(server.getsockname()) as client:
        assert client.fileno() >= 0
