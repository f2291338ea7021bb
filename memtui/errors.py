"""The one error a user can cause: a clear line, the exit code it leaves with, what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class UserError(Exception):
    """Something the user can put right: says what, where and what to do, in one line.

    `exit_code` is 2 for usage or configuration, 3 for a file that is not usable or a run that is
    incomplete, 1 for a gate or check that failed. `details` are further lines that belong to it, such
    as the settings that differ.
    """

    def __init__(self, message: str, *, exit_code: int = 2, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.details = tuple(details)


def how_to_add(extra: str) -> str:
    """What brings the packages of an extra: in a clone, where `make` sets up, and anywhere else."""
    return f"run `make {extra}` in a clone, else `pip install 'memtui[{extra}]'`"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a line about a word that nobody knows: the nearest known one, else all there are."""
    from difflib import get_close_matches  # only a mistake pays for it

    words = list(known)
    close = get_close_matches(word, words, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"choose from {', '.join(words)}" if words else "there is none to choose from"
