"""Keys that stay with a question: down and up the scales on the same arm, and from arm to arm."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.state.compare_marks import Mark
from memtui.state.ladder import across_arms, along_scales, read_ladder


class LadderSteps(MemtuiScreen):
    """A screen that shows one episode and can go to its neighbours on the ladder."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("comma", "scale(-1)", "smaller scale", id="question.scale-down"),
        Binding("full_stop", "scale(1)", "larger scale", id="question.scale-up"),
        Binding("less_than_sign", "arm(-1)", "previous arm", id="question.arm-back"),
        Binding("greater_than_sign", "arm(1)", "next arm", id="question.arm"),
    ]

    def compare_mark(self) -> Mark | None:
        """The arm of the episode on screen."""
        session, here = self.bench.session, self.episode_id
        if session is None or here is None:
            return None
        try:
            row = session.pages.episode_rows([here]).get(here)
        except UserError:
            return None
        return None if row is None else Mark(session.path, row.arm)

    def action_scale(self, by: int) -> None:
        """The same question on the same arm at the next smaller or larger scale."""
        self._move(by, arms=False)

    def action_arm(self, by: int) -> None:
        """The same question at the same scale on the previous or next arm."""
        self._move(by, arms=True)

    @work(exclusive=True, group="ladder-step")
    async def _move(self, by: int, *, arms: bool) -> None:
        session, here = self.bench.session, self.episode_id
        if session is None or here is None:
            return
        keys = [arm.key for arm in session.header.arms]

        def find() -> int | None:
            row = session.reader.episode_rows([here]).get(here)
            data = None if row is None else read_ladder(session.reader, row.item_id)
            if data is None:
                return None
            return across_arms(data, here, by, keys) if arms else along_scales(data, here, by)

        try:
            found = await session.ask(find)
        except UserError as error:
            self.bench.say(str(error), error=True)
            return
        if here != self.episode_id:
            return  # the reader went on meanwhile
        if found is not None:
            self.show_episode(found)
        elif arms:
            self.bench.say("no further arm that way asked this question at this scale")
        else:
            self.bench.say(
                f"no {'larger' if by > 0 else 'smaller'} scale of this question on this arm"
            )
