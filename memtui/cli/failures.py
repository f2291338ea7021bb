"""`memtui failures`: the episodes that did not pass, and how each failed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "list the episodes that did not pass at B, by how they failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from memtui.cli.rate_arguments import add_rate_arguments

    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    add_rate_arguments(parser, alpha=False)
    parser.add_argument(
        "--limit", type=int, default=50, metavar="N", help="list at most N (default 50, 0 for all)"
    )
    parser.add_argument(
        "--sort",
        default="",
        metavar="FIELDS",
        help="order by fields of the filter, largest first after a minus: --sort=-over,cost",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--csv", action="store_true", help="one row per episode, exact")
    form.add_argument("--excel", action="store_true", help="CSV that spreadsheets open safely")


def run(args: argparse.Namespace) -> int:
    """Print the failures of one run file; 0 also where there are some."""
    from memtui.cli.printing import print_document, print_text
    from memtui.errors import UserError
    from memtui.report.failures import (
        failures_csv,
        failures_document,
        failures_text,
        find_failures,
    )
    from memtui.report.source import ReportSource
    from memtui.store.reader import open_run

    if args.limit < 0:
        raise UserError(f"--limit is 0 (all) or more; got {args.limit}")
    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        source = ReportSource(reader, args.judge, args.filter or "", flagged=args.flagged)
        found = find_failures(source, args.budget, limit=args.limit or None, sort=args.sort)
    if args.json:
        print_document(failures_document(found))
    elif args.csv or args.excel:
        print_text(failures_csv(found, excel=args.excel))
    else:
        print_text(failures_text(found))
    return 0
