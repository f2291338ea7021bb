"""What packages are handed and what comes back, without a process: batches of turns, memories, scripted replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memtui.model import Turn
from runners.memory.packages.batches import batches
from runners.memory.packages.replies import REPLIES
from runners.memory.packages.workers import mem0_2


def test_named_speakers_become_roles() -> None:
    turns = (Turn("Ann", "hello"), Turn("Ben", "hi", "a cat"), Turn("Ann", " "), Turn("Ann", "bye"))
    (one,) = batches(turns, 100)
    assert one.messages == (
        {"role": "user", "content": "Ann: hello"},
        {"role": "assistant", "content": "Ben: hi [image: a cat]"},
        {"role": "user", "content": "Ann: bye"},
    )
    assert (one.first, one.last) == (0, 3)


def test_batches_keep_their_limit_and_lose_nothing() -> None:
    words = [f"word{i}" for i in range(500)]
    turns = (
        Turn("user", "short"),
        Turn("assistant", ". ".join(words)),
        Turn("user", "end"),
    )
    cut = batches(turns, 50)
    assert all(sum(-(-len(m["content"]) // 4) for m in one.messages) <= 50 for one in cut)
    said = " ".join(m["content"] for one in cut for m in one.messages)
    assert [w for w in words if f"{w}." in said or f"{w} " in said] == words
    assert [one.first for one in cut] == sorted(one.first for one in cut)
    assert cut[0].first == 0 and cut[-1].last == 2


def test_an_updated_memory_keeps_all_it_was_made_from() -> None:
    memory = object.__new__(mem0_2.Memory)
    memory.numbers, memory.sources = {}, {}
    for name, event, source in (
        ("a", "ADD", 0),
        ("b", "ADD", 1),
        ("a", "UPDATE", 2),
        ("b", "DELETE", 3),
        ("a", "NONE", 4),
    ):
        memory.note(name, event, source)
    found = [{"id": "a", "memory": "x", "score": 0.5}, {"id": "b", "memory": "y", "score": 0.4}]
    assert memory.hits({"results": found}) == [
        {"number": 0, "text": "x", "score": 0.5, "sources": [0, 2]}
    ]


@pytest.mark.parametrize(
    ("name", "messages", "schema", "reply"),
    [
        (
            "pkg:mem0-1",
            "Input:\nuser: a cat\nassistant: oh",
            None,
            {"facts": ["a cat", "oh"]},
        ),
        (
            "pkg:memos-text",
            "Conversation:\nuser:[2024-03-01]: a cat\n\nYour Output:",
            None,
            {
                "memory list": [
                    {"key": "a cat", "memory_type": "UserMemory", "value": "a cat", "tags": []}
                ],
                "summary": "",
            },
        ),
    ],
)
def test_scripted_replies_have_the_packages_forms(
    name: str, messages: str, schema: Mapping[str, Any] | None, reply: object
) -> None:
    assert REPLIES[name]([{"role": "user", "content": messages}], schema) == reply
