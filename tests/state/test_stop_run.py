"""Only the process that holds the lease of a run file is signalled, and only when that is proved."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.state.stop_run import Writer, signal_writer, writer_of
from memtui.store import lease

HOLDER = """
import signal, sys, time
from pathlib import Path
from memtui.store import lease
lease.acquire(Path(sys.argv[1]))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(77))
signal.signal(signal.SIGINT, lambda *_: sys.exit(55))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.memtui"


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_holder_is_asked_and_then_told(path: Path, holder: subprocess.Popen[str]) -> None:
    writer = writer_of(path)
    assert writer == Writer(path, holder.pid)
    signal_writer(writer)
    assert holder.wait(20) == 55
    with pytest.raises(UserError, match="nobody on this machine"):
        writer_of(path)
    with pytest.raises(UserError, match=r"ended already|nobody"):
        signal_writer(writer)


def test_at_once_is_sigterm(path: Path, holder: subprocess.Popen[str]) -> None:
    signal_writer(writer_of(path), at_once=True)
    assert holder.wait(20) == 77


def test_a_lock_file_that_nobody_holds_names_nobody(path: Path) -> None:
    lease.lock_path(path).write_text(f"{os.getppid()} {socket.gethostname()}\n")
    with pytest.raises(UserError, match="nobody on this machine"):
        writer_of(path)


def named(path: Path, holder: subprocess.Popen[str], text: str) -> None:
    """Another name in the lock file that `holder` holds."""
    assert holder.poll() is None
    lease.lock_path(path).write_text(text)


def test_a_process_that_only_is_named_is_left_alone(
    path: Path, holder: subprocess.Popen[str]
) -> None:
    if not Path("/proc/locks").exists():
        pytest.skip("this system does not say who holds a lock")
    innocent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        named(path, holder, f"{innocent.pid} {socket.gethostname()}\n")
        with pytest.raises(UserError, match="does not hold it: nothing was signalled"):
            writer_of(path)
        with pytest.raises(UserError):
            signal_writer(Writer(path, innocent.pid))
        assert innocent.poll() is None and holder.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{os.getpid()} {socket.gethostname()}\n", "this very program"),
        ("4711 another-machine\n", "process 4711 on another-machine: stop it there"),
        ("not-a-number here\n", "left no name"),
        ("-1 here\n", "left no name"),
        ("", "left no name"),
    ],
    ids=["this program", "another machine", "no number", "a negative number", "nothing"],
)
def test_who_cannot_be_signalled_is_said(
    text: str, words: str, path: Path, holder: subprocess.Popen[str]
) -> None:
    named(path, holder, text)
    with pytest.raises(UserError, match=words):
        writer_of(path)
    assert holder.poll() is None


def test_a_number_taken_over_meanwhile_is_not_hit(
    path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = writer_of(path)
    named(path, holder, "4711 another-machine\n")
    hit: list[object] = []
    monkeypatch.setattr(os, "kill", lambda *what: hit.append(what))
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda *what: hit.append(what), raising=False)
    with pytest.raises(UserError):
        signal_writer(writer)
    assert hit == []
