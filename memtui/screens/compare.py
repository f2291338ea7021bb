"""Screen 6: two arms, or two runs, on the questions they share. What differs, by scale, and where it flips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from memtui.errors import UserError
from memtui.report.comparison import Comparison
from memtui.report.paired_episodes import EpisodePair
from memtui.screens.compare_parts import (
    ScaleSource,
    chosen_pairs,
    list_summary,
    pair_facts,
    pair_of_question,
    pairing_lines,
    settings_lines,
    side_lines,
    table_heading,
)
from memtui.screens.compare_reading import ComparingScreen
from memtui.screens.pair import PairScreen
from memtui.screens.pair_source import PairSource
from memtui.screens.question_finder import QuestionFinder
from memtui.state.compare_marks import Mark
from memtui.state.deep_link import link
from memtui.state.session import RunSession
from memtui.store.reader import RunReader
from memtui.views.columns import heading
from memtui.views.hints import Hint
from memtui.views.numbers import UNKNOWN
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap
from memtui.widgets.filter_line import FilterLine
from memtui.widgets.lines import LineBlock
from memtui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from memtui.report.on_screen import Data


class CompareScreen(QuestionFinder, ComparingScreen):
    """The table by scale, and below it the pairs that flip."""

    NUMBER = 6
    NAME = "Compare"
    RATES = True
    HINTS: ClassVar[Sequence[Hint]] = (
        Hint("Enter", "side by side"),
        Hint("< >", "arm"),
        Hint(", .", "scale"),
        Hint("Tab", "pane"),
        Hint("0", "all pairs"),
        Hint("-=", "budget"),
        Hint("s", "swap"),
        Hint("Esc", "back"),
        Hint("u", "any history"),
        Hint("J", "judge"),
        Hint("/", "find"),
        Hint("y", "copy"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("less_than_sign", "arm(-1)", "previous arm", id="compare.arm-back"),
        Binding("greater_than_sign", "arm(1)", "next arm", id="compare.arm"),
        Binding("comma", "scale(-1)", "smaller scale", id="compare.scale-down"),
        Binding("full_stop", "scale(1)", "larger scale", id="compare.scale-up"),
        Binding("tab", "pane", "other pane", id="compare.pane", priority=True),
        Binding("shift+tab", "pane", "other pane", id="compare.pane-back", priority=True),
        Binding("0", "everything", "all pairs, or flips only", id="compare.all"),
        Binding("s", "swap", "swap A and B", id="compare.swap"),
        Binding("u", "histories", "unequal histories too", id="compare.histories"),
        Binding("R", "again", "read the files again", id="compare.again"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._everything = False

    def body(self) -> Iterable[Widget]:
        yield LineBlock(id="compare-head")
        yield VirtualList(id="compare-scales")
        yield LineBlock(id="compare-list-head")
        yield FilterLine(placeholder="words or key of a question", id="pair-line")
        yield VirtualList(id="compare-pairs")
        yield LineBlock(id="compare-facts")

    # --- parts ----------------------------------------------------------------------------------

    @property
    def scales(self) -> VirtualList:
        """The table by scale."""
        return self.query_one("#compare-scales", VirtualList)

    @property
    def pairs(self) -> VirtualList:
        """The list of pairs."""
        return self.query_one("#compare-pairs", VirtualList)

    def pairs_listed(self) -> tuple[Sequence[EpisodePair], RunReader | None]:
        session = self.bench.session
        if session is None or self._sides is None or self._found is None:
            return (), None
        return self._source.pairs, self._files.pages(session, self._sides)[0]

    @property
    def episode_id(self) -> int | None:
        """A's episode under the cursor, where A is in the open file; else B's where B is."""
        session, pair = self.bench.session, self.pair
        if session is None or pair is None or self._sides is None:
            return None
        if self._sides[0][0] == session.path:
            return pair.a.fact.id
        return pair.b.fact.id if self._sides[1][0] == session.path else None

    @property
    def pair(self) -> EpisodePair | None:
        """The pair under the cursor."""
        if not self.is_mounted or self._found is None:
            return None
        chosen = self.pairs.selected
        return next((p for p in self._found.episodes if p.a.fact.id == chosen), None)

    def on_mount(self) -> None:
        self.pairs.focus()
        super().on_mount()

    @property
    def pace(self) -> float:
        return 0.5

    def _say_instead(self, words: str, *, other_histories: bool = False) -> None:
        look, width = self.look, max(20, self.size.width)
        lines = [Text(end="")]
        if self._sides is not None:
            lines += [*side_lines(*self._sides, None, width, look), Text(end="")]
        for part in wrap(clean_line(words), width - 3):
            lines.append(styled(f" {part}", look.budget))
        if other_histories:
            lines.append(styled(" u pairs them all the same", look.muted))
        self.query_one("#compare-head", LineBlock).show(lines)
        for empty in (self.scales, self.pairs):
            empty.display = False
        self.query_one("#compare-list-head", LineBlock).show([])
        self.query_one("#compare-facts", LineBlock).show([])

    def other_sides(self) -> None:
        self._everything = False

    # --- drawing --------------------------------------------------------------------------------

    def _show(self, found: Comparison, session: RunSession) -> None:
        for list_ in (self.scales, self.pairs):
            list_.display = True
        self.scales.styles.height = len(ScaleSource(found, self.look).ids())
        self.scales.update(ScaleSource(found, self.look), keep=False)
        self._draw_head()
        self._show_pairs(found, session)

    def _show_pairs(self, found: Comparison, session: RunSession) -> None:
        assert self._sides is not None
        places = chosen_pairs(found, self.scales.selected, everything=self._everything)
        pairs = [found.episodes[place] for place in places]
        source = PairSource(found, pairs, self._files.pages(session, self._sides), self.look)
        self.pairs.update(source, keep=False)
        self._source = source
        self._stand_on_question(found, pairs, session)
        self._draw_list_head()
        self._draw_facts()

    def _stand_on_question(
        self, found: Comparison, pairs: Sequence[EpisodePair], session: RunSession
    ) -> None:
        episode, self._question = self._question, None
        if episode is None:
            return
        try:
            row = session.pages.episode_rows([episode]).get(episode)
        except UserError:
            return
        if row is None:
            return
        best = pair_of_question(pairs, row)
        if best is not None:
            self.pairs.select_id(best.a.fact.id)

    def _draw_head(self) -> None:
        found, look, width, rows = self._found, self.look, *self.size
        if found is None or self._sides is None or not width:
            return
        gap = [Text(end="")] if rows >= 24 else []
        lines = [
            *gap,
            *side_lines(*self._sides, found, width, look),
            *pairing_lines(found, width, 2 if rows < 30 else 5, look),
        ]
        if rows >= 30:
            lines += settings_lines(found, width, 2, look)
        lines += [*gap, table_heading(width, look)]
        self.query_one("#compare-head", LineBlock).show(lines)

    def _draw_list_head(self) -> None:
        found, look, width = self._found, self.look, self.size.width
        if found is None or not width:
            return
        first = list_summary(
            found, self._source.pairs, self.scales.selected, everything=self._everything, look=look
        )
        head = Text(" ", end="") + heading(self._source.placed(width), look.muted)
        gap = [Text(end="")]
        self.query_one("#compare-list-head", LineBlock).show([*gap, first, head])

    def _draw_facts(self) -> None:
        found, look, width, rows = self._found, self.look, *self.size
        block = self.query_one("#compare-facts", LineBlock)
        if found is None or not width:
            return
        pair = self.pair
        if pair is None:
            word = (
                "no pair was counted" if self._everything else "nothing flips (0 lists all pairs)"
            )
            block.show([styled(f" {word}", look.muted)])
            return
        left, right = self._source.rows_at(self.pairs.cursor)
        line = left or right
        if line is None:
            block.show([styled(f" {UNKNOWN}", look.faint)])
            return
        facts = pair_facts(pair, left, right, line, width, look)
        block.show([*([Text(end="")] if rows >= 24 else []), *facts])

    def resized(self, columns: int, rows: int) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        if self._found is not None:
            self._draw_head()
            self._draw_list_head()
            self._draw_facts()

    def text_to_copy(self) -> str:
        """The command that opens this comparison again."""
        session = self.bench.session
        if session is None or self._sides is None:
            return ""
        return link(session, "compare", sides=self._sides)

    def text_to_page(self) -> str:
        """The comparison as `memtui compare` prints it."""
        if self._found is None:
            return ""
        from memtui.report.comparison_text import comparison_text

        return comparison_text(self._found)

    def data_to_export(self) -> Data | None:
        """The comparison as `memtui compare` prints it."""
        if self._found is None:
            return None
        from memtui.report.on_screen import comparison_data

        return comparison_data(self._found)

    # --- keys -----------------------------------------------------------------------------------

    @on(VirtualList.Moved, "#compare-scales")
    def _scale_moved(self) -> None:
        if self._found is not None and self.bench.session is not None:
            self._show_pairs(self._found, self.bench.session)

    @on(VirtualList.Moved, "#compare-pairs")
    def _pair_moved(self) -> None:
        self._draw_facts()

    @on(VirtualList.Chosen, "#compare-scales")
    def _scale_chosen(self) -> None:
        """On to the pairs of a scale: those that flip, all of them where none does."""
        session = self.bench.session
        if self._found is not None and session is not None and not self._source.pairs:
            self._everything = True
            self._show_pairs(self._found, session)
        self.pairs.focus()

    def hints(self) -> Sequence[Hint]:
        said = super().hints()
        if self.is_mounted and self.scales.has_focus:
            return (Hint("Enter", "its pairs"), *said[1:])
        return said

    @on(VirtualList.Chosen, "#compare-pairs")
    def _pair_chosen(self) -> None:
        self._open_pair(self.pairs.cursor)
        self.bench.go("pair")

    def _open_pair(self, index: int) -> None:
        session, found = self.bench.session, self._found
        screen = self.bench.screen_named("pair")
        if session is None or found is None or self._sides is None:
            return
        if isinstance(screen, PairScreen):
            pair = self._source.pairs[index]
            readers = self._files.pages(session, self._sides)
            screen.show_pair(found, pair, self._sides, readers, self.step_pair)

    @property
    def _opened(self) -> PairScreen | None:
        """The side-by-side view of a pair, while it is on screen."""
        stack = self.app.screen_stack  # empty while the app ends
        return stack[-1] if stack and isinstance(stack[-1], PairScreen) else None

    @property
    def watched(self) -> bool:
        return super().watched or self._opened is not None

    def other_file_changed(self) -> None:
        if (pair := self._opened) is not None:
            self._reading += 1  # compared anew when the reader comes back
            pair.read_again()
        else:
            super().other_file_changed()

    def step_pair(self, by: int) -> bool:
        """Open the next or previous pair of the list in the side-by-side view; False at its ends."""
        at = self.pairs.cursor + by
        if self._found is None or not 0 <= at < len(self._source.pairs):
            return False
        self.pairs.cursor = at
        self._open_pair(at)
        return True

    def action_pane(self) -> None:
        """Give the keys to the other list."""
        (self.pairs if self.focused is self.scales else self.scales).focus()

    def action_scale(self, by: int) -> None:
        """The next or previous row of the table."""
        self.scales.cursor += by

    def action_everything(self) -> None:
        """List all pairs, or only those that flip."""
        self._everything = not self._everything
        if self._found is not None and self.bench.session is not None:
            self._show_pairs(self._found, self.bench.session)

    def action_arm(self, by: int) -> None:
        """Another arm as B; on both sides where two files are compared."""
        if self._sides is None or self._marks is None:
            return
        (path_a, arm_a), (path_b, arm_b) = self._sides
        keys = list(self._arms[1])
        two_files = path_a != path_b
        if two_files:
            keys = [key for key in keys if key in self._arms[0]] or keys
        else:
            keys = [key for key in keys if key != arm_a]
        at = keys.index(arm_b) if arm_b in keys else 0
        arm = keys[(at + by) % len(keys)]
        shared = two_files and arm in self._arms[0]
        self._marks = (Mark(path_a, arm if shared else arm_a), Mark(path_b, arm))
        self.freshen()

    def action_swap(self) -> None:
        """A becomes B and B becomes A."""
        if self._sides is not None:
            (path_a, arm_a), (path_b, arm_b) = self._sides
            self._marks = (Mark(path_b, arm_b), Mark(path_a, arm_a))
            self.freshen()

    def action_histories(self) -> None:
        """Pair questions over differently filled histories too, or only over equal ones."""
        self._any_history = not self._any_history
        word = (
            "however their histories were filled" if self._any_history else "with equal histories"
        )
        self.bench.say(f"questions are paired {word}")
        self.freshen()

    def action_again(self) -> None:
        """Read the files again."""
        self._files.close()
        self._reading += 1
        self.freshen()
