"""What models write, read without losing or inventing anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.agents.parse import extract_answer, extract_json, parse_arguments, split_thinking

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["```json\n{}\n```", "<think>x</think>", "{", "a ```py``` b", "</think>"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(value=JSON)
def test_json_comes_back_as_it_was_written(value: Any) -> None:
    assert extract_json(json.dumps(value)) == (value, "whole")


@given(value=st.dictionaries(st.text(max_size=8), JSON, max_size=4), note=st.text("abc .,\n"))
def test_json_is_found_in_fences_after_thoughts_and_within_prose(
    value: dict[str, Any], note: str
) -> None:
    text = json.dumps(value)
    assert extract_json(f"```json\n{text}\n```") == (value, "fenced")
    assert extract_json(f'<think>maybe {{"a": 1}}?</think>\n{text}') == (value, "whole")
    assert extract_json(f"{note}x {text} {note} [1]")[0] == value


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}, "fenced"),
        ('```\n{"a": 1}\n```', {"a": 1}, "fenced"),
        ('<think>x {"a":1} y</think>{"answer":"x"}', {"answer": "x"}, "whole"),
        ('<think>x {"a":1}', None, "truncated"),
        ('{"a":"```py```"}', {"a": "```py```"}, "whole"),
        ("```json\n```", None, "none"),
        ('{"a": 1} as said in [1]', {"a": 1}, "embedded"),
        ('Use {braces}: {"a": 1}', {"a": 1}, "embedded"),
        ('{"action": "search", "query": "Par', None, "truncated"),
        ("just prose", None, "none"),
        ("", None, "none"),
        ("{" * 4000, None, "none"),
        ("[" * 100_000, None, "none"),
    ],
)
def test_json_table(text: str, value: Any, how: str) -> None:
    assert extract_json(text) == (value, how)


@pytest.mark.parametrize(
    ("raw", "required", "value", "problem"),
    [
        ('{"query": "Par', True, None, "not valid JSON"),
        ("", True, None, "missing"),
        (None, True, None, "missing"),
        ("", False, {}, ""),
        (None, False, {}, ""),
        ("   ", True, None, "missing"),
        ('["a"]', True, None, "must be a JSON object"),
        ("5", True, None, "must be a JSON object"),
        ({"query": "x"}, True, {"query": "x"}, ""),
        ('{"query": 5}', True, {"query": 5}, ""),
        ('"{\\"query\\": \\"x\\"}"', True, {"query": "x"}, ""),
        (["a"], True, None, "must be a JSON object"),
        ("[" * 100_000, True, None, "not valid JSON"),
    ],
)
def test_arguments(raw: Any, required: bool, value: Any, problem: str) -> None:
    parsed = parse_arguments(raw, required=required)
    assert parsed.value == value
    assert (problem in parsed.problem) if problem else parsed.problem == ""
    if isinstance(raw, str):
        assert parsed.raw == raw


@pytest.mark.parametrize(
    ("text", "thinking", "rest", "closed"),
    [
        ("<think>a</think>b", "a", "b", True),
        ("<think>a</think>\n<think>c</think> b", "a\nc", "b", True),
        ("<think>never ends", "never ends", "", False),
        ("b <think>x</think>", "", "b <think>x</think>", True),
        ("so it goes</think>Paris", "so it goes", "Paris", True),
        ("<THINK>a</THINK>b", "a", "b", True),
        ("", "", "", True),
    ],
)
def test_thinking(text: str, thinking: str, rest: str, closed: bool) -> None:
    thought = split_thinking(text)
    assert (thought.thinking, thought.rest, thought.closed) == (thinking, rest, closed)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Paris", "Paris"),
        ("I looked it up.\nAnswer: Paris", "Paris"),
        ("Answer: Rome\nno\nFinal answer: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("<think>Answer: Rome</think>Paris", "Paris"),
        ("The answer: it depends", "The answer: it depends"),
        ("Answer:", "Answer:"),
        ("```\nParis\n```", "Paris"),
    ],
)
def test_answers(text: str, answer: str) -> None:
    assert extract_answer(text) == answer
