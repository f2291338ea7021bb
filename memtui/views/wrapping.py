"""Wrapping by terminal cells: lines break at blanks, over-long words inside, never in a cluster."""

from __future__ import annotations

import re

from rich.cells import cell_len, get_character_cell_size

_PIECES = re.compile(r"\S+\s*|\s+")


def wrap(line: str, width: int) -> list[str]:
    """A clean line as lines of at most `width` cells; an empty line stays one empty line."""
    if width < 1:
        return [line]
    if len(line) <= width and line.isascii():
        return [line]
    lines: list[str] = []
    current = ""
    used = 0
    for piece in _PIECES.findall(line):
        size = len(piece) if piece.isascii() else cell_len(piece)
        solid = piece.rstrip()
        solid_size = size - (len(piece) - len(solid))
        if used + solid_size <= width:
            current += piece
            used += size
            continue
        if current:
            lines.append(current.rstrip())
            current, used = "", 0
        if solid_size <= width:
            current, used = piece, size
            continue
        *whole, current = _chop(piece, width)
        lines.extend(whole)
        used = cell_len(current)
    lines.append(current.rstrip())
    return lines


def _chop(piece: str, width: int) -> list[str]:
    """Cut a word that is longer than a line; a cluster is kept together."""
    if piece.isascii():
        return [piece[at : at + width] for at in range(0, len(piece), width)]
    lines: list[str] = []
    start = used = 0
    for index, character in enumerate(piece):
        size = get_character_cell_size(character)
        if used + size > width and index > start:
            lines.append(piece[start:index])
            start, used = index, 0
        used += size
    lines.append(piece[start:])
    return lines
