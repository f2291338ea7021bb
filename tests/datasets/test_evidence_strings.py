"""Every known form of a broken evidence string is read, repaired where possible, and named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import EvidenceStatus
from runners.datasets.evidence import read_evidence, references

TURNS = {
    (session, turn): (f"s{session}", turn - 1) for session in range(1, 31) for turn in range(1, 13)
}
EXACT = frozenset(f"D{session}:{turn}" for session, turn in TURNS)

RESOLVED, REPAIRED, DANGLING = (
    EvidenceStatus.RESOLVED,
    EvidenceStatus.REPAIRED,
    EvidenceStatus.DANGLING,
)


@pytest.mark.parametrize(
    ("raw", "malformed", "dangling", "statuses"),
    [
        ("D8:6", False, False, [RESOLVED]),
        ("D8:6; D9:11", True, False, [REPAIRED, REPAIRED]),
        ("D9:1 D4:4 D4:6", True, False, [REPAIRED, REPAIRED, REPAIRED]),
        ("D:11:12", True, False, [REPAIRED]),
        ("(D8:6)", True, False, [REPAIRED]),
        ("D", True, False, [DANGLING]),
        ("", True, False, [DANGLING]),
        ("D30:05", False, True, [REPAIRED]),
        ("D10:19", False, True, [DANGLING]),
        ("D8:6, D99:1", True, False, [REPAIRED, DANGLING]),
    ],
)
def test_each_form(
    raw: str, malformed: bool, dangling: bool, statuses: list[EvidenceStatus]
) -> None:
    (string,) = read_evidence([raw], TURNS, EXACT)
    assert (string.malformed, string.dangling) == (malformed, dangling)
    assert [found.status for found in string.found] == statuses
    assert all(found.raw == raw for found in string.found)


def test_a_padded_zero_resolves_to_the_turn_meant() -> None:
    (string,) = read_evidence(["D30:05"], TURNS, EXACT)
    assert (string.found[0].session_id, string.found[0].turn) == ("s30", 4)


def test_what_is_no_text_dangles_and_its_value_is_kept() -> None:
    (string,) = read_evidence([17], TURNS, EXACT)
    assert string.malformed
    assert string.found[0].status is DANGLING
    assert string.found[0].raw == "17"


def test_a_turn_named_twice_is_one_gold_unit() -> None:
    found = references(read_evidence(["D1:1", "D1:1", "D1:1 D1:2", "D", "D"], TURNS, EXACT))
    assert [(gold.session_id, gold.turn) for gold in found] == [("s1", 0), ("s1", 1), (None, None)]


@given(st.lists(st.text(alphabet="D:0123456789 ;,()", max_size=20), max_size=6))
def test_no_string_is_dropped(raws: list[str]) -> None:
    strings = read_evidence(raws, TURNS, EXACT)
    assert [string.raw for string in strings] == raws
    assert all(string.found for string in strings)
    for string in strings:
        for gold in string.found:
            assert (gold.session_id is None) is (gold.status is DANGLING)
