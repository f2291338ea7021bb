"""Arguments that every verb takes where rates or regimes appear, and the manual of the filter."""

from __future__ import annotations

import argparse


class FilterHelp(argparse.Action):
    """Prints the manual of the filter and ends, as `--help` does."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        from memtui.query.manual import manual_lines

        print("\n".join(manual_lines()))
        parser.exit()


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
        "--help-filter",
        action=FilterHelp,
        nargs=0,
        help="say what can be filtered by, field by field, and end",
    )
    parser.add_argument(
        "--flagged",
        choices=("include", "exclude"),
        help="questions whose gold a reader flagged: in every rate, or in none (default include)",
    )
