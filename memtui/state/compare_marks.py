"""What the reader marked for comparison: two arms, or two run files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mark:
    """A side of a comparison: an arm of a file, or the file as a whole."""

    path: Path
    arm: str | None = None


@dataclass(slots=True)
class CompareMarks:
    """At most one mark waits for its other half."""

    waiting: Mark | None = None

    def add(self, mark: Mark) -> tuple[Mark, Mark] | None:
        """Mark one; the pair once there are two. The same one again takes the mark off."""
        if self.waiting is None:
            self.waiting = mark
            return None
        first, self.waiting = self.waiting, None
        return None if first == mark else (first, mark)


def arm_of(mark: Mark, arms: Sequence[str], other: Mark, beside: Sequence[str]) -> str:
    """The arm to compare: the one marked, else one that both files have, else the first.

    `arms` are the arms of the mark's own file, `beside` those of the other's; none may be empty.
    """
    if mark.arm is not None and mark.arm in arms:
        return mark.arm
    if mark.path == other.path:
        return next((arm for arm in arms if arm != other.arm), arms[0])
    if other.arm is not None and other.arm in arms:
        return other.arm
    return next((arm for arm in arms if arm in beside), arms[0])
