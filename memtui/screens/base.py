"""What every screen has: row 1, a body, the key hints, and a plain notice where there is no room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget

from memtui.state.settings import Quick, Settings
from memtui.views.hints import ALWAYS, Hint, renamed
from memtui.views.look import Look
from memtui.views.numbers import rung_label
from memtui.views.text_door import clean_line
from memtui.views.title import Title
from memtui.widgets.ground import Column, Ground
from memtui.widgets.lines import LineBlock, LineView
from memtui.widgets.title_row import HintRow, TitleRow

if TYPE_CHECKING:
    from memtui.report.on_screen import Data
    from memtui.state.compare_marks import Mark
    from memtui.state.live import Troubles
    from memtui.state.overview import Overview
    from memtui.state.session import RunSession

SMALLEST = (40, 12)
"""Below this many columns and rows nothing useful can be drawn."""


class Workbench(Protocol):
    """What a screen needs of the app."""

    @property
    def look(self) -> Look: ...
    @property
    def session(self) -> RunSession | None: ...
    @property
    def overview(self) -> Overview | None: ...
    @property
    def troubles(self) -> Troubles: ...
    @property
    def data_version(self) -> int: ...
    @property
    def paused(self) -> bool: ...
    @property
    def marked(self) -> str: ...
    @property
    def run_state(self) -> str: ...
    @property
    def run_state_kept(self) -> str: ...
    @property
    def folder(self) -> Path | None: ...
    @property
    def keys_changed(self) -> Mapping[str, str]: ...
    def keys_renamed(self, screen: MemtuiScreen) -> Mapping[str, str]: ...
    def change(self, settings: Settings) -> None: ...
    def go(self, screen: str) -> None: ...
    def open_episode(self, episode_id: int) -> None: ...
    def open_file(self, path: Path) -> None: ...
    def replay(self, speed: float | None = None) -> None: ...
    def screen_named(self, name: str) -> MemtuiScreen: ...
    def next_episode(self, by: int) -> None: ...
    def version_of(self, episode_id: int | None) -> int: ...
    def say(self, message: str, *, error: bool = False) -> None: ...
    def file_is_to_blame(self, fault: Exception) -> bool: ...
    def mark(self, entries: Iterable[tuple[str, str, str]]) -> bool: ...
    def copy_and_say(self, text: str, shown: str = "") -> object: ...


class HasApp(Protocol):
    """A screen, a dialog, a widget or a provider of commands."""

    @property
    def app(self) -> App[object]: ...


def bench_of(part: HasApp) -> Workbench:
    """The app of a part of it, as far as screens and dialogs know it."""
    return cast(Workbench, part.app)


class MemtuiScreen(Ground, Screen[None]):
    """A numbered screen over the open run file."""

    NUMBER: ClassVar[int] = 0
    NAME: ClassVar[str] = ""
    RATES: ClassVar[bool] = False
    """Whether it shows rates of what passes the filter line."""
    HINTS: ClassVar[Sequence[Hint]] = ()
    AUTO_FOCUS: ClassVar[str | None] = ""
    """Each screen says what has the keys: the first widget that could may be a line to type in, closed."""

    def __init__(self) -> None:
        super().__init__()
        self._drawn: object = None
        self._ready = False

    # --- parts ----------------------------------------------------------------------------------

    def body(self) -> Iterable[Widget]:
        """The widgets between row 1 and the hints."""
        return ()

    def compose(self) -> ComposeResult:
        yield TitleRow()
        with Column(id="body"):
            yield from self.body()
        yield LineBlock(id="too-small")
        yield HintRow(self.hints())

    @property
    def bench(self) -> Workbench:
        """The app, as far as screens know it."""
        return bench_of(self)

    @property
    def look(self) -> Look:
        """The look to draw with."""
        return self.bench.look

    def hints(self) -> Sequence[Hint]:
        """The key hints, most useful first; a mark that waits for its other half is named before them."""
        marked = self.bench.marked
        if not marked or all(hint.key != "c" for hint in self.HINTS):
            return self.HINTS
        waiting = Hint("c", f"compare with {clean_line(marked, width=24)}")
        return (waiting, *(hint for hint in self.HINTS if hint.key != "c"))

    # --- staying up to date ---------------------------------------------------------------------

    def on_mount(self) -> None:
        self._ready = True
        self.freshen()

    def on_screen_resume(self) -> None:
        self.freshen()

    def on_screen_suspend(self) -> None:
        """Let go of the drawn lines: those of all screens out of view are some megabytes."""
        if not self.app.screen.is_modal:
            for widget in self.walk_children(Widget):
                if isinstance(widget, LineView):
                    widget.forget_lines()
                widget.refresh()

    def freshen(self) -> None:
        """Draw again if anything the screen depends on has changed since it was drawn."""
        if not self._ready:
            return  # its parts are still being made: mounting draws it
        self.show_title()
        wanted = self.depends_on()
        if wanted != self._drawn:
            self._drawn = wanted
            try:
                self.draw()
            except Exception as fault:
                if not self.bench.file_is_to_blame(fault):
                    raise

    @property
    def pace(self) -> float:
        """Least seconds between two repaints of what the file changed."""
        return 0.1

    def depends_on(self) -> object:
        """Everything the picture depends on; equal means that nothing need be drawn."""
        session = self.bench.session
        settings = None if session is None else session.settings
        return (self.bench.data_version, settings, self.look.name)

    def draw(self) -> None:
        """Bring the widgets up to date."""

    def show_title(self) -> None:
        """Row 1, and the hints."""
        self.query_one(TitleRow).show(self.title_facts())
        self.show_hints()

    def show_hints(self) -> None:
        """The last row: the keys of what has them."""
        row, keys = self.query_one(HintRow), self.bench.keys_renamed(self)
        typing = getattr(
            self.focused, "hints", None
        )  # a line to type in: `?` and `q` are letters there
        if typing is None:
            row.show(renamed(self.hints(), keys), renamed(ALWAYS, keys))
        else:
            row.show((), typing)

    def on_descendant_focus(self) -> None:
        if self._ready:
            self.show_hints()

    def on_descendant_blur(self) -> None:
        if self._ready:
            self.show_hints()

    def title_facts(self) -> Title:
        """What row 1 says."""
        session = self.bench.session
        if session is None:
            return Title(self.NUMBER, self.NAME, "")
        settings, run = session.settings, session.header.run
        overview = self.bench.overview
        return Title(
            self.NUMBER,
            self.NAME,
            session.path.name,
            state=self.bench.run_state,
            kept=self.bench.run_state_kept,
            budget=settings.budget,
            hard=run.mode == "hard",
            alpha=settings.alpha,
            judge=settings.judge,
            filter=self.filter_label(settings),
            given=self.RATES and settings.conditional,
            excluded=None if overview is None else overview.excluded,
            flagged=None if overview is None else overview.flagged,
            paused=self.bench.paused,
            alias=session.alias,
        )

    def filter_label(self, settings: Settings) -> str:
        """The filters that bear on this screen, in few words: rates follow the filter line only."""
        return settings.filter

    def list_filter_label(self, settings: Settings) -> str:
        """All filters of the list: cell, one-key filter, filter line."""
        parts = []
        session = self.bench.session
        if settings.cell is not None and session is not None:
            for cell in session.header.cells:
                if cell.id == settings.cell:
                    parts.append(f"{cell.arm} {rung_label(cell.conditions, cell.scale)}")
        if settings.quick is not Quick.ALL:
            parts.append(settings.quick.value)
        if settings.filter:
            parts.append(settings.filter)
        return " · ".join(parts)

    def leave(self) -> bool:
        """Esc inside the screen; False when there is nothing to leave but the screen itself."""
        return False

    def forget(self) -> None:
        """Another file was opened: nothing of the old one may stay on screen."""
        self._drawn = None

    @property
    def episode_id(self) -> int | None:
        """The episode on screen or on its way there; None on screens without one."""
        return None

    def show_episode(self, episode_id: int) -> None:
        """Show an episode, on the screen that can."""

    def neighbour(self, by: int, of: int | None) -> int | None:
        """The episode before (-1) or after (1) `of`, on the screen that lists them."""
        return None

    def compare_mark(self) -> Mark | None:
        """The arm or run file under the cursor, to be marked for comparison."""
        return None

    def place_words(self) -> dict[str, str]:
        """What the screen wants to find again when the file is next opened, such as its tab."""
        return {}

    def recall(self, words: Mapping[str, str]) -> None:
        """Stand where `place_words` of an earlier time say, as far as that is still there."""

    def text_to_copy(self) -> str:
        """What `y` copies."""
        return ""

    def text_to_page(self) -> str:
        """What `o` opens in the pager."""
        return self.text_to_copy()

    def page_maker(self) -> Callable[[], str] | None:
        """Makes what `o` opens, in a thread of its own; None where there is nothing to open."""
        text = self.text_to_page()
        return (lambda: text) if text else None

    def data_to_export(self) -> Data | None:
        """What `x` writes as CSV and JSON, beside the picture; None where there is no data."""
        return None

    @on(HintRow.Pressed)
    async def _hint_pressed(self, message: HintRow.Pressed) -> None:
        """A click on a hint does what its key does."""
        from memtui.screens.keys import key_named

        active = self.active_bindings.get(key_named(message.key))
        if active is not None:
            await self.app.run_action(active.binding.action, active.node)

    # --- room -----------------------------------------------------------------------------------

    def on_resize(self, event: Resize) -> None:
        columns, rows = event.size
        small = columns < SMALLEST[0] or rows < SMALLEST[1]
        notice = self.query_one("#too-small", LineBlock)
        notice.display = small
        self.query_one("#body").display = not small
        if small:
            words = (
                "This terminal is too small.",
                f"memtui needs {SMALLEST[0]} x {SMALLEST[1]};",
                f"here are {columns} x {rows}. q quits.",
            )
            notice.show([Text(f" {line}", end="", no_wrap=True) for line in words])
        else:
            self.resized(columns, rows)

    def resized(self, columns: int, rows: int) -> None:
        """The screen has another size; draw what depends on it."""
