"""Memory that was freed goes back to the system, and what stays is not searched for more of it."""

from __future__ import annotations

import gc
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

_TRIM_THRESHOLD = -1
"""`M_TRIM_THRESHOLD` of glibc's malloc.h."""
_KEPT = 128 * 1024
"""Bytes that may stay free at the end of a heap: what glibc begins with, and raises unless it was said."""


@cache
def _library() -> CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes  # only here: the first frame does not wait for it

    return ctypes.CDLL(None)


@cache
def keep_little() -> None:
    """From now on have every thread give back what it frees, where the C library is glibc; elsewhere nothing.

    glibc keeps what a thread freed for that thread: after one big piece up to twice as much, and what a
    thread left behind that has ended for good. Asked before the first big reading.
    """
    setting = getattr(_library(), "mallopt", None)
    if setting is not None:
        setting(_TRIM_THRESHOLD, _KEPT)


def give_back() -> None:
    """Hand back what is free between pieces in use, where the C library is glibc; elsewhere nothing.

    Reading a hundred thousand facts takes some tens of megabytes for half a second.
    """
    trim = getattr(_library(), "malloc_trim", None)
    if trim is not None:
        trim(0)


def settle() -> None:
    """What was read last stays: look for garbage among it now and then no more, until `unsettle`.

    The facts of a hundred thousand episodes are some hundred thousand objects; going over all of them
    takes forty milliseconds, which would be those of some key. A pause of the reader's costs nobody any.
    """
    gc.collect()
    gc.freeze()
    give_back()


def unsettle() -> None:
    """What was read before is let go: it may be garbage."""
    gc.unfreeze()
