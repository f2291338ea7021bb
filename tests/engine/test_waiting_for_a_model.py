"""Time that runs out while a provider makes everybody wait is the provider's failure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from memtui.model import EndReason
from runners.agents.contract import Action, Observation
from runners.models.chat import ModelRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.scripted import ScriptedClient
from runners.models.settings import ModelSettings
from tests.engine.played import Played, check_record
from tests.engine.scripted import ScriptedAgent, ScriptedSession, answer


class AskingSession(ScriptedSession):
    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        await DOOR.complete(ModelRequest("m", ({"role": "user", "content": "hi"},)))
        return answer()


DOOR = ModelDoor(ScriptedClient([]))


def limited(times: int, retry_after: float, retries: int = 4) -> None:
    """A provider that answers 429 `times` times."""
    global DOOR
    limit = ModelError(ErrorKind.RATE_LIMITED, "slow down", retry_after=retry_after)
    script: list[Exception | str] = [limit] * times
    DOOR = ModelDoor(ScriptedClient([*script, "fine"]), default=ModelSettings(retries=retries))


async def played(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Played:
    monkeypatch.setattr(ScriptedAgent, "start", lambda self, brief: AskingSession(self))
    episode = Played([], **settings)
    await episode.run()
    check_record(episode)
    return episode


async def test_retries_are_not_budget_and_not_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(2, 0.0)
    episode = await played(monkeypatch)
    assert (episode.end.end_reason, episode.end.facts.requested) == (EndReason.ANSWERED, 0)


async def test_used_up_retries_are_a_provider_error(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(9, 0.0, retries=2)
    episode = await played(monkeypatch)
    assert episode.end.end_reason is EndReason.PROVIDER_ERROR


@pytest.mark.parametrize("limit", ["agent_s", "episode_s"])
async def test_a_long_rate_limit_is_not_a_hang_of_the_agent(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    limited(9, 60.0)
    episode = await played(monkeypatch, **{limit: 0.05})
    assert episode.end.end_reason is EndReason.PROVIDER_ERROR


async def test_the_watchdog_does_not_blame_who_waits_for_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(9, 60.0)
    monkeypatch.setattr(ScriptedAgent, "start", lambda self, brief: AskingSession(self))
    episode = Played([])
    task = asyncio.create_task(episode.run())
    await asyncio.sleep(0.05)
    episode.activity.ended_by = EndReason.NO_PROGRESS
    task.cancel()
    assert (await task).reason is EndReason.PROVIDER_ERROR
