"""A model's JSON: read strictly, repaired where nothing is invented, refused otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runners.memory.json_repair import Misfit, read_json

FACTS = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
DECISION = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["ADD", "NONE"]},
        "id": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["event"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("reply", "facts", "repairs"),
    [
        ('{"facts": ["a", "b"]}', ["a", "b"], []),
        ('```json\n{"facts": ["a"]}\n```', ["a"], ["fenced"]),
        ('<think>hm {"facts": []}</think>{"facts": ["a"]}', ["a"], ["thoughts"]),
        ('Here you are: {"facts": ["a"]} Enjoy.', ["a"], ["embedded"]),
        ('["a", "b"]', ["a", "b"], ["wrapped"]),
        ('Facts: ["a"].', ["a"], ["embedded", "wrapped"]),
        ('{"facts": ["a", "b",],}', ["a", "b"], ["mended"]),
        ("{'facts': ['it is Ann\\'s']}", ["it is Ann's"], ["mended"]),
        ('{"facts": ["a", "b", "unfinish', ["a", "b"], ["truncated"]),
        ('{"facts": ["a, b", "c"', ["a, b"], ["truncated"]),
        ('{"facts": ["a", 5]}', ["a", "5"], ["coerced"]),
        ('{"facts": "only one"}', ["only one"], ["coerced"]),
        ('{"facts": []}', [], []),
    ],
)
def test_what_can_be_read(reply: str, facts: list[str], repairs: list[str]) -> None:
    found = read_json(reply, FACTS)
    assert found.value == {"facts": facts}
    assert found.repairs == repairs


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no JSON"),
        ("I could not find any facts.", "no JSON"),
        ("{}", "lacks the field 'facts'"),
        ('{"fact": ["a"]}', "lacks the field 'facts'"),
        ("3", "must be of type object, not int"),
        ("null", "must be of type object"),
        ('{"facts": {"a": 1}}', "must be of type array, not dict"),
        ('{"facts": [{"a": 1}]}', "element 1 must be of type string"),
        ('{"facts": "', "not valid JSON"),
        ('{"facts', "not valid JSON"),
        ("{" * 3000, "not valid JSON"),
        ("<think>never closed", "no JSON"),
    ],
)
def test_what_cannot(reply: str, why: str) -> None:
    with pytest.raises(Misfit, match=why):
        read_json(reply, FACTS)


def test_elements_and_fields_that_do_not_fit_are_dropped_and_counted() -> None:
    found = read_json('{"facts": ["a", null, ["b"], "c"]}', FACTS)
    assert (found.value, found.dropped) == ({"facts": ["a", "c"]}, 2)
    found = read_json('{"event": "add", "id": "x", "more": 1, "tags": ["a","b","c"]}', DECISION)
    assert found.value == {"event": "ADD", "tags": ["a", "b"]} and found.dropped == 2
    assert read_json('{"event": "NONE", "id": "3.0"}', DECISION).value["id"] == 3
    with pytest.raises(Misfit, match="one of ADD, NONE"):
        read_json('{"event": "MAYBE"}', DECISION)


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=5))
def test_valid_replies_are_never_touched_and_cut_ones_invent_nothing(facts: list[str]) -> None:
    text = json.dumps({"facts": facts}, ensure_ascii=False)
    whole = read_json(text, FACTS)
    assert whole.value == {"facts": facts} and not whole.repairs and not whole.dropped
    for end in range(len(text)):
        try:
            found: Any = read_json(text[:end], FACTS)
        except Misfit:
            continue
        assert found.value["facts"] == facts[: len(found.value["facts"])]
