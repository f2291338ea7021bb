"""Copying says which way it went, and what cannot be known to have arrived is in a file as well."""

from __future__ import annotations

import base64
import os
import re
import shutil
import stat
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.screens import clipboard, pager


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs that clipboard tools are looked for in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sh"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def copied(text: str, tmp_path: Path, **environ: str) -> tuple[str, list[str]]:
    sent: list[str] = []
    said = clipboard.copy(text, sent.append, {"XDG_STATE_HOME": str(tmp_path), **environ})
    return said, sent


def test_a_desktop_s_own_program_is_taken_first(programs: Path, tmp_path: Path) -> None:
    program(programs, "wl-copy", f"cat > {tmp_path}/got")
    said, sent = copied("täxt", tmp_path, WAYLAND_DISPLAY="w")
    assert said == "copied with wl-copy" and not sent
    assert (tmp_path / "got").read_text() == "täxt"
    program(programs, "wl-copy", "exit 1")
    said, sent = copied("text", tmp_path, WAYLAND_DISPLAY="w")
    assert said.startswith("sent to the terminal") and sent == ["text"]


def test_over_ssh_the_terminal_is_the_way_and_a_file_keeps_it(
    programs: Path, tmp_path: Path
) -> None:
    program(programs, "wl-copy", f"cat > {tmp_path}/got")
    said, sent = copied("text", tmp_path, WAYLAND_DISPLAY="w", SSH_TTY="/dev/pts/1")
    kept = tmp_path / "memtui" / "copied.txt"
    assert sent == ["text"] and said.endswith(f"also in {kept}")
    assert kept.read_text() == "text" and stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_file_name_that_is_no_utf8_can_be_sent(programs: Path, tmp_path: Path) -> None:
    _, sent = copied("memtui " + os.fsdecode(b"a-\xff"), tmp_path)
    assert [one.encode() for one in sent] == [b"memtui a-?"]


def test_a_pager_with_an_open_quote_is_passed_over(programs: Path) -> None:
    program(programs, "less", "cat")
    assert pager.pager_command({"PAGER": "less '-R"}) == ["less"]


def test_what_is_too_large_for_a_terminal_goes_into_the_file(
    programs: Path, tmp_path: Path
) -> None:
    text = "x" * clipboard.LARGEST
    said, sent = copied(text, tmp_path)
    assert not sent and said.startswith("too large for the terminal (99 992 bytes): written to")
    assert (tmp_path / "memtui" / "copied.txt").read_text() == text
    (tmp_path / "memtui" / "copied.txt").unlink()
    (tmp_path / "memtui").rmdir()
    (tmp_path / "memtui").write_text("")
    said, _ = copied(text, tmp_path)
    assert "not copied" in said and "cannot be written" in said
    said, sent = copied("text", tmp_path)
    assert sent == ["text"] and "cannot be written" in said


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ('case "$1" in show-options) echo off;; esac', "set-clipboard is off"),
        ('case "$1" in show-options) echo external;; esac', "and by tmux to the terminal"),
        ('case "$2" in -w) exit 1;; esac', "prefix ] pastes it"),
    ],
)
def test_tmux_says_how_far_it_went(script: str, says: str, programs: Path, tmp_path: Path) -> None:
    program(programs, "tmux", script)
    said, sent = copied("text", tmp_path, TMUX="/tmp/x")
    assert said.startswith("copied into the tmux buffer") and says in said and not sent


def test_a_tmux_that_takes_nothing_leaves_the_terminal(programs: Path, tmp_path: Path) -> None:
    program(programs, "tmux", "exit 1")
    said, sent = copied("text", tmp_path, TMUX="/tmp/x")
    assert said.startswith("sent to the terminal") and sent == ["text"]
    assert copied("text", tmp_path, MEMTUI_CLIPBOARD="file")[0].startswith("written to")
    assert copied("", tmp_path)[0] == "nothing to copy here"


def test_what_goes_through_tmux_and_screen_is_the_same_text() -> None:
    text = "ä" * 600
    encoded = base64.b64encode(text.encode()).decode()
    for environ in ({"TMUX": "x"}, {"TERM": "tmux-256color"}, {"TERM": "screen"}):
        whole = clipboard.wrapped(text, environ)
        assert whole == f"\x1bPtmux;\x1b\x1b]52;c;{encoded}\x07\x1b\\"
    pieces = re.findall(r"\x1bP(.*?)\x1b\\", clipboard.wrapped(text, {"STY": "x"}), re.DOTALL)
    assert "".join(pieces) == f"\x1b]52;c;{encoded}\x07" and len(pieces) > 5
    assert clipboard.wrapped(text, {"TERM": "xterm-256color"}) == ""


async def test_the_app_sends_both_where_a_tmux_may_be_in_between(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = MemtuiApp(run_file)
    async with app.run_test():
        written: list[str] = []
        driver = app._driver
        assert driver is not None
        monkeypatch.setattr(driver, "write", written.append)
        monkeypatch.setenv("TERM", "tmux-256color")
        app.copy_to_clipboard("text")
        monkeypatch.setenv("TERM", "xterm")
        app.copy_to_clipboard("text")
    sent = [one for one in written if "52;c;" in one]
    assert [one.startswith("\x1bPtmux;") for one in sent] == [False, True, False]


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[list[str]]:
    """A tmux server of its own, with a window."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    command = ["tmux", "-S", str(tmp_path / "socket"), "-f", "/dev/null"]
    clean = {name: value for name, value in os.environ.items() if name != "TMUX"}
    subprocess.run(
        [*command, "new-session", "-d", "-x", "80", "-y", "24", "sh"], check=True, env=clean
    )
    yield command
    subprocess.run([*command, "kill-server"], check=False)


def test_a_real_tmux_holds_what_was_copied(tmux: list[str], tmp_path: Path) -> None:
    text = f"text {uuid.uuid4()}\nsecond line"
    sent: list[str] = []
    server = {"TMUX": f"{tmp_path / 'socket'},1,0", "XDG_STATE_HOME": str(tmp_path)}
    before = os.environ.get("TMUX")
    os.environ["TMUX"] = server["TMUX"]
    try:
        said = clipboard.copy(text, sent.append, server)
    finally:
        os.environ.pop("TMUX")
        if before is not None:
            os.environ["TMUX"] = before
    shown = subprocess.run([*tmux, "show-buffer"], check=True, capture_output=True, text=True)
    assert shown.stdout == text and said.startswith("copied into the tmux buffer") and not sent
