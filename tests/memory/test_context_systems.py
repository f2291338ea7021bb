"""Transcripts in the context: everything that fits, newest kept, every cut on record."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import Hit
from runners.memory.context.full_history import FullHistory
from runners.memory.context.rolling_window import RollingWindow
from runners.memory.contract import MemoryError_
from runners.sessions import count_tokens
from tests.memory.sessions import opened, session, tokens

SESSIONS = [
    session("old one", "old two"),
    session("mid one", "mid two", "mid three"),
    session("new"),
]
DATES = ["2024-01-01T08:00", None, "2024-03-01T08:00"]
A, B, C = tokens(SESSIONS)
WHOLE = """\
--- Session of 2024-01-01T08:00 ---
user: old one
user: old two

--- Session of an unknown date ---
user: mid one
user: mid two
user: mid three

--- Session of 2024-03-01T08:00 ---
user: new"""


async def test_the_whole_transcript_in_order_with_dates() -> None:
    view = await opened(FullHistory(), SESSIONS, dates=DATES)
    context = await view.context("any question", 10_000)
    assert context.text == WHOLE
    assert context.hits == (Hit(A), Hit(B), Hit(C))
    assert context.tokens == count_tokens(WHOLE)


async def test_the_oldest_turns_go_first_and_the_cut_is_on_record() -> None:
    view = await opened(FullHistory(), SESSIONS, dates=DATES)
    kept = WHOLE.index("user: mid two")
    room = count_tokens(WHOLE[kept:]) + count_tokens("--- Session of an unknown date ---\n") + 1
    context = await view.context("q", room)
    assert context.text.startswith(
        "--- Session of an unknown date ---\nuser: mid two\nuser: mid three"
    )
    assert context.hits == (
        Hit(A, shown=False),
        Hit(B, shown=False, first=0, last=0),
        Hit(B, first=1, last=2),
        Hit(C),
    )
    assert context.tokens <= room


@given(
    lengths=st.lists(st.lists(st.integers(0, 60), max_size=5), max_size=6),
    limit=st.integers(0, 200),
)
def test_any_limit_is_kept_and_no_turn_is_lost_from_the_record(
    lengths: list[list[int]], limit: int
) -> None:
    sessions = [session(*("x" * n for n in turns)) for turns in lengths]

    async def take() -> Any:
        view = await opened(FullHistory(), sessions)
        return await view.context("q", limit)

    context = asyncio.run(take())
    assert context.tokens <= limit and count_tokens(context.text) == context.tokens
    covered: dict[str, list[int]] = {}
    shown = 0
    for token, one in zip(tokens(sessions), sessions, strict=True):
        for hit in context.hits:
            if hit.ref != token:
                continue
            first = 0 if hit.first is None else hit.first
            last = len(one.turns) - 1 if hit.last is None else hit.last
            covered.setdefault(token, []).extend(range(first, last + 1))
            shown += (last - first + 1) if hit.shown else 0
        assert covered.get(token, []) == list(range(len(one.turns)))
    assert context.text.count("user: ") == shown


async def test_a_window_of_sessions() -> None:
    view = await opened(RollingWindow(sessions=2), SESSIONS, dates=DATES)
    context = await view.context("q", 10_000)
    assert context.text == WHOLE[WHOLE.index("--- Session of an unknown") :]
    assert context.hits == (Hit(B), Hit(C)) and view.stored == 3


async def test_a_window_of_turns_cuts_inside_a_session() -> None:
    view = await opened(RollingWindow(turns=3), SESSIONS, dates=DATES)
    context = await view.context("q", 10_000)
    assert "mid one" not in context.text and "mid two" in context.text
    assert context.hits == (Hit(B, first=1, last=2), Hit(C))
    cut = await view.context(
        "q", count_tokens("--- Session of 2024-03-01T08:00 ---\nuser: new\n\n")
    )
    assert cut.hits == (Hit(B, shown=False, first=1, last=2), Hit(C))


async def test_there_is_no_tool_and_nothing_after_closing() -> None:
    view = await opened(FullHistory(), SESSIONS)
    assert FullHistory().tools() == () and FullHistory().info.context
    with pytest.raises(MemoryError_, match="no tool"):
        await view.call("memory_search", {"query": "x"})
    assert await view.rank("x", 5) is None
    await view.close()
    assert (await view.context("q", 100)).text == ""


@pytest.mark.parametrize(
    "options", [{"sessions": 0}, {"turns": 0}, {"turns": True}, {"sessions": 3, "turns": 3}]
)
def test_windows_without_meaning_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UserError):
        RollingWindow(**options)


def test_the_default_window_is_ten_sessions() -> None:
    assert RollingWindow().info.config["sessions"] == 10
    assert RollingWindow(turns=4).info.config["sessions"] is None
