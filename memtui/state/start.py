"""Where the app begins in a run: what a command line, a link or the last visit says."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.state.compare_marks import Mark

SCREENS = ("overview", "episodes", "trajectory", "ladder", "compare")
"""The screens over an open run file that one can begin on."""


@dataclass(frozen=True, slots=True)
class Start:
    """A screen and what it shows; without anything, the overview."""

    screen: str | None = None
    episode: int | None = None
    question: int | None = None
    """Id of an item, for the ladder."""
    step: int | None = None
    """Of the episode."""
    marks: tuple[Mark, Mark] | None = None
    """What to compare."""
    replay: float | None = None
    """Replay the run at this speed, 0 for a fitting one."""
