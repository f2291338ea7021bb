"""Coverage of the evidence: how much of it was in view, and when."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from memtui.views.bars import BLOCKS
from memtui.views.look import Look
from memtui.views.numbers import ratio
from memtui.views.styled import styled


def coverage_ratio(found: int | None, total: int | None, look: Look) -> Text:
    """``2/2`` in the style of how much it is; ``n/a`` where coverage cannot be said."""
    shown = ratio(found, total)
    if not total or found is None:
        return styled(shown, look.missing)
    style = look.gold if found == total else look.muted if found == 0 else look.fresh
    return styled(shown, style)


def coverage_bar(found: int | None, total: int | None, width: int, look: Look) -> Text:
    """One cell per gold unit where they fit, else a share: ``▪▪▫``; blank where coverage is n/a."""
    if not total or found is None:
        return styled("n/a".ljust(width)[:width], look.missing)
    if total <= width:
        return Text.assemble(
            ("▪" * found, look.gold),
            ("▫" * (total - found), look.muted),
            (" " * (width - total), ""),
            end="",
            no_wrap=True,
        )
    filled = width * found // total
    if found and not filled:
        filled = 1
    return Text.assemble(
        ("▪" * filled, look.gold), ("▫" * (width - filled), look.muted), end="", no_wrap=True
    )


def coverage_curve(
    coverage: Sequence[int], total: int | None, look: Look, *, width: int | None = None
) -> Text:
    """Evidence in view after call 0, 1, … on a fixed axis: ``▁▄█``; empty where coverage is n/a.

    Call 0 is left out unless something was in view before any call. Longer than `width`: the first
    calls, then ``…`` (coverage only grows, so the tail is a plateau).
    """
    text = Text(end="", no_wrap=True)
    if not total or not coverage:
        return text
    values = list(coverage if coverage[0] else coverage[1:])
    more = width is not None and len(values) > width
    if more and width is not None:
        values = values[: max(0, width - 1)]
    for value in values:
        if value == 0:
            text.append("▁", look.faint)
        else:
            sign = BLOCKS[max(1, round(8 * value / total) - 1)] if value < total else "█"
            text.append(sign, look.gold if value == total else look.fresh)
    if more:
        text.append("…", look.muted)
    return text
