"""Memory that was freed goes back to the system, and what stays is not searched for more of it."""

from __future__ import annotations

import gc
import sys


def give_back() -> None:
    """Hand freed memory back to the system where the C library would keep it (glibc); elsewhere nothing.

    Reading a hundred thousand facts takes some tens of megabytes for half a second.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # only here: the first frame does not wait for it

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
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
