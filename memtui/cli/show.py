"""`memtui show`: one episode in text, call by call, and why it ended."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "print one episode: its question, what each call brought, and why it ended"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    parser.add_argument("episode", metavar="EPISODE", help="its id or uid, or the key of an item")
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
    """Print one episode."""
    from memtui.cli.printing import print_document, print_text
    from memtui.metrics.limits import call_cap, is_context_arm
    from memtui.metrics.outcome import check_budget
    from memtui.report.episode import EpisodeReport, episode_document, episode_text
    from memtui.report.find_episode import find_episode
    from memtui.report.source import choose_judge
    from memtui.store.reader import open_run

    with open_run(args.file) as reader:
        if reader.warning:
            print(f"memtui: {reader.warning}", file=sys.stderr)
        run_row = reader.run()
        budget = check_budget(
            run_row.budget if args.budget is None else args.budget,
            run_row.mode,
            run_row.budget,
            call_cap(run_row.config),
        )
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
    return 0
