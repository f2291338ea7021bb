"""Checking the values of a system's options, in the words in which all systems say what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.errors import UserError


def check_choice(name: str, value: str, allowed: Sequence[str]) -> str:
    """`value` itself, or a UserError naming the choices."""
    if value not in allowed:
        raise UserError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def check_count(name: str, value: int, *, least: int = 0) -> int:
    """`value` itself, or a UserError when it is no whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return value


def check_number(name: str, value: float, *, least: float, most: float = float("inf")) -> float:
    """`value` itself, or a UserError when it is no number from `least` to `most`."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not least <= value <= most
        or value == float("inf")
    ):
        limits = f"from {least:g} to {most:g}" if most < float("inf") else f"of at least {least:g}"
        raise UserError(f"{name} must be a number {limits}, not {value!r}")
    return value
