"""Before the first question: was the memory filled at all?"""

from __future__ import annotations

from memtui.errors import UserError
from runners.memory.contract import Counted, Haystack, MemoryView


def stored(view: MemoryView) -> int | None:
    """Sessions the view says it holds; None where it cannot say."""
    return view.stored if isinstance(view, Counted) else None


def require_filled(view: MemoryView, haystack: Haystack, system: str) -> str:
    """One line such as `bm25: 30 of 30 sessions stored`, for the record.

    UserError (exit code 1) when none of them is: every question would be asked of an empty memory. A
    partly filled memory is said, not refused; a view that cannot count is not judged.
    """
    held, given = stored(view), len(haystack.positions)
    if held is None:
        return f"{system}: cannot say how many of {given} sessions it holds"
    line = f"{system}: {held} of {given} sessions stored"
    if given and not held:
        raise UserError(f"{line}: every question would be asked of an empty memory", exit_code=1)
    return line
