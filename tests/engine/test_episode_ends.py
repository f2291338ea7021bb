"""Every way an episode can end, and what the record then says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import BudgetMode, EndReason, Label
from memtui.store.events import EpisodeFinished
from runners.agents.contract import Action, Call
from runners.failures import ContextOverflow, ProviderError
from runners.memory.contract import CallResult, Context
from tests.engine.played import Played, check_record, play
from tests.engine.scripted import (
    CONTEXT,
    ScriptedJudge,
    answer,
    hits,
    search,
    stopped,
    used,
)


async def test_answered() -> None:
    played = await play([search(), answer()], [hits("bbb", "aaa")])
    end = played.end
    assert (end.end_reason, end.answer, end.forced, end.counts) == (
        EndReason.ANSWERED,
        "blue",
        False,
        True,
    )
    assert (end.facts.requested, end.facts.executed, end.facts.t_star) == (1, 1, 1)
    assert end.strip == "◆"
    (verdict,) = played.sink.verdicts
    assert (verdict.label, verdict.judge) == (Label.RIGHT, "scripted@1")
    (call,) = played.sink.steps("memory_call")
    assert call.gold_ranks == (("aaa", 2),)
    assert (call.k_returned, call.k_shown, call.query) == (2, 2, "cat")
    kinds = [step.kind for step in played.sink.steps()]
    assert kinds == ["model", "memory_call", "model", "answer"]


@pytest.mark.parametrize("budget", [0, 2])
@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.parametrize("extra", [-1, 0, 1])
@pytest.mark.parametrize("mode", list(BudgetMode))
async def test_requests_around_the_budget(
    budget: int, forced: bool, extra: int, mode: BudgetMode
) -> None:
    requests = budget + extra
    if requests < 0:
        return
    played = await play(
        [search(f"cat {i}") for i in range(requests)] + [answer()],
        [hits("bbb")] * 9,
        budget=budget,
        mode=mode,
        forced_final_answer=forced,
    )
    end = played.end
    assert end.facts.requested == requests
    if mode is BudgetMode.POST_HOC or extra <= 0:
        # Exactly B calls are not an exhausted budget: only a request for call B+1 is.
        assert (end.end_reason, end.answer, end.forced) == (EndReason.ANSWERED, "blue", False)
        assert end.facts.executed == requests
        return
    assert end.facts.executed == budget
    assert played.sink.steps("memory_call")[-1].status == "refused"
    assert end.strip.endswith("×")
    if forced:
        assert (end.end_reason, end.answer, end.forced) == (EndReason.FORCED, "blue", True)
        assert len(played.judge.cases) == 1
    else:
        assert (end.end_reason, end.answer, end.forced) == (EndReason.BUDGET_REFUSED, None, False)
        assert played.judge.cases == []


async def test_the_agent_is_told_a_hard_budget_and_never_a_post_hoc_one() -> None:
    hard = await play([answer()], budget=3, mode=BudgetMode.HARD)
    soft = await play([answer()], budget=3)
    assert hard.brief.budget == 3
    assert soft.brief.budget is None


async def test_a_forced_turn_without_an_answer_keeps_the_refusal() -> None:
    played = await play(
        [search()], budget=0, mode=BudgetMode.HARD, forced=Action(end=EndReason.TRUNCATED)
    )
    assert (played.end.end_reason, played.end.answer) == (EndReason.BUDGET_REFUSED, None)
    assert played.end.error


async def test_a_provider_that_fails_in_the_forced_turn_is_not_the_agents_fault() -> None:
    played = await play([search()], budget=0, mode=BudgetMode.HARD, forced=ProviderError("429"))
    assert played.end.end_reason is EndReason.PROVIDER_ERROR


async def test_what_the_provider_said_in_the_forced_turn_is_kept() -> None:
    failed = Action(end=EndReason.PROVIDER_ERROR, raw="rate limited: 429")
    played = await play([search()], budget=0, mode=BudgetMode.HARD, forced=failed)
    assert (played.end.end_reason, played.end.error) == (
        EndReason.PROVIDER_ERROR,
        "rate limited: 429",
    )


async def test_parallel_calls_count_one_each() -> None:
    two = Action(calls=search("a").calls + search("b").calls)
    played = await play([two, answer()], budget=1, mode=BudgetMode.HARD)
    assert (played.end.facts.requested, played.end.facts.executed) == (2, 1)
    assert played.end.end_reason is EndReason.FORCED


@pytest.mark.parametrize("forced", [True, False])
async def test_safety_cap_censors_at_the_cap(forced: bool) -> None:
    four = Action(calls=search("a").calls * 4)
    played = await play([four] * 9, call_cap=10, forced_final_answer=forced)
    assert played.end.end_reason is EndReason.STEP_CAP
    assert played.end.facts.requested == 10
    assert (played.end.answer, played.end.forced) == (("blue", True) if forced else (None, False))
    beyond = [s for s in played.sink.steps("memory_call") if not s.counts_as_call]
    assert [step.status for step in beyond] == ["refused", "refused"]


async def test_step_cap() -> None:
    played = await play([], step_cap=5, forced_final_answer=False)
    assert played.end.end_reason is EndReason.STEP_CAP
    assert (played.end.facts.requested, len(played.sink.steps("model"))) == (5, 5)


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (Call("memory_search", None, '{"query": "Par', "invalid_args"), "invalid_args"),
        (Call("memory_search", None, '["a"]'), "invalid_args"),
        (Call("memory_search", {"query": 5}, '{"query": 5}'), "invalid_args"),
        (Call("memory_search", {}, ""), "invalid_args"),
        (Call("memory_serach", {"query": "cat"}, '{"query": "cat"}'), "unknown_tool"),
    ],
)
async def test_bad_calls_count_and_are_told_to_the_agent(call: Call, status: str) -> None:
    played = await play([Action(calls=(call,)), answer()])
    (step,) = played.sink.steps("memory_call")
    assert (step.status, step.counts_as_call, step.raw) == (status, True, call.raw)
    assert (played.end.facts.requested, played.end.facts.executed) == (1, 0)
    assert played.view.seen == []
    told: Any = played.agent.seen[2]
    assert [observation.status for observation in told] == [status]
    assert told[0].text.startswith("Error: ")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("index gone"), EndReason.MEMORY_ERROR),
        (ProviderError("embedder: 429"), EndReason.PROVIDER_ERROR),
        (TimeoutError(), EndReason.TIMEOUT),
    ],
)
@pytest.mark.parametrize("where", ["open", "call", "context"])
async def test_failing_memory(error: Exception, reason: EndReason, where: str) -> None:
    if where == "open":
        played = await play([answer()], open_error=error)
    elif where == "call":
        played = await play([search(), answer()], [error])
        assert played.end.strip == "×"
        assert "traceback" in played.sink.steps("memory_call")[0].data
    else:
        played = await play([answer()], info=CONTEXT, context=error)
    assert played.end.end_reason is reason
    assert played.end.counts and played.judge.cases == []
    assert type(error).__name__ in played.end.error


async def test_hanging_memory_times_out() -> None:
    played = await play([search()], [60.0], memory_s=0.01)
    assert played.end.end_reason is EndReason.TIMEOUT
    assert played.sink.steps("memory_call")[0].status == "timeout"
    assert played.end.facts.requested == 1


async def test_hanging_agent_times_out() -> None:
    played = await play([60.0, answer()], agent_s=0.01)
    assert played.end.end_reason is EndReason.TIMEOUT


async def test_an_endless_episode_times_out_and_its_last_call_counts() -> None:
    played = await play([search()], [60.0], episode_s=0.01)
    assert played.end.end_reason is EndReason.TIMEOUT
    assert played.end.facts.requested == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("x"), EndReason.MEMORY_ERROR),
        (ProviderError("500"), EndReason.PROVIDER_ERROR),
        (ContextOverflow("9000 > 8192"), EndReason.CONTEXT_OVERFLOW),
    ],
)
async def test_failing_agent(error: Exception, reason: EndReason) -> None:
    played = await play([search(), error], [hits("aaa")])
    assert played.end.end_reason is reason
    assert played.end.facts.requested == 1
    assert played.sink.steps("error")[0].name == "agent"


@pytest.mark.parametrize(
    "end", [EndReason.TRUNCATED, EndReason.FILTERED, EndReason.EMPTY, EndReason.PROVIDER_ERROR]
)
async def test_agent_that_stops_without_an_answer(end: EndReason) -> None:
    played = await play([stopped(end)])
    assert (played.end.end_reason, played.end.answer) == (end, None)
    assert played.judge.cases == []


@pytest.mark.parametrize("action", [Action(), Action(answer="  ")])
async def test_nothing_said_is_empty(action: Action) -> None:
    played = await play([action])
    assert (played.end.end_reason, played.end.answer) == (EndReason.EMPTY, None)


async def test_token_and_cost_caps_of_one_episode() -> None:
    costly = Action(calls=search().calls, usage=used(900, 200, 0.5))
    tokens = await play([costly] * 5, max_tokens=1_500)
    assert tokens.end.end_reason is EndReason.BUDGET_TOKENS
    # What it asked for last was not made, but it was asked for.
    assert (tokens.end.facts.requested, tokens.end.facts.executed) == (2, 1)
    assert tokens.end.strip.endswith("×")
    cost = await play([costly] * 5, max_cost=1.2)
    assert cost.end.end_reason is EndReason.COST_CAP
    assert cost.end.usage.cost == pytest.approx(1.5)
    assert (cost.end.facts.requested, cost.end.facts.executed) == (3, 2)


async def test_unknown_usage_stays_unknown_and_still_meets_the_cap() -> None:
    first = Action(calls=search().calls, usage=used(900, 200, 0.5))
    second = Action(calls=search().calls, usage=used(900, 200, None))
    played = await play([first, second, answer()], max_tokens=10_000)
    assert (played.end.usage.prompt, played.end.usage.cost) == (1_800, None)


async def test_failing_judge_leaves_the_verdict_unknown_and_the_answer_kept() -> None:
    played = await play([answer()], judge=ScriptedJudge(error=ProviderError("429")))
    assert (played.end.end_reason, played.end.answer) == (EndReason.ANSWERED, "blue")
    (verdict,) = played.sink.verdicts
    assert (verdict.label, verdict.reason) == (Label.UNKNOWN, "judge_error")


async def test_context_system_gives_its_context_and_no_calls() -> None:
    context = Context("my cat is blue", hits("aaa").hits, 4)
    played = await play([answer()], info=CONTEXT, context=context)
    (step,) = played.sink.steps("context")
    assert (step.call_no, step.counts_as_call, step.gold_cum) == (0, False, 1)
    assert (played.end.facts.requested, played.end.facts.t_star) == (0, 0)
    assert played.brief.context == context and played.brief.tools == ()


async def test_a_tool_asked_of_a_context_system_is_unknown_and_counts() -> None:
    context = Context("", (), 0)
    played = await play([search(), answer()], info=CONTEXT, context=context)
    assert played.sink.steps("memory_call")[0].status == "unknown_tool"
    assert played.end.facts.requested == 1


@pytest.mark.parametrize("reason", [None, EndReason.NO_PROGRESS])
async def test_cancelled_from_outside(reason: EndReason | None) -> None:
    played = Played([search()], [60.0])
    task = asyncio.create_task(played.run())
    await played.view.called.wait()
    played.activity.ended_by = reason
    task.cancel()
    if reason is None:
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        assert (await task).reason is reason
    check_record(played)
    assert played.end.end_reason is (reason or EndReason.CANCELLED)
    assert played.end.counts is (reason is not None)
    assert played.end.facts.requested == 1


async def test_a_dead_sink_is_raised_and_never_blamed_on_the_agent() -> None:
    played = Played([search(), answer()], [hits("aaa")])
    played.sink.fail_after = 2
    with pytest.raises(OSError, match="No space left"):
        await played.run()
    assert played.sink.of(EpisodeFinished) == []


async def test_more_blocks_than_k_are_kept_but_not_shown() -> None:
    result = hits(*(f"x{i}" for i in range(12)), "aaa")
    played = await play([search(), answer()], [result])
    (step,) = played.sink.steps("memory_call")
    assert (step.k_asked, step.k_returned, step.k_shown, step.data["cut"]) == (12, 13, 12, "k")
    assert played.end.facts.gold_found == 0
    assert played.end.views["finest/returned"][0] == 1


async def test_effective_k_is_stored_where_it_differs() -> None:
    played = await play([search(k=5), answer()], [CallResult((), k_effective=30)])
    (step,) = played.sink.steps("memory_call")
    assert (step.k_asked, step.data["k_effective"]) == (5, 30)


async def test_no_gold_reaches_agent_or_memory() -> None:
    played = await play([search(), answer()], [hits("aaa")])
    handed = repr((played.agent.seen, played.view.seen))
    assert "gold" not in handed and "evidence" not in handed
    assert "'q1'" not in handed


@pytest.mark.parametrize("where", ["open", "agent", "call"])
async def test_what_the_user_must_put_right_ends_the_run_and_the_attempt(where: str) -> None:
    error = UserError("the weights are missing: run `memtui models install minilm`")
    played = Played(
        [error if where == "agent" else search()],
        [error] if where == "call" else [],
        open_error=error if where == "open" else None,
    )
    with pytest.raises(UserError, match="weights"):
        await played.run()
    assert (played.end.end_reason, played.end.counts) == (EndReason.CANCELLED, False)


async def test_what_json_cannot_hold_does_not_end_the_run() -> None:
    strange = Action(answer="blue", data={"a": {1, 2}, "b": 1}, messages=({"x": object()},))
    played = await play([strange])
    (step,) = played.sink.steps("model")
    assert step.data == {"a": "{1, 2}", "b": 1}
    assert step.messages[0]["x"].startswith("<object")
