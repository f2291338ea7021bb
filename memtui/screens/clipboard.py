"""Copying text out of the terminal: locally, through tmux, over SSH; the answer names the route.

A desktop's own program and tmux say whether they took it. A terminal (OSC 52) never answers, so what is
sent to one is kept in a file, too.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memtui.store.side_file import state_folder
from memtui.views.numbers import count

LARGEST = 74_994
"""Encoded bytes that terminals take in one OSC 52 sequence."""
SECONDS = 2.0
SCREEN_PIECE = 250
"""Bytes that GNU screen passes on at a time."""


def native_command(environ: Mapping[str, str]) -> list[str] | None:
    """The clipboard program of this desktop; None over SSH, where it would be the wrong one."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    candidates: list[tuple[bool, list[str]]] = [
        (sys.platform == "darwin", ["pbcopy"]),
        (bool(environ.get("WAYLAND_DISPLAY")), ["wl-copy"]),
        (bool(environ.get("DISPLAY")), ["xclip", "-selection", "clipboard"]),
        (bool(environ.get("DISPLAY")), ["xsel", "--clipboard", "--input"]),
        (bool(environ.get("WSL_DISTRO_NAME")), ["clip.exe"]),
    ]
    for possible, command in candidates:
        if possible and shutil.which(command[0]):
            return command
    return None


def copy(
    text: str,
    osc52: Callable[[str], None],
    environ: Mapping[str, str] | None = None,
) -> str:
    """Copy `text` and say how: by a local program, tmux, the terminal (OSC 52), or into a file.

    `MEMTUI_CLIPBOARD` = native, tmux, osc52 or file forces a route. Nothing is sent for empty text
    (some terminals take it as "clear"). It may take seconds: not for the thread that draws.
    """
    environ = os.environ if environ is None else environ
    if not text:
        return "nothing to copy here"
    wanted = environ.get("MEMTUI_CLIPBOARD", "auto")
    if wanted in ("auto", "native"):
        command = native_command(environ)
        if command is not None and _feed(command, text):
            return f"copied with {command[0]}"
    if wanted in ("auto", "tmux") and environ.get("TMUX") and shutil.which("tmux"):
        said = _into_tmux(text)
        if said:
            return said
    size = len(base64.b64encode(_bytes(text)))
    kept, trouble = _into_file(text, environ)
    if wanted in ("auto", "osc52") and size <= LARGEST:
        osc52(_bytes(text).decode())  # a file name may hold what is no UTF-8
        also = f"; also in {_shorter(kept, environ)}" if kept else f" ({trouble})"
        return f"sent to the terminal (OSC 52, unconfirmed){also}"
    why = f"too large for the terminal ({count(size)} bytes): " if size > LARGEST else ""
    return f"{why}written to {kept}" if kept else f"{why}not copied: {trouble}"


def wrapped(text: str, environ: Mapping[str, str]) -> str:
    """OSC 52 as tmux or GNU screen pass it on to the terminal around them; empty outside of both.

    A tmux that lets nothing through (`allow-passthrough off`) drops it, and takes the plain sequence
    where its `set-clipboard` is `on`. Over SSH only `TERM` tells of a tmux or screen at the other end.
    """
    term = environ.get("TERM", "")
    encoded = base64.b64encode(_bytes(text)).decode()
    sequence = f"\x1b]52;c;{encoded}\x07"
    if environ.get("STY"):
        pieces = [sequence[at : at + SCREEN_PIECE] for at in range(0, len(sequence), SCREEN_PIECE)]
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    if environ.get("TMUX") or term.startswith(("tmux", "screen")):
        doubled = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{doubled}\x1b\\"
    return ""


def tmux_passes_on() -> bool | None:
    """Whether tmux sends its buffers on to the terminal's clipboard; None where it does not say."""
    done = _run(["tmux", "show-options", "-sv", "set-clipboard"])
    return None if done is None or done.returncode else done.stdout.strip() != b"off"


def _into_tmux(text: str) -> str:
    """Into tmux's buffer, and what became of it; empty where tmux does not take it."""
    if _feed(["tmux", "load-buffer", "-w", "-"], text):
        if tmux_passes_on() is False:
            return "copied into the tmux buffer (prefix ] pastes it); its set-clipboard is off"
        return "copied into the tmux buffer, and by tmux to the terminal"
    if _feed(["tmux", "load-buffer", "-"], text):  # before tmux 3.2
        return "copied into the tmux buffer (prefix ] pastes it)"
    return ""


def _into_file(text: str, environ: Mapping[str, str]) -> tuple[Path | None, str]:
    """(the file that holds the last copy, what hindered it)."""
    path = state_folder(environ) / "copied.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_bytes(text))
    except OSError as error:
        return None, f"{path} cannot be written: {(error.strerror or str(error)).lower()}"
    return path, ""


def _shorter(path: Path, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    return f"~{str(path)[len(home) :]}" if home and str(path).startswith(f"{home}/") else str(path)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _feed(command: list[str], text: str) -> bool:
    done = _run(command, _bytes(text))
    return done is not None and done.returncode == 0


def _run(command: list[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(
            command, input=given, timeout=SECONDS, check=False,
            stdout=subprocess.PIPE if command[1:2] == ["show-options"] else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
