"""Sources survive merges: sessions once, oldest first, turns where they are known."""

from __future__ import annotations

from runners.memory.contract import Position
from runners.memory.provenance import dated, derived_hit, latest_date, merged, sessions, source

OLD = source(0, Position("aaa", "s0", "2024-01-01T09:00"), 2, 3)
NEW = source(1, Position("bbb", "s1", "2024-02-01T09:00"), 0, 0)
UNDATED = source(2, Position("ccc", "s2", None), 5, 5)


def test_a_union_keeps_each_source_once_in_the_order_of_the_haystack() -> None:
    assert merged([NEW, OLD], [OLD], []) == (OLD, NEW)
    assert sessions([NEW, OLD, NEW]) == ("aaa", "bbb")
    assert latest_date([NEW, OLD, UNDATED]) == "2024-02-01T09:00"
    assert latest_date([UNDATED]) is None and latest_date([]) is None


def test_hits_name_turns_of_one_session_and_several_sessions_as_wholes() -> None:
    later = source(0, Position("aaa", "s0", None), 7, 8)
    one = derived_hit("m1", "text", 0.5, [later, OLD])
    assert (one.ref, one.first, one.last, one.sources) == ("m1", 2, 8, ("aaa",))
    two = derived_hit("m2", "text", 0.5, [NEW, OLD])
    assert (two.first, two.last, two.sources) == (None, None, ("aaa", "bbb"))
    assert two.text == "text" and two.score == 0.5


def test_dates_are_written_as_days() -> None:
    assert dated("He left.", "2024-01-01T09:00") == "[2024-01-01] He left."
    assert dated("He left.", None) == "He left."
