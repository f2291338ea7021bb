"""The help: keys, those of the screen that asked first and as the reader's configuration binds them; signs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from memtui.metrics import glyphs
from memtui.screens.dialogs import CLOSE, Dialog
from memtui.screens.keys import Key, all_keys, first_of, with_keymap
from memtui.screens.run_columns import LEGEND as RUN_MARKS
from memtui.views import ladder, marks, strip
from memtui.views.difference import SIDE_BY_SIDE
from memtui.views.look import Look
from memtui.views.outcome import EXCLUDED, EXHAUSTED, NO_ANSWER, PASS, RUNNING, WRONG
from memtui.views.styled import styled
from memtui.views.text_door import fit
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.lines import LineView, look_of
from memtui.widgets.offer_lines import OfferLines

if TYPE_CHECKING:
    from memtui.screens.navigation import NavigatingApp

Row = tuple[tuple[str, ...], str]
"""Ids of bindings whose keys stand side by side, and what they do together."""
WIDTH_OF_KEYS, WIDEST_KEYS = 12, 24

ROWS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "everywhere",
        (
            (
                (
                    "app.runs",
                    "app.overview",
                    "app.episodes",
                    "app.trajectory",
                    "app.ladder",
                    "app.compare",
                ),
                "Runs, Overview, Episodes, Trajectory, Ladder, Compare",
            ),
            (("list.open", "app.back"), "go in, go back to where you were"),
            (("app.budget-down", "app.budget-up"), "budget B down, up"),
            (("app.alpha-down", "app.alpha-up"), "alpha down, up"),
            (("app.judge",), "next judge"),
            (("app.mark",), "mark an arm or a run; the second mark compares"),
            (("app.annotate",), "bookmark, note, flag bad gold (screens 3 to 5)"),
            (("app.flagged",), "flagged questions out of every rate, back in"),
            (("app.copy",), "copy what is selected"),
            (("app.pager",), "open it in the pager"),
            (("app.export",), "export what is on screen: text, SVG, CSV, JSON"),
            (("app.pause",), "pause the live view, go on"),
            (("app.palette",), "palette: all of it by name; arms, files, views"),
            (("app.shell",), "to the shell; fg comes back"),
            (("app.help", "app.quit"), "this help, quit"),
        ),
    ),
    (
        "lists",
        (
            (("list.down", "list.up", "list.top", "list.bottom"), "down, up, top, bottom"),
            (("list.page-down", "list.page-up"), "a page"),
        ),
    ),
    (
        "runs",
        (
            (("runs.start",), "start a run: choose a configuration, see its plan"),
            (("runs.stop",), "stop the run; again: end it at once"),
            (("runs.resume",), "continue an interrupted run"),
            (("runs.annotate",), "alias and note, kept beside the run"),
            (("runs.path",), "show and copy its full path"),
            (("runs.sort", "runs.sort-turn"), "sort by the next column, turn round"),
            (("runs.find",), "find by name, note, data set or state"),
            (("runs.match", "runs.match-back"), "next, previous match"),
            (("runs.flagged",), "flagged questions out of the rates, back in"),
            (("runs.again",), "look at the folder again"),
        ),
    ),
    (
        "overview",
        (
            (("heat.left", "heat.right"), "cell at a smaller, larger scale"),
            (("heat.open",), "its episodes"),
            (
                ("overview.measure", "overview.measure-back"),
                "pass, covered, exhausted, wrong, abstained",
            ),
            (("overview.tab-back", "overview.tab"), "previous, next tab"),
            (("overview.plot", "overview.plot-keep"), "one large plot, keep this arm in it"),
            (("overview.order",), "order of the arms"),
        ),
    ),
    (
        "episodes",
        (
            (
                ("episodes.exhausted", "episodes.wrong", "episodes.excluded"),
                "exhausted, wrong, excluded; again: all",
            ),
            (("episodes.all",), "all: every filter off; facets stay open, Esc closes them"),
            (("episodes.sort", "episodes.reverse"), "sort by the next column, turn round"),
            (("episodes.filter",), "filter; Tab completes, Enter keeps it, Esc undoes it"),
            (
                ("episodes.match", "episodes.match-back"),
                "next, previous match; 0 keeps them",
            ),
            (("episodes.facets",), "facets: how many have each; Enter filters by it, again: not"),
            (("episodes.views",), "saved views of the list"),
        ),
    ),
    (
        "trajectory",
        (
            (("trajectory.previous", "trajectory.next"), "step back, on"),
            (
                ("trajectory.previous-episode", "trajectory.next-episode"),
                "episode back, on, within the filter",
            ),
            (
                ("question.scale-down", "question.scale-up"),
                "the same question at a smaller, larger scale",
            ),
            (
                ("question.arm-back", "question.arm"),
                "the same question on the previous, next arm",
            ),
            (
                ("trajectory.change", "trajectory.change-back"),
                "next, previous call that changed coverage",
            ),
            (("trajectory.decision",), "the decision: reasoning, raw reply, messages, cuts"),
            (("trajectory.request",), "the call: raw request, ranks of the evidence, cost"),
            (("trajectory.judge",), "what the judges said, raw"),
            (("trajectory.pane", "trajectory.pane-back"), "next, previous pane"),
            (("trajectory.zoom",), "zoom the pane, and back"),
            (
                ("trajectory.find", "trajectory.match", "trajectory.match-back"),
                "find in the text, next, previous",
            ),
        ),
    ),
    (
        "ladder",
        (
            (("ladder.left", "ladder.right"), "cell at a smaller, larger scale"),
            (("ladder.open",), "its trajectory"),
            (("ladder.flip", "ladder.flip-back"), "next, previous flip, on through the questions"),
            (
                ("ladder.previous-question", "ladder.next-question"),
                "question back, on, within the filter",
            ),
            (
                ("ladder.find", "ladder.match", "ladder.match-back"),
                "find a question, next, previous",
            ),
            (("ladder.variant",), "one seed and repeat after another, all"),
        ),
    ),
    (
        "compare",
        (
            (("compare.pane", "compare.pane-back"), "the scales, the pairs"),
            (("compare.scale-down", "compare.scale-up"), "smaller, larger scale"),
            (
                ("compare.arm-back", "compare.arm"),
                "another arm as B; of two files, on both sides",
            ),
            (
                ("compare.find", "compare.match", "compare.match-back"),
                "find a question, next, previous",
            ),
            (("compare.all",), "all pairs, or flips only"),
            (("compare.swap",), "swap A and B"),
            (("compare.histories",), "pair questions over unequal histories too"),
            (("compare.again",), "read the files again"),
        ),
    ),
    (
        "side by side",
        (
            (("pair.a", "pair.b"), "side A, side B: Enter opens its trajectory"),
            (("pair.previous", "pair.next"), "pair back, on"),
            (("pair.difference", "pair.difference-back"), "next, previous difference"),
            (("pair.pane", "pair.pane-back"), "the calls, the hits"),
        ),
    ),
)
"""What is worth more words than the binding has; whatever has no row here gets one of its own."""
TITLES = {"pair": "side by side"}
ENDINGS = (
    (PASS, "pass: right within B calls"),
    (EXHAUSTED, "exhausted: more than B calls; the verdict follows"),
    (WRONG, "wrong within B calls"),
    (NO_ANSWER, "no answer"),
    (EXCLUDED, "excluded: not the agent's or the memory's failure"),
    (RUNNING, "running"),
)


UNSURE = ("+8?", "s*, left open by its interval or a missing rung")


def key_rows(keys: Iterable[Key]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles, and under each (keys, what they do): every key that works is among them."""
    by_title: dict[str, dict[str, Key]] = {}
    for key in keys:
        by_title.setdefault(TITLES.get(key.scope, key.scope), {})[key.id] = key
    known = {name: key for found in by_title.values() for name, key in found.items()}
    told = {name for _, rows in ROWS for ids, _ in rows for name in ids}
    rows_of = dict(ROWS)
    made = []
    for title in dict.fromkeys([*rows_of, *by_title]):
        lines = []
        for ids, what in rows_of.get(title, ()):
            signs = [first_of(known[name].keys) for name in ids if name in known]
            if signs:
                lines.append((" ".join(signs), what))
        lines += [
            (first_of(key.keys), key.what)
            for name, key in by_title.get(title, {}).items()
            if name not in told
        ]
        made.append((title, lines))
    return made


def help_lines(look: Look, keys: Iterable[Key], screen: str = "") -> list[Text]:
    """Keys, those of `screen` (its scope) first, then the signs."""
    lines: list[Text] = []
    groups = key_rows(keys)
    room = max([WIDTH_OF_KEYS, *(cell_len(sign) + 1 for _, rows in groups for sign, _ in rows)])
    own = TITLES.get(screen, screen)
    order = {own: 0, "lists": 1} if own in ("episodes", "runs") else {own: 0}
    for title, rows in sorted(groups, key=lambda part: order.get(part[0], 2)):
        lines += [Text(end=""), styled(title, look.strong)]
        for sign, what in rows:
            lines.append(
                Text.assemble(
                    "  ",
                    (fit(sign, min(room, WIDEST_KEYS)), look.accent),
                    (what, ""),
                    end="",
                    no_wrap=True,
                )
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
    lines += [Text(end=""), styled("marks of a run in the list", look.strong)]
    for sign, what in RUN_MARKS:
        lines.append(Text.assemble("  ", (sign, look.accent), f"  {what}", end="", no_wrap=True))
    lines += [Text(end=""), styled("along the scales, and side by side", look.strong)]
    for sign, what in (*ladder.LEGEND, *SIDE_BY_SIDE, UNSURE):
        lines.append(Text.assemble("  ", (sign, look.accent), f"  {what}", end="", no_wrap=True))
    return lines


class HelpText(LineView):
    """The help as a scrolling text."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope
        self._help: list[Text] = []

    def on_mount(self) -> None:
        app = cast("NavigatingApp", self.app)
        keys = with_keymap(all_keys(type(app)), app.keys_changed)
        self._help = help_lines(look_of(self), keys, self._scope)
        self.content_changed()
        self.focus()

    def find(self, words: str, by: int) -> bool:
        """Go to the next (1) or previous (-1) line with the words; False without one."""
        here = round(self.scroll_offset.y)
        low = words.lower()
        places = [at for at, line in enumerate(self._help) if low in line.plain.lower()]
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
