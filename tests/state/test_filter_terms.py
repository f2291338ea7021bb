"""One word of a filter line switched on and off; completion of the last word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.query.grammar import read_terms
from memtui.state.filter_terms import has_term, toggled, words_of
from memtui.widgets.filter_line import candidates, complete

VALUES = st.text(
    alphabet=st.characters(exclude_characters='"', exclude_categories=["Cs"]), min_size=1
)


@given(st.sampled_from(["", "scale>=200", 'out:pass,wrong "free text"', "-arm:bm25"]), VALUES)
def test_a_value_is_switched_on_and_off_again(text: str, value: str) -> None:
    on = toggled(text, "arm", value)
    assert has_term(on, "arm", value)
    off = toggled(on, "arm", value)
    assert not has_term(off, "arm", value)
    assert words_of(off) == words_of(text)


def test_a_list_of_values_is_another_word() -> None:
    assert not has_term("out:pass,wrong", "out", "pass")
    assert not has_term("-out:pass", "out", "pass") and not has_term("out!=pass", "out", "pass")
    assert toggled("out:pass,wrong", "out", "pass") == "out:pass,wrong out:pass"


@given(st.text(max_size=40))
def test_words_are_what_was_typed(text: str) -> None:
    assert [text[t.start : t.end] for t in read_terms(text)] == words_of(text)


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("ou", "out:"),
        ("out:", "exhausted"),
        ("out:pass,wr", "wrong"),
        ("scale>=", "none"),
        ("arm:bm", "bm25/search-once"),
        ("-regime:exh", "exhausted_covered"),
        ("has:", "note"),
    ],
)
def test_the_last_word_may_become(line: str, there: str) -> None:
    values = {"arm": ["bm25/search-once", "dense"]}
    assert there in candidates(line, values)
    assert candidates(line + " ", values) == [] and candidates("nofield:", values) == []
    found = complete(line, values)
    assert found is None or found.startswith(line)
