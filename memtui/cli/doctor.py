"""`memtui doctor`: what this machine has, and what to do about what it has not."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sqlite3
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from memtui.errors import how_to_add

HELP = "check this machine: versions, terminal, models, memory systems, folders"

SQLITE_FIXED = (3, 51, 3)
"""First SQLite without the WAL-reset fault (https://www.sqlite.org/wal.html#walresetbug)."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: `ok`, `note` (works, worth knowing) or `bad` (will not work)."""

    name: str
    state: str
    value: str
    advice: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("runs"),
        metavar="DIR",
        help="folder for run files (default ./runs)",
    )


def run(args: argparse.Namespace) -> int:
    """Print every check; 1 when one is bad."""
    checks = [
        *_versions(),
        *_extras(),
        *_terminal(),
        *_configuration(),
        *_workspace(args.folder),
        *_systems(),
    ]
    if args.json:
        from memtui.cli.printing import print_document

        print_document({"schema": "memtui-doctor-1", "checks": [asdict(c) for c in checks]})
    else:
        signs = {"ok": "✓", "note": "·", "bad": "✗"}
        width = max(len(c.name) for c in checks)
        for c in checks:
            print(
                f"{signs[c.state]} {c.name:<{width}} {c.value}"
                + (f"  ({c.advice})" if c.advice else "")
            )
    return 1 if any(c.state == "bad" for c in checks) else 0


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _versions() -> list[Check]:
    from memtui import __version__

    checks = [
        Check("memtui", "ok", __version__),
        Check(
            "python",
            "ok",
            f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        ),
    ]
    fixed = sqlite3.sqlite_version_info >= SQLITE_FIXED
    checks.append(
        Check(
            "sqlite",
            "ok" if fixed else "note",
            sqlite3.sqlite_version,
            "" if fixed else "has the WAL-reset fault; one writer per file keeps it out of reach",
        )
    )
    for package in ("textual", "rich", "orjson", "pydantic", "sqlite-utils", "numpy"):
        version = _version(package)
        checks.append(
            Check(
                package,
                "ok" if version else "bad",
                version or "missing",
                "" if version else "reinstall memtui",
            )
        )
    return checks


def _extras() -> list[Check]:
    checks = []
    for package, extra, use in (
        ("litellm", "llm", "model agents and model judges"),
        ("xllamacpp", "local", "a language model on this machine"),
        ("textual-serve", "serve", "the app in a browser"),
    ):
        version = _version(package)
        advice = "" if version else f"for {use}: {how_to_add(extra)}"
        checks.append(
            Check(package, "ok" if version else "note", version or "not installed", advice)
        )
    return checks


def _terminal() -> list[Check]:
    tty = sys.stdin.isatty() and sys.stdout.isatty()
    size = shutil.get_terminal_size(fallback=(0, 0))
    term = os.environ.get("TERM", "unset")
    checks = [
        Check(
            "terminal",
            "ok" if tty else "note",
            f"{term} {size.columns}x{size.lines}" if tty else "stdin or stdout is not a terminal",
            "" if tty else "the app needs one; the command line does not",
        )
    ]
    if tty and (size.columns < 80 or size.lines < 24):
        checks.append(
            Check(
                "terminal size", "note", f"{size.columns}x{size.lines}", "80x24 or more shows all"
            )
        )
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    checks.append(
        Check(
            "encoding",
            "ok" if utf8 else "note",
            sys.stdout.encoding or "unknown",
            "" if utf8 else "use --ascii, or set a UTF-8 locale",
        )
    )
    if os.environ.get("NO_COLOR"):
        checks.append(Check("colour", "ok", "NO_COLOR is set: shapes carry the meaning"))
    if os.environ.get("TMUX"):
        from memtui.screens.clipboard import tmux_passes_on

        reaches = tmux_passes_on() is not False
        advice = "set -s set-clipboard on in tmux.conf sends it on to the terminal"
        value = "copying goes through `tmux load-buffer -w`"
        if not reaches:
            value = "copying reaches tmux's own buffer only"
        checks.append(Check("tmux", "ok" if reaches else "note", value, "" if reaches else advice))
    return checks


def _configuration() -> list[Check]:
    """Which file the app reads, and what in it cannot be used."""
    from memtui.app import MemtuiApp
    from memtui.screens.keymap import keymap_of
    from memtui.state.configuration import read_configuration
    from memtui.state.places import Places

    found = read_configuration()
    keymap, wrong = keymap_of(found, MemtuiApp)
    changed = f", {len(keymap)} key{'s'[: len(keymap) != 1]} changed" if keymap else ""
    value = f"{found.path}{changed}" if found.found else f"none ({found.path} would be read)"
    checks = [Check("configuration", "ok", value)]
    for problem in (*found.problems, *wrong):
        checks.append(Check("configuration", "note", problem, "docs/keys-and-themes.md"))
    places = Places()
    places.of("")
    state = "note" if places.problem else "ok"
    return [*checks, Check("last places", state, places.problem or str(places.path))]


def _workspace(folder: Path) -> list[Check]:
    from memtui.store.filesystem import filesystem_type, is_network

    place = folder if folder.exists() else folder.absolute().parent
    kind = filesystem_type(place)
    network = is_network(kind)
    checks = [
        Check(
            "run files",
            "bad" if network else "ok",
            f"{folder} on {kind}" if network else str(folder),
            "SQLite cannot write a live run there: choose a local folder" if network else "",
        )
    ]
    if not os.access(place, os.W_OK):
        checks.append(
            Check("run files", "bad", f"{place} cannot be written", "choose another folder")
        )
    free = shutil.disk_usage(place).free
    checks.append(
        Check(
            "disk",
            "ok" if free > 1e9 else "note",
            f"{free / 1e9:.1f} GB free",
            "" if free > 1e9 else "runs stop when the disk is full",
        )
    )
    return checks


def _systems() -> list[Check]:
    from runners.memory import registry
    from runners.models import weights
    from runners.models.folders import data_folder

    checks = [Check("models folder", "ok", str(data_folder()))]
    checks += [
        Check(
            f"model {model.name}",
            "ok" if weights.state(model) == "installed" else "note",
            weights.state(model),
            "" if weights.state(model) == "installed" else f"memtui models install {model.name}",
        )
        for model in weights.KNOWN.values()
    ]
    checks += [
        Check(
            f"memory {s.name}",
            "ok" if s.state == "ready" else "note" if s.state == "installable" else "bad",
            s.state,
            s.advice,
        )
        for s in registry.available()
    ]
    return checks
