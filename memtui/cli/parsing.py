"""The parser of each verb: what runs, what `--help` prints, what completes and what the manual lists."""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui import __version__
from memtui.cli import OPEN, VERBS

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

ENDS = """\
Exit codes: 0 ok, 1 a check or gate failed, 2 usage or configuration, 3 file not usable or run
incomplete, 130 interrupted. docs/command-line.md has every verb and the schemas of --json.\
"""


class Parser(argparse.ArgumentParser):
    """A parser whose help is an output like any other."""

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; argparse itself passes over a full disk behind the output."""
        (file or sys.stdout).write(self.format_help())
        sys.stdout.flush()


def build_parser(verb: str) -> argparse.ArgumentParser:
    """The parser of `verb` (`OPEN` for `memtui [PATH]`); loads that verb's module and no other."""
    module = importlib.import_module(f"memtui.cli.{verb}")
    if verb == OPEN:
        parser = Parser(
            prog="memtui",
            usage="memtui [FILE|FOLDER] [options]\n       memtui VERB [arguments]   (memtui VERB --help)",
            description=_overview(),
            epilog=ENDS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        version = f"memtui {__version__}"
        parser.add_argument(
            "-V", "--version", action="version", version=version, help="print the version"
        )
    else:
        parser = Parser(prog=f"memtui {verb}", description=module.HELP)
    module.add_arguments(parser)
    for name, one in parsers_in(parser):
        # An abbreviation that is unique today is ambiguous in the next version.
        one.allow_abbrev = False
        if name:
            one.description = one.description or _help_of(parser, name)
    return parser


def parse(verb: str, args: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a verb; exit code 2, with what was probably meant, for an unknown one."""
    parser = build_parser(verb)
    found, unknown = parser.parse_known_args(args)
    if unknown:
        known = {option for _, one in parsers_in(parser) for option in options_of(one)}
        close = difflib.get_close_matches(unknown[0].split("=")[0], known, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        parser.error(f"unknown argument: {unknown[0]}{hint}")
    return found


def parsers_in(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser itself under the empty name, then those of its actions such as `lint`."""
    yield "", parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def arguments_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Arguments and options in the order of `--help`, without `--help` itself and without actions."""
    left_out = (argparse._HelpAction, argparse._SubParsersAction)
    return [action for action in parser._actions if not isinstance(action, left_out)]


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Every option string, such as `--budget`."""
    return [text for action in arguments_of(parser) for text in action.option_strings]


def _help_of(parser: argparse.ArgumentParser, name: str) -> str | None:
    """The one line that a verb's list of actions has for one of them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                if choice.dest == name:
                    return choice.help
    return None


def _overview() -> str:
    width = max(map(len, VERBS)) + 2
    lines = [
        "Find out where, at which scale, and why an agent's memory stopped being usable.",
        "Without a verb: open a run file, or a folder of them (default ./runs).",
        "",
        "verbs:",
        *(f"  memtui {verb:<{width}}{text}" for verb, text in VERBS.items()),
    ]
    return "\n".join(lines)
