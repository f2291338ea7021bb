"""The command line: one module per verb, loaded only when its verb is asked for."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memtui.cli import streams
from memtui.errors import UserError

OPEN = "open"
"""The module behind `memtui [PATH]`, which has no verb."""
VERBS: dict[str, str] = {
    "demo": "run the embedded benchmark (no key, no network) and watch it live",
    "run": "run an experiment from a configuration file; running again continues it",
    "ls": "list the run files of a folder, with their state and progress",
    "report": "print reliability per arm and scale, with n, exclusions and intervals",
    "failures": "list the episodes that did not pass at B, by how they failed",
    "show": "print one episode call by call and why it ended, or what a run does now",
    "ladder": "print one question over scales and arms, and what displaced its evidence",
    "compare": "compare two arms, of one run file or of two, on the same questions",
    "rejudge": "judge the answers of a run again, beside the old verdicts",
    "export": "copy a run file, live or finished, into one self-contained file",
    "check": "check run files for damage and loss",
    "doctor": "check this machine: versions, terminal, models, memory systems, folders",
    "data": "lint, get, convert or list benchmark data",
    "models": "list or install the model weights that some memory systems need",
    "systems": "list the memory systems; install, check or remove the packages among them",
    "serve": "open the app in a browser on this machine",
    "completion": "print the completion script of a shell",
}
"""Every verb with its one line of help, which its module's `HELP` repeats."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (docs/command-line.md)."""
    try:
        return _answered(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:  # also while a fault is being looked into, which takes seconds
        return 130


def _answered(args: list[str]) -> int:
    streams.mend()
    try:
        code = _dispatch(args)
        sys.stdout.flush()  # a full disk is met here, not at the interpreter's end
        return code
    except UserError as error:
        _say(str(error), *error.details)
        return error.exit_code
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
    except Exception as fault:
        for path in filter(os.path.isfile, args):
            from memtui.store.blame import blamed

            if (found := blamed(Path(path), fault)) is not None:
                _say(str(found))
                return found.exit_code
        raise


def _say(line: str, *details: str) -> None:
    """One line on standard error, and indented below it what belongs to it."""
    from memtui.views.text_door import clean_line

    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"memtui: {clean_line(line)}", file=sys.stderr)
        for detail in details:
            print(f"  {clean_line(detail)}", file=sys.stderr)


def _dispatch(args: list[str]) -> int:
    if args and args[0] == "help":
        args = [*args[1:2], "--help"]
    verb = args[0] if args and args[0] in VERBS else OPEN
    if verb == OPEN and args and not args[0].startswith("-"):
        _refuse_misspelt_verb(args[0])
    module = importlib.import_module(f"memtui.cli.{verb}")
    from memtui.cli.parsing import parse

    code: int = module.run(parse(verb, args if verb == OPEN else args[1:]))
    return code


def _refuse_misspelt_verb(word: str) -> None:
    """`memtui reprot FILE` must not be read as "open the file reprot"."""
    looks_like_path = Path(word).exists() or os.sep in word or "." in word
    if looks_like_path:
        return
    close = difflib.get_close_matches(word, VERBS, n=1)
    hint = f"did you mean `memtui {close[0]}`?" if close else "`memtui --help` lists the verbs"
    raise UserError(f"no file and no verb is called {word!r}; {hint}")
