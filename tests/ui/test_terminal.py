"""In a real terminal: modes are given back whatever ends the app, and NO_COLOR means none."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.ui.driving import opened

pytestmark = pytest.mark.slow


class Terminal:
    """A pseudo-terminal with memtui in it."""

    def __init__(self, *args: str, program: Sequence[str] = (), **environ: str) -> None:
        words = program or [sys.executable, "-m", "memtui", *args]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environ}
            os.execve(words[0], [*words], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.output = b""

    def read_until(self, word: str, seconds: float = 30.0) -> None:
        limit = time.monotonic() + seconds
        while word.encode() not in self.output:
            assert time.monotonic() < limit, self.output[-2_000:]
            self._read(0.2)

    def press_until(self, keys: bytes, word: str) -> None:
        """Press keys, and wait until the word is drawn after that."""
        before, self.output = self.output, b""
        os.write(self.fd, keys)
        try:
            self.read_until(word)
        finally:
            self.output = before + self.output

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65_536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def finish(self, seconds: float = 60.0) -> int:
        """Read to the end of the output and return the exit code."""
        limit = time.monotonic() + seconds
        while self._read(0.5):
            assert time.monotonic() < limit, self.output[-2_000:]
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def assert_terminal_given_back(output: bytes) -> None:
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?1000h", b"\x1b[?1000l")):
        assert output.rfind(off) > output.rfind(on) >= 0
    assert output.rfind(b"\x1b[?25h") > output.rfind(b"\x1b[?25l")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals, run_file: Path) -> None:
    terminal = Terminal(str(run_file))
    terminal.read_until("Overview")
    os.kill(terminal.pid, number)
    code = terminal.finish()
    assert_terminal_given_back(terminal.output)
    assert code == 128 + number
    assert b"Traceback" not in terminal.output
    said = terminal.output[terminal.output.rfind(b"\x1b[?1049l") :]
    assert f"memtui: ended by {number.name}".encode() in said


def test_a_signal_while_it_starts_leaves_the_terminal_as_it_was(run_file: Path) -> None:
    terminal = Terminal(str(run_file))
    terminal.read_until("\x1b[?1049h")
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.finish() == 128 + signal.SIGTERM
    assert_terminal_given_back(terminal.output)
    assert b"Traceback" not in terminal.output and b"ended by SIGTERM" in terminal.output


async def test_leaving_while_a_screen_is_on_its_way_is_no_fault(run_file: Path) -> None:
    async with opened(run_file) as (app, _):
        app.go("episodes")
        app.exit(return_code=143)
    assert app.return_code == 143


@pytest.mark.parametrize("way", ["key", "signal"])
def test_it_steps_aside_for_the_shell_and_comes_back(way: str, run_file: Path) -> None:
    terminal = Terminal(str(run_file))
    terminal.read_until("hybrid")
    if way == "key":
        os.write(terminal.fd, b"\x1a")
    else:
        os.kill(terminal.pid, signal.SIGTSTP)
    terminal.read_until("\x1b[?1049l")
    limit = time.monotonic() + 30
    stopped = 0
    while not stopped and time.monotonic() < limit:
        terminal._read(0.1)
        stopped, status = os.waitpid(terminal.pid, os.WUNTRACED | os.WNOHANG)
    assert stopped == terminal.pid and os.WIFSTOPPED(status)
    assert_terminal_given_back(terminal.output)
    terminal.output = b""
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.read_until("\x1b[?1049h")
    os.write(terminal.fd, b"3")
    terminal.read_until("Episodes")
    os.write(terminal.fd, b"q")
    assert terminal.finish() == 0


PAGER = """#!{python}
import signal, sys
signal.signal(signal.SIGINT, lambda *_: print("the pager was interrupted", flush=True))
print("the pager is here", flush=True)
while sys.stdin.readline().strip() != "done":
    pass
"""


def test_ctrl_c_in_the_pager_is_for_the_pager_alone(run_file: Path, tmp_path: Path) -> None:
    pager, state = tmp_path / "pager", tmp_path / "state"
    pager.write_text(PAGER.format(python=sys.executable))
    pager.chmod(0o755)
    terminal = Terminal(str(run_file), PAGER=str(pager), XDG_STATE_HOME=str(state))
    terminal.press_until(b"3", "Episodes")
    terminal.press_until(b"o", "the pager is here")
    assert_terminal_given_back(terminal.output)
    terminal.press_until(b"\x03", "the pager was interrupted")
    terminal.press_until(b"done\n", "\x1b[?1049h")
    terminal.press_until(b"2", "Overview")
    os.write(terminal.fd, b"\x03")  # with the app in front it ends the app, and in good order
    assert terminal.finish() == 0
    assert_terminal_given_back(terminal.output)
    assert [*state.rglob("*.json*")], "where the reader was is kept"


def test_no_color_sends_no_colour(run_file: Path) -> None:
    terminal = Terminal(str(run_file), NO_COLOR="1")
    terminal.read_until("hybrid")
    os.write(terminal.fd, b"3")
    terminal.read_until("Episodes")
    os.write(terminal.fd, b"q")
    assert terminal.finish() == 0
    for codes in re.findall(rb"\x1b\[([0-9;]*)m", terminal.output):
        assert not re.search(rb"(?:^|;)(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;|$)", codes), codes


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("nowhere.memtui",), 3, "no file or folder"),
        (("{file}",), 2, "memtui report"),
        (("{broken}",), 2, "memtui report"),
    ],
)
def test_trouble_before_the_start_is_one_plain_line(
    args: tuple[str, ...], code: int, says: str, run_file: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.memtui"
    broken.write_text("no database")
    words = [word.format(file=run_file, broken=broken) for word in args]
    done = subprocess.run(
        [sys.executable, "-m", "memtui", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert says in done.stderr and done.stderr.count("\n") == 1


def test_a_broken_file_is_refused_before_the_screen_is_touched(tmp_path: Path) -> None:
    broken = tmp_path / "broken.memtui"
    broken.write_text("no database, but long enough to be looked at " * 10)
    terminal = Terminal(str(broken))
    assert terminal.finish() == 3
    assert b"\x1b[?1049h" not in terminal.output
    assert b"not a run file" in terminal.output and b"Traceback" not in terminal.output


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--filter", "otu:wrong"), b"did you mean out"),
        (("--budget", "-1"), b"--budget"),
        (("--judge", "rulez"), b"did you mean rules"),
        (("--alpha", "1.5"), b"--alpha"),
        (("--episode", "nobody"), b"no episode"),
    ],
)
def test_a_bad_choice_is_refused_before_the_screen_is_touched(
    args: tuple[str, str], says: bytes, run_file: Path
) -> None:
    terminal = Terminal(str(run_file), *args)
    assert terminal.finish() == 2
    assert says in terminal.output and b"\x1b[?1049h" not in terminal.output


def test_a_deep_link_opens_where_it_says(run_file: Path) -> None:
    words = ("--screen", "episodes", "--filter", "out:exhausted", "--budget", "1")
    terminal = Terminal(str(run_file), *words)
    terminal.read_until("Episodes")
    terminal.read_until("out:exhausted")
    os.write(terminal.fd, b"q")
    assert terminal.finish() == 0
