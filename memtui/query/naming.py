"""Which arm, and which episodes, a person means by a few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memtui.errors import UserError
from memtui.metrics.scales import parse_scale


def one_arm(keys: Sequence[str], wanted: str, where: Path) -> str:
    """The arm called `wanted`, else the only one whose key contains it; UserError with the candidates."""
    found = [key for key in keys if key == wanted] or [
        key for key in keys if wanted.lower() in key.lower()
    ]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} arms contain" if found else "no arm is called"
    raise UserError(f"{what} {wanted!r} in {where}; arms: {', '.join(found or keys)}")


def at_arm_and_scale(arm: str | None, scale: str | None) -> tuple[list[str], list[object]]:
    """Conditions and values for `RunReader.episode_ids`: an arm that contains `arm`, a scale as text.

    UserError for a text that is no scale.
    """
    conditions: list[str] = []
    values: list[object] = []
    if arm is not None:
        conditions.append("instr(lower(a.key),lower(?))>0")
        values.append(arm)
    if scale is not None:
        try:
            values.append(parse_scale(scale))
        except ValueError as error:
            raise UserError(f"--scale: {error}") from None
        conditions.append("c.scale=?")
    return conditions, values
