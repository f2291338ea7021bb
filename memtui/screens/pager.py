"""Showing a whole text in the reader's own pager, the screen put aside meanwhile."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping

from memtui.views.text_door import clean_block


def pager_command(environ: Mapping[str, str]) -> list[str] | None:
    """`$PAGER`, else less, else more; None where there is none."""
    for candidate in (environ.get("PAGER", ""), "less", "more"):
        words = shlex.split(candidate) if candidate else []
        if words and shutil.which(words[0]):
            return words
    return None


def page(text: str, command: list[str]) -> None:
    """Run the pager over the text; control bytes are made visible first, whatever the pager does."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="memtui-", suffix=".txt", encoding="utf-8", errors="replace"
    ) as file:
        file.write(clean_block(text))
        file.flush()
        environ = dict(os.environ)
        environ.setdefault("LESSSECURE", "1")
        subprocess.run([*command, file.name], check=False, env=environ)
