"""`memtui export`: a consistent copy of a run file, also while it is being written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "copy a run file, live or finished, into one self-contained file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the run file")
    parser.add_argument(
        "to",
        type=Path,
        nargs="?",
        metavar="TO",
        help="the new file, or a folder for it; never overwritten",
    )
    parser.add_argument("--copy", type=Path, metavar="TO", help="another way to name it")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Copy with VACUUM INTO: the writer goes on undisturbed and the copy is compact."""
    from memtui.errors import UserError
    from memtui.store.copy import export_copy
    from memtui.store.new_name import taken

    named = [one for one in (args.to, args.copy) if one is not None]
    if len(named) != 1:
        wrong = "names two targets" if named else "needs a target"
        raise UserError(f"memtui export {wrong}: memtui export FILE TO")
    target = named[0]
    if taken(target) and target.is_dir():
        target = target / args.file.name
    export_copy(args.file, target)
    print(f"copied to {target}", file=sys.stderr)
    if args.json:
        from memtui.cli.printing import print_document

        size = target.stat().st_size
        document = {"file": str(args.file), "copy": str(target), "bytes": size}
        print_document({"schema": "memtui-export-1", **document})
    return 0
