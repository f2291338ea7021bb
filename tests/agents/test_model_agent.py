"""The model agent: each odd reply ends in a named status, and nothing the model wrote is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memtui.errors import UserError
from memtui.model import EndReason
from runners.agents.contract import Action, Brief, Observation
from runners.agents.model import ModelAgent, ModelSession
from runners.agents.prompts import DEFAULTS
from runners.memory.contract import Context, ToolSpec
from runners.models.chat import ChatReply, ToolRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError
from runners.models.scripted import Entry, ScriptedClient
from runners.models.settings import ModelSettings

SEARCH = ToolSpec(
    "search",
    "Search the conversations.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "k": {"type": "integer"}},
        "required": ["query"],
    },
)
LIST = ToolSpec("list_days", "List all days.", {"type": "object", "properties": {}})
BRIEF = Brief("Where did Ann go?", "2024-05-01", (SEARCH, LIST), k=12, budget=None)


def session(
    *script: Entry, brief: Brief = BRIEF, **options: Any
) -> tuple[ModelSession, ScriptedClient]:
    client = ScriptedClient(script)
    door = ModelDoor(client, default=ModelSettings(retries=0))
    return ModelAgent({"model": "m", **options}, door).start(brief), client


def calls(*requests: tuple[str, Any], text: str | None = None) -> ChatReply:
    made = tuple(ToolRequest(name, args, f"c{i}") for i, (name, args) in enumerate(requests))
    return ChatReply(text, "tool_calls", made, prompt=5, completion=2)


def seen(call_id: str, text: str = "Ann went to Rome.", status: str = "ok") -> Observation:
    return Observation("search", "q", (), text, status, call_id)


async def test_search_then_answer() -> None:
    s, client = session(
        calls(("search", '{"query": "Ann trip"}')),
        ChatReply("Rome", prompt=20, completion=1, reasoning="It says so."),
    )
    first = await s.act((), must_answer=False)
    (call,) = first.calls
    assert (call.tool, call.args, call.raw, call.problem) == (
        "search",
        {"query": "Ann trip"},
        '{"query": "Ann trip"}',
        "",
    )
    assert [m["role"] for m in first.messages] == ["system", "user", "assistant"]
    second = await s.act([seen("c0")], must_answer=False)
    assert (second.answer, second.answer_raw, second.end) == ("Rome", "Rome", None)
    assert second.reasoning == "It says so."
    assert [m["role"] for m in second.messages] == ["tool", "assistant"]
    assert second.usage is not None and second.usage.prompt == 20
    assert [m["role"] for m in client.requests[1].messages] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]


async def test_the_system_prompt_says_what_there_is_to_know() -> None:
    s, client = session("x", brief=Brief("Q", "2024-05-01", (SEARCH,), k=7, budget=2))
    await s.act((), must_answer=False)
    system = client.requests[0].messages[0]["content"]
    for part in ("2024-05-01", "at most 7 passages", "at most 2 calls", "search(query, k)"):
        assert part in system
    s, client = session("x", brief=Brief("Q", None, (SEARCH,), k=7, budget=None))
    await s.act((), must_answer=False)
    system = client.requests[0].messages[0]["content"]
    assert "asked on" not in system and "calls in total" not in system and "{" not in system


@pytest.mark.parametrize(
    ("arguments", "args", "problem"),
    [
        ('{"query": "Par', None, "not valid JSON"),
        ("", None, "missing"),
        (None, None, "missing"),
        ('["a"]', None, "must be a JSON object"),
        ({"query": "x"}, {"query": "x"}, ""),
        ('{"query": 5}', {"query": 5}, ""),
    ],
)
async def test_odd_arguments(arguments: Any, args: Any, problem: str) -> None:
    s, _ = session(calls(("search", arguments)), "done")
    action = await s.act((), must_answer=False)
    (call,) = action.calls
    assert call.args == args
    assert problem in call.problem if problem else not call.problem
    if isinstance(arguments, str):
        assert call.raw == arguments
    # The conversation goes on: what is sent back must be JSON, or the provider refuses it.
    await s.act([seen("c0", "Error", "invalid_args")], must_answer=False)


async def test_a_tool_without_required_fields_takes_no_arguments() -> None:
    s, _ = session(calls(("list_days", "")))
    (call,) = (await s.act((), must_answer=False)).calls
    assert call.args == {} and not call.problem


async def test_an_unknown_tool_is_a_call_all_the_same() -> None:
    s, _ = session(calls(("browse", '{"url": "x"}')))
    (call,) = (await s.act((), must_answer=False)).calls
    assert (call.tool, call.problem, call.raw) == ("browse", "unknown_tool", '{"url": "x"}')


async def test_several_calls_and_words_in_one_step() -> None:
    s, client = session(
        calls(("search", '{"query": "a"}'), ("search", '{"query": "b"}'), text="Let me look."),
        "Rome",
    )
    action = await s.act((), must_answer=False)
    assert [c.args for c in action.calls] == [{"query": "a"}, {"query": "b"}]
    assert action.answer is None and action.data["said"] == "Let me look."
    assert json.loads(action.raw)["content"] == "Let me look."
    # Only one observation comes back (the budget ended): each call still gets its message.
    await s.act([seen("c0")], must_answer=True)
    tools = [m for m in client.requests[1].messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in tools] == ["c0", "c1"]
    assert tools[1]["content"] == "Not executed."


async def test_missing_and_repeated_call_ids_are_told_apart() -> None:
    args = '{"query": "a"}'
    made = tuple(ToolRequest("search", args, id) for id in ("", "x", "x"))
    s, client = session(ChatReply(None, "tool_calls", made), "Rome")
    action = await s.act((), must_answer=False)
    ids = [c.call_id for c in action.calls]
    assert len(set(ids)) == 3 and all(ids)
    await s.act([seen(id, id) for id in ids], must_answer=False)
    tools = [m for m in client.requests[1].messages if m["role"] == "tool"]
    assert [(m["tool_call_id"], m["content"]) for m in tools] == [(id, id) for id in ids]


@pytest.mark.parametrize("text", [None, "", "  \n"])
@pytest.mark.parametrize(
    ("finish", "end"),
    [
        ("length", EndReason.TRUNCATED),
        ("content_filter", EndReason.FILTERED),
        ("stop", EndReason.EMPTY),
        (None, EndReason.EMPTY),
    ],
)
async def test_no_words(text: str | None, finish: str | None, end: EndReason) -> None:
    reply = ChatReply(text, finish, reasoning="all tokens went here", completion=9)
    for mode in ("tools", "json"):
        s, _ = session(reply, mode=mode)
        action = await s.act((), must_answer=False)
        assert (action.end, action.answer, action.calls) == (end, None, ())
        assert action.reasoning == "all tokens went here" and action.attempts == 1


async def test_thoughts_are_no_answer() -> None:
    s, _ = session("<think>It might be Rome, or")
    action = await s.act((), must_answer=False)
    assert action.end is EndReason.TRUNCATED and action.answer is None
    assert action.reasoning == "It might be Rome, or" and action.raw.startswith("<think>")
    s, _ = session("<think>Rome it is</think>\nAnswer: Rome")
    action = await s.act((), must_answer=False)
    assert (action.answer, action.reasoning) == ("Rome", "Rome it is")
    assert action.answer_raw == "Answer: Rome" and "<think>" in action.raw


async def test_a_long_reply_keeps_raw_and_extracted_answer_apart() -> None:
    text = "Because of this and that. " * 160 + "\nFinal answer: Rome"
    s, _ = session(text)
    action = await s.act((), must_answer=False)
    assert action.answer == "Rome" and action.answer_raw == text == action.raw


async def test_a_call_written_as_text_is_a_call() -> None:
    for text in (
        '{"name": "search", "arguments": {"query": "Ann"}}',
        '```json\n{"name": "search", "arguments": {"query": "Ann"}}\n```',
    ):
        s, client = session(text, "Rome")
        action = await s.act((), must_answer=False)
        (call,) = action.calls
        assert call.args == {"query": "Ann"} and action.data["call_written_as_text"] is True
        await s.act([seen("")], must_answer=False)
        assert client.requests[1].messages[-1] == {
            "role": "user",
            "content": "search: Ann went to Rome.",
        }


async def test_the_forced_answer_is_asked_without_tools() -> None:
    s, client = session(calls(("search", '{"query": "a"}')), calls(("search", '{"query": "b"}')))
    await s.act((), must_answer=False)
    action = await s.act([seen("c0")], must_answer=True)
    assert client.requests[1].tool_choice == "none"
    assert client.requests[1].messages[-1]["content"] == DEFAULTS["must_answer"]
    assert action.calls == () and action.end is EndReason.EMPTY


async def test_decisions_are_capped() -> None:
    s, client = session(calls(("search", '{"query": "a"}')), max_steps=2)
    await s.act((), must_answer=False)
    await s.act([seen("c0")], must_answer=False)
    action = await s.act([seen("c0")], must_answer=False)
    assert action.end is EndReason.STEP_CAP and len(client.requests) == 2
    await s.act((), must_answer=True)
    assert len(client.requests) == 3


async def test_settings_requested_and_effective_are_both_kept() -> None:
    reply = ChatReply("x", effective={"temperature": 1.0}, reasoning_tokens=3, model="m-2024")
    brief = Brief("Q", None, (SEARCH,), k=1, budget=None, repeat=2)
    s, client = session(reply, brief=brief, temperature=0.2, seed=10, max_tokens=50, timeout=9)
    action = await s.act((), must_answer=False)
    assert action.data["requested"] == {"temperature": 0.2, "seed": 12, "max_tokens": 50}
    assert action.data["effective"] == {"temperature": 1.0}
    assert action.data["model"] == "m-2024" and action.data["reasoning_tokens"] == 3
    assert client.requests[0].timeout == 9.0 and client.requests[0].repeat == 2


async def test_provider_faults_end_the_step_with_their_reason() -> None:
    for kind, end in (
        (ErrorKind.SERVER, EndReason.PROVIDER_ERROR),
        (ErrorKind.RATE_LIMITED, EndReason.PROVIDER_ERROR),
        (ErrorKind.TIMEOUT, EndReason.PROVIDER_ERROR),
        (ErrorKind.CONTEXT_OVERFLOW, EndReason.CONTEXT_OVERFLOW),
        (ErrorKind.FILTERED, EndReason.FILTERED),
    ):
        s, _ = session(ModelError(kind, "no"))
        action = await s.act((), must_answer=False)
        assert action.end is end and action.data["model_error"] == kind.value
        assert action.usage is not None and action.usage.prompt is None
    s, _ = session(ModelError(ErrorKind.AUTH, "no"))
    with pytest.raises(ModelAccessError):
        await s.act((), must_answer=False)


async def json_step(reply: Entry, *more: Entry, **options: Any) -> tuple[Action, ScriptedClient]:
    s, client = session(reply, *more, mode="json", **options)
    return await s.act((), must_answer=False), client


async def test_json_mode() -> None:
    action, client = await json_step(
        '{"action": "search", "query": "Ann", "k": null, "answer": ""}'
    )
    (call,) = action.calls
    assert (call.tool, call.args) == ("search", {"query": "Ann"})
    schema = client.requests[0].response_format
    assert schema is not None and not client.requests[0].tools
    fields = schema["json_schema"]["schema"]
    assert fields["properties"]["action"]["enum"] == ["search", "list_days", "answer"]
    assert fields["required"] == list(fields["properties"])

    action, _ = await json_step('{"action": "answer", "query": "", "answer": " Rome "}')
    assert (action.answer, action.calls) == ("Rome", ())
    action, _ = await json_step('{"answer": 3, "action": "answer"}')
    assert action.answer == "3"
    action, _ = await json_step('{"action": "answer", "answer": ""}')
    assert action.end is EndReason.EMPTY
    action, _ = await json_step('{"action": "browse", "query": "x"}')
    assert action.calls[0].problem == "unknown_tool"
    action, _ = await json_step('{"action": "search", "args": {"query": "x"}}')
    assert action.calls[0].args == {"query": "x"}
    action, _ = await json_step('{"action": "search", "query": "Par')
    assert action.end is EndReason.TRUNCATED and action.answer is None


async def test_json_mode_asks_again_once_within_the_step() -> None:
    action, client = await json_step("Hm.", '{"action": "answer", "answer": "Rome"}')
    assert action.answer == "Rome" and action.data["repairs"] == 1
    assert action.attempts == 2 and len(client.requests) == 2
    roles = [m["role"] for m in action.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant"]
    action, client = await json_step("Rome.")
    assert len(client.requests) == 2
    assert action.answer == "Rome." and action.data["json_found"] == "none"
    action, client = await json_step("Rome.", repairs=0)
    assert len(client.requests) == 1 and action.answer == "Rome."


async def test_json_mode_forces_an_answer_by_schema() -> None:
    s, client = session('{"action": "answer", "answer": "Rome"}', mode="json")
    action = await s.act((), must_answer=True)
    schema = client.requests[0].response_format
    assert schema is not None
    assert schema["json_schema"]["schema"]["properties"]["action"]["enum"] == ["answer"]
    assert action.answer == "Rome"
    s, client = session("Rome", mode="json", constrain=False, repairs=0)
    await s.act((), must_answer=True)
    assert client.requests[0].response_format is None


async def test_a_context_is_read_without_tools() -> None:
    context = Context("[day 1] Ann went to {Rome}.", (), 9)
    brief = Brief("Where?", None, (), k=12, budget=None, context=context)
    for mode in ("tools", "json"):
        s, client = session("Rome", brief=brief, mode=mode)
        action = await s.act((), must_answer=False)
        assert action.answer == "Rome"
        request = client.requests[0]
        assert not request.tools and request.response_format is None
        assert request.messages[1]["content"] == "[day 1] Ann went to {Rome}.\n\nQuestion: Where?"


async def test_declining_is_noticed() -> None:
    s, _ = session("There is not enough information.")
    assert (await s.act((), must_answer=False)).abstained
    s, _ = session("Rome")
    assert not (await s.act((), must_answer=False)).abstained


def test_options_are_checked_and_stored() -> None:
    door = ModelDoor(ScriptedClient(["x"]))
    agent = ModelAgent({"model": "openai/x", "texts": {"now": "Today: {now}. "}}, door)
    config = agent.config
    assert config["model"] == "openai/x" and config["temperature"] == 0.0
    assert config["texts"]["now"] == "Today: {now}. " and len(config["prompt_hash"]) == 12
    assert config["prompt_hash"] != ModelAgent({"model": "openai/x"}, door).config["prompt_hash"]
    json.dumps(config)
    for options, message in (
        ({}, "needs a model"),
        ({"model": "m", "temprature": 1}, "did you mean temperature"),
        ({"model": "m", "mode": "chat"}, "tools or json"),
        ({"model": "m", "max_steps": 0}, "at least 1"),
        ({"model": "m", "temperature": "hot"}, "must be a number"),
        ({"model": "m", "texts": {"sytem": ""}}, "unknown option 'sytem'"),
        ({"model": "m", "constrain": 1}, "true or false"),
    ):
        with pytest.raises(UserError, match=message):
            ModelAgent(options, door)
    with pytest.raises(UserError, match="given neither"):
        agent.start(Brief("Q", None, (), k=1, budget=None))
