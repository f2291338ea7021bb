"""Copying text out of the terminal, locally, through tmux or over SSH; the answer names the route."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

LARGEST = 74_994
"""Encoded bytes that terminals take in one OSC 52 sequence."""
SECONDS = 2.0


def native_command(environ: Mapping[str, str]) -> list[str] | None:
    """The clipboard program of this desktop; None over SSH, where it would be the wrong one."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    candidates: list[tuple[bool, list[str]]] = [
        (sys.platform == "darwin", ["pbcopy"]),
        (bool(environ.get("WAYLAND_DISPLAY")), ["wl-copy"]),
        (bool(environ.get("DISPLAY")), ["xclip", "-selection", "clipboard"]),
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
    (some terminals take it as "clear").
    """
    environ = os.environ if environ is None else environ
    if not text:
        return "nothing to copy here"
    wanted = environ.get("MEMTUI_CLIPBOARD", "auto")
    if wanted in ("auto", "native"):
        command = native_command(environ)
        if command is not None and _feed(command, text):
            return f"copied with {command[0]}"
    if wanted in ("auto", "tmux") and environ.get("TMUX") and shutil.which("tmux"):  # noqa: SIM102
        if _feed(["tmux", "load-buffer", "-w", "-"], text):
            return "copied into the tmux buffer (and on, where tmux has set-clipboard)"
    encoded = base64.b64encode(text.encode("utf-8", "replace"))
    if wanted in ("auto", "osc52") and len(encoded) <= LARGEST:
        osc52(text)
        return "copied through the terminal (OSC 52); MEMTUI_CLIPBOARD=file if it does not arrive"
    descriptor, name = tempfile.mkstemp(prefix="memtui-copy-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return f"written to {Path(name)}"


def _feed(command: list[str], text: str) -> bool:
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            timeout=SECONDS,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
