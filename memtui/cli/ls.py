"""`memtui ls`: the run files of a folder, with their state, progress and rates; their aliases and notes."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui.errors import UserError, did_you_mean

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
    parser.add_argument(
        "--sort",
        default="started",
        metavar="KEY",
        help="started, name, state, progress, pass, n, excluded, eta, cost, size; --sort=-KEY turns it"
        " round",
    )
    parser.add_argument(
        "--flagged",
        choices=("include", "exclude"),
        default="include",
        help="questions whose gold a reader flagged: in every rate, or in none (default include)",
    )
    parser.add_argument(
        "--no-rates",
        action="store_true",
        help="read no episodes: states and progress only (faster)",
    )
    parser.add_argument(
        "--alias",
        nargs=2,
        metavar=("FILE", "NAME"),
        help="give a run another name, kept beside it (an empty one takes it away)",
    )
    parser.add_argument(
        "--note",
        nargs=2,
        metavar=("FILE", "TEXT"),
        help="keep a note on a run, beside it (an empty one takes it away)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the list; unusable files are named with the reason and do not fail the command."""
    from memtui.cli.printing import print_document, print_text
    from memtui.report.run_list import runs_document, runs_text
    from memtui.state.run_list import SORTS, RunList, ordered

    key = args.sort.removeprefix("-")
    if key not in SORTS:
        raise UserError(f"runs have no order {key!r}; {did_you_mean(key, SORTS)}")
    annotated = _annotate(args)
    folder = annotated.parent if annotated is not None and args.folder == DEFAULT else args.folder
    if folder == DEFAULT and not DEFAULT.exists():
        raise UserError(
            "no folder ./runs here: start a run with `memtui demo` or `memtui run CONFIG`, or name a folder"
        )
    runs = RunList(folder)
    lines = runs.glance(without_flagged=args.flagged == "exclude")
    if not args.no_rates:
        lines = [runs.with_rates(line) for line in lines]
    lines = ordered(lines, key, turned=args.sort.startswith("-"))
    if args.json:
        print_document(runs_document(folder, lines))
    else:
        print_text(runs_text(folder, lines))
    return 0


def _annotate(args: argparse.Namespace) -> Path | None:
    """Keep alias and note in the side file; the run file they are of. UserError where it holds no run."""
    from memtui.store.reader import open_run
    from memtui.store.side_file import ALIAS, NOTE, SideFile

    annotated = None
    for kind, given in ((ALIAS, args.alias), (NOTE, args.note)):
        if given is not None:
            annotated = Path(given[0])
            with open_run(annotated) as reader:
                uid = reader.run().uid
            SideFile(annotated, uid).append(kind, "", given[1].strip())
    return annotated
