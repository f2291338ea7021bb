"""Numbers as text: unknown is ``–``, a lower bound is ``≥``, zero is zero."""

from __future__ import annotations

from math import isfinite

from memtui.metrics.scales import scale_conditions, scale_label
from memtui.metrics.usable_scale import UsableScale
from memtui.views.text_door import clean_line

UNKNOWN = "–"


def count(value: int | None) -> str:
    """An exact count, in groups of three from five digits on: ``1234``, ``12 345``; ``–`` when unknown."""
    if value is None:
        return UNKNOWN
    return f"{value:,}".replace(",", " ") if abs(value) > 9999 else str(value)


def compact(value: float | None, *, partial: bool = False) -> str:
    """A count in at most five cells: ``950``, ``12.3k``, ``4.5M``; ``≥`` when only part is known."""
    if value is None:
        return UNKNOWN
    sign = "≥" if partial else ""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit * 0.9995:
            scaled = value / limit
            return (
                f"{sign}{scaled:.0f}{unit}" if abs(scaled) >= 99.95 else f"{sign}{scaled:.1f}{unit}"
            )
    return f"{sign}{value:.0f}"


ROUNDING = 0.005
"""By so much a rate and half its interval may pass 0 or 1 and still be drawn as such."""


def percent(rate: float | None) -> str:
    """A rate 0..1 in whole per cent without sign: ``91``; ``–`` when there is none."""
    return UNKNOWN if rate is None else f"{100 * rate:.0f}"


def percent_interval(rate: float | None, low: float | None, high: float | None) -> str:
    """``91±3``: a rate and half the width of its interval, both in points; ``–`` without a rate.

    Where so much on either side would be no rate: the interval alone, ``21–100``, of a rate that is an end of
    it; else the longer side, ``70±38``, as the other one is cut at 0 or 100.
    """
    if rate is None:
        return UNKNOWN
    if low is None or high is None:
        return percent(rate)
    half = (high - low) / 2
    if not -ROUNDING <= rate - half <= rate + half <= 1 + ROUNDING:
        if percent(rate) in ("0", "100"):
            return f"{100 * low:.0f}–{100 * high:.0f}"
        half = max(rate - low, high - rate)
    return f"{100 * rate:.0f}±{100 * half:.0f}"


def points(delta: float | None) -> str:
    """A difference of rates in signed points: ``-14``, ``+3``, ``0``."""
    if delta is None:
        return UNKNOWN
    value = round(100 * delta)
    return "0" if value == 0 else f"{value:+d}"


def ratio(part: int | None, whole: int | None) -> str:
    """``2/3``; ``n/a`` when the whole is unknown or empty."""
    if whole is None or whole == 0:
        return "n/a"
    return f"{UNKNOWN if part is None else part}/{whole}"


def money(dollars: float | None, *, partial: bool = False) -> str:
    """US dollars with the precision a run needs: ``$0.0042``, ``$1.20``; ``–`` unknown, ``≥`` partial."""
    if dollars is None:
        return UNKNOWN
    sign = "≥" if partial else ""
    if dollars == 0:
        return f"{sign}$0"
    return f"{sign}${dollars:.4f}" if abs(dollars) < 0.1 else f"{sign}${dollars:,.2f}"


def duration(milliseconds: float | None) -> str:
    """Elapsed time in at most seven cells: ``0.4 ms``, ``340 ms``, ``1.2 s``, ``3m20s``, ``2h05m``.

    ``?`` where a clock was set back in between, or for what is no time at all.
    """
    if milliseconds is None:
        return UNKNOWN
    if milliseconds < 0 or not isfinite(milliseconds):
        return "?"
    if milliseconds < 9.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes = round(seconds)
    if minutes < 3600:
        return f"{minutes // 60}m{minutes % 60:02d}s"
    hours, rest = divmod(minutes, 3600)
    if hours < 48:
        return f"{hours}h{rest // 60:02d}m"
    return f"{hours // 24}d{hours % 24:02d}h"


def size(count_of_bytes: int) -> str:
    """A file size: ``812 B``, ``4.2 MB``."""
    value = float(count_of_bytes)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 99.5 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def level(value: float) -> str:
    """A level such as alpha with two places and no leading zero: ``.70``, ``1.0``."""
    return "1.0" if value >= 0.995 else f"{value:.2f}".lstrip("0") or "0"


def scale(value: float | None) -> str:
    """A rung: the number of irrelevant sessions added, ``+100``, or ``own``; ``–`` when there is none."""
    if value is None:
        return UNKNOWN
    label = scale_label(value)
    return label if label == "own" else f"+{label}"


def rung_label(conditions: str, at: float | None) -> str:
    """Heading of a rung: its scale, ``all`` without conditions, else the conditions themselves."""
    if at is not None and conditions in ("", scale_conditions(at)):
        return scale(at)
    return clean_line(conditions, width=24) if conditions else "all"


def usable_label(found: UsableScale) -> str:
    """s* in a few cells: ``+100``, ``> +400``, ``≤ +200`` (a rung before it is missing), ``withheld``.

    ``?`` where a missing rung or the interval of the rate leaves it open.
    """
    if found.kind == "withheld":
        return "withheld"
    if found.value is None:
        return UNKNOWN
    label = scale(found.value)
    if found.kind == "above" or found.open:
        return f"> {label}{'?' if found.missing or found.unsure else ''}"
    if found.kind == "interval":
        return f"≤ {label}?"
    return f"{label}?" if found.unsure else label


def plural(number: int, what: str) -> str:
    """`1 run file`, `2 run files`."""
    return f"{number} {what}{'' if number == 1 else 's'}"
