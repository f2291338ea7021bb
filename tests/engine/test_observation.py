"""What is cut before the model sees it, and that the record says so exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.model import Hit, Turn
from runners.memory.contract import CallResult
from runners.observation import NOTHING_FOUND, HaystackText, show
from runners.sessions import count_tokens, render_block

LONG = tuple(Turn("user", f"turn {i} " + "x" * 80) for i in range(10))
SHORT = (Turn("user", "tea"), Turn("assistant", "milk?"))
TEXT = HaystackText({"long": LONG, "short": SHORT}, {"long": "2023-05-01", "short": None})


def test_nothing_found() -> None:
    shown = show(CallResult(()), TEXT, 12, None)
    assert (shown.text, shown.blocks, shown.returned) == (NOTHING_FOUND, (), 0)


def test_blocks_carry_token_date_and_text() -> None:
    shown = show(CallResult((Hit("short"), Hit("long", first=2, last=3))), TEXT, 12, None)
    assert shown.text.startswith(
        "[1] short\nuser: tea\nassistant: milk?\n\n[2] long · 2023-05-01\n"
    )
    assert shown.blocks[1].text == render_block(LONG, 2, 3)


def test_a_derived_block_has_the_date_of_its_newest_source() -> None:
    text = HaystackText({**TEXT.turns, "later": SHORT}, {**TEXT.dates, "later": "2023-06-01"})
    made = Hit("memory-1", sources=("long", "short", "later"), text="Tea with milk")
    untraced = Hit("memory-2", text="Tea")
    shown = show(CallResult((made, untraced)), text, 12, None)
    assert shown.text == "[1] memory-1 · 2023-06-01\nTea with milk\n\n[2] memory-2\nTea"


def test_a_block_that_does_not_fit_and_all_after_it_are_cut() -> None:
    shown = show(CallResult((Hit("short"), Hit("long"), Hit("short"))), TEXT, 12, 20)
    assert [hit.shown for hit in shown.hits] == [True, False, False]
    assert shown.cut == "tokens"


def test_an_oversized_first_block_is_split_between_turns() -> None:
    shown = show(CallResult((Hit("long", score=2.0),)), TEXT, 12, 60)
    head, tail = shown.hits
    assert (head.first, head.last, head.shown) == (0, 1, True)
    assert (tail.first, tail.last, tail.shown) == (2, 9, False)
    assert shown.blocks[0].text == render_block(LONG, 0, 1)
    assert (shown.returned, shown.shown) == (1, 1)


def test_the_systems_own_text_is_used_unless_it_names_cut_blocks() -> None:
    own = CallResult((Hit("short"), Hit("long")), text="my own words")
    assert show(own, TEXT, 12, None).text == "my own words"
    assert "my own words" not in show(own, TEXT, 1, None).text


def test_own_text_without_hits_is_cut_to_the_limit() -> None:
    shown = show(CallResult((), text="y" * 1_000), TEXT, 12, 10)
    assert shown.text == "y" * 40 + " […]"


def test_hits_the_system_cut_itself_stay_cut() -> None:
    shown = show(CallResult((Hit("short", shown=False), Hit("short"))), TEXT, 12, None)
    assert [hit.shown for hit in shown.hits] == [False, True]
    assert shown.cut == ""


@given(
    refs=st.lists(st.sampled_from(["long", "short", "derived"]), max_size=20),
    k=st.integers(1, 12),
    limit=st.one_of(st.none(), st.integers(1, 500)),
)
def test_no_hit_is_lost_and_limits_hold(refs: list[str], k: int, limit: int | None) -> None:
    given_hits = tuple(Hit(ref, text="made up " * 20 if ref == "derived" else None) for ref in refs)
    shown = show(CallResult(given_hits), TEXT, k, limit)
    assert shown.returned == len(refs)
    assert shown.shown == len(shown.blocks) == sum(hit.shown for hit in shown.hits) <= k
    assert len(shown.hits) - len(refs) in (0, 1)
    assert bool(shown.cut) == (
        len(shown.blocks) < len(refs)
        or len(shown.hits) > len(refs)
        or (limit is not None and bool(shown.blocks) and shown.blocks[0].text.endswith(" […]"))
    )
    if limit is not None and len(shown.blocks) > 1:
        assert sum(count_tokens(block.text) for block in shown.blocks) <= limit
