"""`memtui report`: reliability per arm and scale, with n, exclusions and intervals."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.state.tab import Measure, Tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtui.report.model import Report
    from memtui.store.reader import RunReader

MEASURES = [measure.value for measure in Measure]
TABS = [tab.value for tab in Tab]
HELP = "print reliability per arm and scale, with n, exclusions and intervals"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from memtui.cli.rate_arguments import add_rate_arguments

    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    add_rate_arguments(parser)
    parser.add_argument(
        "--by",
        metavar="WHAT",
        help="also per question_type, cluster or subset (declared subsets of the items)",
    )
    parser.add_argument(
        "--tab",
        choices=TABS,
        help="only this tab of the overview (default: everything)",
    )
    parser.add_argument(
        "--coverage",
        default="finest/shown",
        metavar="LEVEL/REACH",
        help="finest, turn or session / shown or returned (default finest/shown)",
    )
    parser.add_argument(
        "--until",
        metavar="TIME",
        help="as the run was at this time of its recording, such as 12:34 (its rates only); in rows and "
        "documents `until` says so, in seconds",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--csv", action="store_true", help="one row per cell, exact")
    form.add_argument("--excel", action="store_true", help="CSV that spreadsheets open safely")
    form.add_argument("--md", action="store_true", help="Markdown")
    form.add_argument(
        "--plot",
        nargs="*",
        metavar="ARM",
        help="a picture along the scales of up to four arms that contain these (default: the first four)",
    )
    parser.add_argument(
        "--measure",
        choices=MEASURES,
        default="pass",
        help="of the picture: what it shows (default pass)",
    )
    parser.add_argument(
        "--no-bootstrap", action="store_true", help="closed-form intervals only (faster)"
    )
    parser.add_argument(
        "--tokens",
        action="store_true",
        help="add the tokens used after the evidence was complete, and the ranks at which it came (reads every step; "
        "--tab stopping has them)",
    )


def _build_until(args: argparse.Namespace, tab: Tab | None) -> Callable[..., Report]:
    """Builds the report of the run as it was; UserError for what there is no telling of that moment."""
    from functools import partial

    from memtui.errors import UserError
    from memtui.report.until import moment_from, report_until

    if tab in (Tab.TRUST, Tab.COST):
        raise UserError(
            f"--until has no {tab} tab: costs and judges have no place in recorded order"
        )
    return partial(report_until, moment=moment_from(args.until))


def run(args: argparse.Namespace) -> int:
    """Print the report of one run file; exit code 3 for a file that cannot be used."""
    import gc

    from memtui.cli.printing import print_text
    from memtui.errors import UserError
    from memtui.report.build import build_report
    from memtui.store.reader import open_run

    tab = None if args.tab is None else Tab(args.tab)
    by = args.by
    if by is None and tab is Tab.RELIABILITY:
        by = "question_type"
    # A process that reads a file, prints and ends: looking for cycles among 100,000 facts costs a
    # quarter of its time and finds none.
    gc.disable()
    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        if args.plot is not None:
            if args.until is not None:
                raise UserError("--until prints rates, no --plot: memtui FILE --replay draws them")
            print_text(_plot(reader, args))
            return 0
        build = build_report if args.until is None else _build_until(args, tab)
        report = build(
            reader,
            args.budget,
            args.alpha,
            args.judge,
            by,
            args.filter,
            coverage=args.coverage,
            bootstrap=not args.no_bootstrap,
            tokens=args.tokens or tab is Tab.STOPPING,
            flagged=args.flagged,
        )
    if args.until is not None:
        tab = tab or Tab.RELIABILITY
    if args.json:
        from memtui.report.as_json import report_document, to_json

        text = to_json(report_document(report))
    elif args.csv or args.excel:
        from memtui.report.tab_csv import tab_csv

        text = tab_csv(report, tab, excel=args.excel)
    elif args.md:
        from memtui.report.markdown import report_markdown

        text = report_markdown(report, tab)
    else:
        from memtui.report.plain import report_text

        text = report_text(report, tab)
    print_text(text)
    return 0


def _plot(reader: RunReader, args: argparse.Namespace) -> str:
    """The picture as text, as wide as the terminal, or 100 columns."""
    import shutil

    from memtui.report.plot import named_plot, plot_text
    from memtui.report.source import ReportSource

    source = ReportSource(
        reader, args.judge, args.filter or "", args.coverage, flagged=args.flagged
    )
    plot = named_plot(source, args.plot, Measure(args.measure), args.budget, args.alpha)
    columns = shutil.get_terminal_size((100, 30)).columns
    return plot_text(plot, max(60, min(columns, 200)), 32)
