"""How a rung of the ladder is named: one number inside, one label outside, everywhere the same.

A scale is N_irr, the number of irrelevant sessions beside the evidence (arXiv 2605.07313, section on
the history family; docs/metrics.md). The rung `own` is the item's own history exactly as the data set
gives it, e.g. the whole LoCoMo conversation; it has no N_irr of its own and sorts before 0.
"""

from __future__ import annotations

OWN = -1.0
"""Stored in place of N_irr for the rung `own`; the real number of fillers is in the haystack."""


def scale_label(scale: float) -> str:
    """The label of a rung: `own`, or N_irr without a trailing `.0`."""
    if scale == OWN:
        return "own"
    return str(int(scale)) if float(scale).is_integer() else repr(float(scale))


def parse_scale(value: str | float) -> float:
    """The inverse of `scale_label`; numbers pass through.

    Raises ValueError for anything that is neither `own` nor a number >= 0.
    """
    if isinstance(value, str) and value.strip().lower() == "own":
        return OWN
    number = float(value)
    if number == OWN:
        return OWN
    if not 0 <= number < float("inf"):
        raise ValueError(f"a scale is `own` or a number from 0 up, not {value!r}")
    return number


def scale_value(scale: float | None) -> float | int | str | None:
    """A scale as JSON has it: a number, `own`, or null."""
    if scale is None:
        return None
    if scale == OWN:
        return scale_label(scale)
    return int(scale) if float(scale).is_integer() else scale


def on_ladder(scale: float | None, conditions: str) -> bool:
    """Whether conditions are a number of irrelevant sessions and nothing else: a rung of the one ladder on
    which s* and the change are read."""
    return scale is not None and scale != OWN and conditions == scale_conditions(scale)


def scale_conditions(scale: float, ladder_seed: int | None = None) -> str:
    """The conditions of an episode (`scale=100|seed=1`), or of a cell when no seed is given."""
    label = f"scale={scale_label(scale)}"
    return label if ladder_seed is None else f"{label}|seed={ladder_seed}"
