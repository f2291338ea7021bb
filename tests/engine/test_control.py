"""The control file: what is appended is taken once, and nonsense is said to be nonsense."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from runners.engine import control
from runners.engine.control import Command


def test_nothing_there(tmp_path: Path) -> None:
    assert control.take(tmp_path / "a.memtui") == []


def test_commands_are_taken_once_and_in_order(tmp_path: Path) -> None:
    run = tmp_path / "a.memtui"
    control.send(run, "pause")
    control.send(run, "workers", 4)
    control.send(run, "pace", 2.5)
    assert control.take(run) == [Command("pause"), Command("workers", 4.0), Command("pace", 2.5)]
    assert control.take(run) == []
    control.send(run, "stop")
    control.remove(run)
    assert control.take(run) == []


@pytest.mark.parametrize(
    "line",
    [
        "pause",
        "[]",
        '{"command": "fly"}',
        '{"command": "workers"}',
        '{"command": "workers", "value": 0}',
        '{"command": "workers", "value": 2.5}',
        '{"command": "workers", "value": true}',
        '{"command": "workers", "value": 1e9}',
        '{"command": "pace", "value": -1}',
        '{"command": "pace", "value": "fast"}',
    ],
)
def test_nonsense_has_a_problem(line: str) -> None:
    (command,) = control.parse(line)
    assert command.problem


def test_full_speed() -> None:
    assert list(control.parse('{"command": "pace", "value": null}')) == [Command("pace")]


def test_a_file_put_there_by_hand_works(tmp_path: Path) -> None:
    run = tmp_path / "a.memtui"
    control.control_path(run).write_text(json.dumps({"command": "resume"}))
    assert control.take(run) == [Command("resume")]


def test_no_command_is_lost_between_reading_and_emptying(tmp_path: Path) -> None:
    run = tmp_path / "a.memtui"

    def all_of_them() -> None:
        for number in range(1, 201):
            control.send(run, "workers", number)

    sender = threading.Thread(target=all_of_them)
    sender.start()
    taken: list[Command] = []
    while sender.is_alive():
        taken += control.take(run)
    sender.join()
    taken += control.take(run)
    assert [command.value for command in taken] == [float(n) for n in range(1, 201)]
