"""A finished run shown as it was at a moment, going on at one to six hundred times its own pace.

A view over the recorded order: nothing of the finished view is touched, and Esc is back in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.dock import alarm_lines, facts_beside_dock, work_lines
from memtui.screens.episode_row import strip_of_row
from memtui.screens.overview_parts import (
    arm_by_scale,
    cell_facts,
    measures_line,
    small_multiples,
)
from memtui.screens.replay_parts import progress_lines
from memtui.screens.replay_picture import Picture, picture_at, read_replay
from memtui.state.deep_link import link
from memtui.state.overview import measure_after
from memtui.state.replay import Replay, clock, faster, nearest_speed
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.tab import Measure
from memtui.store.records import EpisodeRow
from memtui.views.hints import Hint
from memtui.views.styled import styled
from memtui.views.title import Title
from memtui.widgets.heat_table import HeatTable
from memtui.widgets.lines import LineBlock, RestBlock

if TYPE_CHECKING:
    from memtui.report.on_screen import Data

FRAME = 0.2
"""Seconds between two pictures."""
WHOLE_RUN = 60.0
"""Seconds that the whole run takes at the speed it begins with, about."""
JUMP = 0.05
"""Share of the run that one jump passes over."""
DOCK_ROWS = 12


class ReplayScreen(MemtuiScreen):
    """The heat table, the bars and the feed, filling up in recorded order."""

    NUMBER = 2
    NAME = "Replay"
    RATES = True
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Space", "pause"),
        Hint(", .", "speed"),
        Hint("{ }", "jump"),
        Hint("Esc", "end the replay"),
        Hint("Tab", "measure"),
        Hint("-=", "budget"),
        Hint("J", "judge"),
        Hint("aA", "alpha"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "hold", "pause the replay, go on", id="replay.pause"),
        Binding("comma", "speed(-1)", "slower", id="replay.slower"),
        Binding("full_stop", "speed(1)", "faster, up to 600x", id="replay.faster"),
        Binding("left_curly_bracket", "jump(-1)", "back by 5 %", id="replay.back"),
        Binding("right_curly_bracket", "jump(1)", "on by 5 %", id="replay.on"),
        Binding("tab", "measure(1)", "next measure", id="replay.measure", priority=True),
        Binding(
            "shift+tab", "measure(-1)", "previous measure", id="replay.measure-back", priority=True
        ),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._measure = Measure.PASS
        self._replay: Replay | None = None
        self._read_for: object = None
        self._picture: Picture | None = None
        self._speed: int | None = None
        self._playing = True
        self._moment = 0.0
        self._ticked = 0.0
        self._busy = False
        self._timer: Timer | None = None

    def body(self) -> Iterable[Widget]:
        yield LineBlock([Text(end="")] * 3, id="heat-head")
        yield HeatTable(id="heat")
        yield LineBlock(id="cell-facts")
        yield RestBlock(id="lower")

    def on_mount(self) -> None:
        self.query_one(HeatTable).focus()
        self._timer = self.set_interval(FRAME, self._tick, pause=not self._playing)
        super().on_mount()

    def _play(self, on: bool) -> None:
        """Let time go on or stand still; a clock that stands still wakes nobody."""
        self._playing, self._ticked = on, monotonic()
        if self._timer is not None:
            if on:
                self._timer.resume()
            else:
                self._timer.pause()

    # --- what is shown --------------------------------------------------------------------------

    @property
    def picture(self) -> Picture | None:
        """What is on screen; None until the order of the run was read."""
        return self._picture

    @property
    def speed(self) -> int:
        """Seconds of the run in one second of the reader."""
        return self._speed or 1

    @property
    def playing(self) -> bool:
        """Whether time goes on."""
        return self._playing

    def begin(self, speed: float | None = None) -> None:
        """From the start; without a speed, at one that takes about a minute for the whole run."""
        self._replay = self._picture = self._read_for = None
        self._speed = None if speed is None else nearest_speed(speed)
        self._moment, self._drawn = 0.0, None
        self._play(True)

    def title_facts(self) -> Title:
        title = super().title_facts()
        sign = "▸" if self._playing else "‖"
        picture = self._picture
        moment = (
            self._moment if picture is None else picture.moment
        )  # what is shown, not what comes
        state = f"{sign} replay {self.speed}x {clock(moment)}"
        return Title(
            title.number, title.screen, title.file, state, state, title.budget, title.hard,
            title.alpha, title.judge, title.filter,
            excluded=None if picture is None else picture.overview.excluded,
            flagged=None if picture is None else picture.overview.flagged,
            alias=title.alias,
        )  # fmt: skip

    def leave(self) -> bool:
        """Esc ends the replay: what it read is let go of."""
        self._replay = self._picture = self._read_for = None
        self._play(False)
        return False

    def forget(self) -> None:
        super().forget()
        self.begin()

    def on_screen_suspend(self) -> None:
        """Another screen shows the finished run: time stands still meanwhile."""
        self._play(False)

    def text_to_copy(self) -> str:
        """The command that prints the rates of this moment."""
        session, picture = self.bench.session, self._picture
        if session is None or picture is None:
            return ""
        opens = link(session, "overview")
        return f"{opens.replace('memtui ', 'memtui report ', 1)} --until {clock(picture.moment)}"

    def page_maker(self) -> Callable[[], str] | None:
        """The rates of this moment as `memtui report --until` prints them."""
        session, picture = self.bench.session, self._picture
        if session is None or picture is None:
            return None
        from memtui.report.on_screen import report_of_moment

        return partial(report_of_moment, session.path, session.settings, picture.moment)

    def data_to_export(self) -> Data | None:
        """The rates of this moment."""
        session, picture = self.bench.session, self._picture
        if session is None or picture is None:
            return None
        from memtui.report.on_screen import moment_data

        return moment_data(session.path, session.settings, picture.moment)

    # --- reading --------------------------------------------------------------------------------

    def depends_on(self) -> object:
        session = self.bench.session
        settings = None if session is None else session.settings
        return (
            settings,
            self.look.name,
            self._measure,
            id(self._picture),
            self._playing,
            self.speed,
        )

    def draw(self) -> None:
        session = self.bench.session
        if session is None:
            return
        settings = session.settings
        wanted = (settings.judge, settings.filter, settings.without_flagged, settings.filter and settings.budget)  # fmt: skip
        if self._read_for != wanted:
            self._read_for = wanted
            if self._picture is None:
                self._say_instead("reading the order in which the run was recorded …")
            self._read(session, settings)
        elif self._picture is not None and self._picture.overview.budget == settings.budget:
            if self._picture.overview.alpha != settings.alpha:
                self._show(session)
            self._draw_all()
        else:
            self._show(session)

    @work(exclusive=True, group="replay")
    async def _read(self, session: RunSession, settings: Settings) -> None:
        """Read what happened, and go on at the moment that was on screen."""
        try:
            replay = await session.ask(read_replay, session, settings)
        except UserError as error:
            self._say_instead(str(error))
            return
        if session is not self.bench.session:
            return
        self._replay = replay
        if self._speed is None:
            self._speed = nearest_speed(replay.timeline.length / WHOLE_RUN)
        self._moment = min(self._moment, replay.timeline.length)
        self._ticked = monotonic()
        self._show(session)

    def _tick(self) -> None:
        """Time goes on; a picture that is not ready yet is waited for."""
        now, session = monotonic(), self.bench.session
        since, self._ticked = now - self._ticked, now
        if not self._playing or self._replay is None or session is None:
            return
        self._moment = min(self._moment + since * self.speed, self._replay.timeline.length)
        if not self._busy:
            self._show(session)

    @work(exclusive=False, group="picture")
    async def _show(self, session: RunSession) -> None:
        """Bring the picture to the moment; where it moved on meanwhile, once more."""
        if self._busy or self._replay is None:
            return
        self._busy = True
        try:
            while True:
                replay, moment, settings = self._replay, self._moment, session.settings
                try:
                    picture = await session.ask(picture_at, session, settings, replay, moment)
                except UserError:
                    return  # the app says what is wrong with the file; the next tick tries again
                if replay is not self._replay or not self.is_attached:
                    return
                self._picture = picture
                if picture.over:
                    self._play(False)
                self.freshen()
                if (moment, settings) == (self._moment, session.settings) or self._playing:
                    return
        finally:
            self._busy = False

    # --- drawing --------------------------------------------------------------------------------

    def _say_instead(self, words: str) -> None:
        lines = [Text(end=""), styled(f" {words}", self.look.muted), Text(end="")]
        self.query_one("#heat-head", LineBlock).show(lines)

    def _draw_all(self) -> None:
        if self._picture is not None:
            self.query_one(HeatTable).show(self._picture.overview, self._measure)
            self._draw_around()

    def _draw_around(self) -> None:
        """Everything but the table, whose cursor it depends on."""
        picture, session = self._picture, self.bench.session
        width, look = self.size.width, self.look
        if picture is None or session is None or not width:
            return
        heat = self.query_one(HeatTable)
        first, second = heat.heading(width, look)
        titles = (first, heat.title(look, brief=True))
        first = measures_line(titles, self._measure, picture.overview, width, look)
        self.query_one("#heat-head", LineBlock).show([Text(end=""), first, second])
        keep = facts_beside_dock(3, self.size.height, len(picture.overview.arms))
        facts = cell_facts(heat.arm, heat.cell, width - 1, look)[:keep]
        facts += [Text(end="")] * (keep - len(facts))
        self.query_one("#cell-facts", LineBlock).show([Text(end=""), *facts])
        self._draw_lower(picture, session)

    def _draw_lower(self, picture: Picture, session: RunSession) -> None:
        lower = self.query_one("#lower", LineBlock)
        width, look, height = self.size.width - 1, self.look, lower.size.height or 8
        replay = self._replay
        length = 0.0 if replay is None else replay.timeline.length
        pauses = 0 if replay is None else replay.timeline.pauses

        def strip(row: EpisodeRow) -> Text:
            return strip_of_row(row, session, look, width=12)

        lines = [Text(end="")]
        lines += progress_lines(
            picture.dock, picture.moment, length, self.speed, width, look,
            playing=self._playing, over=picture.over, pauses=pauses,
        )  # fmt: skip
        lines += alarm_lines(picture.dock, width, look)
        by_scale = arm_by_scale(
            self.query_one(HeatTable).arm, picture.overview, self.size.width, look
        )
        room = height - len(lines)
        if len(by_scale) + 1 <= room - 4:
            room = min(room - len(by_scale) - 1, DOCK_ROWS)
        else:
            by_scale = []
        lines += work_lines(picture.dock, strip, width, room, look)
        if by_scale:
            lines += [Text(end=""), *by_scale]
        charts = small_multiples(picture.overview, self.size.width, height - len(lines) - 1, look)
        if charts:
            lines += [Text(end=""), *charts]
        lower.show(lines[:height])

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._draw_all)

    # --- keys -----------------------------------------------------------------------------------

    @on(HeatTable.Moved)
    @on(RestBlock.Resized)
    def _around_changed(self) -> None:
        self._draw_around()

    @on(HeatTable.Chosen)
    def _cell_chosen(self) -> None:
        self.bench.say("the list shows the finished run: Esc ends the replay, then Enter opens it")

    def action_hold(self) -> None:
        """Let time stand still, or go on; from the start once everything has happened."""
        if not self._playing and self._picture is not None and self._picture.over:
            self._moment = 0.0
        self._play(not self._playing)
        self.freshen()

    def action_speed(self, by: int) -> None:
        """The next speed up or down."""
        self._speed = faster(self.speed, by)
        self.freshen()

    def action_jump(self, by: int) -> None:
        """Jump by a twentieth of the run."""
        session, replay = self.bench.session, self._replay
        if session is None or replay is None:
            return
        length = replay.timeline.length
        self._moment = max(0.0, min(self._moment + by * JUMP * length, length))
        self._ticked = monotonic()
        self._show(session)

    def action_measure(self, by: int) -> None:
        """Show another measure in the table."""
        overview = None if self._picture is None else self._picture.overview
        self._measure = measure_after(self._measure, by, overview)
        self.freshen()
