"""`memtui data`: lint a data-set file, get an official one, convert one into the project's format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "lint, get, convert or list benchmark data"
SHOWN = 6
"""Items printed per rule; `--json` has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `data lint FILE`, `data get NAME`, `data list` and `data convert SOURCE OUT`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    lint = actions.add_parser("lint", help="report the defects of a file; change nothing")
    lint.add_argument("file", type=Path, metavar="FILE", help="a data-set file of any known shape")
    lint.add_argument(
        "--audit", type=Path, metavar="FILE", help="LoCoMo audit (errors.json) to lay over"
    )
    lint.add_argument(
        "--sessions", type=Path, metavar="FILE", help="sessions of a data set in two files"
    )
    lint.add_argument(
        "--fail",
        nargs="?",
        const="error",
        choices=("error", "warning", "info"),
        help="exit 1 when a finding is at least this severe (error when no level is given)",
    )
    lint.add_argument("--json", action="store_true", help="one JSON document")
    listing = actions.add_parser("list", help="the data sets that are known, and what is there")
    listing.add_argument("--json", action="store_true", help="one JSON document")
    fetch = actions.add_parser("get", help="fetch an official file once, checked by its sha256")
    fetch.add_argument("name", metavar="NAME", help="a name that `memtui data list` shows")
    fetch.add_argument("--folder", type=Path, metavar="DIR", help="where to put it")
    fetch.add_argument("--json", action="store_true", help="one JSON document")
    convert = actions.add_parser(
        "convert", help="write any readable data set as questions and sessions, one a line"
    )
    convert.add_argument("source", metavar="SOURCE", help="a file, or the name of a data set")
    convert.add_argument("out", type=Path, metavar="OUT", help="the file to write (.jsonl)")
    convert.add_argument(
        "--sessions", type=Path, metavar="FILE", help="sessions, where SOURCE has only questions"
    )
    convert.add_argument(
        "--pool", type=Path, metavar="FILE", help="a session pool to add as fillers"
    )
    convert.add_argument(
        "--skip-bad-lines", action="store_true", help="leave bad lines out and say so"
    )
    convert.add_argument(
        "--allow-unpinned",
        action="store_true",
        help="take a LoCoMo file that is not the official one",
    )
    convert.add_argument("--overwrite", action="store_true", help="replace OUT")
    convert.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Facts to stdout, progress to stderr."""
    return {"lint": _lint, "list": _list, "get": _get, "convert": _convert}[args.action](args)


def _lint(args: argparse.Namespace) -> int:
    """0 unless asked to fail."""
    from memtui.cli.printing import print_document
    from memtui.views.text_door import clean_line
    from runners.datasets.lint import lint_file

    report = lint_file(args.file, audit=args.audit, sessions=args.sessions)
    if args.json:
        print_document(report.document())
    else:
        print(f"{report.path}  {report.shape}  sha256 {report.sha256[:16]}")
        for note in report.notes:
            print(f"  {clean_line(note)}")
        if not report.rules:
            print("nothing to report")
        width = max((len(rule.rule) for rule in report.rules), default=0)
        for rule in report.rules:
            places = ", ".join(rule.ids[:SHOWN])
            more = f" … {len(rule.ids) - SHOWN} more" if len(rule.ids) > SHOWN else ""
            print(f"{rule.severity:<8}{rule.rule:<{width}} {rule.count:>6}  {rule.meaning}")
            print(f"{'':<8}{'':<{width}} {'':>6}  {clean_line(places + more)}")
    return 1 if args.fail is not None and report.has(args.fail) else 0


def _list(args: argparse.Namespace) -> int:
    """Names, and where the file of each would be."""
    from memtui.cli.printing import print_document
    from runners.datasets import registry
    from runners.datasets.download import SOURCES, place_of

    rows = []
    for name in registry.names():
        source = SOURCES.get(name)
        rows.append(
            {
                "name": name,
                "licence": source.licence if source else None,
                "file": str(place_of(source)) if source else None,
                "there": place_of(source).is_file() if source else None,
                "bytes": source.size if source else None,
                "sha256": source.sha256 if source else None,
                "pinned": source.pinned if source else None,
                "source": source.url if source else None,
            }
        )
    if args.json:
        print_document({"schema": "memtui-data-list-1", "data_sets": rows})
        return 0
    for row in rows:
        if row["source"] is None:
            kind = "generated" if row["name"] == "synthetic" else "from a file of yours"
            print(f"{row['name']:<18} {kind}")
        else:
            state = "there" if row["there"] else "not fetched"
            print(f"{row['name']:<18} {state:<12} {row['licence']}  {row['file']}")
    return 0


def _get(args: argparse.Namespace) -> int:
    """Fetches one file, or checks the one that is there."""
    from memtui.cli.printing import print_document
    from runners.datasets.download import get, source_of

    source = source_of(args.name)
    done = get(source, folder=args.folder, report=lambda line: print(line, file=sys.stderr))
    if done.note:
        print(f"memtui: {source.name}: {done.note}", file=sys.stderr)
    if args.json:
        told = {
            "schema": "memtui-data-get-1",
            "name": source.name,
            "file": str(done.path),
            "bytes": done.size,
            "sha256": done.sha256,
            "expected_sha256": source.sha256,
            "matches": done.matches,
            "was_there": done.was_there,
            "licence": source.licence,
            "source": source.url,
            "revision": source.revision,
        }
        print_document(told)
    else:
        from memtui.views import numbers

        word = "the official file" if done.matches else "NOT the reported file"
        print(
            f"{done.path}  {numbers.count(done.size)} bytes  sha256 {done.sha256}  {word}  {source.licence}"
        )
    return 0


def _convert(args: argparse.Namespace) -> int:
    """Reads with the loader of the file's shape, writes, and says what was kept."""
    from memtui.cli.printing import print_document
    from runners.datasets import registry
    from runners.datasets.jsonl_write import write_jsonl

    options = {
        "sessions": args.sessions,
        "pool": args.pool,
        "skip_bad_lines": args.skip_bad_lines or None,
        "allow_unpinned": args.allow_unpinned or None,
    }
    dataset = registry.load(args.source, **{k: v for k, v in options.items() if v is not None})
    lines = write_jsonl(dataset, args.out, overwrite=args.overwrite)
    defects: dict[str, int] = {}
    for found in dataset.findings:
        if found.severity != "info":
            defects[found.rule] = defects.get(found.rule, 0) + found.count
    if args.json:
        told = {
            "schema": "memtui-data-convert-1",
            "name": dataset.name,
            "file": str(args.out),
            "lines": lines,
            "counts": dict(dataset.counts),
            "findings": defects,
        }
        print_document(told)
        return 0
    from memtui.views import numbers

    counts = ", ".join(f"{key} {numbers.count(value)}" for key, value in dataset.counts.items())
    print(f"{args.out}  {numbers.count(lines)} lines  {counts}")
    for rule, count in defects.items():
        print(f"  {rule}: {count}")
    return 0
