"""The agent-memory loop: one agent answers one question over one haystack through one memory system.

The loop owns the record. It numbers the steps, counts the calls, enforces the limits and keeps gold on
its own side: agent and memory system are handed nothing but question, date, tools and opaque tokens.
Post-hoc and hard budgets run through the same lines (docs/metrics.md, "Counting calls").
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from time import perf_counter

from memtui.errors import UserError
from memtui.metrics.facts import FactTracker
from memtui.model import BudgetMode, EndReason, Item
from memtui.store.events import EpisodeStarted, EventSink
from runners.agents.contract import Action, Agent, AgentSession, Brief, Call, Observation
from runners.episode_end import Ending, Finished, Verdicts, finish, judge_answer
from runners.episode_settings import Attempt, EpisodeSettings
from runners.failures import ERROR_LIMIT, describe, end_reason_of, waited_for_model
from runners.gold_ranks import gold_ranks
from runners.judges.contract import Judge
from runners.memory.contract import CallResult, Context, MemoryView, SystemInfo, ToolSpec
from runners.models.meter import CHARGED, Tally
from runners.observation import HaystackText, show
from runners.promised import require
from runners.tool_arguments import argument_problem, query_of
from runners.trajectory import (
    PREPARING,
    Activity,
    Trajectory,
    elapsed_ms,
    refusal,
    tool_list,
    utc_now,
)

Opened = tuple[MemoryView, HaystackText]
Opener = Callable[[], Awaitable[Opened]]
"""Opens the haystack; its failures are the episode's."""
Metered = Callable[[], Tally | None]
"""What the view asked of models since it was last looked at; None where it asked nothing."""
Preparer = Callable[[], Awaitable[None]]
"""Prepares what is missing. Others may wait for the same work, so no time limit of one episode holds
here; its failures are the episode's."""


_MODEL_FAILED = frozenset({EndReason.PROVIDER_ERROR, EndReason.CONTEXT_OVERFLOW})
_NOT_USABLE = "the arguments are not a JSON object with the fields this tool needs"
_SPENT = "Refused: the tokens or the money of this episode are used up."
_SAID = {"invalid_args": _NOT_USABLE}
"""What the agent is told of a problem that its own reader only named."""


class _Ended(Exception):
    """Leaves the loop from wherever the end was found."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.reason)
        self.ending = ending


async def run_episode(
    spec: Attempt,
    item: Item,
    agent: Agent,
    info: SystemInfo,
    tools: Sequence[ToolSpec],
    open_view: Opener,
    judges: Sequence[Judge],
    sink: EventSink,
    settings: EpisodeSettings,
    activity: Activity | None = None,
    prepare: Preparer | None = None,
    metered: Metered = lambda: None,
) -> Finished:
    """Run one attempt from `EpisodeStarted` to the acknowledged end and return how it ended.

    Every path ends in one terminal row with a reason of the closed list. Raised are a failure of the
    sink, a `UserError` (weights are missing: no episode can run) and a cancellation, the last two after
    the row is written.
    """
    record = Trajectory(
        spec.uid, sink, FactTracker(item.evidence, info.provenance), activity or Activity()
    )
    loop = _Loop(spec, item, agent, info, tuple(tools), settings, record, metered)
    record.meter.owner = f"episode:{spec.uid}"
    charged = CHARGED.set(record.meter)
    start = perf_counter()
    await sink.emit(EpisodeStarted(spec.id, spec.uid, spec.haystack, spec.scale, utc_now()))
    failure: BaseException | None = None
    verdicts: Verdicts = ()
    ending = Ending(EndReason.CANCELLED)
    try:
        ending = await loop.run(open_view, prepare)
        record.activity.begin("judging")
        verdicts = await judge_answer(item, ending, judges, settings.judge_s)
    except UserError as error:
        # Something the user has to put right: the run ends, and this attempt with it.
        ending, failure = Ending(EndReason.CANCELLED, error=str(error)), error
    except asyncio.CancelledError as error:
        reason = record.activity.ended_by
        if reason is not None and waited_for_model(error):
            reason = EndReason.PROVIDER_ERROR
        # A judge that is cut off does not take the answer with it.
        ending = replace(ending, reason=reason or EndReason.CANCELLED)
        if reason is None:
            failure = error
        elif task := asyncio.current_task():
            task.uncancel()
    finally:
        CHARGED.reset(charged)
        await loop.close()
    finished = await finish(spec.id, record, ending, verdicts, elapsed_ms(start))
    if failure is not None:
        raise failure
    return finished


class _Loop:
    """State of one episode's loop."""

    def __init__(
        self,
        spec: Attempt,
        item: Item,
        agent: Agent,
        info: SystemInfo,
        tools: tuple[ToolSpec, ...],
        settings: EpisodeSettings,
        record: Trajectory,
        metered: Metered,
    ) -> None:
        self.spec = spec
        self.item = item
        self.agent = agent
        self.info = info
        self.tools = tools
        self.settings = settings
        self.record = record
        self.metered = metered
        self.view: MemoryView | None = None
        self.sessions = HaystackText({}, {})
        self.hard_budget = settings.budget if settings.mode is BudgetMode.HARD else None
        self.refused = False
        self.spent: EndReason | None = None
        self.capped = False

    async def run(self, open_view: Opener, prepare: Preparer | None) -> Ending:
        """Prepare, open, brief, act until the end."""
        try:
            if prepare is not None:
                await self._prepare(prepare)
            async with asyncio.timeout(self.settings.episode_s or None):
                await self._open(open_view)
                session = await self._start()
                return await self._act_to_the_end(session)
        except _Ended as ended:
            return ended.ending
        except TimeoutError as error:
            return Ending(end_reason_of(error), error="the episode ran out of time")

    async def _prepare(self, prepare: Preparer) -> None:
        self.record.activity.begin(PREPARING)
        try:
            await prepare()
        except Exception as error:
            await self._broken("prepare", error)

    async def close(self) -> None:
        """Give the view back; a system that cannot close does not change how the episode ended."""
        if self.view is None:
            return
        try:
            async with asyncio.timeout(self.settings.memory_s or None):
                await self.view.close()
        except Exception as error:
            await self.record.error("close", error, end_reason_of(error))

    async def _open(self, open_view: Opener) -> None:
        self.record.activity.begin("opening haystack")
        try:
            async with asyncio.timeout(self.settings.open_s or None):
                self.view, self.sessions = await open_view()
        except Exception as error:
            await self._broken("open", error)
        if self.info.provenance == "partial":
            # Which references can be traced is only known once the haystack is.
            self.record.tracker = FactTracker(
                self.item.evidence, self.info.provenance, known=self.sessions.turns
            )

    async def _broken(self, where: str, error: Exception) -> None:
        if isinstance(error, UserError):
            raise error
        reason = end_reason_of(error)
        await self.record.error(where, error, reason)
        raise _Ended(Ending(reason, error=f"{where}: {describe(error)}"))

    async def _start(self) -> AgentSession:
        brief = Brief(
            question=self.item.question,
            now=self.item.question_date,
            tools=() if self.info.context else self.tools,
            k=self.settings.k,
            budget=self.hard_budget,
            seed=self.spec.seed,
            repeat=self.spec.id.repeat,
        )
        if self.info.context:
            brief = await self._with_context(brief)
        try:
            return self.agent.start(brief)
        except Exception as error:
            await self._broken("agent", error)
            raise

    async def _with_context(self, brief: Brief) -> Brief:
        assert self.view is not None
        self.record.activity.begin("context")
        start = perf_counter()
        limit = self.settings.context_tokens
        try:
            async with asyncio.timeout(self.settings.memory_s or None):
                context = require(await self.view.context(brief.question, limit), Context)
        except Exception as error:
            self.record.searched(None, self.metered())
            await self._broken("context", error)
            raise
        usage = self.record.searched(None, self.metered())
        await self.record.context(context, limit, elapsed_ms(start), usage)
        return replace(brief, context=context)

    async def _act_to_the_end(self, session: AgentSession) -> Ending:
        observations: list[Observation] = []
        for _ in range(self.settings.step_cap):
            action = await self._act(session, observations, must_answer=False)
            if not action.calls:
                return await self._final(action, forced=False)
            self.spent = self._spent()
            observations = [await self._call(call) for call in action.calls]
            if self.spent is not None:
                return Ending(self.spent)
            if self.refused or self.capped:
                break
        reason = EndReason.BUDGET_REFUSED if self.refused else EndReason.STEP_CAP
        if not self.settings.forced_final_answer:
            return Ending(reason)
        return await self._force(session, observations, reason)

    async def _act(
        self, session: AgentSession, observations: Sequence[Observation], *, must_answer: bool
    ) -> Action:
        self.record.activity.begin("answering" if must_answer else "deciding")
        start = perf_counter()
        try:
            async with asyncio.timeout(self.settings.agent_s or None):
                found = await session.act(observations, must_answer=must_answer)
                action = require(found, Action)
        except Exception as error:
            await self._broken("agent", error)
            raise
        await self.record.decision(action, self.agent.name, elapsed_ms(start))
        return action

    async def _final(self, action: Action, *, forced: bool) -> Ending:
        """The end that an action without calls means."""
        if action.answer is None:
            # A model that failed says how in its raw reply.
            error = action.raw[:ERROR_LIMIT] if action.end in _MODEL_FAILED else ""
            return Ending(action.end or EndReason.EMPTY, answer_raw=action.answer_raw, error=error)
        if not action.answer.strip():
            return Ending(action.end or EndReason.EMPTY, answer_raw=action.answer_raw)
        await self.record.answer(action, forced=forced)
        return Ending(
            action.end or (EndReason.FORCED if forced else EndReason.ANSWERED),
            answer=action.answer,
            answer_raw=action.answer_raw,
            abstained=action.abstained,
            forced=forced,
        )

    async def _force(
        self, session: AgentSession, observations: Sequence[Observation], reason: EndReason
    ) -> Ending:
        """Ask once more, for an answer only. Without one the episode keeps the reason it stopped for.

        A capped episode stays capped: R is censored there, whatever the agent says afterwards.
        """
        action = await self._act(session, observations, must_answer=True)
        if action.end is EndReason.PROVIDER_ERROR:
            return Ending(action.end, error=action.raw[:ERROR_LIMIT])
        ending = await self._final(replace(action, end=None), forced=True)
        if ending.answer is None:
            return Ending(
                reason, answer_raw=ending.answer_raw, error="no answer when asked for one"
            )
        return ending if reason is EndReason.BUDGET_REFUSED else replace(ending, reason=reason)

    def _spent(self) -> EndReason | None:
        """Which cap of one episode is reached, looked at between a decision and its calls."""
        tokens, cost = self.settings.max_tokens, self.settings.max_cost
        if tokens and self.record.known_tokens >= tokens:
            return EndReason.BUDGET_TOKENS
        if cost and self.record.known_cost >= cost:
            return EndReason.COST_CAP
        return None

    async def _call(self, call: Call) -> Observation:
        """One requested memory call, executed or not; each one counts (R)."""
        record, settings = self.record, self.settings
        query = query_of(call.args, call.raw)
        if record.calls >= settings.call_cap:
            self.capped = True
            text = f"Refused: {settings.call_cap} memory calls is the most an episode may make."
            return await self._refuse(call, query, "refused", text, counts=False)
        if self.hard_budget is not None and record.calls >= self.hard_budget:
            self.refused = True
            return await self._refuse(call, query, "refused", refusal(self.hard_budget))
        if self.spent is not None:
            # It was asked for, so it counts, though nothing is left to make it with.
            return await self._refuse(call, query, "refused", _SPENT)
        tool = next((tool for tool in self.tools if tool.name == call.tool), None)
        if tool is None or self.info.context:
            names = () if self.info.context else [tool.name for tool in self.tools]
            text = f"Error: no tool named {call.tool!r}. Tools: {tool_list(names)}."
            return await self._refuse(call, query, "unknown_tool", text)
        problem = _SAID.get(call.problem, call.problem) or (
            _NOT_USABLE if call.args is None else argument_problem(tool, call.args)
        )
        if problem or call.args is None:
            return await self._refuse(call, query, "invalid_args", f"Error: {problem}.")
        return await self._execute(call, call.args, query)

    async def _refuse(
        self, call: Call, query: str, status: str, text: str, *, counts: bool = True
    ) -> Observation:
        await self.record.failed_call(call, query, status, text, counts=counts)
        return Observation(call.tool, query, (), text, status, call.call_id)

    async def _execute(self, call: Call, args: dict[str, object], query: str) -> Observation:
        assert self.view is not None
        record, settings = self.record, self.settings
        record.activity.begin("searching")
        start = perf_counter()
        try:
            async with asyncio.timeout(settings.memory_s or None):
                result = require(await self.view.call(call.tool, args), CallResult)
            shown = show(
                result,
                self.sessions,
                settings.k,
                settings.observation_tokens,
                settings.block_tokens,
            )
        except asyncio.CancelledError:
            # The call was requested, so it counts, whoever ends the episode here.
            wall, used = elapsed_ms(start), record.searched(None, self.metered())
            await record.failed_call(
                call, query, "cancelled", "", executed=True, wall_ms=wall, usage=used
            )
            raise
        except UserError:
            raise
        except Exception as error:
            reason = end_reason_of(error)
            status = "timeout" if reason is EndReason.TIMEOUT else "error"
            wall, used = elapsed_ms(start), record.searched(None, self.metered())
            await record.failed_call(
                call,
                query,
                status,
                describe(error),
                executed=True,
                error=error,
                wall_ms=wall,
                usage=used,
            )
            raise _Ended(Ending(reason, error=f"{call.tool}: {describe(error)}")) from None
        asked = args.get("k")
        k_asked = asked if isinstance(asked, int) else settings.k
        data = dict(result.data)
        if result.k_effective is not None and result.k_effective != k_asked:
            data["k_effective"] = result.k_effective
        wall = elapsed_ms(start)
        usage = record.searched(result.usage, self.metered()) or result.usage
        try:
            gold = record.tracker.gold_sessions
            data |= await gold_ranks(self.view, query, settings.rank_depth, gold, settings.memory_s)
        finally:  # the call was made, whoever ends the episode here
            if (asked := self.metered()) is not None:
                # Asked for the record, not by the agent: paid for, but no part of what a search costs.
                record.memory_paid.add(asked.paid.total())
            await record.call(call, query, k_asked, shown, usage, wall, result.text, data)
        return Observation(call.tool, query, shown.blocks, shown.text, "ok", call.call_id)
