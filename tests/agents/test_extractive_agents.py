"""The embedded agents: when they search, when they stop, what they say about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import Hit
from runners.agents.contract import Action, Agent, Brief, Observation, ShownBlock
from runners.agents.extractive import (
    NOT_MENTIONED,
    context_blocks,
    read,
    search_once,
    search_tool,
    until_confident,
    verify,
)
from runners.agents.span_question import understand
from runners.agents.span_reader import NOTHING
from runners.agents.stopping import Progress
from runners.memory.contract import Context, ToolSpec

TOOL = ToolSpec(
    "memory_search",
    "Search.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
)
QUESTION = "How much did I pay for my kayak?"
CLEAR = "user: I paid $85 for my kayak."
OTHERS = "user: My cousin paid $310 for a kayak last year."
CHATTER = "user: Slugs hate copper. It is a fact."


def brief(question: str = QUESTION, **more: Any) -> Brief:
    return Brief(
        question, "2024-05-01", more.pop("tools", (TOOL,)), 12, more.pop("budget", None), **more
    )


def shown(*texts: str, status: str = "ok", start: int = 0) -> list[Observation]:
    blocks = tuple(ShownBlock(f"t{start + i}", text, "2024-01-01") for i, text in enumerate(texts))
    return [Observation("memory_search", "q", blocks, "", status=status)]


async def play(
    agent: Agent, replies: Sequence[list[Observation]], brief_: Brief | None = None, cap: int = 30
) -> list[Action]:
    """All actions of an episode; the last reply is given again and again."""
    session = agent.start(brief_ or brief())
    actions = [await session.act([], must_answer=False)]
    while actions[-1].calls and len(actions) < cap:
        reply = replies[min(len(actions) - 1, len(replies) - 1)]
        actions.append(await session.act(reply, must_answer=False))
    return actions


def queries(actions: Sequence[Action]) -> list[str]:
    return [call.args["query"] for action in actions for call in action.calls if call.args]


async def test_search_once_searches_once_whatever_comes_back() -> None:
    for reply in (shown(CLEAR), shown(CHATTER), shown()):
        actions = await play(search_once(), [reply])
        assert queries(actions) == [QUESTION]
    assert (await play(search_once(), [shown(CLEAR)]))[-1].answer == "$85"


async def test_until_confident_stops_as_soon_as_it_is_sure() -> None:
    actions = await play(until_confident(), [shown(CLEAR)])
    assert len(queries(actions)) == 1
    assert actions[-1].answer == "$85"
    assert actions[-1].data["confidence"] >= actions[-1].data["threshold"]


async def test_until_confident_goes_on_while_new_blocks_come_and_none_convinces() -> None:
    replies = [shown(f"{OTHERS} Number {i}.", start=i) for i in range(40)]
    actions = await play(until_confident(patience=1), replies, cap=40)
    asked = queries(actions)
    assert 8 <= len(asked) <= 30
    assert len({frozenset(query.lower().split()) for query in asked}) == len(asked)
    assert "no other way" in actions[-1].data["why"]


async def test_until_confident_finds_it_later() -> None:
    replies = [shown(OTHERS), shown(CHATTER, start=5), shown(CLEAR, start=9)]
    actions = await play(until_confident(), replies)
    assert len(queries(actions)) == 3
    assert actions[-1].answer == "$85"


@pytest.mark.parametrize("patience", [1, 2, 3])
async def test_patience_counts_searches_that_show_nothing_new(patience: int) -> None:
    actions = await play(until_confident(patience=patience), [shown(OTHERS)])
    assert len(queries(actions)) == 1 + patience
    assert "nothing new" in actions[-1].data["why"]
    empty = await play(until_confident(patience=patience), [shown()])
    assert len(queries(empty)) == patience
    assert empty[-1].abstained


async def test_a_lower_threshold_never_searches_more() -> None:
    replies = [shown(f"{OTHERS} Number {i}.", start=i) for i in range(40)]
    counts = [
        len(queries(await play(until_confident(threshold=t), replies))) for t in (0.2, 0.5, 0.9)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


async def test_verify_stops_when_another_search_agrees() -> None:
    actions = await play(verify(), [shown(CLEAR), shown(CLEAR, CHATTER)])
    assert len(queries(actions)) == 2
    assert actions[-1].answer == "$85"
    assert "same answer" in actions[-1].data["why"]


@pytest.mark.parametrize("checks", [1, 2, 3])
async def test_verify_gives_up_after_its_checks(checks: int) -> None:
    replies = [shown(f"user: My kayak cost me ${i}.", start=i) for i in range(10, 20)]
    # Each search tells another price: none of them alone agrees with the newest held.
    replies = [
        [Observation("memory_search", "q", (ShownBlock(f"t{i}", o[0].blocks[0].text, None),), "")]
        for i, o in enumerate(replies)
    ]
    actions = await play(verify(checks=checks), replies)
    assert len(queries(actions)) == 1 + checks
    assert "did not settle" in actions[-1].data["why"]


async def test_every_policy_abstains_when_nothing_scores() -> None:
    for agent in (search_once(), until_confident(), verify()):
        for reply in (shown(), shown(CHATTER)):
            last = (await play(agent, [reply]))[-1]
            assert last.abstained and last.answer == NOT_MENTIONED
            assert last.data["decision"] == "abstain"


async def test_a_forced_answer_is_the_best_so_far() -> None:
    session = until_confident(threshold=1.0).start(brief())
    await session.act([], must_answer=False)
    forced = await session.act(shown(CLEAR), must_answer=True)
    assert forced.answer == "$85" and not forced.calls
    session = until_confident().start(brief())
    empty = await session.act([], must_answer=True)
    assert empty.abstained and not empty.calls


async def test_a_refused_search_ends_in_an_answer() -> None:
    session = until_confident(threshold=1.0).start(brief(budget=1))
    await session.act([], must_answer=False)
    again = await session.act(shown(OTHERS), must_answer=False)
    assert again.calls  # told its budget, it does not ration
    last = await session.act(shown(status="refused"), must_answer=False)
    assert last.answer == "$310"


async def test_a_context_is_read_without_a_call() -> None:
    context = Context(
        "--- Session of 2024-01-05T10:00 ---\nuser: My class is on Monday evenings.\n\n"
        "--- Session of 2024-03-05T10:00 ---\nuser: They moved my class to Friday evenings.",
        (Hit("a"), Hit("b")),
        40,
    )
    for agent in (read(), search_once(), until_confident(), verify()):
        actions = await play(
            agent, [], brief("Which day is my class now?", tools=(), context=context)
        )
        assert len(actions) == 1 and not actions[0].calls
        assert actions[0].answer == "Friday"
        assert actions[0].data["candidate_token"] == "b"


def test_context_blocks() -> None:
    text = "--- Session of 2024-01-05 ---\nuser: A.\n\n--- Session of an unknown date ---\nuser: B."
    hits = (
        Hit("cut", shown=False),
        Hit("a"),
        Hit("b", shown=False, first=0, last=3),
        Hit("b", first=4),
    )
    blocks = context_blocks(Context(text, hits, 10))
    assert [(b.token, b.text, b.date) for b in blocks] == [
        ("a", "user: A.", "2024-01-05"),
        ("b", "user: B.", None),
    ]
    (plain,) = context_blocks(Context("user: A.", (Hit("a"),), 2))
    assert (plain.token, plain.text, plain.date) == ("a", "user: A.", None)
    assert context_blocks(Context("", (), 0))[0].text == ""


def test_read_needs_something_to_read() -> None:
    with pytest.raises(UserError, match="full-history"):
        read().start(brief())


async def test_without_a_usable_tool_it_answers_at_once() -> None:
    actions = await play(search_once(), [], brief(tools=()))
    assert len(actions) == 1 and actions[0].abstained


def test_the_search_tool_is_the_one_that_needs_only_a_text() -> None:
    walk = ToolSpec("walk", "", {"properties": {"node": {"type": "integer"}}, "required": ["node"]})
    other = ToolSpec("find", "", {"properties": {"words": {"type": "string"}}})
    assert search_tool((walk, TOOL)) == ("memory_search", "query")
    assert search_tool((walk, other)) == ("find", "words")
    assert search_tool((walk,)) is None


async def test_each_decision_says_what_it_rests_on() -> None:
    replies = [shown(OTHERS), shown(CLEAR, start=3)]
    actions = await play(until_confident(), replies)
    assert [action.data["decision"] for action in actions] == ["search", "search", "answer"]
    for action in actions:
        assert action.reasoning.endswith(".") and "because" in action.reasoning
        json.dumps(action.data)
        assert {"candidate", "confidence", "threshold", "why", "policy"} <= action.data.keys()
        assert action.usage is not None and action.usage.cost == 0.0 and action.usage.calls == 0
    second = actions[1]
    assert second.data["candidate"] == "$310"
    assert "$310" in second.reasoning
    assert json.loads(second.calls[0].raw) == second.calls[0].args


async def test_two_episodes_are_the_same() -> None:
    replies = [shown(f"{OTHERS} Number {i}.", start=i) for i in range(40)]
    first = await play(until_confident(), replies)
    again = await play(until_confident(), replies)
    assert queries(first) == queries(again)
    assert [a.answer for a in first] == [a.answer for a in again]


def test_options_are_part_of_the_configuration() -> None:
    agent = until_confident(threshold=0.4, patience=2, abstain_below=0.1)
    assert agent.name == "until-confident"
    assert agent.config["threshold"] == 0.4 and agent.config["patience"] == 2
    assert agent.config["abstain_below"] == 0.1 and agent.config["scorer"]
    assert until_confident().config != agent.config
    for made in (search_once(), until_confident(), verify(), read()):
        assert made.note.startswith("baseline")


@pytest.mark.parametrize(
    "make",
    [
        lambda: until_confident(threshold=1.5),
        lambda: until_confident(patience=0),
        lambda: verify(checks=0),
        lambda: search_once(abstain_below=-0.1),
    ],
)
def test_senseless_options_are_refused(make: Any) -> None:
    with pytest.raises(UserError):
        make()


def test_reformulations_end_and_never_repeat() -> None:
    question = "Which city does the person who gave me the chess set live in?"
    progress = Progress(understand(question), NOTHING)
    for _ in range(100):
        query, rule = progress.reformulate()
        if not query:
            break
        assert rule and query.strip()
        progress.asked.append(query)
    keys = [frozenset(query.lower().split()) for query in progress.asked]
    assert 8 <= len(keys) == len(set(keys)) < 60
    assert progress.asked[0] == question
