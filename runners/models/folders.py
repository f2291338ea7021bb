"""Where weights and vectors are kept on this machine: outside any run folder, shared by all runs."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """`$MEMTUI_HOME`, else `$XDG_DATA_HOME/memtui`, else `~/.local/share/memtui`. May not exist yet."""
    return _folder("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """`$MEMTUI_HOME/cache`, else `$XDG_CACHE_HOME/memtui`, else `~/.cache/memtui`: may be deleted."""
    if os.environ.get("MEMTUI_HOME"):
        return data_folder() / "cache"
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, default: str) -> Path:
    home = os.environ.get("MEMTUI_HOME")
    if home:
        return Path(home).expanduser()
    base = os.environ.get(variable)
    # The XDG specification: a relative path there is invalid and to be ignored.
    if base and Path(base).is_absolute():
        return Path(base) / "memtui"
    return Path.home() / default / "memtui"
