"""`memtui show`: one episode in text, call by call, and why it ended; or what a run is doing right now."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "print one episode call by call and why it ended, or what a run does now"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    parser.add_argument(
        "episode", nargs="?", metavar="EPISODE", help="its id, uid or key, or the key of an item"
    )
    parser.add_argument(
        "--now",
        action="store_true",
        help="instead: work in flight, rates, limits, retries, errors, alarms and latest endings",
    )
    parser.add_argument("--arm", metavar="TEXT", help="of several: the arm that contains this")
    parser.add_argument("--scale", metavar="S", help="of several: the one at this scale, or own")
    parser.add_argument("--seed", type=int, metavar="N", help="of several: this ladder seed")
    parser.add_argument("--repeat", type=int, metavar="N", help="of several: this repeat")
    parser.add_argument(
        "--budget", type=int, metavar="B", help="memory calls allowed (default: the run's own)"
    )
    parser.add_argument("--judge", metavar="ID", help="whose verdict (default: the run's own)")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print one episode, or what goes on."""
    from memtui.errors import UserError

    if args.now == (args.episode is not None):
        raise UserError("name one episode (memtui failures lists them), or ask for --now")
    if args.now:
        _print_now(args)
    else:
        _print_episode(args)
    return 0


def _print_now(args: argparse.Namespace) -> None:
    from memtui.cli.printing import print_document, print_text
    from memtui.report.now import now_document, now_text, read_now
    from memtui.store.reader import open_run

    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        now = read_now(reader, args.budget, args.judge)
    if args.json:
        print_document(now_document(now))
    else:
        print_text(now_text(now))


def _print_episode(args: argparse.Namespace) -> None:
    from memtui.cli.printing import print_document, print_text
    from memtui.metrics.limits import is_context_arm
    from memtui.query.budgets import budget_at
    from memtui.report.episode import EpisodeReport, episode_document, episode_text
    from memtui.report.find_episode import find_episode
    from memtui.report.source import choose_judge
    from memtui.store.reader import open_run

    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        run_row = reader.run()
        budget = budget_at(reader, run_row, args.budget)
        judge, _ = choose_judge(reader, args.judge, run_row.judge)
        detail = find_episode(
            reader,
            args.episode,
            arm=args.arm,
            scale=args.scale,
            seed=args.seed,
            repeat=args.repeat,
        )
        context = any(
            arm.key == detail.row.arm and is_context_arm(arm.config) for arm in reader.arms()
        )
        report = EpisodeReport(reader, detail, budget, judge, context=context)
    if args.json:
        print_document(episode_document(report))
    else:
        print_text(episode_text(report))
