"""The command line goes on where a run was left, unless it is told otherwise, with the reader's configuration."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.ui.test_terminal import Terminal

pytestmark = pytest.mark.slow
CODES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def shown(terminal: Terminal, words: str, seconds: float = 60.0) -> bytes:
    """Read until the terminal was sent these words, in whatever colours; returns all that it was sent."""
    limit = time.monotonic() + seconds
    while words.encode() not in (plain := CODES.sub(b"", terminal.output)):
        assert time.monotonic() < limit, plain[-2_000:].decode(errors="replace")
        terminal._read(0.2)
    return plain


def test_a_run_is_gone_on_with_unless_the_line_says_where_to_start(
    run_file: Path, tmp_path: Path
) -> None:
    home = {"XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    terminal = Terminal(str(run_file), **home)
    shown(terminal, "hybrid")
    os.write(terminal.fd, b"3w")
    shown(terminal, "wrong")
    os.write(terminal.fd, b"q")
    assert terminal.finish() == 0
    terminal = Terminal(str(run_file), **home)
    shown(terminal, "3 Episodes")
    os.write(terminal.fd, b"q")
    assert terminal.finish() == 0
    for words in (("--fresh",), ("--budget", "1")):
        terminal = Terminal(str(run_file), *words, **home)
        shown(terminal, "right within")
        os.write(terminal.fd, b"q")
        assert terminal.finish() == 0
        assert b"3 Episodes" not in CODES.sub(b"", terminal.output)


def test_the_configuration_holds_in_a_terminal_and_its_mistakes_are_said(
    run_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "memtui" / "config.toml"
    path.parent.mkdir()
    path.write_text('no_color = true\nalhpa = 0.5\n[keys]\n"app.quit" = "Q"\n')
    home = {"XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    terminal = Terminal(str(run_file), **home)
    shown(terminal, "Q quit")
    shown(terminal, "alhpa")
    os.write(terminal.fd, b"Q")
    assert terminal.finish() == 0
    for codes in re.findall(rb"\x1b\[([0-9;]*)m", terminal.output):
        assert not re.search(rb"(?:^|;)(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;|$)", codes), codes
