"""`memtui systems`: every memory system there is, and whether it can run on this machine."""

from __future__ import annotations

import argparse

HELP = "list the memory systems, ours and plug-ins, and what each still needs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Facts to stdout; always 0: a system that is not installed is a fact, not a failure."""
    from runners.memory import registry

    systems = registry.available()
    if args.json:
        rows = [
            {
                "name": s.name,
                "class": s.interface,
                "state": s.state,
                "needs": list(s.needs),
                "advice": s.advice,
                "source": s.source,
            }
            for s in systems
        ]
        from memtui.cli.printing import print_document

        print_document({"schema": "memtui-systems-1", "systems": rows})
        return 0
    from memtui.views.text_door import clean_line

    name_width = max(len(s.name) for s in systems)
    for s in systems:
        # Names and advice may come from a stranger's package.
        print(
            f"{clean_line(s.name):<{name_width}}  {clean_line(s.interface):<12} {s.state:<12} "
            f"{clean_line(s.advice)}".rstrip()
        )
    return 0
