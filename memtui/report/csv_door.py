"""The one door through which text leaves as CSV: exact, or made safe for spreadsheets.

Exact is RFC 4180 in UTF-8: what went in comes out of any CSV reader, byte for byte. For spreadsheets a
byte-order mark is added, text that would start a formula gets an apostrophe, and cells are cut at the
32,767 characters a spreadsheet holds. Numbers stay numbers in both.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

BOM = "\ufeff"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
LONGEST = 32_767
CUT = "…[cut]"

Value = str | int | float | None


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Value]], *, excel: bool = False) -> str:
    """CSV text with CRLF line ends; None is an empty cell. With `excel` the safe form."""
    stream = io.StringIO()
    if excel:
        stream.write(BOM)
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([guarded(name) if excel else name for name in header])
    for row in rows:
        writer.writerow([_cell(value, excel=excel) for value in row])
    return stream.getvalue()


def _cell(value: Value, *, excel: bool) -> Value:
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value) if excel else value
    return value


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula, cut to what a cell holds."""
    if text.startswith(FORMULA_STARTS):
        text = "'" + text
    if len(text) > LONGEST:
        text = text[: LONGEST - len(CUT)] + CUT
    return text
