"""`memtui [PATH]`: open a run file, or a folder of them, in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.rate_arguments import add_rate_arguments
from memtui.cli.report import MEASURES, TABS
from memtui.errors import UserError
from memtui.state.configuration import THEMES
from memtui.state.start import SCREENS, Start

if TYPE_CHECKING:
    from memtui.app import MemtuiApp
    from memtui.state.session import RunSession

HELP = "open a run file, or a folder of them, in the terminal"
DEFAULT = Path("runs")
WEB = "web_driver"
"""Part of the name of the driver with which textual-serve starts an app: it draws without a terminal."""
NEED_A_FILE = (
    "budget", "alpha", "judge", "filter", "flagged", "screen", "episode", "step", "question", "arm", "scale", "arms",
    "other", "replay", "tab", "measure", "plot",
)  # fmt: skip


def add_path(parser: argparse.ArgumentParser) -> None:
    """Declare what is opened."""
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=DEFAULT,
        metavar="PATH",
        help="run file or folder (default ./runs)",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_path(parser)
    add_rate_arguments(parser)
    parser.add_argument("--screen", choices=SCREENS, help="where to start (default overview)")
    parser.add_argument("--tab", choices=TABS, help="of the overview: begin at this tab")
    parser.add_argument("--measure", choices=MEASURES, help="of the overview: what it shows")
    parser.add_argument(
        "--plot", nargs="*", metavar="ARM", help="begin at the large plot of up to four arms"
    )
    parser.add_argument(
        "--episode", metavar="KEY", help="open this episode (key or uid) on the trajectory screen"
    )
    parser.add_argument("--step", type=int, metavar="N", help="of the episode: begin at this step")
    parser.add_argument("--question", metavar="KEY", help="open this question on the ladder")
    parser.add_argument("--arm", metavar="TEXT", help="of the question: the arm that contains this")
    parser.add_argument("--scale", metavar="S", help="of the question: this scale, or own")
    parser.add_argument("--arms", nargs=2, metavar=("A", "B"), help="compare these two arms")
    parser.add_argument(
        "--with", dest="other", type=Path, metavar="FILE", help="compare with this run file"
    )
    parser.add_argument(
        "--replay",
        nargs="?",
        type=float,
        const=0.0,
        metavar="SPEED",
        help="show a finished run as it was recorded, at 1 to 600 times its pace (default: a minute)",
    )
    parser.add_argument(
        "--theme",
        choices=THEMES,
        help="colours (default: $MEMTUI_THEME, the configuration's, dark); blue-orange is safe for the"
        " colour-blind",
    )
    parser.add_argument("--ascii", action="store_true", help="draw memtui's own signs in ASCII")
    parser.add_argument(
        "--fresh", action="store_true", help="start at the overview, not where this run was left"
    )


def theme_of(asked: str | None, configured: str | None) -> str:
    """The theme asked for, else that of $MEMTUI_THEME, else the configured one, else dark."""
    for theme in (asked, os.environ.get("MEMTUI_THEME"), configured):
        if theme in THEMES:
            return theme
    return THEMES[0]


def _check_replay(path: Path, speed: float, *, live: bool) -> None:
    """UserError for a run that cannot be replayed yet, or a speed there is not."""
    from memtui.state.replay import SPEEDS

    if live:
        raise UserError(f"{path} is being written: it can be replayed when the run has ended")
    if speed and not SPEEDS[0] <= speed <= SPEEDS[-1]:
        raise UserError(f"--replay goes from {SPEEDS[0]} to {SPEEDS[-1]} times; got {speed:g}")


YOUNG = 10_000
"""New objects after which garbage is looked for. A frame of a growing list makes some thousand, nearly all
of which are let go of within seconds: every 700, as is usual, takes a seventh of the frame."""


def run(args: argparse.Namespace) -> int:
    """Open the app; whatever is wrong is one line (UserError) before the terminal is touched."""
    # Nothing of what is made on the way to the first frame is garbage: looking for some costs a tenth
    # of the way, and every later look would go over all of it again.
    gc.disable()
    try:
        app = _app(args)
        gc.freeze()
    finally:
        gc.enable()
        gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    app.run()
    say_parting_words(app.parting)
    say_what_goes_on()
    return app.return_code or 0


def _app(args: argparse.Namespace) -> MemtuiApp:
    """The app for a command line; UserError before the terminal is touched."""
    path: Path = args.path
    if not path.exists():
        if path == DEFAULT:
            raise UserError(
                "no folder ./runs here: start a run with `memtui demo` or `memtui run CONFIG`, or"
                " name a run file"
            )
        raise UserError(f"no file or folder at {path}", exit_code=3)
    in_browser = WEB in os.environ.get("TEXTUAL_DRIVER", "")
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        what = path if path.is_file() else "FILE"
        raise UserError(f"no terminal to draw in; print the figures with: memtui report {what}")
    from memtui.state.configuration import read_configuration
    from memtui.state.places import Places, own_choices

    configuration = read_configuration()
    if configuration.no_color:
        os.environ.setdefault("NO_COLOR", "1")
    session, start = None, Start()
    given = [name for name in NEED_A_FILE if getattr(args, name, None) is not None]
    if path.is_dir():
        if given:
            names = ", ".join(f"--{'with' if name == 'other' else name}" for name in given)
            raise UserError(f"{names} need a run file, and {path} is a folder")
    else:
        from memtui.state import deep_link
        from memtui.state.session import RunSession

        session = RunSession(path)
        session.settings = own_choices(session, configuration)
        deep_link.choose(
            session,
            budget=args.budget,
            alpha=args.alpha,
            judge=args.judge,
            filter_text=args.filter,
            flagged=args.flagged,
        )
        deep_link.begin_overview(session, args.tab, args.measure, args.plot)
        start = _start(args, session)
    from memtui.app import MemtuiApp

    return MemtuiApp(
        path,
        theme=theme_of(args.theme, configuration.theme),
        ascii_only=args.ascii or configuration.ascii,
        session=session,
        start=start,
        places=Places(),
        resume=not args.fresh and not given,
        configuration=configuration,
    )


def _start(args: argparse.Namespace, session: RunSession) -> Start:
    """Where to begin in a run file; UserError for what is not in it."""
    from memtui.state import deep_link

    episode = question = marks = None
    if args.episode is not None:
        episode = deep_link.episode_of(session, args.episode)
    if args.question is not None:
        question = deep_link.question_of(session, args.question)
        if args.arm is not None or args.scale is not None or args.screen == "trajectory":
            episode = deep_link.episode_at(session, question, args.arm, args.scale)
    elif args.arm is not None or args.scale is not None:
        raise UserError("--arm and --scale choose an episode of a question: add --question KEY")
    if args.replay is not None:
        _check_replay(args.path, args.replay, live=session.header.live)
    if args.arms is not None or args.other is not None:
        marks = deep_link.marks_of(session, args.arms, args.other)
    screen = "ladder" if args.screen is None and question is not None else args.screen
    return Start(screen, episode, question, args.step, marks, args.replay)


def say_parting_words(lines: Sequence[str]) -> None:
    """After the app: why it ended, what could not be kept."""
    from memtui.views.text_door import clean_line

    with contextlib.suppress(OSError):  # the terminal may be gone
        for line in lines:
            print(f"memtui: {clean_line(line)}", file=sys.stderr, flush=True)


def say_what_goes_on(apart_from: Path | None = None) -> None:
    """After the app: one line per run that was started in it and goes on. `apart_from`: said elsewhere."""
    from memtui.cli.printing import program
    from memtui.state.child_run import still_running
    from memtui.views.text_door import clean_line

    for child in still_running():
        if child.out == apart_from:
            continue
        out = clean_line(str(child.out))
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(
                f"{out} goes on (process {child.pid}, log {clean_line(str(child.log))});"
                f" look at it again with: {program()} {out}",
                file=sys.stderr,
            )
