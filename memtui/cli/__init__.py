"""The command line: one module per verb, loaded only when its verb is asked for."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memtui.cli import streams
from memtui.errors import UserError

VERBS: dict[str, str] = {
    "demo": "run the embedded benchmark offline and watch it",
    "run": "run an experiment from a configuration file",
    "ls": "list the run files of a folder",
    "show": "print one episode, step by step",
    "failures": "list the episodes that failed, and how",
    "report": "print reliability per arm and scale",
    "ladder": "print one question over scales and arms, and what displaced its evidence",
    "compare": "compare two arms or two runs on their common items",
    "rejudge": "judge the answers of a run again, beside the old verdicts",
    "export": "copy a run file, live or finished",
    "check": "check a run file for damage and loss",
    "doctor": "check this machine: versions, terminal, models, data",
    "data": "lint, get or convert benchmark data",
    "models": "list and install local models",
    "systems": "list the memory systems and what they need",
}
"""Every verb with its one line of help; `memtui PATH` without a verb opens the app."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (docs/command-line.md)."""
    args = list(sys.argv[1:] if argv is None else argv)
    streams.mend()
    try:
        code = _dispatch(args)
        sys.stdout.flush()  # a full disk is met here, not at the interpreter's end
        return code
    except UserError as error:
        _say(str(error), *error.details)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of a pipe left (`memtui ls | head`): quiet, as Unix tools are.
        streams.silence()
        return 0
    except OSError as error:
        # A folder that cannot be written, a full disk: the user's to put right, whichever verb met it.
        streams.silence()
        what = "cannot go on" if error.filename is None else str(error.filename)
        _say(f"{what}: {error.strerror or error}")
        return 3


def _say(line: str, *details: str) -> None:
    """One line on standard error, and indented below it what belongs to it."""
    from memtui.views.text_door import clean_line

    print(f"memtui: {clean_line(line)}", file=sys.stderr)
    for detail in details:
        print(f"  {clean_line(detail)}", file=sys.stderr)


def _dispatch(args: list[str]) -> int:
    if args and args[0] in {"-h", "--help", "help"}:
        print(usage())
        return 0
    if args and args[0] in {"-V", "--version"}:
        from memtui import __version__

        print(f"memtui {__version__}")
        return 0
    verb = args[0] if args and args[0] in VERBS else "open"
    if verb == "open" and args and not args[0].startswith("-"):
        _refuse_misspelt_verb(args[0])
    module = importlib.import_module(f"memtui.cli.{verb}")
    parser = argparse.ArgumentParser(
        prog="memtui" if verb == "open" else f"memtui {verb}",
        description=module.HELP,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args(args if verb == "open" else args[1:]))
    return code


def _refuse_misspelt_verb(word: str) -> None:
    """`memtui reprot FILE` must not be read as "open the file reprot"."""
    looks_like_path = Path(word).exists() or os.sep in word or "." in word
    if looks_like_path:
        return
    close = difflib.get_close_matches(word, VERBS, n=1)
    hint = f"did you mean `memtui {close[0]}`?" if close else "`memtui --help` lists the verbs"
    raise UserError(f"no file and no verb is called {word!r}; {hint}")


def usage() -> str:
    """The overview that `memtui --help` prints."""
    lines = [
        "memtui: find out where, at which scale, and why an agent's memory stopped being usable",
        "",
        "  memtui [FILE|FOLDER]      open a run file, or a folder of them (default ./runs)",
        *(f"  memtui {verb:<19}{text}" for verb, text in VERBS.items()),
        "",
        "Every verb has --help. Exit codes: 0 ok, 1 a check or gate failed, 2 usage or configuration,",
        "3 file not usable or run incomplete, 130 interrupted.",
    ]
    return "\n".join(lines)
