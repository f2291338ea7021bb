"""Two trajectories of one question side by side: calls aligned, differences lit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import Binding, BindingType
from textual.widget import Widget

from memtui.errors import UserError
from memtui.report.comparison import Comparison
from memtui.report.paired_episodes import EpisodePair
from memtui.screens.base import MemtuiScreen
from memtui.screens.compare_files import Sides
from memtui.screens.pair_answers import SaidSource
from memtui.screens.pair_parts import (
    AlignedSource,
    HitRowSource,
    PairView,
    hits_heading,
    pair_head,
)
from memtui.screens.session_texts import SessionTexts
from memtui.state.alignment import AlignedRow, action_of, align
from memtui.state.deep_link import link
from memtui.state.session import RunSession
from memtui.state.trajectory import Trajectory, in_history, trajectory
from memtui.store.reader import RunReader
from memtui.views.hints import Hint
from memtui.views.styled import styled
from memtui.widgets.lines import LineBlock
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data


class PairScreen(MemtuiScreen):
    """Steps of A and B in aligned rows; below them the hits of the row under the cursor."""

    NUMBER = 6
    NAME = "Compare"
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("jk", "call"),
        Hint("h l", "side"),
        Hint("Enter", "trajectory"),
        Hint("H L", "pair"),
        Hint("m", "next difference"),
        Hint("Tab", "hits"),
        Hint("Esc", "back"),
        Hint("-=", "budget"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "side(0)", "side A", id="pair.a"),
        Binding("l,right", "side(1)", "side B", id="pair.b"),
        Binding("H", "pair(-1)", "previous pair", id="pair.previous"),
        Binding("L", "pair(1)", "next pair", id="pair.next"),
        Binding("m", "difference(1)", "next difference", id="pair.difference"),
        Binding("M", "difference(-1)", "previous difference", id="pair.difference-back"),
        Binding("tab", "pane", "other pane", id="pair.pane", priority=True),
        Binding("shift+tab", "pane", "other pane", id="pair.pane-back", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._wanted: tuple[Comparison, EpisodePair, Sides, tuple[RunReader, RunReader]] | None = (
            None
        )
        self._step: Callable[[int], bool] | None = None
        """Shows the next or previous pair of the list; False at its ends."""
        self._view: PairView | None = None
        self._texts: tuple[SessionTexts, SessionTexts] | None = None
        self._side = 0
        self._asked = 0

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="pair-head")
        yield VirtualList(id="pair-steps")
        yield LineBlock(id="pair-hits-head")
        yield VirtualList(id="pair-hits")

    @property
    def steps(self) -> VirtualList:
        """The aligned rows."""
        return self.query_one("#pair-steps", VirtualList)

    @property
    def hits(self) -> VirtualList:
        """The hits of the row under the cursor."""
        return self.query_one("#pair-hits", VirtualList)

    @property
    def view(self) -> PairView | None:
        """What is on screen."""
        return self._view

    def on_mount(self) -> None:
        self.steps.focus()
        super().on_mount()

    # --- opening --------------------------------------------------------------------------------

    def show_pair(
        self,
        found: Comparison,
        pair: EpisodePair,
        sides: Sides,
        readers: tuple[RunReader, RunReader],
        step: Callable[[int], bool],
    ) -> None:
        """Show a pair; `readers` are those of A's and of B's file, `step` goes to its neighbours."""
        self._wanted = (found, pair, sides, readers)
        self._step = step
        self._asked += 1
        if self.is_mounted:
            self.freshen()

    def read_again(self) -> None:
        """The other file changed: read both episodes anew, at the same row."""
        self._asked += 1
        self.freshen()

    @property
    def episode_id(self) -> int | None:
        """The episode of the chosen side, where its file is the open one."""
        session = self.bench.session
        if session is None or self._wanted is None:
            return None
        _, pair, sides, _ = self._wanted
        if sides[self._side][0] != session.path:
            return None
        return (pair.a, pair.b)[self._side].fact.id

    def forget(self) -> None:
        super().forget()
        self._wanted = self._view = self._texts = None

    def depends_on(self) -> object:
        session = self.bench.session
        settings = None if session is None else session.settings
        choices = None if settings is None else (settings.budget, settings.judge)
        versions: tuple[int, ...] = ()
        if self._wanted is not None:
            pair = self._wanted[1]
            versions = tuple(self.bench.version_of(one.fact.id) for one in (pair.a, pair.b))
        return (choices, self.look.name, self._asked, versions)

    def draw(self) -> None:
        session = self.bench.session
        if session is None or self._wanted is None:
            self.query_one("#pair-head", LineBlock).show(
                [Text(end=""), styled(" no pair is open: choose one on screen 6", self.look.muted)]
            )
            return
        self._load(session)

    @work(exclusive=True, group="pair")
    async def _load(self, session: RunSession) -> None:
        assert self._wanted is not None
        found, pair, sides, readers = self._wanted

        def read() -> tuple[tuple[Trajectory, Trajectory], list[AlignedRow]] | None:
            both = []
            for reader, one, (_, arm) in zip(readers, (pair.a, pair.b), sides, strict=True):
                detail = reader.episode(one.fact.id)
                if detail is None or (detail.row.item, detail.row.arm) != (one.item, arm):
                    return None  # it went, or another run stands under this name now
                both.append(in_history(reader, trajectory(detail, reader.steps(one.fact.id))))
            rows = align(*[[action_of(stop) for stop in one.stops] for one in both])
            return (both[0], both[1]), rows

        try:
            answer = await session.ask(read)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if answer is None:
            self.bench.say("one of the two episodes is no longer in its file", error=True)
            return
        both, rows = answer
        before = self._view
        fresh = before is None or before.pair != pair
        modes = (found.a.source.mode, found.b.source.mode)
        contexts = tuple(
            arm in side.source.context_arms
            for side, (_, arm) in zip((found.a, found.b), sides, strict=True)
        )
        self._view = PairView(
            pair, both, tuple(rows), sides, session.settings.budget, session.settings.judge,
            modes, (contexts[0], contexts[1]),
        )  # fmt: skip
        self._texts = (SessionTexts(readers[0]), SessionTexts(readers[1]))
        source = AlignedSource(self._view, self.look)
        if fresh:
            self.steps.show(source, select=self._view.first_difference())
        else:
            self.steps.update(source, keep=False)
        self._draw()

    # --- drawing --------------------------------------------------------------------------------

    def _draw(self) -> None:
        view, look, width, rows = self._view, self.look, *self.size
        if view is None or not width:
            return
        gap = [Text(end="")] if rows >= 24 else []
        head = pair_head(view, self._side, width, rows, look)
        self.query_one("#pair-head", LineBlock).show([*gap, *head, *gap])
        room = max(3, (rows - 2 - len(head) - 2 * len(gap)) // 2 - 1)
        self.steps.styles.height = min(len(view.rows), room)
        self._draw_hits()

    def _draw_hits(self) -> None:
        view, look, width = self._view, self.look, self.size.width
        if view is None or self._texts is None:
            return
        row = view.rows[self.steps.cursor] if view.rows else None
        self.query_one("#pair-hits-head", LineBlock).show(
            [Text(end=""), *hits_heading(view, row, width, look)]
        )
        if row is None or any(stop is not None and stop.hits for stop in view.stops(row)):
            self.hits.show(HitRowSource(view, row, self._texts, look))
        else:
            self.hits.show(SaidSource(view, row, width, look))

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._draw)

    def text_to_copy(self) -> str:
        """The command that opens the episode of the chosen side."""
        session, view = self.bench.session, self._view
        if session is None or view is None:
            return ""
        row = view.both[self._side].detail.row
        path = view.sides[self._side][0]
        return link(session, "trajectory", row.key, path=path)

    def data_to_export(self) -> Data | None:
        """Both episodes as `memtui show` prints them."""
        session, view = self.bench.session, self._view
        if session is None or view is None:
            return None
        from memtui.report.on_screen import episode_data

        sides = [
            (path, one.detail.row.id) for (path, _), one in zip(view.sides, view.both, strict=True)
        ]
        return episode_data(sides, session.settings.budget, session.settings.judge)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Moved, "#pair-steps")
    def _row_moved(self) -> None:
        self._draw_hits()

    @on(VirtualList.Chosen)
    def _chosen(self) -> None:
        if self._wanted is None:
            return
        episode = self.episode_id
        if episode is not None:
            self.bench.open_episode(episode)
            return
        path = self._wanted[2][self._side][0]
        other = (self._wanted[1].a, self._wanted[1].b)[self._side].fact.id
        self.bench.say(f"this side is in another file: memtui {path} --episode {other}")

    def action_side(self, side: int) -> None:
        """Choose the side that Enter opens."""
        self._side = side
        self._draw()

    def action_pair(self, by: int) -> None:
        """The next or previous pair of the list."""
        if self._step is None or not self._step(by):
            self.bench.say("no further pair that way in the list")

    def action_difference(self, by: int) -> None:
        """The next or previous row in which the two differ."""
        view = self._view
        at = None if view is None else view.next_difference(self.steps.cursor, by)
        if at is None:
            self.bench.say("no further difference that way")
        else:
            self.steps.cursor = at

    def action_pane(self) -> None:
        """Give the keys to the other list."""
        (self.steps if self.focused is self.hits else self.hits).focus()
