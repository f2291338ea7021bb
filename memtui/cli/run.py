"""`memtui run`: run an experiment, or say what it would do."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.printing import print_document, print_text
from memtui.errors import UserError

if TYPE_CHECKING:
    from runners.engine.build import Built
    from runners.engine.run import RunResult

HELP = "run an experiment from a configuration file; running again continues it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG", help="a TOML file")
    parser.add_argument(
        "--example", action="store_true", help="print a commented configuration and stop"
    )
    parser.add_argument("--plan", action="store_true", help="print what would run and run nothing")
    parser.add_argument(
        "--limit", type=_whole, metavar="N", help="ask N items, stratified by question type"
    )
    parser.add_argument(
        "--new", action="store_true", help="start another run file beside an existing one"
    )
    parser.add_argument(
        "--data", metavar="PATH", help="the data set's file or folder, instead of data.path"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the run file to write")
    parser.add_argument("--workers", type=_whole, metavar="N", help="episodes at once")
    speed = parser.add_mutually_exclusive_group()
    speed.add_argument("--pace", type=_rate, metavar="N", help="start at most N episodes a second")
    speed.add_argument("--full-speed", action="store_true", help="ignore output.pace")
    parser.add_argument(
        "--no-report", action="store_true", help="do not print the report at the end"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _whole(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _rate(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be a number above 0")
    return number


def run(args: argparse.Namespace) -> int:
    """Facts to stdout, progress and warnings to stderr; exit 0, 3 incomplete, 130 interrupted."""
    if args.example:
        from runners.engine.example import example_text

        print_text(example_text())
        return 0
    if args.config is None:
        raise UserError("which experiment? give a configuration; --example prints one")
    from runners.engine.build import build
    from runners.engine.config import load_config

    config = load_config(args.config)
    if args.data is not None:
        from memtui.state.new_file import typed_path

        data = config.data.model_copy(update={"path": str(typed_path(args.data).resolve())})
        config = config.model_copy(update={"data": data})
    if args.workers is not None:
        limits = config.limits.model_copy(update={"workers": args.workers})
        config = config.model_copy(update={"limits": limits})
    if args.full_speed:
        output = config.output.model_copy(update={"pace": None})
        config = config.model_copy(update={"output": output})
    built = build(config, limit=args.limit)
    return _plan(built, args.json) if args.plan else _run(built, args)


def _plan(built: Built, as_json: bool) -> int:
    from memtui.views.text_door import clean_block
    from runners.engine.plan import make_plan
    from runners.engine.plan_text import plan_text

    report = make_plan(built.experiment, built.models)
    if as_json:
        print_document(report.as_dict())
    else:
        print_text(clean_block(plan_text(report)))
    return 0


def _run(built: Built, args: argparse.Namespace) -> int:
    import asyncio

    from memtui.cli.run_progress import ProgressLine
    from runners.engine.plan import missing_parts
    from runners.engine.run import run_experiment

    missing = missing_parts(built.experiment, built.models)
    if missing:
        raise UserError(f"this experiment cannot run here: {'; '.join(missing)}")
    line = ProgressLine(built.experiment.config.name, sys.stderr)
    try:
        result = asyncio.run(
            run_experiment(
                built.experiment,
                args.out,
                new=args.new,
                pace=args.pace,
                on_beat=line.beat,
                on_log=line.log,
                signals=True,
            )
        )
    finally:
        line.close()
    line.say(_last_words(result))
    report = None if args.no_report or not result.done else _report(result.path)
    if args.json:
        _print_json(result, report)
    elif report is not None:
        from memtui.report.plain import report_text

        print_text(report_text(report))
    return result.exit_code


def _last_words(result: RunResult) -> str:
    from memtui.views.numbers import count

    counted = f"{count(result.done)} of {count(result.planned)} episodes in {result.path}"
    if result.exit_code == 0:
        return f"finished: {counted}"
    return f"stopped: {counted}; {result.note}; run the same command again to continue"


def _report(path: Path) -> Any:
    from memtui.report.build import build_report
    from memtui.store.reader import open_run

    with open_run(path) as reader:
        return build_report(reader)


def _print_json(result: RunResult, report: Any) -> None:
    from memtui.report.as_json import report_document

    document: dict[str, Any] = {
        "schema": "memtui-run-1",
        "file": str(result.path),
        "state": result.state.value,
        "planned": result.planned,
        "done": result.done,
        "done_now": result.done_now,
        "resumed": result.resumed,
        "ends": result.ends,
        "note": result.note,
        "report": None if report is None else report_document(report),
    }
    print_document(document)
