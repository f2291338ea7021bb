"""`memtui [PATH]`: open a run file, or a folder of them, in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from memtui.errors import UserError

HELP = "open a run file or a folder of run files (default ./runs)"
DEFAULT = Path("runs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "path", nargs="?", type=Path, default=DEFAULT, help="run file or folder (default ./runs)"
    )
    parser.add_argument(
        "--theme",
        choices=("dark", "light", "blue-orange"),
        default=os.environ.get("MEMTUI_THEME", "dark"),
        help="colours (default dark, or $MEMTUI_THEME); blue-orange is safe for the colour-blind",
    )
    parser.add_argument("--ascii", action="store_true", help="draw memtui's own signs in ASCII")


def run(args: argparse.Namespace) -> int:
    """Open the app; UserError (one line) before a terminal mode is touched."""
    path: Path = args.path
    if not path.exists():
        if path == DEFAULT:
            raise UserError(
                "no folder ./runs here: start a run with `memtui demo` or `memtui run CONFIG`, or"
                " name a run file"
            )
        raise UserError(f"no file or folder at {path}", exit_code=3)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        what = path if path.is_file() else "FILE"
        raise UserError(f"no terminal to draw in; print the figures with: memtui report {what}")
    from memtui.app import MemtuiApp

    app = MemtuiApp(path, theme=args.theme, ascii_only=args.ascii)
    app.run()
    return app.return_code or 0
