"""A canvas of dots: braille, or four signs of ASCII, with signs of one cell laid on top."""

from __future__ import annotations

from collections.abc import Iterator

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bit of a dot by (row, column) inside a braille cell."""
_UPPER, _LOWER = 0x01 | 0x08 | 0x02 | 0x10, 0x04 | 0x20 | 0x40 | 0x80
BRAILLE = 0x2800


class Canvas:
    """`columns` x `rows` cells of 2 x 4 dots each; the ink of a cell is that of what came last."""

    def __init__(self, columns: int, rows: int) -> None:
        self._columns, self._rows = columns, rows
        self._dots = [[0] * columns for _ in range(rows)]
        self._signs: list[list[str]] = [[""] * columns for _ in range(rows)]
        self._inks: list[list[int | None]] = [[None] * columns for _ in range(rows)]

    def dot(self, x: int, y: int, ink: int) -> None:
        """Set a dot, counted from the left and the top; what is outside is left out."""
        column, row = x // 2, y // 4
        if 0 <= column < self._columns and 0 <= row < self._rows:
            self._dots[row][column] |= _BITS[y % 4][x % 2]
            self._inks[row][column] = ink

    def sign(self, column: int, row: int, sign: str, ink: int) -> None:
        """Lay a sign of one cell over the dots of a cell."""
        self._signs[row][column] = sign
        self._inks[row][column] = ink

    def cells(self, row: int, *, ascii_only: bool = False) -> Iterator[tuple[str, int | None]]:
        """A row from left to right: (sign, ink), no ink where nothing was drawn."""
        for sign, dots, ink in zip(self._signs[row], self._dots[row], self._inks[row], strict=True):
            if sign:
                yield sign, ink
            elif not dots:
                yield " ", None
            else:
                yield _ascii(dots) if ascii_only else chr(BRAILLE + dots), ink


def _ascii(dots: int) -> str:
    if dots & _UPPER and dots & _LOWER:
        return "|" if dots.bit_count() > 2 else ":"
    return "'" if dots & _UPPER else "."
