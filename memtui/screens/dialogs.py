"""Dialogs: a question with a few keys, and the help of the screen that asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.screen import ModalScreen

from memtui.metrics import glyphs
from memtui.views import ladder, marks, strip
from memtui.views.difference import SIDE_BY_SIDE
from memtui.views.look import Look
from memtui.views.outcome import EXCLUDED, EXHAUSTED, NO_ANSWER, PASS, RUNNING, WRONG
from memtui.views.styled import styled
from memtui.views.text_door import fit
from memtui.views.wrapping import wrap
from memtui.widgets.lines import LineBlock, LineView, look_of


class Dialog(ModalScreen[str]):
    """Base of the dialogs: Esc gives an empty answer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "close", show=False)]


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to a question: the key that gives it and what it means."""

    key: str
    label: str


class Question(Dialog):
    """Asks with a few keys; the answer is the key, or nothing for Esc."""

    def __init__(self, title: str, body: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._heading, self._body, self._choices = title, body, tuple(choices)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield LineBlock(id="question", on_bar=True)

    def on_mount(self) -> None:
        look = look_of(self)
        width = max(30, min(60, self.app.size.width - 8))
        lines = [styled(self._heading, look.strong), Text(end="")]
        lines += [Text(part, end="") for part in wrap(self._body, width)]
        lines.append(Text(end=""))
        for choice in self._choices:
            lines.append(
                Text.assemble((f"{choice.key:>5}", look.accent), f"  {choice.label}", end="")
            )
        block = self.query_one("#question", LineBlock)
        block.styles.width = width
        block.show(lines)

    def on_key(self, event: Key) -> None:
        pressed = event.character or event.key
        for choice in self._choices:
            if pressed == choice.key:
                event.stop()
                self.dismiss(choice.key)


KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "everywhere",
        (
            ("1 2 3 4 5 6", "Runs, Overview, Episodes, Trajectory, Ladder, Compare"),
            ("Enter  Esc", "go in, go back to where you were"),
            ("-  =", "budget B down, up"),
            ("a  A", "alpha up, down"),
            ("J", "next judge"),
            ("c", "mark an arm or a run; the second mark compares"),
            ("i", "bookmark, note, flag bad gold (screens 3 to 5)"),
            ("F", "flagged questions out of every rate, back in"),
            ("y", "copy what is selected"),
            ("o", "open it in the pager"),
            ("x", "export what is on screen: text, SVG, CSV, JSON"),
            ("Space", "pause the live view, go on"),
            (":", "palette: theme, screenshot, keys"),
            ("?  q", "this help, quit"),
        ),
    ),
    (
        "lists",
        (
            ("j k  g G", "down, up, top, bottom"),
            ("PgDn PgUp", "a page"),
            ("e w v", "exhausted, wrong, excluded; again: all"),
            ("0", "all"),
            ("s S", "sort by the next column, turn round"),
            ("/", "filter; Tab completes, Enter keeps it, Esc undoes it"),
            ("f", "facets: how many have each value; Enter filters by it"),
            ("V", "saved views of the list"),
        ),
    ),
    (
        "overview",
        (
            ("h j k l", "cell"),
            ("Enter", "its episodes"),
            ("Tab", "pass, covered, exhausted, wrong, abstained"),
            ("s", "order of the arms"),
        ),
    ),
    (
        "trajectory",
        (
            ("h l", "step back, on"),
            ("H L", "episode back, on, within the filter"),
            (",  .", "the same question at a smaller, larger scale"),
            ("<  >", "the same question on the previous, next arm"),
            ("m M", "next, previous call that changed coverage"),
            ("d", "the decision: reasoning, raw reply, messages, cuts"),
            ("r", "the call: raw request, ranks of the evidence, cost"),
            ("v", "what the judges said, raw"),
            ("Tab  z", "pane, zoom"),
            ("/  n N", "find in the text, next, previous"),
        ),
    ),
    (
        "ladder",
        (
            ("h j k l", "cell"),
            ("Enter", "its trajectory"),
            ("m M", "next, previous flip, on through the questions"),
            ("H L", "question back, on, within the filter"),
            ("/  n N", "find a question, next, previous"),
            ("r", "one seed and repeat after another, all"),
        ),
    ),
    (
        "compare",
        (
            ("Enter", "both trajectories side by side"),
            (",  .", "scale"),
            ("<  >", "another arm as B; of two files, on both sides"),
            ("0", "all pairs, or flips only"),
            ("s", "swap A and B"),
            ("u", "pair questions over unequal histories too"),
            ("R", "read the files again"),
            ("h l  H L", "side by side: side, pair"),
        ),
    ),
)
ENDINGS = (
    (PASS, "pass: right within B calls"),
    (EXHAUSTED, "exhausted: more than B calls; the verdict follows"),
    (WRONG, "wrong within B calls"),
    (NO_ANSWER, "no answer"),
    (EXCLUDED, "excluded: not the agent's or the memory's failure"),
    (RUNNING, "running"),
)


OWN_KEYS = {"runs": "lists", "episodes": "lists"}
"""Screens whose own keys stand under another title than the screen's name."""


def help_lines(look: Look, screen: str = "") -> list[Text]:
    """Keys, those of `screen` (its name) first, then the signs."""
    lines: list[Text] = []
    own = OWN_KEYS.get(screen.lower(), screen.lower())
    for title, keys in sorted(KEYS, key=lambda part: part[0] != own):
        lines += [Text(end=""), styled(title, look.strong)]
        for key, what in keys:
            lines.append(
                Text.assemble("  ", (fit(key, 12), look.accent), (what, ""), end="", no_wrap=True)
            )
    lines += [Text(end=""), styled("a call strip, sign by sign", look.strong)]
    example = Text("  ", end="")
    for sign in "◈◆":
        example.append(sign, strip.call_style(sign, look))
    example.append(glyphs.BUDGET_BAR, look.budget)
    for sign in "◇◇":
        example.append(sign, strip.call_style(sign, look, beyond=True))
    example.append(EXHAUSTED, look.budget)
    example.append(PASS, look.good)
    example.append("   complete at call 2, two more, right but exhausted", look.muted)
    lines.append(example)
    for sign, what in (*strip.LEGEND, *ENDINGS):
        lines.append(Text.assemble("  ", (sign, look.accent), f"  {what}", end="", no_wrap=True))
    lines += [Text(end=""), styled("marks of a hit", look.strong)]
    for sign, what in marks.LEGEND:
        lines.append(Text.assemble("  ", (sign, look.gold), f"  {what}", end="", no_wrap=True))
    lines += [Text(end=""), styled("along the scales, and side by side", look.strong)]
    for sign, what in (*ladder.LEGEND, *SIDE_BY_SIDE):
        lines.append(Text.assemble("  ", (sign, look.accent), f"  {what}", end="", no_wrap=True))
    return lines


class HelpText(LineView):
    """The help as a scrolling text."""

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._screen_name = screen
        self._help: list[Text] = []

    def on_mount(self) -> None:
        self._help = help_lines(look_of(self), self._screen_name)
        self.content_changed()
        self.focus()

    def count(self) -> int:
        return len(self._help)

    def line(self, index: int, width: int) -> Text:
        return self._help[index]


class HelpScreen(Dialog):
    """Keys, those of the screen it was asked on first, and signs; closes with ?, q or Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,q,f1", "dismiss('')", "close", show=False),
        Binding("x", "app.export", "export what is on screen", show=False),
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._asked_on = screen

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield LineBlock(
                [Text("memtui — keys and signs", look_of(self).strong, end="")], on_bar=True
            )
            yield HelpText(self._asked_on)
