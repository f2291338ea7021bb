"""`memtui ladder`: one question over scales and arms, and what displaced its evidence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "print one question over scales and arms, and what displaced its evidence"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from memtui.cli.rate_arguments import add_rate_arguments

    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    parser.add_argument(
        "question", metavar="QUESTION", help="the key of a question, or words only it contains"
    )
    parser.add_argument("--arm", metavar="TEXT", help="only arms that contain this")
    add_rate_arguments(parser, alpha=False)
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the ladder of one question."""
    from memtui.cli.printing import print_document, print_text
    from memtui.query.budgets import budget_at
    from memtui.report.find_item import find_item
    from memtui.report.ladder import (
        build_ladder_report,
        ladder_document,
        ladder_text,
        only_arms,
    )
    from memtui.report.source import ReportSource
    from memtui.store.reader import open_run

    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        source = ReportSource(reader, args.judge, args.filter or "", flagged=args.flagged)
        budget = budget_at(reader, source.run, args.budget)
        report = build_ladder_report(source, find_item(reader, args.question), budget)
        if args.arm:
            report = only_arms(report, args.arm)
    if args.json:
        print_document(ladder_document(report))
    else:
        print_text(ladder_text(report))
    return 0
