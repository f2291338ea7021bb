"""Write the arguments of every verb into docs/command-line.md, from the parsers that read them.

    python docs/make_command_line.py

Everything between `<!-- arguments of VERB -->` and `<!-- end of arguments -->` is made here; the rest of
the page is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memtui.cli import OPEN, VERBS
from memtui.cli.parsing import arguments_of, build_parser, parsers_in

PAGE = Path(__file__).resolve().with_name("command-line.md")
REGION = re.compile(r"(<!-- arguments of (\w+) -->\n).*?(<!-- end of arguments -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with every region made anew; KeyError for a verb that there is not."""

    def fill(found: re.Match[str]) -> str:
        if found[2] not in (OPEN, *VERBS):
            raise KeyError(f"{PAGE.name} has arguments of {found[2]!r}, which is no verb")
        return found[1] + "\n".join(arguments_lines(found[2])) + "\n" + found[3]

    return REGION.sub(fill, page)


def arguments_lines(verb: str) -> Iterator[str]:
    """One table per verb; a verb with actions has one table over all of them."""
    rows = []
    for action, parser in parsers_in(build_parser(verb)):
        if action:
            rows.append((f"**`{verb} {action}`**", cell(parser.description or "")))
        rows += [(f"`{spelling(one)}`", meaning(one)) for one in arguments_of(parser)]
    yield ""
    yield "| argument | |"
    yield "|---|---|"
    for name, text in rows:
        yield f"| {cell(name)} | {text} |"
    yield ""


def spelling(argument: argparse.Action) -> str:
    """`--budget B`, `FILE`, `[CONFIG]`, `--fail [LEVEL]`."""
    if argument.nargs == 0:
        return ", ".join(argument.option_strings)
    shown = argument.metavar
    if shown is None and argument.choices is not None:
        shown = "|".join(str(choice) for choice in argument.choices)
    words = shown if isinstance(shown, tuple) else (shown or argument.dest.upper(),)
    value = " ".join(words)
    value = {"?": f"[{value}]", "+": f"{value} …"}.get(str(argument.nargs), value)
    return " ".join([", ".join(argument.option_strings), value]).strip()


def meaning(argument: argparse.Action) -> str:
    """The help, and whether an option must be given."""
    needed = " (required)" if argument.required and argument.option_strings else ""
    return cell(f"{argument.help or ''}{needed}")


def cell(text: str) -> str:
    """Text that stays inside one cell of a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = filled(before)
    PAGE.write_text(after, encoding="utf-8")
    print(f"{PAGE.name}: {'written' if after != before else 'already current'}")
