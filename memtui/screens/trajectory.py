"""Screen 4: one episode. Its steps, the hits of a step against gold, the text with the evidence lit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from memtui.errors import UserError
from memtui.metrics.explain import why_it_ended
from memtui.screens.episode_row import episode_text
from memtui.screens.ladder_steps import LadderSteps
from memtui.screens.session_texts import SessionTexts
from memtui.screens.trajectory_parts import (
    HitSource,
    StopSource,
    call_lines,
    head_lines,
    missing_evidence,
    step_words,
)
from memtui.screens.trajectory_text import readable, whole_text
from memtui.state.episode_standing import signature_of
from memtui.state.settings import Settings
from memtui.state.trajectory import Stop, Trajectory, trajectory
from memtui.views.hints import Hint
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.lines import LineBlock
from memtui.widgets.pane import Pane, Rule
from memtui.widgets.text_pane import TextPane
from memtui.widgets.virtual_list import VirtualList


class TrajectoryScreen(LadderSteps):
    """Steps | hits | text; above them what was asked, what came of it, and why."""

    NUMBER = 4
    NAME = "Trajectory"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("h l", "step"),
        Hint("j k", "hit"),
        Hint("Enter", "text"),
        Hint("H L", "episode"),
        Hint(",.", "scale"),
        Hint("<>", "arm"),
        Hint("Tab", "pane"),
        Hint("m", "evidence call"),
        Hint("/", "find"),
        Hint("z", "zoom"),
        Hint("y", "copy"),
        Hint("o", "pager"),
        Hint("-=", "budget"),
        Hint("Esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "step(-1)", "previous step", id="trajectory.previous"),
        Binding("l,right", "step(1)", "next step", id="trajectory.next"),
        Binding("H", "episode(-1)", "previous episode", id="trajectory.previous-episode"),
        Binding("L", "episode(1)", "next episode", id="trajectory.next-episode"),
        Binding("m", "change(1)", "next call that changed coverage", id="trajectory.change"),
        Binding("M", "change(-1)", "previous such call", id="trajectory.change-back"),
        Binding("tab", "pane(1)", "next pane", id="trajectory.pane", priority=True),
        Binding("shift+tab", "pane(-1)", "previous pane", id="trajectory.pane-back", priority=True),
        Binding("slash", "find", "find in the text", id="trajectory.find"),
        Binding("n", "match(1)", "next match", id="trajectory.match"),
        Binding("N", "match(-1)", "previous match", id="trajectory.match-back"),
        Binding("z", "zoom", "zoom the pane", id="trajectory.zoom"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._wanted: int | None = None
        self._found: Trajectory | None = None
        self._stop = 0
        self._texts: SessionTexts | None = None
        self._find = ""

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="trajectory-head")
        yield FilterLine(placeholder="find in this text", id="find-line")
        with Horizontal(id="panes"):
            yield Pane("steps", VirtualList(id="steps"), id="steps-pane")
            yield Rule(id="steps-rule")
            yield Pane("hits", VirtualList(id="hits"), above=LineBlock(id="call"), id="hits-pane")
            yield Rule(id="text-rule")
            yield Pane("text", TextPane(id="text"), id="text-pane")

    # --- parts ----------------------------------------------------------------------------------

    @property
    def steps(self) -> VirtualList:
        """The steps pane."""
        return self.query_one("#steps", VirtualList)

    @property
    def hits(self) -> VirtualList:
        """The hits pane."""
        return self.query_one("#hits", VirtualList)

    @property
    def text(self) -> TextPane:
        """The text pane."""
        return self.query_one("#text", TextPane)

    @property
    def found(self) -> Trajectory | None:
        """The episode on screen."""
        return self._found

    @property
    def stop(self) -> Stop | None:
        """The step the reader stands on."""
        if self._found is None or not 0 <= self._stop < len(self._found.stops):
            return None
        return self._found.stops[self._stop]

    def filter_label(self, settings: Settings) -> str:
        return self.list_filter_label(settings)

    def on_mount(self) -> None:
        self.hits.focus()
        super().on_mount()

    # --- opening and refreshing -----------------------------------------------------------------

    def show_episode(self, episode_id: int) -> None:
        """Show an episode from the first step that brought evidence."""
        self._wanted = episode_id
        if self.is_mounted:
            self._load(episode_id, fresh=True)

    @property
    def episode_id(self) -> int | None:
        """The episode on screen or on its way there."""
        return self._wanted

    def depends_on(self) -> object:
        session = self.bench.session
        settings = None if session is None else session.settings
        seen = None
        if isinstance(settings, Settings):
            seen = (settings.budget, settings.judge)
        return (seen, self.look.name, self.bench.version_of(self._wanted))

    def draw(self) -> None:
        if self._wanted is None:
            self.query_one("#trajectory-head", LineBlock).show(
                [Text(end=""), Text(" no episode is open: choose one on screen 3", end="")]
            )
            return
        same = self._found is not None and self._found.detail.row.id == self._wanted
        self._load(self._wanted, fresh=not same)

    @work(exclusive=True, group="trajectory")
    async def _load(self, episode_id: int, *, fresh: bool) -> None:
        session = self.bench.session
        if session is None:
            return

        def read() -> Trajectory | None:
            detail = session.pages.episode(episode_id)
            if detail is None:
                return None
            return trajectory(detail, session.pages.steps(episode_id))

        try:
            found = await session.ask(read)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if found is None:
            self.bench.say("this episode is no longer in the file", error=True)
            return
        self._found = found
        if fresh:
            self._stop = found.first_gold_stop()
        self._stop = max(0, min(self._stop, len(found.stops) - 1))
        steps = self.steps
        source = StopSource(found, self.look)
        if fresh:
            steps.show(source, select=self._stop)
        else:
            steps.update(source, keep=False)
        self._draw_stop(fresh=fresh)

    # --- drawing --------------------------------------------------------------------------------

    def _draw_head(self) -> None:
        session, found = self.bench.session, self._found
        if session is None or found is None or not self.size.width:
            return
        settings = session.settings
        row = found.detail.row
        why = why_it_ended(
            signature_of(row, settings.judge),
            row.gold_found,
            settings.budget,
            session.header.run.mode,
            context=row.arm in session.context_arms,
        )
        lines = head_lines(
            found, self._stop, why, session, self.size.width, self.size.height, self.look
        )
        gap = [Text(end="")] if self.size.height >= 24 else []
        self.query_one("#trajectory-head", LineBlock).show([*gap, *lines, *gap])

    def _draw_stop(self, *, fresh: bool = True) -> None:
        session, found, stop = self.bench.session, self._found, self.stop
        self._draw_head()
        if session is None or found is None or stop is None:
            return
        if self.steps.cursor != self._stop:
            self.steps.cursor = self._stop
        if self._texts is None:
            self._texts = SessionTexts(session.pages)
        self._texts.forget_missing()
        source = HitSource(stop, found, self._texts, self.look)
        if fresh:
            gold = next((hit.rank for hit in stop.hits if hit.gold), None)
            self.hits.show(source, select=gold)
        else:
            self.hits.update(source, keep=False)
        self._draw_pane_titles(found, stop)
        self._make_way_for_text(stop)
        self._draw_text()

    def _draw_pane_titles(self, found: Trajectory, stop: Stop) -> None:
        look, session = self.look, self.bench.session
        if session is None:
            return
        steps_facts = styled(f"{self._stop + 1} of {len(found.stops)}", look.muted)
        self.query_one("#steps-pane", Pane).show_facts(steps_facts)
        facts = Text(end="", no_wrap=True)
        if stop.is_call:
            facts.append(f"call {stop.call_no} of {found.calls}   ", look.muted)
        else:
            facts.append(f"{clean_line(step_words(stop), width=30)}   ", look.muted)
        facts.append_text(missing_evidence(found, self._stop, look))
        pane = self.query_one("#hits-pane", Pane)
        pane.show_facts(facts)
        width = pane.size.width or self.size.width
        self.query_one("#call", LineBlock).show(call_lines(found, self._stop, session, width, look))

    def _make_way_for_text(self, stop: Stop) -> None:
        """Where a step has no hits and one pane has the screen, the text takes it, and the keys."""
        empty = not stop.hits
        if empty == self.has_class("no-hits"):
            return
        self.set_class(empty, "no-hits")
        if self.app.has_class("-narrow") or self.has_class("-narrow"):
            if empty:
                self.text.focus()
            elif not self.has_class("reading"):
                self.hits.focus()

    def _draw_text(self) -> None:
        found, stop = self._found, self.stop
        if found is None or stop is None or self._texts is None:
            return
        document, facts = readable(
            found, stop, self.hits.selected, self._texts, self._find, self.look
        )
        self.text.show(document)
        self.query_one("#text-pane", Pane).show_facts(facts)

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        self._draw_head()
        found, stop = self._found, self.stop
        if found is not None and stop is not None:
            self._draw_pane_titles(found, stop)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Moved, "#steps")
    def _step_moved(self, message: VirtualList.Moved) -> None:
        if message.row_id is not None and message.row_id != self._stop:
            self._stop = message.row_id
            self._draw_stop()

    @on(VirtualList.Moved, "#hits")
    def _hit_moved(self) -> None:
        self._draw_text()

    @on(VirtualList.Chosen, "#steps")
    def _step_chosen(self) -> None:
        self.hits.focus()

    @on(VirtualList.Chosen, "#hits")
    def _hit_chosen(self) -> None:
        self.read_text()

    def read_text(self) -> None:
        """Give the keys to the text; on a narrow screen it takes the place of the hits."""
        self.set_class(True, "reading")
        self.text.focus()
        self._follow_zoom()

    def action_step(self, by: int) -> None:
        """The next or previous step."""
        if self._found is None:
            return
        at = max(0, min(self._stop + by, len(self._found.stops) - 1))
        if at != self._stop:
            self._stop = at
            self._draw_stop()

    def action_change(self, by: int) -> None:
        """The next or previous call that changed coverage."""
        if self._found is None:
            return
        at = self._found.next_change(self._stop, by)
        if at is None:
            self.bench.say("no call that way changed the coverage")
        else:
            self._stop = at
            self._draw_stop()

    def action_episode(self, by: int) -> None:
        """The next or previous episode of the list."""
        self.bench.next_episode(by)

    def action_pane(self, by: int) -> None:
        """Give the keys to the next pane that is on screen, or can be."""
        panes: list[Widget] = [self.hits, self.text]
        if self.steps.region.width or self.has_class("zoomed"):
            panes.insert(0, self.steps)
        focused = self.focused
        at = panes.index(focused) if focused in panes else 0
        target = panes[(at + by) % len(panes)]
        self.set_class(target is self.text, "reading")
        target.focus()
        self._follow_zoom()

    def action_zoom(self) -> None:
        """The focused pane takes all the room, or gives it back."""
        self.toggle_class("zoomed")
        self._follow_zoom()

    def _follow_zoom(self) -> None:
        zoomed = self.has_class("zoomed")
        for pane in self.query(Pane):
            pane.set_class(zoomed and pane.content is self.focused, "zoom")

    def forget(self) -> None:
        super().forget()
        self._wanted = self._found = None
        self._texts = None

    def text_to_copy(self) -> str:
        """The text under the cursor when the text pane has the keys, else the episode."""
        found, session = self._found, self.bench.session
        if found is None or session is None:
            return ""
        if self.focused is self.text:
            return self.text_to_page()
        return episode_text(found.detail.row, session)

    def text_to_page(self) -> str:
        """All of the text of which the pane shows a part."""
        found, stop = self._found, self.stop
        if found is None or stop is None or self._texts is None:
            return ""
        return whole_text(found, stop, self.hits.selected, self._texts)

    def action_find(self) -> None:
        """Open the line to search the text."""
        self.query_one(FilterLine).open(self._find)

    @on(FilterLine.Submitted)
    def _search(self, message: FilterLine.Submitted) -> None:
        self._find = message.value
        self.query_one(FilterLine).close()
        self.read_text()
        self._draw_text()
        if self._find:
            self.action_match(0)

    def action_match(self, by: int) -> None:
        """The next or previous place of what was searched for."""
        if not self._find:
            self.bench.say("nothing was searched for yet (/)")
        elif not self.text.jump_to_match(by):
            self.bench.say("no match" if not by else "no further match that way")

    def leave(self) -> bool:
        """Esc: out of the search line, from the text back to the hits, out of the zoom; False when there is nothing to leave."""
        line = self.query_one(FilterLine)
        if line.is_open:
            line.close()
            self.hits.focus()
            return True
        if self.has_class("zoomed"):
            self.action_zoom()
            return True
        if self.has_class("reading"):
            self.set_class(False, "reading")
            self.hits.focus()
            return True
        return False
