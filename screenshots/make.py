"""Draws the pictures of the README and the documentation from a real run file.

    python screenshots/make.py runs/demo.memtui            all pictures as SVG, into this folder
    python screenshots/make.py runs/demo.memtui --png      and as PNG, where rsvg-convert is installed

Nothing is staged: every picture is the app on that file after the keys listed here.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.pilot import Pilot

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from memtui.app import MemtuiApp  # noqa: E402 - runs from a checkout that is not installed

SLASH = {"/": "slash", ":": "colon", ">": "greater_than_sign", "=": "equals_sign", " ": "space"}
CELL = 12.2
"""Width of a cell in the SVG of Textual."""
RUN = re.compile(r'(<text [^>]*x=")([\d.]+)("[^>]*textLength=")([\d.]+)("[^>]*>)([^<]+)</text>')
EXHAUSTED_THOUGH_RIGHT = "out:exhausted verdict:right covb:covered calls>=3"


@dataclass(frozen=True)
class Picture:
    """One picture: its name, size, theme and the keys that lead to it."""

    name: str
    columns: int
    rows: int
    keys: tuple[str, ...]
    theme: str = "dark"
    folder: bool = False
    no_colour: bool = False


def typed(text: str) -> tuple[str, ...]:
    """The keys that type a text into a line and keep it."""
    return ("slash", *text, "enter")


PICTURES = (
    Picture("runs", 120, 30, (), folder=True),
    Picture("overview", 120, 36, ("j", "l", "l")),
    Picture("overview-light", 120, 36, ("j", "l", "l"), theme="light"),
    Picture("overview-blue-orange", 120, 36, ("j", "l", "l"), theme="blue-orange"),
    Picture("overview-covered", 120, 36, ("j", "l", "l", "tab")),
    Picture("overview-plot", 120, 36, ("j", "j", "P", *"jjj", "P", *"jjj", "P", *"jj", "p")),
    Picture("overview-stopping", 120, 36, ("j", "l", "right_square_bracket")),
    Picture("overview-trust", 120, 36, ("j", "l", *("right_square_bracket",) * 2)),
    Picture("overview-cost", 120, 36, ("j", "l", "left_square_bracket")),
    Picture("overview-80x24", 80, 24, ("j", "l", "l")),
    Picture("overview-no-colour", 80, 24, ("j", "l", "l"), no_colour=True),
    Picture("episodes", 120, 36, ("3", *typed("scale>=100 -arm:rolling"), "j", "j", "j")),
    Picture("trajectory", 120, 36, ("3", *typed(EXHAUSTED_THOUGH_RIGHT), "enter")),
    Picture("ladder", 120, 36, ("3", *typed("hill"), "enter", "5", "m", *"kkkkkhh")),
    Picture("compare", 120, 36, ("j", "c", "j", "c")),
    Picture("trajectory-light", 120, 36, ("3", *typed(EXHAUSTED_THOUGH_RIGHT), "enter"), "light"),
    Picture("trajectory-80x24", 80, 24, ("3", *typed(EXHAUSTED_THOUGH_RIGHT), "enter")),
    Picture("help", 100, 40, ("question_mark",)),
)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until everything was read and drawn."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def draw(picture: Picture, run: Path, out: Path) -> Path:
    """Draw one picture; returns its SVG file."""
    os.environ.pop("NO_COLOR", None)
    if picture.no_colour:
        os.environ["NO_COLOR"] = "1"
    app = MemtuiApp(run.parent if picture.folder else run, theme=picture.theme)
    async with app.run_test(size=(picture.columns, picture.rows)) as pilot:
        await settle(pilot)
        for key in picture.keys:
            name = SLASH.get(key, key)
            app.post_message(events.Key(name, key if len(key) == 1 else None))
            await settle(pilot)
        await pilot.pause(0.3)
        path = out / f"{picture.name}.svg"
        path.write_text(app.export_screenshot(title="memtui"), encoding="utf-8")
    os.environ.pop("NO_COLOR", None)
    return path


def word_by_word(run: re.Match[str]) -> str:
    """A run of text as one element per word, each at its own cells."""
    before, x, middle, length, after, said = run.groups()
    said = html.unescape(said)
    cell = float(length) / len(said)
    if abs(cell - CELL) > 0.01:  # letters two cells wide: leave it as it is
        return run.group()
    words = []
    for word in re.finditer(r"[\u2800-\u28ff]|[^\s\u2800-\u28ff]+", said):
        at, long = float(x) + word.start() * cell, len(word.group()) * cell
        shown = html.escape(word.group())
        words.append(f"{before}{at:g}{middle}{long:g}{after}{shown}</text>")
    return "".join(words)


def to_png(svg: Path, zoom: float) -> None:
    """Convert with rsvg-convert, which knows no textLength: over a long run its words would drift."""
    text = RUN.sub(word_by_word, svg.read_text(encoding="utf-8"))
    command = ["rsvg-convert", "-z", str(zoom), "-o", str(svg.with_suffix(".png")), "/dev/stdin"]
    subprocess.run(command, input=text.encode(), check=True)


def main() -> int:
    """Draw the pictures asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("run", type=Path, help="a finished run file")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the pictures")
    parser.add_argument("--only", nargs="*", help="names of pictures")
    parser.add_argument("--png", action="store_true", help="convert to PNG, too")
    parser.add_argument("--zoom", type=float, default=1.2, help="scale of the PNG")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.png and not shutil.which("rsvg-convert"):
        parser.error("--png needs rsvg-convert (librsvg2-bin) and a monospace font")
    for picture in PICTURES:
        if args.only and picture.name not in args.only:
            continue
        svg = asyncio.run(draw(picture, args.run, args.out))
        if args.png:
            to_png(svg, args.zoom)
        sys.stdout.write(f"{svg}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
