"""Two steps without hits side by side: what was said, what the judges made of it, what led to it."""

from __future__ import annotations

from collections.abc import Hashable

from rich.cells import cell_len
from rich.text import Text

from memtui.screens.pair_parts import PairView, beside, halves, light_own_words
from memtui.state.alignment import AlignedRow
from memtui.state.trajectory import Stop
from memtui.views.look import Look
from memtui.views.styled import styled
from memtui.views.text_door import clean_block, clean_line
from memtui.views.wrapping import wrap

LONGEST = 20_000
"""Characters of one text that are shown."""


class SaidSource:
    """What both sides said at a row, line by line; words that only one side has are underlined."""

    def __init__(self, view: PairView, row: AlignedRow, width: int, look: Look) -> None:
        """`width`: cells of the screen; lines are broken so that a scrollbar has room beside them."""
        self._middle = styled("│", look.faint)
        stops = view.stops(row)
        rooms = halves(width - 1)
        sides = [
            _said(view, side, stops[side], stops[1 - side], rooms[side], look) for side in (0, 1)
        ]
        self._rows: list[tuple[Text, Text]] = []
        for one, other in zip(*sides, strict=True):
            blank = Text(end="")
            if self._rows and (one or other):
                self._rows.append((blank, blank))
            for number in range(max(len(one), len(other))):
                left, right = (
                    part[number] if number < len(part) else blank for part in (one, other)
                )
                self._rows.append((left, right))
        self._ids = list(range(len(self._rows)))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return index

    def row(self, index: int, width: int) -> Text:
        left, right = self._rows[index]
        return beside(left, self._middle.copy(), right, width)


def _said(
    view: PairView, side: int, stop: Stop | None, other: Stop | None, room: int, look: Look
) -> list[list[Text]]:
    """Parts that stand beside one another: text, verdicts, the reply as it came, reasoning."""
    if stop is None:
        return [[], [], [], []]
    step, theirs = stop.step, "" if other is None else other.step.text
    answers = step.kind == "answer"
    text = [_lit(line, theirs, room, look) for line in _wrapped(step.text or step.status, room)]
    raw = step.raw if step.raw not in ("", step.text) else ""
    reasoning = "" if stop.decision is None else stop.decision.text
    return [
        text,
        _verdicts(view, side, room, look) if answers else [],
        _headed("as it came", raw, room, look),
        _headed("reasoning", reasoning, room, look),
    ]


def _wrapped(text: str, room: int) -> list[str]:
    cleaned = clean_block(text[:LONGEST]).strip("\n")
    return [piece for line in cleaned.split("\n") for piece in wrap(line, room)] if cleaned else []


def _lit(line: str, theirs: str, room: int, look: Look) -> Text:
    text = styled(clean_line(line, width=room), look.strong)
    light_own_words(text, line, 0, theirs, look)
    return text


def _verdicts(view: PairView, side: int, room: int, look: Look) -> list[Text]:
    """The latest verdict of each judge, the one whose verdicts are shown first; in colour where the other side
    has another one."""
    latest = [{v.judge: v for v in one.detail.verdicts} for one in view.both]
    judges = sorted({*latest[0], *latest[1]}, key=lambda judge: (judge != view.judge, judge))
    lines = []
    for judge in judges:
        mine, other = latest[side].get(judge), latest[1 - side].get(judge)
        label = "no verdict" if mine is None else str(mine.label)
        name = clean_line(judge, width=max(8, room - len(f"judge : {label}")))
        line = styled(f"judge {name}: ", look.muted)
        differs = (mine and mine.label) != (other and other.label)
        style = {"right": look.good, "wrong": look.bad}.get(label, look.missing)
        line.append(label, style if differs else look.muted)
        reason = (
            f" ({clean_line(mine.reason, width=28)})" if mine is not None and mine.reason else ""
        )
        if line.cell_len + cell_len(reason) <= room:  # whole, or not at all
            line.append(reason, look.muted)
        lines.append(line)
    return lines


def _headed(head: str, body: str, room: int, look: Look) -> list[Text]:
    lines = [styled(line, look.muted) for line in _wrapped(body, room)]
    return [styled(head, look.accent), *lines] if lines else []
