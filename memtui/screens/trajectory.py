"""Screen 4: one episode. Its steps, the hits of a step against gold, the text with the evidence lit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.metrics.explain import why_it_ended
from memtui.model import Label
from memtui.query.subject import signature_of
from memtui.report.step_record import Reading
from memtui.screens.episode_row import episode_text
from memtui.screens.hit_rows import HitSearch, HitSource
from memtui.screens.one_frame import in_one_frame
from memtui.screens.session_texts import SessionTexts
from memtui.screens.trajectory_head import head_lines
from memtui.screens.trajectory_panes import TrajectoryPanes
from memtui.screens.trajectory_parts import (
    StopSource,
    call_lines,
    missing_evidence,
    step_words,
)
from memtui.screens.trajectory_text import (
    as_text,
    readable,
    record_of,
    record_title,
    whole_text,
)
from memtui.state.answer_elsewhere import Elsewhere, answer_elsewhere, elsewhere_words
from memtui.state.query_terms import taken_over
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.trajectory import Stop, Trajectory, read_trajectory
from memtui.views.hints import Hint
from memtui.views.session_text import PlainText
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.widgets.lines import LineBlock, RestBlock
from memtui.widgets.pane import Pane
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data


class TrajectoryScreen(TrajectoryPanes):
    """Steps | hits | text; above them what was asked, what came of it, and why."""

    NUMBER = 4
    NAME = "Trajectory"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("h l", "step"),
        Hint("j k", "hit"),
        Hint("Enter", "text"),
        Hint("d r v", "decision request judge"),
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
    ]

    def __init__(self) -> None:
        super().__init__()
        self._wanted: int | None = None
        self._found: Trajectory | None = None
        self._stop = 0
        self._begin: int | None = None
        self._texts: SessionTexts | None = None
        self._elsewhere: Elsewhere | None = None
        self._looked_for: int | None = None
        """The episode that `_elsewhere` is about."""
        self._hit_search = HitSearch()

    # --- parts ----------------------------------------------------------------------------------

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

    def place_words(self) -> dict[str, str]:
        return {} if self._found is None else {"step": str(self._stop + 1)}

    def filter_label(self, settings: Settings) -> str:
        return self.list_filter_label(settings)

    def on_mount(self) -> None:
        self.hits.focus()
        super().on_mount()

    # --- opening and refreshing -----------------------------------------------------------------

    def stand_at(self, step: int) -> None:
        """Begin the next episode at this step (1-based, as the pane counts them)."""
        self._begin = step

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
            self.empty_panes()
            return
        same = self._found is not None and self._found.detail.row.id == self._wanted
        self._load(self._wanted, fresh=not same)

    @work(exclusive=True, group="trajectory")
    async def _load(self, episode_id: int, *, fresh: bool) -> None:
        session = self.bench.session
        if session is None:
            return
        try:
            reading = session.ask(read_trajectory, session.pages, episode_id)
            found = await in_one_frame(self.app, reading)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if session is not self.bench.session:
            return  # another file was opened meanwhile
        if found is None:
            self.bench.say("this episode is no longer in the file", error=True)
            return
        self._found = found
        if fresh:
            begin, self._begin = self._begin, None
            self._stop = found.first_gold_stop() if begin is None else begin - 1
        self._stop = max(0, min(self._stop, len(found.stops) - 1))
        steps, source = self.steps, StopSource(found, self.look)
        self.fit_steps(source.wanted_width(self.app.size.width // 5))
        if fresh:
            steps.show(source, select=self._stop)
        else:
            steps.update(source, keep=False)
        self._draw_stop(fresh=fresh)
        if fresh or self._looked_for != episode_id:
            self._look_elsewhere(session, found)

    @work(exclusive=True, group="elsewhere")
    async def _look_elsewhere(self, session: RunSession, found: Trajectory) -> None:
        """Whether the answer's words stand outside the evidence, too: read after what is on screen."""
        wanted = found.detail.row.id
        self._elsewhere, self._looked_for = None, wanted

        def look() -> Elsewhere | None:
            return answer_elsewhere(session.reader, found.detail, lambda: self._wanted != wanted)

        try:
            self._elsewhere = await session.ask(look)
        except UserError:
            self._looked_for = None  # interrupted by another question, which has its own news
            return
        if self._wanted == wanted and self.is_current:
            self._draw_head()
            if self._reading is Reading.REQUEST:
                self.draw_text()

    # --- drawing --------------------------------------------------------------------------------

    def _draw_head(self) -> None:
        session, found = self.bench.session, self._found
        if session is None or found is None:
            return
        # Before the first layout the screen is as large as it will be then.
        size = self.size if self.size.width else self.app.size
        settings = session.settings
        row = found.detail.row
        why = why_it_ended(
            signature_of(row, settings.judge),
            row.gold_found,
            settings.budget,
            session.header.run.mode,
            context=row.arm in session.context_arms,
        )
        elsewhere = self._elsewhere if self._looked_for == row.id else None
        lucky = row.t_star is None and row.labels.get(settings.judge) == Label.RIGHT
        also = ""
        if elsewhere is not None and elsewhere.holding and (lucky or size.height >= 30):
            also = elsewhere_words(elsewhere)
        lines = head_lines(found, self._stop, why, also, session, *size, self.look)
        gap = [Text(end="")] if size.height >= 24 else []
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
        source = HitSource(stop, found, self._texts, self.look, self._find)
        if fresh:
            gold = next((hit.rank for hit in stop.hits if hit.gold), None)
            self.hits.show(source, select=gold)
        else:
            self.hits.update(source, keep=False)
        self._draw_pane_titles(found, stop)
        self._make_way_for_text(stop)
        self.draw_text()

    def draw_hits(self) -> None:
        self._draw_stop(fresh=False)

    def ranks_found(self) -> list[int]:
        if self.stop is None or self._texts is None:
            return []
        return self._hit_search.ranks(self.stop, self._texts, self._find)

    def _draw_pane_titles(self, found: Trajectory, stop: Stop) -> None:
        look, session = self.look, self.bench.session
        if session is None:
            return
        steps_facts = styled(f"{self._stop + 1} of {len(found.stops)}", look.muted)
        self.query_one("#steps-pane", Pane).show_facts(steps_facts)
        what = str(len(stop.hits)) if stop.is_call else clean_line(step_words(stop), width=30)
        facts = styled(f"{what}   ", look.muted)
        if self._find and stop.hits:
            holding = f"in {len(self.ranks_found())} of {len(stop.hits)}"
            facts.append(f"{clean_line(self._find, width=20)} {holding}   ", look.accent)
        facts.append_text(missing_evidence(found, self._stop, look))
        self.query_one("#hits-pane", Pane).show_facts(facts)
        taken = taken_over(found, self._stop, None if self._texts is None else self._texts.get)
        width, rows = self.side_width, self.size.height or self.app.size.height
        lines = call_lines(found, self._stop, taken, session, width, rows, look)
        self.query_one("#call", LineBlock).show(lines)

    def _make_way_for_text(self, stop: Stop) -> None:
        """Where a step has no hits the text takes their room, and their keys."""
        empty = not stop.hits
        if empty == self.has_class("no-hits"):
            return
        self.set_class(empty, "no-hits")
        narrow = self.app.has_class("-narrow") or self.has_class("-narrow")
        if empty:
            if narrow or self.focused is self.hits:
                self.text.focus()
        elif not self.has_class("reading") and (narrow or self.focused is self.text):
            self.hits.focus()

    def draw_text(self) -> None:
        """The text of the hit under the cursor, or what else is to be read."""
        found, stop = self._found, self.stop
        if found is None or stop is None or self._texts is None:
            return
        if self._reading is Reading.TEXT:
            document, facts = readable(
                found, stop, self.hits.selected, self._texts, self._find, self.look
            )
        else:
            document = PlainText(self._record(found), find=self._find, compact=True)
            facts = record_title(stop, self._reading, self.look)
        self.text.show(document)
        self.query_one("#text-pane", Pane).show_facts(facts)

    def _record(self, found: Trajectory) -> list[tuple[str, str]]:
        session = self.bench.session
        if session is None or self._texts is None:
            return []
        return record_of(found, self._stop, self._reading, session, self._elsewhere, self._texts)

    def resized(self, columns: int, rows: int) -> None:
        if self._found is not None:
            self.fit_steps(StopSource(self._found, self.look).wanted_width(columns // 5))
        self.call_after_refresh(self._draw_head)

    @on(RestBlock.Resized)
    def _call_resized(self) -> None:
        found, stop = self._found, self.stop
        if found is not None and stop is not None:
            self._draw_pane_titles(found, stop)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Moved, "#steps")
    def _step_moved(self) -> None:
        # Where the cursor is now: a message may be of a place it has left, and going back there makes another.
        stop = self.steps.selected
        if stop is not None and stop != self._stop:
            self._stop = stop
            self._draw_stop()

    @on(VirtualList.Moved, "#hits")
    def _hit_moved(self) -> None:
        self.draw_text()

    @on(VirtualList.Chosen, "#steps")
    def _step_chosen(self) -> None:
        self.focus_hits()

    @on(VirtualList.Chosen, "#hits")
    def _hit_chosen(self) -> None:
        self.read_text()

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

    def forget(self) -> None:
        super().forget()
        self._wanted = self._found = None
        self._texts = None
        self._elsewhere = self._looked_for = None
        self._reading = Reading.TEXT

    def data_to_export(self) -> Data | None:
        """The episode as `memtui show` prints it, or its steps."""
        found, session = self._found, self.bench.session
        if found is None or session is None:
            return None
        from memtui.report.on_screen import episode_data

        sides = [(session.path, found.detail.row.id)]
        return episode_data(sides, session.settings.budget, session.settings.judge)

    def text_to_copy(self) -> str:
        """The text under the cursor when the text pane has the keys, else the episode."""
        found, session = self._found, self.bench.session
        if found is None or session is None:
            return ""
        if self.focused is self.text:
            return self.text_to_page()
        return episode_text(found.detail.row, session, step=self._stop + 1)

    def text_to_page(self) -> str:
        """All of the text of which the pane shows a part."""
        found, stop = self._found, self.stop
        if found is None or stop is None or self._texts is None:
            return ""
        if self._reading is not Reading.TEXT:
            return as_text(self._record(found))
        return whole_text(found, stop, self.hits.selected, self._texts)
