"""Arguments that every verb takes where rates or regimes appear."""

from __future__ import annotations

import argparse


def add_rate_arguments(parser: argparse.ArgumentParser, *, alpha: bool = True) -> None:
    """Add `--budget`, `--alpha`, `--judge` and `--filter`; defaults are the run's own."""
    parser.add_argument(
        "--budget", type=int, metavar="B", help="memory calls allowed (default: the run's own)"
    )
    if alpha:
        parser.add_argument(
            "--alpha", type=float, metavar="A", help="level of s* (default: the run's own)"
        )
    parser.add_argument("--judge", metavar="ID", help="whose verdicts (default: the run's own)")
    parser.add_argument(
        "--filter",
        metavar="TEXT",
        help="only episodes such as 'out:exhausted scale>=200 \"free text\" -arm:dense'",
    )
    parser.add_argument(
        "--flagged",
        choices=("include", "exclude"),
        help="questions whose gold a reader flagged: in every rate, or in none (default include)",
    )
