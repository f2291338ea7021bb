"""One episode played with scripts, and what must hold of its record whatever happened."""

from __future__ import annotations

from typing import Any

from memtui.model import EpisodeId
from memtui.store.events import EpisodeFinished, EpisodeStarted
from runners.agents.contract import Brief
from runners.episode import run_episode
from runners.episode_end import Finished
from runners.episode_settings import Attempt, EpisodeSettings
from runners.memory.contract import SystemInfo
from runners.observation import HaystackText
from runners.trajectory import Activity
from tests.engine.scripted import (
    ITEM,
    SEARCH,
    SEARCHER,
    TEXT,
    ListSink,
    ScriptedAgent,
    ScriptedJudge,
    ScriptedView,
    answer,
)

ID = EpisodeId("list/scripted", "q1", "scale=0|seed=1", 0, 1)


class Played:
    """One episode played with scripts, and everything it left behind."""

    def __init__(
        self,
        script: Any,
        results: Any = (),
        *,
        info: SystemInfo = SEARCHER,
        forced: Any = None,
        context: Any = None,
        judge: ScriptedJudge | None = None,
        open_error: Exception | None = None,
        **settings: Any,
    ) -> None:
        self.sink = ListSink()
        self.agent = ScriptedAgent(script, forced=forced or answer())
        self.view = ScriptedView(list(results), context)
        self.judge = judge or ScriptedJudge()
        self.info = info
        self.open_error = open_error
        self.settings = EpisodeSettings(**settings)
        self.activity = Activity()

    async def open_view(self) -> tuple[ScriptedView, HaystackText]:
        if self.open_error is not None:
            raise self.open_error
        return self.view, TEXT

    async def run(self) -> Finished:
        return await run_episode(
            Attempt(ID, "u1", "h1", 0.0),
            ITEM,
            self.agent,
            self.info,
            (SEARCH,),
            self.open_view,
            (self.judge,),
            self.sink,
            self.settings,
            self.activity,
        )

    @property
    def end(self) -> EpisodeFinished:
        return self.sink.finished

    @property
    def brief(self) -> Brief:
        """What the agent was told before it started."""
        (first,) = [seen for seen in self.agent.seen if isinstance(seen, Brief)]
        return first


async def play(script: Any, results: Any = (), **more: Any) -> Played:
    played = Played(script, results, **more)
    await played.run()
    check_record(played)
    return played


def check_record(played: Played) -> None:
    """What must hold of every record, however the episode ended."""
    sink = played.sink
    assert isinstance(sink.events[0], EpisodeStarted)
    assert isinstance(sink.events[-1], EpisodeFinished)
    assert sink.commits == 1
    assert [step.seq for step in sink.steps()] == list(range(1, len(sink.steps()) + 1))
    counted = [step for step in sink.steps() if step.counts_as_call]
    assert [step.call_no for step in counted] == list(range(1, len(counted) + 1))
    assert played.end.facts.requested == len(counted) == len(played.end.strip)
    assert played.view.closed == (0 if played.open_error else 1)
