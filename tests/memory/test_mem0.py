"""Mem0 on worked examples: what is added, updated, deleted, joined, and where it came from."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from memtui.errors import UserError
from runners.memory.contract import MemorySystem, SessionText
from runners.memory.memories import Memories
from runners.memory.planar.mem0_decisions import decide_by_model, origin
from runners.memory.planar.mem0_v1 import Mem0V1
from runners.memory.planar.mem0_v2 import Mem0V2
from runners.memory.provenance import Source
from runners.models.scripted_door import Reply, ScriptedDoor
from tests.memory.sessions import haystack, session

DATES: list[str | None] = ["2024-01-05", "2024-02-05", "2024-03-05"]
SESSIONS = [
    session("I live in Paris with my cat Tom.", "Lovely."),
    session("I moved to Berlin.", "Congratulations."),
    session("Tom the cat ran away.", "I am sorry."),
]


async def opened(
    system: MemorySystem, door: ScriptedDoor, sessions: list[SessionText]
) -> tuple[Any, list[str]]:
    artifacts = {s.sha: await system.prepare(s, door) for s in sessions}
    hay = haystack(sessions, DATES[: len(sessions)])
    view = await system.open(hay, artifacts, {s.sha: s for s in sessions}, None, door)
    return view, [p.token for p in hay.positions]


def kept(view: Any) -> dict[str, tuple[str, ...]]:
    """Texts that are there, with the sessions they come from."""
    memories: Memories = view.memories
    return {
        text: tuple(one.token for one in memories.sources[i])
        for i, text in enumerate(memories.texts)
        if i in memories
    }


def facts(*texts: str) -> Reply:
    return {"facts": list(texts)}


def events(*events: tuple[str, str, str]) -> Reply:
    return {"memory": [{"id": i, "text": text, "event": event} for event, i, text in events]}


async def test_facts_update_and_delete_what_is_stored_in_order() -> None:
    door = ScriptedDoor(
        [
            facts("Lives in Paris", "Has a cat called Tom"),
            facts("Moved to Berlin"),
            facts("The cat Tom ran away"),
            # First session: nothing is stored yet.
            events(("ADD", "new", "Lives in Paris"), ("ADD", "new", "Has a cat called Tom")),
            # Second: the model merges the two texts into one.
            events(("UPDATE", "0", "Lives in Berlin, formerly Paris")),
            # Third: one memory is gone, and what made it so is kept.
            events(("DELETE", "0", "Has a cat called Tom"), ("ADD", "new", "The cat Tom ran away")),
        ],
        vectors={
            "Lives in Paris": [1.0, 0.0, 0.0],
            "Moved to Berlin": [0.9, 0.0, 0.436],
            "Lives in Berlin, formerly Paris": [0.9, 0.0, 0.436],
            "Has a cat called Tom": [0.0, 1.0, 0.0],
            "The cat Tom ran away": [0.0, 0.9, 0.436],
            "where": [0.9, 0.0, 0.436],
        },
    )
    view, (paris, berlin, cat) = await opened(Mem0V1(similar=1), door, SESSIONS)
    assert kept(view) == {
        "Lives in Berlin, formerly Paris": (paris, berlin),
        "The cat Tom ran away": (cat,),
    }
    second, third = door.asked[4].text, door.asked[5].text
    assert '[{"id": "0", "text": "Lives in Paris"}]' in second, "only the most similar is shown"
    assert '[{"id": "0", "text": "Has a cat called Tom"}]' in third
    result = await view.call("memory_search", {"query": "where"})
    assert (result.hits[0].text, result.hits[0].sources) == (
        "Lives in Berlin, formerly Paris",
        (paris, berlin),
    )
    assert result.hits[0].first is None, "made of two sessions, it stands for both as wholes"
    assert (result.hits[1].first, result.hits[1].last) == (0, 1)
    assert result.data == {"decisions_added": 3, "decisions_updated": 1, "decisions_deleted": 1}
    # Three extractions and three decisions; an embedding per session and one for the merged text.
    assert door.counts == {
        ("ingest", "complete"): 6, ("ingest", "embed"): 4, ("search", "embed"): 1,
    }  # fmt: skip


async def test_decisions_about_unknown_memories_are_refused_and_counted() -> None:
    door = ScriptedDoor(
        [
            events(
                ("UPDATE", "7", "x"), ("DELETE", "new", "x"), ("ADD", "new", " "), ("NONE", "0", "a"),
                ("UPDATE", "1", "b is red"), ("ADD", "0", "c"),
            )
        ]
    )  # fmt: skip
    decided = await decide_by_model(
        door, ["b is red now", "c"], [[4], [9]], {4: "a", 9: "b"}, max_tokens=99
    )
    assert decided.refused == 3
    assert [(d.event, d.memory, d.text, d.fact) for d in decided.decisions] == [
        ("UPDATE", 9, "b is red", 0),
        ("ADD", None, "c", 1),
    ]
    assert origin("quite another text", ["b is red now", "c"]) is None


async def test_a_decision_that_cannot_be_read_stores_nothing_and_says_so() -> None:
    door = ScriptedDoor([facts("Lives in Paris"), "I would add it.", "Sorry."])
    view, _ = await opened(Mem0V1(), door, SESSIONS[:1])
    assert kept(view) == {} and view.stored == 0
    result = await view.call("memory_search", {"query": "Paris"})
    assert result.data == {"decisions_unreadable": 1} and not result.hits
    assert "cannot be used: the reply holds no JSON" in door.asked[2].text


async def test_sessions_that_could_not_be_read_are_not_counted_as_stored() -> None:
    nothing: Reply = {"memory": []}
    door = ScriptedDoor(["no", "no", nothing, {"memory": [{"text": "a", "attributed_to": "user"}]}])
    view, _ = await opened(Mem0V2(), door, SESSIONS)
    assert view.stored == 2, "one was unreadable; one was read and held nothing"
    silent, _ = await opened(Mem0V2(), ScriptedDoor([nothing]), SESSIONS[:1])
    assert silent.stored == 1 and not (await silent.call("memory_search", {"query": "a"})).hits
    decided = ScriptedDoor([facts("a"), facts("b"), "no", "no", events(("ADD", "new", "b"))])
    edited, _ = await opened(Mem0V1(), decided, SESSIONS[:2])
    assert edited.stored == 1 and list(kept(edited)) == ["b"]


async def test_what_was_deleted_in_the_same_add_is_not_updated() -> None:
    door = ScriptedDoor(
        [
            facts("a"),
            facts("b"),
            events(("ADD", "new", "a")),
            events(("DELETE", "0", "a"), ("UPDATE", "0", "b"), ("DELETE", "0", "a")),
        ]
    )
    view, _ = await opened(Mem0V1(), door, SESSIONS[:2])
    assert kept(view) == {}
    assert (await view.call("memory_search", {"query": "b"})).data["decisions_refused"] == 2


async def test_by_rule_the_order_of_sessions_decides() -> None:
    lived, moved = session("I live in Paris."), session("I now live in Berlin.")
    door = ScriptedDoor()
    view, (first, second) = await opened(Mem0V1(extractor="rules"), door, [lived, moved])
    assert kept(view) == {"user: I now live in Berlin.": (first, second)}
    back, (first, second) = await opened(Mem0V1(extractor="rules"), door, [moved, lived])
    assert list(kept(back)) == ["user: I now live in Berlin.", "user: I live in Paris."]
    assert door.counts["ingest", "complete"] == 0


async def test_the_later_release_only_adds_and_joins_what_is_equal() -> None:
    said = {"text": "Lives in Paris", "attributed_to": "user"}
    door = ScriptedDoor(
        [
            {"memory": [said, {"text": "Has a cat", "attributed_to": "user"}, said]},
            {"memory": [{"text": "Lives in Berlin", "attributed_to": "user"}]},
            {"memory": [said]},
        ]
    )
    view, (a, b, c) = await opened(Mem0V2(), door, SESSIONS)
    assert kept(view) == {
        "Lives in Paris": (a, c),
        "Has a cat": (a,),
        "Lives in Berlin": (b,),
    }
    result = await view.call("memory_search", {"query": "Lives in Berlin", "k": 1})
    assert [h.text for h in result.hits] == ["Lives in Berlin"] and result.data == {"duplicates": 1}
    assert door.counts == {
        ("ingest", "complete"): 3, ("ingest", "embed"): 3, ("search", "embed"): 1,
    }  # fmt: skip


async def test_long_sessions_are_read_in_pieces_that_know_their_turns() -> None:
    long = session(*(f"Number {i} is here and it is long enough. " * 6 for i in range(6)))
    replies: list[Reply] = [facts(f"fact {i}") for i in range(6)]
    door = ScriptedDoor(replies)
    read = await Mem0V1(piece_tokens=64).prepare(long, door)
    assert [(f.first, f.last) for f in read.facts] == [(i, i) for i in range(6)]
    assert len(door.asked) == 6 and door.counts["ingest", "embed"] == 1


async def test_a_reply_that_says_more_than_asked_is_read_all_the_same() -> None:
    door = ScriptedDoor(['Sure! ```json\n{"facts": ["a", 3, null,]}\n```'])
    read = await Mem0V1().prepare(SESSIONS[0], door)
    assert [f.text for f in read.facts] == ["a", "3"]
    (extracted,) = read.extracted
    assert extracted.calls == 1 and extracted.dropped == 1 and extracted.repairs
    assert json.loads(json.dumps(extracted.raw))


def source(place: int) -> tuple[Source, ...]:
    return (Source(place, f"t{place}", "", 0, 0),)


def test_nearest_memories_leave_out_what_is_gone_and_prefer_the_older() -> None:
    memories = Memories()
    rows = np.eye(3, dtype=np.float32)
    memories.extend(["a", "b", "c"], [source(0), source(1), source(2)], rows)
    memories.extend(["a again"], [source(3)], rows[:1])
    assert memories.nearest(rows[:1], 2) == [[0, 3]] and len(memories) == 4
    assert memories.nearest(rows[:1], 1) == [[0]]
    memories.remove(0)
    assert memories.nearest(rows[:2], 9) == [[3, 1, 2], [1, 2, 3]] and len(memories) == 3
    assert 0 not in memories and 3 in memories and 4 not in memories
    memories.rewrite(1, "b, or a", source(4), rows[0])
    assert memories.nearest(rows[:1], 2) == [[1, 3]] and memories.texts[1] == "b, or a"
    assert Memories().nearest(rows, 5) == [[], [], []]


def test_many_small_additions_keep_every_row() -> None:
    memories = Memories()
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 8)).astype(np.float32)
    for i in range(200):
        memories.extend([str(i)], [source(i)], rows[i : i + 1])
    assert np.array_equal(memories.rows, rows) and len(memories) == 200
    assert (
        memories.extend_distinct(
            ["x", "x", "y"], [s for i in range(3) for s in source(i)], rows[:3]
        )
        == 1
    )
    assert memories.texts[200:] == ["x", "y"] and np.array_equal(memories.rows[201], rows[2])
    assert [one.place for one in memories.sources[200]] == [0, 1]


@pytest.mark.parametrize("options", [{"k": 0}, {"similar": 0}, {"piece_tokens": 3}, {"mode": "x"}])
def test_settings_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Mem0V1(**options)
