"""Colours and signs of everything drawn: one `Look` per theme, shape always beside colour.

A look holds rich styles without background (the caller lays them on `base`, a title row or the
cursor), so the same renderers serve a screen, a printed report and a picture. Under NO_COLOR the
styles carry weight only: bold, dim, underline, reverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.style import Style

Rgb = tuple[int, int, int]
Gradient = tuple[tuple[float, Rgb], ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What the renderers need to know about the terminal and the reader's choice."""

    name: str
    dark: bool
    colour: bool
    base: Style
    """Ordinary text on the background."""
    strong: Style
    muted: Style
    """Labels, units and everything that may be read second."""
    faint: Style
    """Rules, empty bar, what is absent."""
    accent: Style
    good: Style
    budget: Style
    """Exhausted: the budget, not the answer, failed."""
    bad: Style
    missing: Style
    """Excluded, unknown, damaged: no statement about the system under test."""
    gold: Style
    """Evidence."""
    fresh: Style
    """Seen for the first time."""
    bar: Style
    """Title row and footer."""
    bar_muted: Style
    chip: Style
    """Name of the screen, keys, the focused tab."""
    cursor: Style
    """Row under the cursor in the pane that has the keys."""
    cursor_idle: Style
    """Row under the cursor in another pane."""
    evidence_turn: Style
    query_word: Style
    gradient: Gradient
    """Grounds of a rate 0..1; empty when there is no colour."""
    ink_gradient: Gradient
    """Colours of a rate 0..1 that is a bar on the background; empty when there is no colour."""


def _hex(code: str) -> Rgb:
    value = int(code[1:], 16)
    return value >> 16, value >> 8 & 255, value & 255


def _stops(*stops: tuple[float, str]) -> Gradient:
    return tuple((at, _hex(code)) for at, code in stops)


# Grounds are quiet, the low end most of all: a table of low rates is to be read, not to glow.
WARM_TO_TEAL = _stops(
    (0.0, "#3b2229"),
    (0.25, "#54323a"),
    (0.5, "#69482f"),
    (0.7, "#655d30"),
    (0.8, "#3f6441"),
    (0.9, "#27675a"),
    (1.0, "#16695d"),
)
WARM_TO_TEAL_INK = _stops(
    (0.0, "#c9636f"),
    (0.25, "#d4746a"),
    (0.5, "#d9945a"),
    (0.7, "#cdb860"),
    (0.8, "#8abb73"),
    (0.9, "#55b596"),
    (1.0, "#3fc9b2"),
)
WARM_TO_TEAL_LIGHT = _stops(
    (0.0, "#f0cfd2"),
    (0.25, "#f3d5cd"),
    (0.5, "#f6e0c8"),
    (0.7, "#f3eac4"),
    (0.8, "#d9ebc9"),
    (0.9, "#b9e2cb"),
    (1.0, "#98d8c6"),
)
WARM_TO_TEAL_LIGHT_INK = _stops(
    (0.0, "#ab3548"),
    (0.25, "#b5473a"),
    (0.5, "#b0661c"),
    (0.7, "#94781a"),
    (0.8, "#5a8532"),
    (0.9, "#2b8262"),
    (1.0, "#127a67"),
)
ORANGE_TO_BLUE = _stops(
    (0.0, "#402a16"),
    (0.25, "#573a1b"),
    (0.5, "#6b4f2b"),
    (0.7, "#62605a"),
    (0.8, "#435f78"),
    (0.9, "#2d5f8e"),
    (1.0, "#215c92"),
)
ORANGE_TO_BLUE_INK = _stops(
    (0.0, "#c9722c"),
    (0.25, "#d68738"),
    (0.5, "#dfa050"),
    (0.7, "#d8c08a"),
    (0.8, "#8fb3d4"),
    (0.9, "#62a4da"),
    (1.0, "#4d98dc"),
)


def _coloured(
    name: str,
    *,
    dark: bool,
    text: str,
    ground: str,
    strong: str,
    muted: str,
    faint: str,
    accent: str,
    good: str,
    budget: str,
    bad: str,
    missing: str,
    gold: str,
    fresh: str,
    bar: str,
    cursor: str,
    cursor_idle: str,
    evidence: str,
    word: str,
    gradient: Gradient,
    ink_gradient: Gradient,
) -> Look:
    def ink(colour: str, *, bold: bool | None = None) -> Style:
        return Style(color=colour, bold=bold)

    return Look(
        name=name,
        dark=dark,
        colour=True,
        base=Style(color=text, bgcolor=ground),
        strong=ink(strong, bold=True),
        muted=ink(muted),
        faint=ink(faint),
        accent=ink(accent),
        good=ink(good),
        budget=ink(budget),
        bad=ink(bad),
        missing=ink(missing),
        gold=ink(gold, bold=True),
        fresh=ink(fresh),
        bar=Style(color=text, bgcolor=bar),
        bar_muted=Style(color=muted, bgcolor=bar),
        chip=Style(color=ground, bgcolor=accent, bold=True),
        cursor=Style(bgcolor=cursor),
        cursor_idle=Style(bgcolor=cursor_idle),
        evidence_turn=Style(bgcolor=evidence),
        query_word=Style(color=word, underline=True),
        gradient=gradient,
        ink_gradient=ink_gradient,
    )


DARK = _coloured(
    "memtui-dark",
    dark=True,
    text="#c9d1d9",
    ground="#0d1117",
    strong="#f0f3f6",
    muted="#8b949e",
    faint="#3d444d",
    accent="#6cb6ff",
    good="#46c08f",
    budget="#e3b341",
    bad="#f47067",
    missing="#b392f0",
    gold="#f2cc60",
    fresh="#76c7c0",
    bar="#161b22",
    cursor="#1f3a5f",
    cursor_idle="#1c2430",
    evidence="#2b2611",
    word="#79c0ff",
    gradient=WARM_TO_TEAL,
    ink_gradient=WARM_TO_TEAL_INK,
)
LIGHT = _coloured(
    "memtui-light",
    dark=False,
    text="#24292f",
    ground="#ffffff",
    strong="#0b0f14",
    muted="#59636e",
    faint="#c4ccd4",
    accent="#0959b8",
    good="#157347",
    budget="#8a5a00",
    bad="#c0242b",
    missing="#6f42c1",
    gold="#805300",
    fresh="#0b6e78",
    bar="#eef1f5",
    cursor="#cfe3fb",
    cursor_idle="#e8edf3",
    evidence="#fff3cd",
    word="#0550ae",
    gradient=WARM_TO_TEAL_LIGHT,
    ink_gradient=WARM_TO_TEAL_LIGHT_INK,
)
COLOUR_BLIND_SAFE = _coloured(
    "memtui-blue-orange",
    dark=True,
    text="#cfd6de",
    ground="#0e1116",
    strong="#f5f7fa",
    muted="#8d97a3",
    faint="#3e4650",
    accent="#7fb8ea",
    good="#5aa9e6",
    budget="#f0e442",
    bad="#e8853b",
    missing="#cc9ac0",
    gold="#f7e08a",
    fresh="#9ad0d0",
    bar="#171c23",
    cursor="#24405f",
    cursor_idle="#1e2631",
    evidence="#2c2814",
    word="#9fd0ff",
    gradient=ORANGE_TO_BLUE,
    ink_gradient=ORANGE_TO_BLUE_INK,
)

_PLAIN = Style()
_BOLD = Style(bold=True)
_DIM = Style(dim=True)
_REVERSE = Style(reverse=True)

NO_COLOUR = Look(
    name="no-colour",
    dark=True,
    colour=False,
    base=_PLAIN,
    strong=_BOLD,
    muted=_DIM,
    faint=_DIM,
    accent=_BOLD,
    good=_PLAIN,
    budget=_PLAIN,
    bad=_BOLD,
    missing=_DIM,
    gold=_BOLD,
    fresh=_PLAIN,
    bar=_REVERSE,
    bar_muted=_REVERSE,
    chip=Style(reverse=True, bold=True),
    cursor=_REVERSE,
    cursor_idle=Style(underline=True),
    evidence_turn=_BOLD,
    query_word=Style(underline=True),
    gradient=(),
    ink_gradient=(),
)

LOOKS = {look.name: look for look in (DARK, LIGHT, COLOUR_BLIND_SAFE, NO_COLOUR)}


@lru_cache(256)
def _mix(gradient: Gradient, hundredths: int) -> Rgb:
    value = hundredths / 100
    low = gradient[0]
    for stop in gradient[1:]:
        if value <= stop[0]:
            share = (value - low[0]) / (stop[0] - low[0])
            mixed = [round(a + (b - a) * share) for a, b in zip(low[1], stop[1], strict=True)]
            return mixed[0], mixed[1], mixed[2]
        low = stop
    return low[1]


def _hundredths(value: float) -> int:
    return round(100 * min(1.0, max(0.0, value)))


def rate_ground(value: float, look: Look, *, bold: bool) -> Style:
    """Text on the colour of a rate 0..1; for looks with colour."""
    return _ground_style(look.gradient, _hundredths(value), bold)


def rate_ink(value: float, look: Look) -> Style:
    """Text in the colour of a rate 0..1; nothing in a look without colour."""
    return _ink_style(look.ink_gradient, _hundredths(value)) if look.colour else Style.null()


@lru_cache(512)
def _ground_style(gradient: Gradient, hundredths: int, bold: bool) -> Style:
    ground = _mix(gradient, hundredths)
    ink = ink_on(ground)
    return Style(color=ink if bold else SOFTER[ink], bgcolor=hex_of(ground), bold=bold)


@lru_cache(256)
def _ink_style(gradient: Gradient, hundredths: int) -> Style:
    return Style(color=hex_of(_mix(gradient, hundredths)))


SOFTER = {"#06090d": "#2d333a", "#ffffff": "#d6dde5"}
"""Inks of rates below the target, beside which those that reach it stand out."""


def ink_on(ground: Rgb) -> str:
    """Black or white, whichever reads better on `ground` (relative brightness, ITU-R BT.601)."""
    red, green, blue = ground
    return "#06090d" if (299 * red + 587 * green + 114 * blue) / 255_000 > 0.45 else "#ffffff"


def hex_of(colour: Rgb) -> str:
    """`#rrggbb` of a colour."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


ASCII_TWINS = str.maketrans(
    {
        # Cell for cell, so that a layout made with signs holds with their twins.
        "◆": "#", "◈": "+", "◇": "o", "·": ".", "×": "x", "○": "?", "│": "|",
        "✓": "Y", "✗": "N", "◔": "E", "∅": "0",
        "★": "*", "✂": "%",
        "▸": ">", "◂": "<", "▾": "v", "▲": "^", "▼": "v", "●": "*", "◌": "o", "◦": "o", "‖": "=", "»": ">",
        "→": ">", "←": "<", "↑": "^", "↓": "v", "⏎": "~", "…": "~",
        "–": "-", "—": "-", "─": "-", "━": "=", "═": "=", "▌": "|", "▏": "|", "┊": ":",
        "±": "~", "≠": "!", "≈": "~", "≥": ">", "≤": "<", "Δ": "d", "α": "a",
        "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "█": "#",
        "▒": "=", "░": "-", "▪": "*", "▫": "o",
    }
)  # fmt: skip
"""The `--ascii` twin of every sign memtui draws itself."""


def ascii_twins(line: str) -> str:
    """The line with memtui's own signs replaced cell for cell by ASCII ones."""
    return line if line.isascii() else line.translate(ASCII_TWINS)
