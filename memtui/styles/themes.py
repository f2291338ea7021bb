"""Textual themes made from the looks, so that scrollbars, inputs and dialogs match what is drawn."""

from __future__ import annotations

from rich.style import Style
from textual.theme import Theme

from memtui.views.look import COLOUR_BLIND_SAFE, DARK, LIGHT, Look


def _ink(style: Style) -> str:
    return style.color.get_truecolor().hex if style.color else "#c9d1d9"


def _ground(style: Style) -> str:
    return style.bgcolor.get_truecolor().hex if style.bgcolor else "#0d1117"


def theme_of(look: Look) -> Theme:
    """The Textual theme that goes with a look."""
    return Theme(
        name=look.name,
        primary=_ink(look.accent),
        secondary=_ink(look.fresh),
        accent=_ink(look.accent),
        success=_ink(look.good),
        warning=_ink(look.budget),
        error=_ink(look.bad),
        foreground=_ink(look.base),
        background=_ground(look.base),
        surface=_ground(look.base),
        panel=_ground(look.bar),
        dark=look.dark,
        variables={
            "scrollbar": _ink(look.faint),
            "scrollbar-hover": _ink(look.muted),
            "scrollbar-active": _ink(look.accent),
            "scrollbar-background": _ground(look.base),
            "scrollbar-background-hover": _ground(look.base),
            "scrollbar-background-active": _ground(look.base),
            "scrollbar-corner-color": _ground(look.base),
            "rule": _ink(look.faint),
            "cursor-row": _ground(look.cursor),
            "border": _ink(look.faint),
            "border-blurred": _ink(look.faint),
        },
    )


THEMES = tuple(theme_of(look) for look in (DARK, LIGHT, COLOUR_BLIND_SAFE))
NAMES = {"dark": DARK.name, "light": LIGHT.name, "blue-orange": COLOUR_BLIND_SAFE.name}
"""Short names for `--theme`."""
