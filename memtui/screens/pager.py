"""Showing a whole text in the reader's own pager, the screen put aside meanwhile."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping

from memtui.views.text_door import clean_block


def pager_command(environ: Mapping[str, str]) -> list[str] | None:
    """`$PAGER`, else less, else more; None where there is none."""
    for candidate in (environ.get("PAGER", ""), "less", "more"):
        try:
            words = shlex.split(candidate)
        except ValueError:  # a quote in $PAGER that is not closed
            continue
        if words and shutil.which(words[0]):
            return words
    return None


class TerminalGone(Exception):
    """The terminal was closed while the pager had it."""


def page(text: str, command: list[str]) -> None:
    """Run the pager over the text; control bytes are made visible first, whatever the pager does.

    TerminalGone where the terminal was closed meanwhile: the app must not take it back, since whoever
    writes to a terminal that is gone waits for ever.
    """
    with tempfile.NamedTemporaryFile(
        "w", prefix="memtui-", suffix=".txt", encoding="utf-8", errors="replace"
    ) as file:
        file.write(clean_block(text))
        file.flush()
        environ = dict(os.environ)
        environ.setdefault("LESSSECURE", "1")
        subprocess.run([*command, file.name], check=False, env=environ)
    try:
        termios.tcgetattr(sys.__stdin__ or 0)
    except (termios.error, OSError, ValueError) as error:
        raise TerminalGone from error
