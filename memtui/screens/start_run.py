"""The dialog that starts or continues a run: which configuration, what its plan says, where it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from memtui.errors import UserError
from memtui.screens.dialogs import CLOSE, Dialog
from memtui.screens.run_plan import plan_summary, plan_warnings
from memtui.state.run_configurations import (
    BegunWith,
    Plan,
    RunConfiguration,
    Target,
    ask_for_plan,
    begun_with,
    configurations,
    target_for,
    target_of,
    typed_configuration,
)
from memtui.state.run_list import RunLine
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.sentences import sentence
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, cut_path, fit
from memtui.views.wrapping import wrap
from memtui.widgets.lines import look_of
from memtui.widgets.offer_lines import Offer, OfferLines
from memtui.widgets.path_line import PathLine

WIDEST = 76
HEADING = 2
"""Lines above the first configuration."""
MOST_OFFERS, MOST_NAMES = 3, 40
"""Lines for what a typed path may become, and names that could stand in them."""


class StartRun(Dialog):
    """Enter shows the plan of a configuration, and then starts it; the answer is `start` or nothing.

    `config`, `options` and `target` say what and where; `/` takes the path of one that is not listed.
    `resumed`: an interrupted run that is to be continued.
    """

    AUTO_FOCUS: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "next configuration", show=False, id="start.next"),
        Binding("k,up", "move(-1)", "previous configuration", show=False, id="start.previous"),
        Binding("enter", "go_on", "its plan; on the plan, start", show=False, id="start.go-on"),
        Binding("slash", "type", "type a path", show=False, id="start.path"),
        Binding("tab", "complete", "complete the path", show=False, id="start.complete"),
        Binding("escape", "back", "back", show=False, id=CLOSE),
    ]

    def __init__(
        self, workspace: Path, lines: Sequence[RunLine], resumed: RunLine | None = None
    ) -> None:
        super().__init__()
        self._workspace, self._lines, self._resumed = workspace, lines, resumed
        self._found: list[RunConfiguration] | None = None
        self._begun_with = BegunWith()
        """How the run to be continued was begun."""
        self._at = 0
        self.config: Path | None = None
        """The configuration whose plan is shown, or on its way; None while one is being chosen."""
        self.options: tuple[str, ...] = ()
        """What `memtui run` is given besides."""
        self._plan: Plan | None = None
        self.target: Target | None = None
        self._problem = ""
        self._offered: Sequence[str] = ()
        """What the typed path may become."""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield OfferLines(id="start-run")
            yield PathLine(placeholder="mine.toml --limit 20", id="start-path", compact=True)
            yield OfferLines(id="start-keys")

    def on_mount(self) -> None:
        self._line.display = False
        self._draw()
        self._look_around()

    @work(exclusive=True, group="start-list")
    async def _look_around(self) -> None:
        found = await asyncio.to_thread(configurations, self._workspace)
        if self._resumed is not None:
            try:
                self._begun_with = await asyncio.to_thread(begun_with, self._resumed.path)
            except UserError as error:  # moved or damaged since it was listed: it cannot go on
                self.dismiss(str(error))
                return
            run = self._resumed.summary
            names = (run.name, self._resumed.path.stem)
            found = [one for one in found if one.name in names or one.path.stem in names]
        self._found = found
        if self._resumed is not None and len(found) == 1 and not found[0].problem:
            self._ask(found[0].path)
        self._draw()

    @work(exclusive=True, group="start-plan")
    async def _ask(self, config: Path, options: tuple[str, ...] = ()) -> None:
        self.config, self.options = config, options or self._begun_with.options
        self._plan, self.target, self._problem = None, None, ""
        self._draw()
        try:
            plan = await ask_for_plan(config, self.options)
        except UserError as error:
            self._problem = self._lost() or str(error)
        else:
            self._plan = plan
            self.target = (
                target_of(self._workspace, plan, self._lines)
                if self._resumed is None
                else target_for(self._resumed, plan)
            )
            if not self.target.ready and self._lost():
                self.target = replace(self.target, sentence=self._lost())
        self._draw()

    def _lost(self) -> str:
        """Why the plan is none of the run that is continued, where its data is gone; empty else."""
        lost = self._begun_with.lost_data
        return lost and f"the data it was begun with is no longer at {lost}: put it back to go on"

    @property
    def ready(self) -> bool:
        """Whether Enter starts it."""
        plan, target = self._plan, self.target
        return plan is not None and target is not None and target.ready and not plan.missing_parts

    # --- keys -----------------------------------------------------------------------------------

    @property
    def _line(self) -> PathLine:
        """Where a path is typed; shown while that is done."""
        return self.query_one("#start-path", PathLine)

    def action_type(self) -> None:
        """Type the path of a configuration."""
        if self.config is None:
            self._type(True)

    def _type(self, typing: bool) -> None:
        self._line.display, self._problem = typing, ""
        self.set_focus(self._line if typing else None)
        self._draw()

    def action_complete(self) -> None:
        """Complete the path that is being typed."""
        if self._line.display:
            self._line.complete()

    @on(PathLine.Offered)
    def _may_become(self, message: PathLine.Offered) -> None:
        self._offered = message.names
        self._draw()

    @on(Input.Changed)
    def _typing_on(self) -> None:
        if self._problem:
            self._problem = ""
            self._draw()

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        message.stop()
        self._take_path(message.value)

    def _take_path(self, typed: str) -> None:
        try:
            config, options = typed_configuration(typed)
        except UserError as error:
            self._problem = str(error)
            self._draw()
            return
        self._type(False)
        self._ask(config, options)

    def action_move(self, by: int) -> None:
        """Another configuration."""
        if self.config is None and self._found:
            self._at = max(0, min(self._at + by, len(self._found) - 1))
            self._draw()

    def action_pick(self, at: int) -> None:
        """Stand on a configuration; where one stands on it already, its plan."""
        if at == self._at:
            self.action_go_on()
        else:
            self.action_move(at - self._at)

    def action_go_on(self) -> None:
        """The plan of the configuration; on the plan, start."""
        if self._line.display:
            self._take_path(self._line.value)
        elif self.config is not None:
            if self.ready:
                self.dismiss("start")
        elif self._found:
            chosen = self._found[self._at]
            if not chosen.problem:
                self._ask(chosen.path)

    def action_back(self) -> None:
        """From the plan to the list, from the list out."""
        self.workers.cancel_group(self, "start-plan")
        if self._line.display:
            self._type(False)
        elif self.config is None or [one.path for one in self._found or ()] == [self.config]:
            self.dismiss("")
        else:
            self.config, self._problem = None, ""
            self._draw()

    # --- drawing --------------------------------------------------------------------------------

    def _draw(self) -> None:
        look = look_of(self)
        width = self.room(WIDEST)
        offers: list[Offer] = []
        if self._line.display:
            lines = self._typing(look, width)
        elif self.config is None:
            lines = self._choice(look, width)
            if self._found:
                room, top = self._window(len(self._found))
                shown = range(top, min(top + room, len(self._found)))
                offers = [Offer(HEADING + index - top, f"pick({index})") for index in shown]
        else:
            lines = self._plan_lines(look, width)
        hint, clicks = self.hints(1, *self._keys())
        self._line.styles.width = width
        for id, shown_lines, clicked in (
            ("#start-run", lines, offers), ("#start-keys", [Text(end=""), hint], clicks)
        ):  # fmt: skip
            block = self.query_one(id, OfferLines)
            block.styles.width = width
            block.show(shown_lines, clicked)

    def _keys(self) -> list[tuple[str, str]]:
        go_on = "start.go-on"
        if self._line.display:
            return [(go_on, "its plan"), ("start.complete", "complete"), (CLOSE, "back")]
        if self.config is not None:
            return [*([(go_on, "start")] if self.ready else []), (CLOSE, "back")]
        listed = [(go_on, "plan"), ("start.next", "down"), ("start.previous", "up")]
        return [*(listed if self._found else []), ("start.path", "path"), (CLOSE, "close")]

    def _window(self, many: int) -> tuple[int, int]:
        """How many configurations are shown, and the first of them."""
        room = max(3, self.app.size.height * 9 // 10 - 8)
        return room, max(0, min(self._at - room // 2, many - room))

    def _typing(self, look: Look, width: int) -> list[Text]:
        words = "Path of a configuration; --limit N after it asks N questions only, of every type."
        lines = [styled(self._heading(width), look.strong), Text(end="")]
        lines += [*(styled(part, look.muted) for part in wrap(words, width)), Text(end="")]
        if self._problem:
            said = [styled(part, look.bad) for part in wrap(clean_line(self._problem), width)[:8]]
        else:
            said = _offers(self._offered, look, width)
        # As high with few as with many: a dialog that grows and shrinks while one types is hard to read.
        return [*lines, *said, *[Text(end="")] * (MOST_OFFERS - len(said))]

    def _heading(self, width: int) -> str:
        if self._resumed is None:
            return "start a run from a configuration"
        name = clean_line(self._resumed.path.name, width=width - 10)
        return f"continue {name}: which configuration?"

    def _choice(self, look: Look, width: int) -> list[Text]:
        lines = [styled(self._heading(width), look.strong), Text(end="")]
        if self._found is None:
            lines.append(styled("looking around …", look.muted))
        elif not self._found:
            lines += [styled(part, look.muted) for part in wrap(self._nothing(), width)]
        else:
            lines += self._rows(self._found, look, width)
        return lines

    def _nothing(self) -> str:
        folder = clean_line(str(self._workspace), width=60)
        if self._resumed is not None:
            name = clean_line(self._resumed.summary.name, width=40)
            return (
                f"no configuration named {name} lies in {folder}, beside it, or in configs or"
                f" experiments there: {self.sign('start.path')} takes its path, or continue it with"
                f" {' '.join(('memtui run CONFIG --out FILE', *self._begun_with.options))}"
            )
        return (
            f"no configuration (*.toml) lies in {folder}, beside it, or in configs or experiments"
            " there: memtui run --example > mine.toml writes one"
        )

    def _rows(self, found: Sequence[RunConfiguration], look: Look, width: int) -> list[Text]:
        room, top = self._window(len(found))
        lines = []
        for index, one in enumerate(found[top : top + room], start=top):
            chosen = index == self._at
            text = styled("▸ " if chosen else "  ", look.accent)
            text.append(fit(one.name, min(24, width // 3)), look.strong if chosen else "")
            text.append("  ")
            left = width - text.cell_len
            if one.problem:
                text.append(sentence(f"{one.path.name} {one.problem}", left), look.bad)
            else:
                text.append(cut_path(str(one.path), left), look.muted)
            lines.append(text)
        if len(found) > room:
            lines.append(styled(f"  {self._at + 1} of {len(found)}", look.muted))
        return lines

    def _plan_lines(self, look: Look, width: int) -> list[Text]:
        verb = "start" if self._resumed is None else "continue"
        plan, target = self._plan, self.target
        name = clean_line("" if plan is None else plan.name, width=width - 10)
        lines = [
            styled(f"{verb} {name}".rstrip(), look.strong),
            styled(cut_path(" ".join((str(self.config), *self.options)), width), look.muted),
            Text(end=""),
        ]
        if self._problem:
            lines += [styled(part, look.bad) for part in wrap(clean_line(self._problem), width)[:8]]
        elif plan is None or target is None:
            lines.append(styled("asking for its plan …", look.muted))
        else:
            style = "" if target.ready else look.bad
            end = [styled(part, style) for part in wrap(clean_line(target.sentence), width)]
            if self.ready:
                log = clean_line(target.out.with_suffix(".log").name, width=width - 30)
                end.append(styled(f"log in {log}; it outlives this window", look.muted))
            lines += plan_summary(plan, look, width)
            room = self.app.size.height * 9 // 10 - 2 - len(lines) - len(end) - 3
            return [*lines, *plan_warnings(plan, look, width, room), Text(end=""), *end]
        return lines


def _offers(names: Sequence[str], look: Look, width: int) -> list[Text]:
    """What a path may become, in a few lines of whole names, then how many more there are."""
    parts = [
        styled(clean_line(name, width=width), look.accent if name.endswith("/") else "")
        for name in names[:MOST_NAMES]
    ]
    for shown in range(len(parts), 0, -1):
        more = [styled(f"and {len(names) - shown} more", look.muted)] if shown < len(names) else []
        lines = flow([*parts[:shown], *more], width, indent=0)
        if len(lines) <= MOST_OFFERS:
            return lines
    return []
