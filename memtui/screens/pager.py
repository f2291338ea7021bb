"""Showing a whole text in the reader's own pager, the screen put aside meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from memtui.errors import UserError
from memtui.views.text_door import clean_block

if TYPE_CHECKING:
    from memtui.screens.navigation import NavigatingApp


def pager_command(environ: Mapping[str, str]) -> list[str] | None:
    """`$PAGER`, else less, else more; None where there is none."""
    for candidate in (environ.get("PAGER", ""), "less", "more"):
        try:
            words = shlex.split(candidate)
        except ValueError:  # a quote in $PAGER that is not closed
            continue
        if words and shutil.which(words[0]):
            return words
    return None


class TerminalGone(Exception):
    """The terminal was closed while the pager had it."""


async def open_made(app: NavigatingApp, make: Callable[[], str] | None) -> None:
    """Make a text in a thread and show it, unless the reader goes elsewhere meanwhile; what is wrong is
    said. TerminalGone as from `page`."""
    screen, command = app.screen, pager_command(os.environ)
    if make is None:
        app.say("nothing to open here")
    elif command is None:
        app.say("no pager was found: set PAGER", error=True)
    else:
        try:
            text = await asyncio.to_thread(make)
        except UserError as error:
            app.say(str(error), error=True)
            return
        if app.screen is not screen:
            return
        try:
            with app.suspend():
                page(text, command)
        except SuspendNotSupported:
            app.say("a pager cannot be opened from here")
        except OSError as error:  # no room for the text, or a pager that cannot be started
            what = error.filename or tempfile.gettempdir()
            app.say(f"the pager cannot be opened: {what}: {error.strerror or error}", error=True)


def page(text: str, command: list[str]) -> None:
    """Run the pager over the text; control bytes are made visible first, whatever the pager does.

    TerminalGone where the terminal was closed meanwhile: the app must not take it back, since whoever
    writes to a terminal that is gone waits for ever.
    """
    with tempfile.NamedTemporaryFile(
        "w", prefix="memtui-", suffix=".txt", encoding="utf-8", errors="replace"
    ) as file:
        file.write(clean_block(text))
        file.flush()
        environ = dict(os.environ)
        environ.setdefault("LESSSECURE", "1")
        with interrupts_left_to_the_pager():
            subprocess.run([*command, file.name], check=False, env=environ)
    try:
        termios.tcgetattr(sys.__stdin__ or 0)
    except (termios.error, OSError, ValueError) as error:
        raise TerminalGone from error


@contextlib.contextmanager
def interrupts_left_to_the_pager() -> Iterator[None]:
    """Ctrl-C and Ctrl-\\ stop what the pager does, and not the app behind it, to which the terminal sends
    them as well.

    They are caught rather than ignored: what is ignored the pager would ignore, too.
    """
    # No other thread may say what becomes of a signal, and none is interrupted by one.
    heard = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGQUIT) if heard else ()
    before = [(number, signal.signal(number, lambda *_: None)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
