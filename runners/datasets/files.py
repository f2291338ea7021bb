"""Reading data-set files: hashed as they are read, decoded strictly, errors said in one line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.errors import UserError

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(value: object) -> str:
    """Text of a data set that can be stored and sent: half UTF-16 pairs become U+FFFD, no more.

    Anything but text is printed, so that a number in place of a text is not lost.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def has_surrogate(text: str) -> bool:
    """Whether `clean` would change the text."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def file_sha256(path: Path) -> str:
    """sha256 hex of a file, read in pieces; raises UserError when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise unreadable(path, problem) from None


def combined_sha256(digests: Iterable[str]) -> str:
    """One digest for a data set of several files; that of the file where there is only one."""
    known = [digest for digest in digests if digest]
    return known[0] if len(known) == 1 else hashlib.sha256("\n".join(known).encode()).hexdigest()


def read_json(path: Path) -> tuple[Any, str]:
    """A whole JSON file and its sha256; raises UserError naming line and column of a fault."""
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise unreadable(path, problem) from None
    try:
        return json.loads(raw.decode("utf-8-sig")), hashlib.sha256(raw).hexdigest()
    except UnicodeDecodeError as problem:
        raise UserError(f"{path}: not UTF-8 at byte {problem.start}", exit_code=3) from None
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise UserError(f"{path}: not JSON at {where}: {problem.msg}", exit_code=3) from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply to be a data set", exit_code=3) from None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a JSONL file: its value, or what is wrong with it."""

    number: int
    value: Any
    problem: str = ""
    torn: bool = False
    """The last line, and it does not end in a line feed: a writer was stopped in the middle."""


def read_lines(path: Path) -> Iterator[Line]:
    """Every non-empty line of a JSONL file, split at line feeds only.

    U+0085, U+2028 and the like may stand inside a JSON string and do not end a line. Raises UserError
    when the file cannot be read; a bad line is returned with its problem, the caller decides.
    """
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                body = raw.strip(b" \t\r\n")
                if number == 1:
                    body = body.removeprefix(b"\xef\xbb\xbf")
                if not body:
                    continue
                try:
                    value, problem = json.loads(body.decode("utf-8")), ""
                except UnicodeDecodeError as fault:
                    value, problem = None, f"not UTF-8 at byte {fault.start}"
                except json.JSONDecodeError as fault:
                    value, problem = None, f"not JSON at column {fault.colno}: {fault.msg}"
                except RecursionError:
                    value, problem = None, "nested too deeply"
                yield Line(number, value, problem, bool(problem) and not raw.endswith(b"\n"))
    except OSError as problem:
        raise unreadable(path, problem) from None


def unreadable(path: Path, problem: OSError) -> UserError:
    """The one line said about a file that cannot be opened."""
    reason = problem.strerror or str(problem)
    return UserError(f"{path}: cannot be read: {reason}", exit_code=3)
