"""The record of one episode while it runs: numbers its steps and sends each one off at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic, perf_counter
from typing import Any

import orjson

from memtui.metrics.facts import FactTracker
from memtui.metrics.similarity import QueryHistory
from memtui.model import EndReason, Usage
from memtui.store.events import EventSink, StepEvent
from runners.agents.contract import Action, Call
from runners.failures import ERROR_LIMIT, describe, trace_of
from runners.memory.contract import Context
from runners.models.meter import Meter, Tally
from runners.observation import Shown
from runners.usage import UsageTotal, as_if_cold

PREPARING = "preparing sessions"
"""What an episode is doing while it waits for preparation that others may wait for too."""


def utc_now() -> str:
    """The time in UTC with its offset, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Activity:
    """What an episode is doing right now, for the heartbeat and the watchdog; no record of it is kept."""

    __slots__ = ("calls", "doing", "ended_by", "since", "started")

    def __init__(self) -> None:
        self.started = self.since = monotonic()
        self.doing = "waiting"
        self.calls = 0
        self.ended_by: EndReason | None = None
        """Set by whoever cancels the episode's task for a reason of the episode's own."""

    def begin(self, doing: str) -> None:
        """A new piece of work begins: the watchdog's clock starts again."""
        self.doing = doing
        self.since = monotonic()


@dataclass(slots=True)
class Trajectory:
    """Steps, counts and usage of one attempt; gold is known here and goes to the record only."""

    uid: str
    sink: EventSink
    tracker: FactTracker
    activity: Activity = field(default_factory=Activity)
    queries: QueryHistory = field(default_factory=QueryHistory)
    agent_usage: UsageTotal = field(default_factory=UsageTotal)
    memory_usage: UsageTotal = field(default_factory=UsageTotal)
    memory_paid: UsageTotal = field(default_factory=UsageTotal)
    memory_cold: UsageTotal = field(default_factory=UsageTotal)
    meter: Meter = field(default_factory=Meter)
    """What agent and judges asked of models, as the door saw it."""
    agent_ms: float = 0.0
    memory_ms: float = 0.0
    seq: int = 0
    calls: int = 0
    """Memory calls requested so far (R)."""
    notes: list[str] = field(default_factory=list)

    def _next(self) -> int:
        self.seq += 1
        return self.seq

    def searched(self, said: Usage | None, metered: Tally | None) -> Usage | None:
        """Book what a search used and return it: what the door saw, else what the system says."""
        if metered is not None:
            usage = metered.asked.total()
            self.memory_paid.add(metered.paid.total())
            self.memory_cold.add(metered.cold.total())
        elif said is not None:
            usage = said
            self.memory_paid.add(said)
            self.memory_cold.add(as_if_cold(said))
        else:
            return None
        self.memory_usage.add(usage)
        return usage

    async def decision(self, action: Action, agent: str, wall_ms: float) -> None:
        """One decision of the agent: its words, its raw reply, what it used."""
        self.agent_usage.add(action.usage)
        self.agent_ms += wall_ms
        data = storable(action.data)
        if action.attempts != 1:
            data["attempts"] = action.attempts
        if action.end is not None:
            data["end"] = action.end.value
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="model",
                at=utc_now(),
                name=agent,
                status="ok" if action.end is None else action.end.value,
                raw=action.raw,
                text=action.reasoning,
                usage=action.usage,
                wall_ms=wall_ms,
                messages=tuple(map(storable, action.messages)),
                data=data,
            )
        )

    async def answer(self, action: Action, *, forced: bool) -> None:
        """The final answer, raw and extracted."""
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="answer",
                at=utc_now(),
                status="forced" if forced else "ok",
                raw=action.answer_raw if action.answer_raw is not None else (action.answer or ""),
                text=action.answer or "",
                data={"abstained": True} if action.abstained else {},
            )
        )

    async def failed_call(
        self,
        call: Call,
        query: str,
        status: str,
        text: str,
        *,
        counts: bool = True,
        executed: bool = False,
        error: Exception | None = None,
        wall_ms: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        """A call that brought nothing: refused, unusable, or executed and ended by `error`.

        `counts` is False only beyond the safety cap, where R is censored at the cap.
        """
        facts = similarity = None
        if counts:
            self.calls += 1
            self.activity.calls = self.calls
            facts = self.tracker.call((), status=status, executed=executed)
            similarity = self.queries.add(query)
        self.memory_ms += wall_ms or 0.0
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="memory_call",
                at=utc_now(),
                name=call.tool,
                status=status,
                counts_as_call=counts,
                call_no=self.calls if counts else None,
                query=query,
                k_returned=0,
                k_shown=0,
                gold_new=facts.gold_new if facts else None,
                gold_cum=facts.gold_cum if facts else None,
                new_hits=0,
                similarity=similarity.value if similarity else None,
                similarity_kind=similarity.kind if similarity else "",
                raw=call.raw,
                text=text,
                usage=usage,
                wall_ms=wall_ms,
                data={"traceback": trace_of(error)} if error else {},
            )
        )

    async def call(
        self,
        call: Call,
        query: str,
        k_asked: int,
        shown: Shown,
        usage: Usage,
        wall_ms: float,
        own_text: str | None,
        data: dict[str, object],
    ) -> None:
        """A call that was executed. The text of verbatim blocks is not repeated: hits name it."""
        self.calls += 1
        self.activity.calls = self.calls
        self.memory_ms += wall_ms
        facts = self.tracker.call(shown.hits)
        similarity = self.queries.add(query)
        if shown.cut:
            data["cut"] = shown.cut
        if shown.returned > k_asked and not self.notes:
            self.notes.append(f"returned {shown.returned} blocks where {k_asked} were asked for")
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="memory_call",
                at=utc_now(),
                name=call.tool,
                counts_as_call=True,
                call_no=self.calls,
                query=query,
                k_asked=k_asked,
                k_returned=shown.returned,
                k_shown=shown.shown,
                hits=shown.hits,
                gold_ranks=facts.gold_ranks,
                gold_new=facts.gold_new,
                gold_cum=facts.gold_cum,
                new_hits=facts.new_hits,
                similarity=similarity.value,
                similarity_kind=similarity.kind,
                raw=call.raw,
                text=own_text or "",
                usage=usage if usage.calls else None,
                wall_ms=wall_ms,
                data=storable(data),
            )
        )

    async def context(
        self, context: Context, tokens_asked: int, wall_ms: float, usage: Usage | None = None
    ) -> None:
        """What a context system put in front of the model: call 0, not a requested call."""
        self.memory_ms += wall_ms
        facts = self.tracker.context(context.hits)
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="context",
                at=utc_now(),
                call_no=0,
                k_returned=len(context.hits),
                k_shown=sum(hit.shown for hit in context.hits),
                hits=context.hits,
                gold_ranks=facts.gold_ranks,
                gold_new=facts.gold_new,
                gold_cum=facts.gold_cum,
                new_hits=facts.new_hits,
                usage=usage,
                wall_ms=wall_ms,
                data={"tokens": context.tokens, "tokens_asked": tokens_asked},
            )
        )

    async def error(self, where: str, error: BaseException, reason: EndReason) -> None:
        """Something broke outside a memory call; `where` names the part (agent, open, judge …)."""
        await self.sink.emit(
            StepEvent(
                episode=self.uid,
                seq=self._next(),
                kind="error",
                at=utc_now(),
                name=where,
                status=reason.value,
                text=describe(error),
                raw=trace_of(error),
            )
        )

    def usage(self) -> Usage:
        """Usage of all leaf model calls: the agent's and those inside the memory system."""
        both = UsageTotal()
        both.add(self.agent_usage.total())
        both.add(self.memory_usage.total())
        return both.total()

    @property
    def known_tokens(self) -> int:
        """Tokens used so far, as far as they are known."""
        return self.agent_usage.known_tokens + self.memory_usage.known_tokens

    @property
    def known_cost(self) -> float:
        """Dollars spent so far, as far as they are known."""
        return self.agent_usage.known_cost + self.memory_usage.known_cost


def storable(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that JSON can hold: what a stranger's agent or system adds must not end the run.

    Values that JSON does not know (sets, arrays, objects) become their `repr`.
    """
    if not data:
        return {}
    try:
        orjson.dumps(data, option=_OPTIONS)
    except (TypeError, ValueError, RecursionError):
        return {str(key): _plain(value) for key, value in data.items()}
    return dict(data)


def _plain(value: object) -> object:
    try:
        orjson.dumps(value, option=_OPTIONS)
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:ERROR_LIMIT]
    return value


_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY


def elapsed_ms(start: float) -> float:
    """Milliseconds since `start` of the monotonic performance counter."""
    return (perf_counter() - start) * 1_000


def refusal(budget: int) -> str:
    """What the agent reads when a hard budget refuses its call."""
    calls = "call" if budget == 1 else "calls"
    return f"Refused: your budget of {budget} memory {calls} is used up. Answer with what you have."


def tool_list(names: Sequence[str]) -> str:
    """The tools that exist, for an agent that asked for another."""
    return ", ".join(names) if names else "none"
