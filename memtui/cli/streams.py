"""The three standard streams, made fit to use: a closed one is silent, none fails on a character."""

from __future__ import annotations

import contextlib
import io
import os
import sys


def mend() -> None:
    """Open what was closed (`>&-`, a daemon) on the null device; let no locale stop a line.

    Facts are written as UTF-8 bytes by `printing`; anything printed otherwise shows what its encoding
    lacks as an escape.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def silence() -> None:
    """Send what standard output still holds nowhere, so that leaving does not fail on it again."""
    with contextlib.suppress(io.UnsupportedOperation):  # not a file: nothing can fail on it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
