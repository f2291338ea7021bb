"""`memtui ls`: the run files of a folder, with their state and progress."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.errors import UserError

DEFAULT = Path("runs")
HELP = "list the run files of a folder, with their state and progress"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=DEFAULT,
        metavar="FOLDER",
        help="the folder (default ./runs)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the list; unusable files are named with the reason and do not fail the command."""
    from memtui.cli.printing import print_document, print_text
    from memtui.report.run_list import runs_document, runs_text
    from memtui.store.workspace import list_runs

    if args.folder == DEFAULT and not DEFAULT.exists():
        raise UserError(
            "no folder ./runs here: start a run with `memtui demo` or `memtui run CONFIG`, or name a folder"
        )
    runs = list_runs(args.folder)
    if args.json:
        print_document(runs_document(args.folder, runs))
    else:
        print_text(runs_text(args.folder, runs))
    return 0
