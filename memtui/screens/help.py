"""The help: keys, those of the screen that asked first and as the reader's configuration binds them; signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from memtui.metrics import glyphs
from memtui.query.manual import meanings
from memtui.screens.base import bench_of
from memtui.screens.dialogs import CLOSE, Dialog
from memtui.screens.help_keys import TITLES, key_rows
from memtui.screens.keys import Key, all_keys, with_keymap
from memtui.screens.run_columns import LEGEND as RUN_MARKS
from memtui.views import ladder, marks, strip
from memtui.views.columns import aligned
from memtui.views.difference import SIDE_BY_SIDE
from memtui.views.look import Look
from memtui.views.outcome import EXCLUDED, EXHAUSTED, NO_ANSWER, PASS, RUNNING, WRONG
from memtui.views.styled import styled
from memtui.views.wrapping import wrap
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.lines import LineView, look_of
from memtui.widgets.offer_lines import OfferLines

WIDTH_OF_KEYS, WIDEST_KEYS = 13, 24
"""Cells of the column of keys and signs, two blanks at its end: as a rule, and with keys of the reader's own."""
MARGIN = 2
LEAST = 20
"""Cells for words, however narrow it is."""

ENDINGS = (
    (PASS, "pass: right within B calls"),
    (EXHAUSTED, "exhausted: more than B calls; the verdict follows"),
    (WRONG, "wrong within B calls"),
    (NO_ANSWER, "no answer"),
    (EXCLUDED, "excluded: not the agent's or the memory's failure"),
    (RUNNING, "running"),
)


ONE_SIDED = ("88–100", "a rate of 100 %, by its 95 % interval; 70±38 is cut at 100, too")
OF_AN_ARM = (
    ("Δ pp", "the rate shown, at the largest scale minus at the smallest"),
    ("s*", "the first scale at which Pass is below alpha"),
    ("+8?", "s*, left open by its interval or a missing rung"),
    ("P90R", "calls that 90 % of an arm's episodes keep to, at all scales"),
)


@dataclass(frozen=True, slots=True)
class HelpRow:
    """A key or sign and what it says; a heading where there is no sign, a blank line without words."""

    words: str = ""
    sign: Text | None = None


def help_rows(look: Look, keys: Iterable[Key], screen: str = "") -> list[HelpRow]:
    """Keys, those of `screen` (its scope) first, then the signs."""
    rows: list[HelpRow] = []
    own = TITLES.get(screen, screen)
    order = {own: 0, "lists": 1} if own in ("episodes", "runs") else {own: 0}

    def part(title: str, said: Iterable[tuple[str, str]], style: Style) -> None:
        rows.append(HelpRow())
        rows.append(HelpRow(title))
        rows.extend(HelpRow(what, styled(sign, style)) for sign, what in said)

    for title, said in sorted(key_rows(keys), key=lambda one: order.get(one[0], 2)):
        part(title, said, look.accent)
    part("what can be filtered by", meanings(), look.accent)
    part("a call strip, sign by sign", (), look.accent)
    rows.append(HelpRow("complete at call 2, two more, right but exhausted", _example(look)))
    rows += [HelpRow(what, styled(sign, look.accent)) for sign, what in (*strip.LEGEND, *ENDINGS)]
    part("marks of a hit", marks.LEGEND, look.gold)
    part("marks of a run in the list", RUN_MARKS, look.accent)
    part(
        "along the scales, and side by side",
        (*ladder.LEGEND, *SIDE_BY_SIDE, *OF_AN_ARM, ONE_SIDED),
        look.accent,
    )
    return rows


def _example(look: Look) -> Text:
    example = Text(end="")
    for sign in "◈◆":
        example.append(sign, strip.call_style(sign, look))
    example.append(glyphs.BUDGET_BAR, look.budget)
    for sign in "◇◇":
        example.append(sign, strip.call_style(sign, look, beyond=True))
    example.append(EXHAUSTED, look.budget)
    example.append(PASS, look.good)
    return example


def laid_out(rows: Sequence[HelpRow], width: int, look: Look) -> tuple[list[Text], list[int]]:
    """The rows as lines of `width` cells, and the line each begins at: words stand in one column on the
    whole page, and break within it."""
    signs = [row.sign for row in rows if row.sign is not None]
    room = min(max([WIDTH_OF_KEYS, *(sign.cell_len + 2 for sign in signs)]), WIDEST_KEYS)
    lines: list[Text] = []
    starts = []
    for row in rows:
        starts.append(len(lines))
        if row.sign is None:
            lines.append(styled(row.words, look.strong))
            continue
        first, *further = wrap(row.words, max(LEAST, width - MARGIN - room))
        line = Text(" " * MARGIN, end="", no_wrap=True)
        line.append_text(aligned(row.sign, room, "left"))
        line.append(first)
        lines.append(line)
        lines += [Text(" " * (MARGIN + room) + words, end="", no_wrap=True) for words in further]
    return lines, starts


class HelpText(LineView):
    """The help as a scrolling text."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope
        self._rows: list[HelpRow] = []
        self._help: list[Text] = []
        self._starts: list[int] = []

    def on_mount(self) -> None:
        keys = with_keymap(all_keys(type(self.app)), bench_of(self).keys_changed)
        self._rows = help_rows(look_of(self), keys, self._scope)
        self.focus()

    def on_resize(self) -> None:
        """Break the words anew; the scrollbar is counted in, as there are more lines than fit anywhere."""
        width = self.size.width - self.styles.scrollbar_size_vertical
        self._help, self._starts = laid_out(self._rows, width, look_of(self))
        self.content_changed()

    def ground(self, look: Look) -> Style:
        return look.bar if look.colour else look.base  # a bar without colour is reversed

    def find(self, words: str, by: int) -> bool:
        """Go to the next (1) or previous (-1) row with the words; False without one."""
        here = round(self.scroll_offset.y)
        low = words.lower()
        places = [
            at
            for row, at in zip(self._rows, self._starts, strict=True)
            if low in f"{'' if row.sign is None else row.sign.plain} {row.words}".lower()
        ]
        ahead = [at for at in places if (at > here if by > 0 else at < here)]
        if not ahead:
            return False
        self.jump(ahead[0] if by > 0 else ahead[-1])
        return True

    def count(self) -> int:
        return len(self._help)

    def line(self, index: int, width: int) -> Text:
        return self._help[index]


class HelpScreen(Dialog):
    """Keys, those of the screen it was asked on first, and signs; closes with ?, q or Esc; / finds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,q,f1", "dismiss('')", "close", show=False, id="help.close"),
        Binding("escape", "leave", "close", show=False, id=CLOSE),
        Binding("slash", "find", "find", show=False, id="help.find"),
        Binding("n", "match(1)", "next match", show=False, id="help.match"),
        Binding("N", "match(-1)", "previous match", show=False, id="help.match-back"),
        Binding("x", "app.export", "export what is on screen", show=False, id="help.export"),
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._asked_on = screen
        self._words = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="help-heading")
            yield FilterLine(placeholder="find in the keys and signs", id="help-find")
            yield HelpText(self._asked_on)

    def on_mount(self) -> None:
        heading = Text("memtui — keys and signs   ", look_of(self).strong, end="")
        said, offers = self.hints(0, ("help.find", "find"), (CLOSE, "close"))
        at = heading.cell_len
        clicks = [replace(one, start=one.start + at, end=one.end + at) for one in offers]
        self.query_one("#help-heading", OfferLines).show([heading + said], clicks)

    def action_find(self) -> None:
        """Open the line to find something in the help."""
        self.query_one(FilterLine).open(self._words)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._words = message.value.strip()
        self._close_line()
        if self._words:
            self.action_match(1)

    def action_match(self, by: int) -> None:
        """The next or previous line with the words."""
        if self._words:
            self.query_one(HelpText).find(self._words, by)

    def action_leave(self) -> None:
        """Out of the line, else out of the help."""
        if self.query_one(FilterLine).is_open:
            self._close_line()
        else:
            self.dismiss("")

    def _close_line(self) -> None:
        self.query_one(FilterLine).close()
        self.query_one(HelpText).focus()
