"""`memtui rejudge`: judge the answers of a run file again; the old verdicts stay beside the new ones."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.store.reader import RunReader
    from memtui.store.records import RunRow
    from runners.judges.rejudge import Rejudged
    from runners.models.door import ModelDoor

HELP = "judge the answers of a run again, beside the old verdicts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    parser.add_argument(
        "--judge",
        required=True,
        metavar="SPEC",
        help="`deterministic`, `model:PROVIDER/MODEL[,style=locomo][,official_compat=true]`, or a plug-in's name",
    )
    parser.add_argument(
        "--filter", metavar="TEXT", help="only these episodes, as in `memtui report`"
    )
    parser.add_argument("--budget", type=int, metavar="B", help="B for filters that depend on it")
    parser.add_argument(
        "--missing", action="store_true", help="only answers this judge has not decided yet"
    )
    parser.add_argument(
        "--concurrency", type=int, default=8, metavar="N", help="answers judged at once"
    )
    parser.add_argument(
        "--api-base", metavar="URL", help="an OpenAI-compatible server for the judge's model"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Append the verdicts and print what they say; 0 also where some stay unknown."""
    from memtui.errors import UserError
    from memtui.store.reader import open_run

    if args.concurrency < 1:
        raise UserError("--concurrency must be at least 1")
    with open_run(args.file) as reader:
        result = asyncio.run(_rejudge(args, reader))
    if args.json:
        from memtui.cli.printing import print_document

        print_document(document(result, args.file))
    else:
        print(text(result))
    return 0


async def _rejudge(args: argparse.Namespace, reader: RunReader) -> Rejudged:
    from memtui.store.writer import RunWriter
    from runners.judges.registry import from_spec
    from runners.judges.rejudge import rejudge

    opened: list[ModelDoor] = []
    stored = reader.run()

    def door() -> ModelDoor:
        opened.append(_door(stored, args.judge, args.api_base))
        return opened[-1]

    judge = from_spec(args.judge, door)
    episodes = _selected(reader, stored, args.filter, args.budget)

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\rjudged {done} of {total}", end="" if done < total else "\n", file=sys.stderr)

    try:
        async with RunWriter(args.file) as sink:
            return await rejudge(
                reader,
                sink,
                judge,
                episodes,
                compare_with=stored.judge,
                only_missing=args.missing,
                concurrency=args.concurrency,
                progress=progress,
            )
    finally:
        for one in opened:
            await one.close()


def _selected(reader: RunReader, stored: RunRow, text: str | None, budget: int | None) -> list[int]:
    from memtui.metrics.limits import is_context_arm
    from memtui.query.language import parse
    from memtui.query.subject import Environment
    from memtui.store.side_file import SideFile

    context_arms = frozenset(arm.key for arm in reader.arms() if is_context_arm(arm.config))
    calls = stored.budget if budget is None else budget
    marks = SideFile(reader.path, stored.uid).read()
    environment = Environment(calls, stored.mode, stored.judge, context_arms, marks)
    where, params = parse(text or "").where(environment)
    return reader.episode_ids(where, params, judge=stored.judge)


def _door(stored: RunRow, spec: str, api_base: str | None) -> ModelDoor:
    """A door with the model settings that the run was made with, and the server given here."""
    from dataclasses import replace

    from runners.models.door import ModelDoor
    from runners.models.settings import ModelSettings

    requested = stored.config.get("requested", {})
    tables = requested.get("models", {}) if isinstance(requested, dict) else {}
    models = {
        name: ModelSettings.from_options(table, f"models.{name}")
        for name, table in (tables.items() if isinstance(tables, dict) else ())
        if isinstance(table, dict)
    }
    default = ModelSettings()
    if api_base is not None:
        models = {name: replace(found, api_base=api_base) for name, found in models.items()}
        default = replace(default, api_base=api_base)
    return ModelDoor(models=models, default=default)


def document(result: Rejudged, file: Path) -> dict[str, Any]:
    """The JSON document of `--json`."""
    from memtui.report.as_json import usage_document

    n, agree = result.both
    return {
        "schema": "memtui-rejudge-1",
        "file": str(file),
        "judge": result.judge,
        "judged": result.judged,
        "without_answer": result.without_answer,
        "already_judged": result.already_judged,
        "labels": result.labels,
        "reasons": dict(sorted(result.reasons.items())),
        "compared_with": result.compared_with,
        "agreement": {"n": n, "agree": agree, "table": result.agreement},
        "usage": usage_document(result.usage),
    }


def text(result: Rejudged) -> str:
    """What was judged and how it compares, in a few lines."""
    from memtui.views.text_door import clean_line

    labels = result.labels
    lines = [
        f"judge      {clean_line(result.judge)}",
        f"judged     {result.judged}: {labels['right']} right, {labels['wrong']} wrong,"
        f" {labels['unknown']} unknown",
    ]
    if result.without_answer:
        lines.append(f"no answer  {result.without_answer} (nothing to judge)")
    if result.already_judged:
        lines.append(f"skipped    {result.already_judged} already judged")
    n, agree = result.both
    if result.compared_with and result.compared_with != result.judge:
        share = f"{agree} of {n} ({100 * agree / n:.1f} %)" if n else "no answer decided by both"
        lines.append(f"agreement  {share} with {clean_line(result.compared_with)}")
    if result.usage.calls:
        cost = "cost unknown" if result.usage.cost is None else f"${result.usage.cost:.4f}"
        lines.append(
            f"used       {result.usage.calls} calls, {result.usage.attempts} attempts, {cost}"
        )
    return "\n".join(lines)
