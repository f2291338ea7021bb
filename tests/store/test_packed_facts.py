"""Packed facts are the facts, in a few bytes each, whatever was put, replaced or dropped."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import FLAGGED
from memtui.store.packed_facts import Course, PackedFacts
from memtui.store.reader import RunReader, open_run
from memtui.store.records import EpisodeFact
from tests.report.generated_run import anything

JUDGE = "deterministic-1"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    return open_run(anything(tmp_path_factory.mktemp("runs") / "any.memtui"))


@pytest.mark.parametrize("judge", [JUDGE, "other-judge", "nobody"])
@pytest.mark.parametrize("left_out", [(), ("q0", "q11", "no such question")])
def test_packed_and_listed_facts_are_the_same(
    reader: RunReader, judge: str, left_out: tuple[str, ...]
) -> None:
    reader.leave_out(left_out)
    try:
        packed = reader.packed_facts(judge)
        listed = {fact.id: fact for fact in reader.episode_facts(judge)}
    finally:
        reader.leave_out(())
    assert len(packed) == len(listed) > 100
    assert list(packed) == sorted(listed)
    assert {fact.id: fact for fact in packed.values()} == listed
    assert all(packed[one] == fact for one, fact in listed.items())
    assert any(fact.end_reason == FLAGGED for fact in listed.values()) == bool(left_out)
    assert 10**12 not in packed and packed.position(10**12) is None


FACTS = st.builds(
    EpisodeFact,
    id=st.integers(1, 12),
    rev=st.one_of(st.integers(1, 99), st.just(2**40)),
    cell_id=st.integers(1, 3),
    item_id=st.just(1),
    cluster=st.just(4),
    qtype=st.just(5),
    answerable=st.just(1),
    done=st.sampled_from([0, 1]),
    end_reason=st.sampled_from([None, "answered", "timeout"]),
    requested=st.integers(0, 2**40),
    executed=st.integers(0, 2),
    first_hit=st.none(),
    t_star=st.one_of(st.none(), st.integers(0, 2)),
    gold_total=st.one_of(st.none(), st.just(0)),
    gold_found=st.none(),
    redundant=st.integers(0, 2),
    zero_yield=st.just(0),
    forced=st.just(0),
    abstained=st.just(0),
    repeat=st.integers(0, 1),
    attempt=st.integers(1, 2),
    flagged=st.just(0),
    label=st.sampled_from([None, "right", "wrong"]),
)


@given(st.lists(st.one_of(FACTS, st.integers(1, 12)), max_size=40))
def test_putting_and_dropping_is_what_a_dict_does(moves: list[EpisodeFact | int]) -> None:
    packed = PackedFacts()
    packed.about = {1: (4, 5, 1, 0)}
    plain: dict[int, EpisodeFact] = {}
    for move in moves:
        if isinstance(move, EpisodeFact):
            packed.put([move])
            plain[move.id] = move
        else:
            packed.drop([move])
            plain.pop(move, None)
    assert dict(packed.items()) == plain
    assert [fact.id for fact in packed.values()] == sorted(plain)
    took = [Course._make((*fact[7:21], fact.label)) for fact in plain.values()]
    assert packed.counts == [took.count(course) for course in packed.table]


def test_a_fact_takes_some_twenty_bytes() -> None:
    one = EpisodeFact(
        1, 1, 1, 1, 0, 0, 1, 1, "answered", 1, 1, None, None, 2, 0, 0, 0, 0, 0, 0, 1, 0, "right"
    )
    many = 20_000
    tracemalloc.start()
    try:
        packed = PackedFacts()
        before = tracemalloc.get_traced_memory()[0]
        packed.put(
            one._replace(id=number, rev=number, requested=number % 300, cell_id=number % 200)
            for number in range(1, many + 1)
        )
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert len(packed.table) == 300
    assert used / many < 40, "a fact as a tuple with its numbers takes over 500"


def test_large_numbers_are_kept_as_they_are() -> None:
    packed = PackedFacts()
    packed.about = {1: (4, 5, 1, 0)}
    course = Course(1, "answered", 1, 1, None, None, 2, 0, 0, 0, 0, 0, 0, 1, "right")
    packed.extend(course, [3, 1], [7, 8], [1, 2], [1, 1])
    packed.extend(course, [2**40, 2], [2**62, 9], [1, 2], [1, 1])
    packed.sort()
    assert list(packed) == [1, 2, 3, 2**40]
    assert [fact.rev for fact in packed.values()] == [8, 9, 7, 2**62]
    assert [fact.cell_id for fact in packed.values()] == [2, 2, 1, 1]
    assert packed.counts == [4]


def test_a_file_that_lost_an_item_is_named(tmp_path: Path) -> None:
    import sqlite3

    from memtui.store.errors import StoreError

    path = anything(tmp_path / "any.memtui")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM item WHERE id=1")
    connection.close()
    with open_run(path) as reader, pytest.raises(StoreError, match="memtui check"):
        reader.packed_facts(JUDGE)
