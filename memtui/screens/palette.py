"""The palette: what every key does, by name, and the arms, files, saved views and themes.

Names are outside text: they are shown as they are, cut and cleaned, and never read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import ActiveBinding
from textual.command import DiscoveryHit, Hit, Hits, Provider

from memtui.screens.base import Workbench, bench_of
from memtui.screens.keys import shown
from memtui.screens.overview_tabs import NAMES as TAB_NAMES
from memtui.screens.overview_tabs import TabbedOverview
from memtui.state.filter_terms import toggled
from memtui.state.fuzzy import found_at
from memtui.state.settings import Quick
from memtui.state.tab import Tab
from memtui.store.workspace import SUFFIX
from memtui.styles.themes import NAMES
from memtui.views.text_door import clean_line
from memtui.widgets.lines import is_ascii, look_of

LONGEST = 64
FAILURES = "out:exhausted,wrong"
WIDEST, BESIDE, NARROW = 76, 5, 100
"""Of the palette in cells (as in app.tcss), what of it is margin and scrollbar, and below how many columns it
has all of them."""
KEYS = 9
"""Cells for the keys at the end of a line."""
NOT_BOLD = Style(bold=False)
ARROWS = str.maketrans({"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"})
"""Their names, where the terminal draws no arrows."""
MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do."""

    name: str
    """Clean, of at most `LONGEST` cells."""
    note: str
    """Words of ours at the end of its line: the id of a key, or what the name stands for."""
    do: Callable[[], Any]
    keys: str = ""


class EverythingByName(Provider):
    """All that can be done on the screen the palette was opened over."""

    @property
    def bench(self) -> Workbench:
        """The app."""
        return bench_of(self)

    async def startup(self) -> None:
        """Take stock once; typing only searches it."""
        self._commands = [*self.commands()]

    async def discover(self) -> Hits:
        """Everything, keys first."""
        for one in self._commands:
            yield DiscoveryHit(self._line(one), one.do, text=one.name)

    async def search(self, query: str) -> Hits:
        """What has the words, or the letters in order."""
        for one in self._commands:
            score, places = found_at(query, one.name)
            if score:
                yield Hit(score, self._line(one, places), one.do, text=one.name)

    def _line(self, one: Command, places: Iterable[int] = ()) -> Text:
        """The name, what was found in it underlined, then note and keys where they have room."""
        muted = look_of(self.screen).muted + NOT_BOLD
        width = self.app.size.width
        room = (width if width < NARROW else min(WIDEST, width * 9 // 10)) - BESIDE
        name = clean_line(one.name, width=room)
        line = Text(name, end="", no_wrap=True)
        for place in places:
            line.stylize("bold underline", place, min(place + 1, len(name)))
        gap = room - line.cell_len - cell_len(one.note) - KEYS
        if gap >= 2:
            line.append(" " * gap + one.note, muted)
        gap = room - line.cell_len - KEYS
        if one.keys and gap >= 0:
            line.append(" " * gap + f"  {one.keys}", muted)
        return line

    def commands(self) -> Iterator[Command]:
        """Keys of the screen and of everywhere, then what has a name of its own."""
        yield from self._keys()
        yield from self._of_the_run()
        yield from self._themes()
        yield from self._arms()
        yield from self._views()
        yield from self._files()

    # --- kinds ----------------------------------------------------------------------------------

    def _keys(self) -> Iterator[Command]:
        bound: dict[str, list[ActiveBinding]] = {}
        for active in self.screen.active_bindings.values():
            if active.binding.id is not None and active.binding.description:
                bound.setdefault(active.binding.id, []).append(active)
        # What moves a cursor is nothing that anyone looks up: it comes last.
        for name, found in sorted(bound.items(), key=lambda one: one[0].startswith("list.")):
            keys = " ".join(shown(one.binding.key) for one in found)
            if is_ascii(self.screen):
                keys = keys.translate(ARROWS)
            yield Command(
                found[0].binding.description,
                name,
                partial(self.app.run_action, found[0].binding.action, found[0].node),
                keys,
            )

    def _of_the_run(self) -> Iterator[Command]:
        """What a run is opened for, wherever in it one stands."""
        if self.bench.session is None:
            return
        yield Command("report of the run", "in the pager", partial(self.app.run_action, "report"))
        yield Command(
            "failures", "exhausted or wrong, in the list", partial(self._filter, FAILURES)
        )
        here = {active.binding.id for active in self.screen.active_bindings.values()}
        if not here & {"overview.replay", "replay.pause"}:
            yield Command("replay the run", "as it was recorded", self.bench.replay)
        for tab, name in TAB_NAMES.items():
            yield Command(f"tab {name}", "of the overview", partial(self._tab, tab))

    def _tab(self, tab: Tab) -> None:
        self.bench.go("overview")
        screen = self.bench.screen_named("overview")
        if isinstance(screen, TabbedOverview):
            screen.open_tab(tab)

    def _themes(self) -> Iterator[Command]:
        for short, name in NAMES.items():
            yield Command(f"theme {short}", "colours", partial(setattr, self.app, "theme", name))

    def _arms(self) -> Iterator[Command]:
        session = self.bench.session
        for arm in () if session is None else session.header.arms:
            yield Command(
                _clean(f"arm {arm.key}"), "its episodes, in the list", partial(self._arm, arm.key)
            )

    def _arm(self, key: str) -> None:
        self._filter(toggled("", "arm", key))

    def _filter(self, text: str) -> None:
        session = self.bench.session
        if session is not None:
            self.bench.change(replace(session.settings, filter=text, cell=None, quick=Quick.ALL))
            self.bench.go("episodes")

    def _views(self) -> Iterator[Command]:
        session = self.bench.session
        for name, text in {} if session is None else session.marks.views.items():
            yield Command(_clean(f"view {name}"), "a saved filter", partial(self._filter, text))

    def _files(self) -> Iterator[Command]:
        session, folder = self.bench.session, self.bench.folder
        if folder is None and session is not None:
            folder = session.path.parent
        try:
            found = sorted(folder.glob(f"*{SUFFIX}"))[:MOST_FILES] if folder is not None else []
        except OSError:
            found = []
        for path in found:
            yield Command(
                _clean(f"open {path.name}"), "a run file of the folder",
                partial(self.bench.open_file, path),
            )  # fmt: skip


def _clean(name: str) -> str:
    return clean_line(name, width=LONGEST)
