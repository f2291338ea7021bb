"""`memtui systems`: the memory systems, whether each can run here, and getting what one needs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from memtui.errors import UserError

HELP = "list the memory systems; install, check or remove the packages among them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `systems`, `systems install|remove NAME ...` and `systems check NAME`."""
    parser.add_argument("--json", action="store_true", help="one JSON document")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for name, text in (
        ("install", "make a package's own environment, or finish one that was interrupted"),
        ("remove", "remove a package's environment"),
        ("check", "run the conformance suite; a package is asked with scripted model replies"),
    ):
        action = actions.add_parser(name, help=text)
        one = name == "check"
        action.add_argument(
            "name",
            metavar="NAME",
            nargs=None if one else "+",
            help="a name that `memtui systems` lists" if one else "such as pkg:mem0-2",
        )
        # Suppressed: the default of an action would overrule what stands before it.
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document"
        )


def run(args: argparse.Namespace) -> int:
    """Facts to stdout, progress to stderr; 1 when a check fails or something cannot be had.

    Listing is always 0: a system that is not installed is a fact, not a failure.
    """
    if args.action == "check":
        return _check(args.name, as_json=args.json)
    if args.action is not None:
        return _change(args.action, args.name, as_json=args.json)
    return _list(as_json=args.json)


def _list(*, as_json: bool) -> int:
    from runners.memory import registry

    systems = registry.available()
    if as_json:
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
        return _print_json({"schema": "memtui-systems-1", "systems": rows})
    from memtui.views.text_door import clean_line

    name_width = max(len(s.name) for s in systems)
    for s in systems:
        # Names and advice may come from a stranger's package.
        print(
            f"{clean_line(s.name):<{name_width}}  {clean_line(s.interface):<12} {s.state:<12} "
            f"{clean_line(s.advice)}".rstrip()
        )
    return 0


def _change(action: str, names: list[str], *, as_json: bool) -> int:
    from runners.memory.packages import environment
    from runners.memory.packages.recipes import recipe

    rows = []
    for one in [recipe(name) for name in names]:
        if action == "install":
            environment.install(one, lambda line: print(line, file=sys.stderr, flush=True))
        elif not environment.remove(one):
            print(f"{one.name}: nothing to remove", file=sys.stderr)
        folder = str(environment.folder_of(one))
        rows.append({"name": one.name, "state": environment.state(one), "folder": folder})
    if as_json:
        return _print_json({"schema": "memtui-systems-change-1", "systems": rows})
    for row in rows:
        print(f"{row['name']}: {row['state']} ({row['folder']})")
    return 0


def _check(name: str, *, as_json: bool) -> int:
    import asyncio

    from runners.memory import registry
    from runners.memory.conformance import check_system
    from runners.memory.needs import LLM
    from runners.memory.packages import environment
    from runners.memory.packages.check import check_package
    from runners.memory.packages.recipes import RECIPES, recipe
    from runners.memory.rehearsals import responder_of

    if name not in registry.names() and f"pkg:{name}" in RECIPES:
        name = recipe(name).name
    if name in RECIPES:
        # Scripted replies and vectors stand in for models: its environment is all it needs here.
        lines = [line for line in (environment.missing(RECIPES[name]),) if line]
    else:
        lines = list(registry.missing_needs(registry.build(name).info))
    if lines:
        raise UserError(f"memory system {name!r} cannot run: {'; '.join(lines)}", exit_code=1)
    if name in RECIPES:
        # A package takes minutes: what is being tried is told meanwhile.
        report = asyncio.run(
            check_package(
                RECIPES[name],
                on_rule=lambda rule: print(f"{name}: {rule}", file=sys.stderr, flush=True),
            )
        )
    else:
        system = registry.build(name)
        model = responder_of(system)
        if model is None and LLM in system.info.needs:
            print(
                f"{name} asks a language model and nobody plays it here: every reply is empty"
                " (`rehearse` in docs/adding-a-memory-system.md)",
                file=sys.stderr,
            )
        report = asyncio.run(check_system(lambda: registry.build(name), responder=model))
    if as_json:
        rules = [
            {"rule": check.rule, "status": check.status, "detail": check.detail}
            for check in report.checks
        ]
        document = {
            "schema": "memtui-systems-check-1",
            "name": report.system,
            "ok": report.ok,
            "rules": rules,
        }
        _print_json(document)
    else:
        from memtui.views.text_door import clean_line

        for line in str(report).splitlines():
            print(clean_line(line))
    return 0 if report.ok else 1


def _print_json(document: dict[str, Any]) -> int:
    from memtui.cli.printing import print_document

    print_document(document)
    return 0
