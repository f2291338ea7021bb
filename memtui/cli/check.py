"""`memtui check`: is a run file whole, and if not, what was lost?"""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "check run files for damage and loss"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="run files")
    parser.add_argument(
        "--same-as",
        type=Path,
        metavar="FILE",
        help="besides: do they say the same as this run, but for times (a replay does)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print every finding; 0 whole or unfinished only, 1 damaged, 3 where a file cannot be opened."""
    from memtui.cli.printing import print_document, print_text
    from memtui.store.check import Problem, check_file
    from memtui.store.contents import differences
    from memtui.views.text_door import clean_line

    found = {path: check_file(path) for path in args.files}
    if args.same_as is not None:
        for path, problems in found.items():
            if not any(problem.kind == "unusable" for problem in problems):
                for line in differences(path, args.same_as):
                    problems.append(Problem("differs", "error", line))
    if args.json:
        document = {
            "schema": "memtui-check-1",
            "files": [
                {
                    "file": str(path),
                    "ok": not any(p.severity == "error" for p in problems),
                    "problems": [
                        {"kind": p.kind, "severity": p.severity, "text": p.text, "where": p.where}
                        for p in problems
                    ],
                }
                for path, problems in found.items()
            ],
        }
        print_document(document)
    else:
        lines = []
        for path, problems in found.items():
            if not problems:
                lines.append(clean_line(f"✓ {path}"))
            for problem in problems:
                sign = "✗" if problem.severity == "error" else "·"
                where = f" ({problem.where})" if problem.where else ""
                lines.append(clean_line(f"{sign} {path}: {problem.text}{where}"))
        print_text("\n".join(lines) + "\n")
    everything = [problem for problems in found.values() for problem in problems]
    if any(problem.kind == "unusable" for problem in everything):
        return 3
    return 1 if any(problem.severity == "error" for problem in everything) else 0
