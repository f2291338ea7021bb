"""Names that differ do not look the same when they are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.views.names import cut_apart


def test_the_end_that_differs_is_kept() -> None:
    names = ["answer_60e8941a_abs_1 t3", "answer_60e8941a_abs_2 t3"]
    assert cut_apart(names, 30) == names
    assert cut_apart(names, 15) == ["answ…a_abs_1 t3", "answ…a_abs_2 t3"]


def test_a_beginning_that_differs_is_kept_where_the_ends_are_alike() -> None:
    names = ["conv-44/session_1/morning/long", "conv-45/session_1/morning/long"]
    first, second = cut_apart(names, 14)
    assert first != second and first.startswith("conv-44") and second.startswith("conv-45")


def test_one_name_keeps_both_ends() -> None:
    assert cut_apart(["answer_60e8941a_abs_1 t3"], 12) == ["ans…abs_1 t3"]
    assert cut_apart([], 12) == []


@given(
    st.lists(st.text(max_size=40), max_size=6),
    st.integers(min_value=0, max_value=30),
)
def test_what_is_shown_fits(names: list[str], width: int) -> None:
    shown = cut_apart(names, width)
    assert len(shown) == len(names)
    assert all(cell_len(one) <= width for one in shown)


@given(
    st.lists(st.integers(min_value=0, max_value=99_999), min_size=2, max_size=6, unique=True),
    st.integers(min_value=10, max_value=30),
    st.booleans(),
)
def test_ids_that_differ_in_a_number_stay_apart(
    numbers: list[int], width: int, first: bool
) -> None:
    ids = [f"{n:05}_of_a_rather_long_name" if first else f"a_long_name_of_{n:05}" for n in numbers]
    assert len(set(cut_apart(ids, width))) == len(ids)
