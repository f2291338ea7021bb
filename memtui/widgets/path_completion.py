"""Completing the path of a configuration while it is typed, as a shell does it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path

from memtui.errors import UserError
from memtui.state.new_file import typed_path
from memtui.views.text_door import clean_line

SUFFIX = ".toml"
MOST_ENTRIES = 5_000
"""Entries of a folder that are looked at."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a typed line may become."""

    line: str
    """The line, as far as all that fits goes on alike; the same line where nothing is to be added."""
    names: tuple[str, ...] = ()
    """What fits, sorted: folders with a slash at their end, and configurations. Outside text."""


def completed(line: str) -> Completion:
    """Complete the path in a line of ``CONFIG [--limit N]``; reads one folder, not for the thread that draws.

    A name that is not shown as it is (control characters, bytes that are no UTF-8) is among the names, but
    never put into the line: what stands there is what will be opened.
    """
    path = _path_in(line)
    if path is None:
        return Completion(line)
    if path == "~":
        return Completion("~/", ("~/",))
    folder, slash, begun = path.rpartition("/")
    names = sorted(islice(_names(folder + slash, begun), MOST_ENTRIES))
    shown = [name for name in names if clean_line(name) == name]
    common = _in_common(shown)
    if len(common) <= len(begun):
        return Completion(line, tuple(names))
    whole = len(shown) == 1 and not common.endswith("/")
    return Completion(_quoted(folder + slash + common, whole=whole), tuple(names))


def _in_common(names: Sequence[str]) -> str:
    """What sorted names begin with alike."""
    if not names:
        return ""
    pairs = takewhile(lambda two: two[0] == two[1], zip(names[0], names[-1], strict=False))
    return "".join(one for one, _ in pairs)


def _path_in(line: str) -> str | None:
    """The path a line consists of, quotation marks taken off; None behind the path, where options stand."""
    for closing in ("", "'", '"'):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        if len(words) > 1 or (words and not closing and line != line.rstrip()):
            return None
        return words[0] if words else ""
    return None


def _quoted(path: str, *, whole: bool) -> str:
    """The path as a shell's word; the quotation mark stays open while there is more to come."""
    if not any(character in " \t'\"\\" for character in path):
        return path
    quoted = shlex.quote(path)
    return quoted if whole else quoted.removesuffix("'")


def _names(folder: str, begun: str) -> Iterator[str]:
    try:
        with os.scandir(typed_path(folder) if folder else Path()) as entries:
            for entry in islice(entries, MOST_ENTRIES):
                name = entry.name
                if not name.startswith(begun) or (name.startswith(".") and not begun):
                    continue
                if entry.is_dir():
                    yield f"{name}/"
                elif name.endswith(SUFFIX):
                    yield name
    except (OSError, UserError):
        return
