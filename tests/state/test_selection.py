"""The selection is an id: it survives whatever happens to the rows around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.state.selection import Place, carried_over

IDS = st.lists(st.integers(0, 60), unique=True, max_size=40)


@given(IDS.filter(bool), IDS, st.data())
def test_the_row_stays_selected_at_the_same_height_while_it_is_there(
    old: list[int], new: list[int], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(old) - 1))
    top = data.draw(st.integers(0, index))
    place, survived = carried_over(old, new, Place(old[index], index, top))
    if not new:
        assert place == Place(None, 0, 0) and not survived
        return
    assert place.id == new[place.index]
    assert 0 <= place.top <= place.index
    if old[index] in new:
        assert survived and place.id == old[index]
        assert place.index - place.top <= index - top
        if place.index >= index - top:
            assert place.index - place.top == index - top
    else:
        assert not survived


@given(IDS.filter(bool), st.data())
def test_a_row_that_leaves_hands_over_to_its_next_neighbour(
    old: list[int], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(old) - 1))
    kept = [one for at, one in enumerate(old) if at == index + 1 or at == index - 1]
    place, survived = carried_over(old, kept, Place(old[index], index, 0))
    assert not survived or not kept
    if index + 1 < len(old):
        assert place.id == old[index + 1]
    elif kept:
        assert place.id == old[index - 1]


def test_only_a_cursor_on_the_first_row_follows_the_newest() -> None:
    assert carried_over([3, 2, 1], [5, 4, 3, 2, 1], Place(3, 0, 0), follow_top=True)[0].id == 5
    assert carried_over([3, 2, 1], [5, 4, 3, 2, 1], Place(3, 0, 0))[0] == Place(3, 2, 2)
    assert carried_over([3, 2, 1], [4, 3, 2, 1], Place(2, 1, 0), follow_top=True)[0].id == 2


def test_an_empty_list_that_fills_selects_its_first_row() -> None:
    assert carried_over([], [7, 6], Place(None, 0, 0)) == (Place(7, 0, 0), True)
