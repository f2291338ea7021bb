"""`memtui compare`: two arms or two runs on the questions they share, paired."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "compare two arms, of one run file or of two, on the same questions"
SEPARATOR = "::"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from memtui.cli.rate_arguments import add_rate_arguments

    parser.add_argument("a", metavar="A", help="FILE::ARM, or FILE where it holds one arm")
    parser.add_argument(
        "b", metavar="B", nargs="?", help="FILE::ARM, FILE, or ::ARM of the same file as A"
    )
    parser.add_argument(
        "--arms",
        nargs=2,
        metavar=("A", "B"),
        help="the two arms, where A and B are files or one file",
    )
    add_rate_arguments(parser, alpha=False)
    parser.add_argument(
        "--intersect", action="store_true", help="compare the items in common where the sets differ"
    )
    parser.add_argument(
        "--any-history",
        action="store_true",
        help="pair questions even where their histories were filled differently",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--csv", action="store_true", help="one row per scale, exact")
    form.add_argument("--excel", action="store_true", help="CSV that spreadsheets open safely")


def run(args: argparse.Namespace) -> int:
    """Print the comparison."""
    from memtui.cli.printing import print_document, print_text
    from memtui.errors import UserError
    from memtui.report.comparison import Side, choose_arm, compare
    from memtui.report.comparison_text import (
        comparison_csv,
        comparison_document,
        comparison_text,
    )
    from memtui.report.source import ReportSource
    from memtui.store.reader import open_run

    if args.b is None and args.arms is None:
        raise UserError(
            f"compare with what? name B as FILE{SEPARATOR}ARM, or two arms with --arms A B"
        )
    (file_a, arm_a), (file_b, arm_b) = _split(args.a), _split(args.b or "")
    if args.arms is not None:
        arm_a, arm_b = args.arms
    if not file_a:
        raise UserError(f"A names no file: write FILE{SEPARATOR}ARM")
    file_b = file_b or file_a
    with open_run(Path(file_a)) as reader_a, open_run(Path(file_b)) as reader_b:
        judge = args.judge
        if judge is None and Path(file_a) != Path(file_b):
            judge = _common_judge(reader_a.judges(), reader_b.judges(), reader_a.run().judge)
        flt, flagged = args.filter or "", args.flagged
        source_a = ReportSource(reader_a, judge, flt, flagged=flagged)
        same = Path(file_a) == Path(file_b)
        source_b = source_a if same else ReportSource(reader_b, judge, flt, flagged=flagged)
        a = Side(source_a, choose_arm(source_a, arm_a))
        b = Side(source_b, choose_arm(source_b, arm_b))
        if same and a.arm == b.arm:
            raise UserError(f"A and B are the same arm: name another as {SEPARATOR}ARM")
        found = compare(a, b, args.budget, intersect=args.intersect, any_history=args.any_history)
    if args.json:
        print_document(comparison_document(found))
    elif args.csv or args.excel:
        print_text(comparison_csv(found, excel=args.excel))
    else:
        print_text(comparison_text(found))
    return 0


def _split(text: str) -> tuple[str, str | None]:
    file, separator, arm = text.rpartition(SEPARATOR)
    return (file, arm or None) if separator else (text, None)


def _common_judge(a: list[str], b: list[str], preferred: str) -> str | None:
    """A's own judge where it judged both, else the first that did; None leaves it to the runs."""
    common = [judge for judge in a if judge in b]
    return preferred if preferred in common else common[0] if common else None
