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
        "--copy", type=Path, required=True, metavar="TO", help="the new file; never overwritten"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Copy with VACUUM INTO: the writer goes on undisturbed and the copy is compact."""
    from memtui.store.copy import export_copy

    export_copy(args.file, args.copy)
    print(f"copied to {args.copy}", file=sys.stderr)
    if args.json:
        from memtui.cli.printing import print_document

        size = args.copy.stat().st_size
        document = {"file": str(args.file), "copy": str(args.copy), "bytes": size}
        print_document({"schema": "memtui-export-1", **document})
    return 0
