"""Facts go to standard output as UTF-8, whatever the locale says and whoever reads."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def print_document(document: object) -> None:
    """One JSON document (docs/command-line.md has the schema of each)."""
    from memtui.report.as_json import to_json

    print_text(to_json(document))


def print_text(text: str) -> None:
    """Write text as it is: CRLF of a CSV stays, and a terminal that speaks ASCII gets UTF-8 too."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    buffer.write(text.encode("utf-8", "replace"))
    buffer.flush()


def program() -> str:
    """What to type for memtui here: its name where the shell finds it, else its place."""
    beside = Path(sys.executable).with_name("memtui")
    found = shutil.which("memtui")
    if not beside.exists() or (found and Path(found).resolve() == beside.resolve()):
        return "memtui"
    near = os.path.relpath(beside)
    return str(beside) if near.startswith(os.pardir) else near
