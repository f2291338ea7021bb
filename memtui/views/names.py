"""Names side by side, cut so that what tells them apart is seen: ids of data sets differ at their ends."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from memtui.views.text_door import ELLIPSIS, clean_line, cut


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """The names as clean lines of at most `width` cells: whole, or with their middle left out.

    All are cut at the same place: where most of them stay different, and the end is kept rather than the
    beginning.
    """
    lines = [clean_line(name) for name in names]
    if width < 3 or all(cell_len(line) <= width for line in lines):
        return [cut(line, width) for line in lines]
    room = width - 1
    heads = sorted(range(room), key=lambda head: abs(head - room // 3))
    shown: list[str] = []
    for head in heads:
        tried = [_without_middle(line, head, width) for line in lines]
        if len(set(tried)) > len(set(shown)):
            shown = tried
        if len(set(shown)) == len(set(lines)):
            break
    return shown


def _without_middle(line: str, head: int, width: int) -> str:
    if cell_len(line) <= width:
        return line
    start = cut(line, head + 1, more=True).removesuffix(ELLIPSIS) if head else ""
    tail = line[len(start) :]
    while cell_len(start) + 1 + cell_len(tail) > width or (tail and not cell_len(tail[0])):
        tail = tail[1:]
    return f"{start}{ELLIPSIS}{tail.lstrip()}"
