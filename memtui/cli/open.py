"""`memtui [PATH]`: open a run file, or a folder of them, in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from memtui.cli.rate_arguments import add_rate_arguments
from memtui.errors import UserError

HELP = "open a run file, or a folder of them, in the terminal"
DEFAULT = Path("runs")
SCREENS = ("overview", "episodes", "trajectory")
THEMES = ("dark", "light", "blue-orange")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=DEFAULT,
        metavar="PATH",
        help="run file or folder (default ./runs)",
    )
    add_rate_arguments(parser)
    parser.add_argument("--screen", choices=SCREENS, help="where to start (default overview)")
    parser.add_argument(
        "--episode", metavar="KEY", help="open this episode (key or uid) on the trajectory screen"
    )
    parser.add_argument(
        "--theme",
        choices=THEMES,
        default=_theme_of_environment(),
        help="colours (default dark, or $MEMTUI_THEME); blue-orange is safe for the colour-blind",
    )
    parser.add_argument("--ascii", action="store_true", help="draw memtui's own signs in ASCII")


def _theme_of_environment() -> str:
    theme = os.environ.get("MEMTUI_THEME", "")
    return theme if theme in THEMES else THEMES[0]


def run(args: argparse.Namespace) -> int:
    """Open the app; whatever is wrong is one line (UserError) before the terminal is touched."""
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
    session = episode = None
    if path.is_dir():
        chosen = (args.budget, args.alpha, args.judge, args.filter, args.screen, args.episode)
        if any(value is not None for value in chosen):
            raise UserError("--budget, --alpha, --judge, --filter, --screen, --episode need a file")
    else:
        from memtui.state.deep_link import choose, episode_of
        from memtui.state.session import RunSession

        session = RunSession(path)
        choose(
            session,
            budget=args.budget,
            alpha=args.alpha,
            judge=args.judge,
            filter_text=args.filter,
        )
        if args.episode is not None:
            episode = episode_of(session, args.episode)
    from memtui.app import MemtuiApp

    app = MemtuiApp(
        path,
        theme=args.theme,
        ascii_only=args.ascii,
        session=session,
        screen=args.screen,
        episode=episode,
    )
    app.run()
    return app.return_code or 0
