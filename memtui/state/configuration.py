"""The reader's configuration: `config.toml` in `$XDG_CONFIG_HOME/memtui`. Colours, keys, alpha and judge.

Only the app reads it; what the command line prints depends on nothing but its arguments. Whatever is
wrong in the file is one line with its place, and the rest of the file holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.errors import did_you_mean

THEMES = ("dark", "light", "blue-orange")
KEYS = "keys"
KNOWN = ("theme", "no_color", "ascii", "alpha", "judge", KEYS)
LARGEST = 1_000_000
"""Bytes that are read."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A line of the table of keys."""

    id: str
    keys: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says; None, empty and False where it says nothing."""

    path: Path
    found: bool = False
    theme: str | None = None
    no_color: bool = False
    ascii: bool = False
    alpha: float | None = None
    """Level at which rates are drawn, in place of the run's own."""
    judge: str = ""
    """Whose verdicts are shown where the file has them, in place of the run's own judge."""
    keys: tuple[Binding, ...] = ()
    problems: tuple[str, ...] = ()
    """One line each, with file and line."""


def configuration_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where the file is looked for."""
    given = os.environ if environ is None else environ
    base = given.get("XDG_CONFIG_HOME", "")
    root = Path(base) if base.startswith("/") else Path.home() / ".config"
    return root / "memtui" / "config.toml"


def read_configuration(path: Path | None = None) -> Configuration:
    """Read the file; a missing one says nothing, and one that cannot be read is a problem of one line."""
    path = configuration_path() if path is None else path
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST).decode()
    except FileNotFoundError:
        return Configuration(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return Configuration(path, found=True, problems=(f"{path}: cannot be read: {reason}",))
    import tomllib  # only where there is something to read: most readers have no such file

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Configuration(path, found=True, problems=(_syntax(path, text, str(error)),))
    except RecursionError:
        return Configuration(path, found=True, problems=(f"{path}: lists in lists, too many",))
    return _Reading(path, text).of(document)


def _syntax(path: Path, text: str, said: str) -> str:
    """`FILE:3: …` out of tomllib's `… (at line 3, column 5)`."""
    place = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$", said)
    if place is None:
        return f"{path}: {said}"
    line = place[1] or len(text.splitlines())
    return f"{path}:{line}: {said[: place.start()].lower()}"


@dataclass
class _Reading:
    path: Path
    text: str
    problems: list[str] = field(default_factory=list)

    def of(self, document: dict[str, Any]) -> Configuration:
        for name in document:
            if name not in KNOWN:
                self._wrong(self._line(name), f"unknown {name!r}: {did_you_mean(name, KNOWN)}")
        theme = self._value(document, "theme", str, f"one of {', '.join(THEMES)}")
        if theme is not None and theme not in THEMES:
            self._wrong(self._line("theme"), f"no theme {theme!r}: {did_you_mean(theme, THEMES)}")
            theme = None
        alpha = self._value(document, "alpha", (int, float), "a rate above 0, at most 1")
        if alpha is not None and not 0 < alpha <= 1:
            self._wrong(self._line("alpha"), "alpha is a rate above 0, at most 1")
            alpha = None
        return Configuration(
            self.path,
            found=True,
            theme=theme,
            no_color=bool(self._value(document, "no_color", bool, "true or false")),
            ascii=bool(self._value(document, "ascii", bool, "true or false")),
            alpha=None if alpha is None else float(alpha),
            judge=self._value(document, "judge", str, "the id of a judge") or "",
            keys=tuple(self._keys(document.get(KEYS, {}), "")),
            problems=tuple(self.problems),
        )

    def _wrong(self, line: int, what: str) -> None:
        self.problems.append(f"{self.path}:{line}: {what}")

    def _value(self, document: dict[str, Any], name: str, kind: Any, what: str) -> Any:
        value = document.get(name)
        wrong = value is not None and (
            not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)
        )
        if wrong:
            self._wrong(self._line(name), f"{name} is {what}")
        return None if wrong else value

    def _keys(self, table: Any, before: str) -> list[Binding]:
        """The table of keys; `app.quit = …` without quotes is a table in a table, and means the same."""
        if not isinstance(table, dict):
            self._wrong(
                self._line(before or KEYS), 'keys is a table: [keys], then "app.quit" = "Q"'
            )
            return []
        found = []
        for name, value in table.items():
            name = f"{before}.{name}" if before else name
            if isinstance(value, dict):
                found += self._keys(value, name)
                continue
            keys = [value] if isinstance(value, str) else value
            if (
                not isinstance(keys, list)
                or not all(isinstance(k, str) and k for k in keys)
                or not keys
            ):
                self._wrong(self._line(name, table=KEYS), f"{name} is a key, or a list of keys")
                continue
            found.append(Binding(name, tuple(keys), self._line(name, table=KEYS)))
        return found

    def _line(self, name: str, *, table: str = "") -> int:
        """The line that sets `name` (1-based): the last words of it where it stands in a table of its own."""
        lines = self.text.splitlines()
        start = 0
        if table:
            heads = [at for at, line in enumerate(lines) if re.match(rf"\s*\[{table}\b", line)]
            start = heads[0] if heads else 0
        parts = name.split(".")
        for last in range(len(parts)):
            words = r"\s*\.\s*".join(re.escape(part) for part in parts[last:])
            pattern = rf"\s*\[?(?:[\w.]*\.)?[\"']?{words}[\"']?\s*[\]=]"
            for at, line in enumerate(lines[start:], start):
                if re.match(pattern, line):
                    return at + 1
        return start + 1
