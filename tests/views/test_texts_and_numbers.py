"""Numbers say unknown when they are, and long texts are laid out to be read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.metrics.scales import OWN
from memtui.model import Turn
from memtui.views import numbers
from memtui.views.look import DARK
from memtui.views.session_text import PlainText, SessionText, word_pattern
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (numbers.count(None), "–"),
        (numbers.count(0), "0"),
        (numbers.count(12_345), "12 345"),
        (numbers.compact(None), "–"),
        (numbers.compact(0), "0"),
        (numbers.compact(999.6), "1.0k"),
        (numbers.compact(12_345), "12.3k"),
        (numbers.compact(99_960), "100k"),
        (numbers.compact(4_500_000, partial=True), "≥4.5M"),
        (numbers.percent(None), "–"),
        (numbers.percent(0.0), "0"),
        (numbers.percent_interval(0.91, 0.88, 0.94), "91±3"),
        (numbers.percent_interval(1.0, 0.207, 1.0), "21–100"),
        (numbers.percent_interval(0.0, 0.0, 0.08), "0–8"),
        (numbers.percent_interval(0.97, 0.94, 1.0), "97±3"),
        (numbers.percent_interval(0.97, 0.87, 0.99), "97±10"),
        (numbers.percent_interval(0.7, 0.32, 1.0), "70±38"),
        (numbers.percent_interval(0.3, 0.0, 0.64), "30±34"),
        (numbers.percent_interval(1.0, 0.994, 1.0), "100±0"),
        (numbers.percent_interval(0.91, None, None), "91"),
        (numbers.points(-0.144), "-14"),
        (numbers.points(0.001), "0"),
        (numbers.points(None), "–"),
        (numbers.ratio(0, 2), "0/2"),
        (numbers.ratio(None, None), "n/a"),
        (numbers.money(None), "–"),
        (numbers.money(0.0), "$0"),
        (numbers.money(0.0042), "$0.0042"),
        (numbers.money(1.2, partial=True), "≥$1.20"),
        (numbers.duration(None), "–"),
        (numbers.duration(-5.0), "?"),
        (numbers.duration(0.4), "0.4 ms"),
        (numbers.duration(340), "340 ms"),
        (numbers.duration(999.7), "1.0 s"),
        (numbers.duration(59_990), "1m00s"),
        (numbers.duration(200_000), "3m20s"),
        (numbers.duration(7_500_000), "2h05m"),
        (numbers.duration(3 * 86_400_000), "3d00h"),
        (numbers.size(812), "812 B"),
        (numbers.size(4_200_000), "4.2 MB"),
        (numbers.level(0.7), ".70"),
        (numbers.level(1.0), "1.0"),
        (numbers.scale(None), "–"),
        (numbers.scale(0.0), "+0"),
        (numbers.scale(400.0), "+400"),
        (numbers.scale(OWN), "own"),
    ],
)
def test_a_number_as_text(shown: str, expected: str) -> None:
    assert shown == expected


@given(st.floats(0, 1e12))
def test_durations_and_counts_stay_narrow(value: float) -> None:
    assert len(numbers.duration(value)) <= 9
    assert len(numbers.compact(value)) <= 6


def test_what_is_no_time_at_all_is_no_duration() -> None:
    assert {numbers.duration(value) for value in (-1.0, float("inf"), float("nan"))} == {"?"}


@given(st.text(max_size=300).map(clean_line), st.integers(2, 60))
def test_wrapping_loses_nothing_but_blanks(line: str, width: int) -> None:
    lines = wrap(line, width)
    assert all(cell_len(one) <= width for one in lines)
    assert (
        "".join(lines).replace(" ", "") == line.replace(" ", "")
        or "\u3000" in line
        or any(c.isspace() and c != " " for c in line)
    )


TURNS = (
    Turn("user", "We moved in May."),
    Turn("assistant", "Nice.\nWhere to?"),
    Turn("user", "To Ghent, two streets from the river, where the old mill was. " * 3),
    Turn("assistant", "Shall I note it?", caption="a photo of a mill"),
)


def lines_of(text: SessionText | PlainText, width: int) -> list[str]:
    return [text.render(at, DARK).plain for at in range(text.layout(width))]


def test_the_evidence_turn_is_lit_named_and_scrolled_to() -> None:
    text = SessionText(TURNS, evidence={2}, words={"ghent", "river"})
    shown = lines_of(text, 40)
    assert shown[text.anchor()].strip() == "★ user  turn 3  evidence"
    assert text.is_lit(2) and not text.is_lit(0)
    lit = text.render(text.anchor() + 1, DARK)
    assert any(span.style == DARK.query_word for span in lit.spans)
    assert any(span.style == DARK.evidence_turn for span in lit.spans)
    assert any("[image] a photo of a mill" in one for one in shown)


def test_a_block_that_is_part_of_a_session_is_marked_and_leads_where_there_is_no_evidence() -> None:
    text = SessionText(TURNS, block=(1, 1))
    shown = lines_of(text, 40)
    assert shown[text.anchor()].startswith("▌ assistant  turn 2")
    assert not shown[0].startswith("▌")


def test_a_session_that_is_gold_as_a_whole_is_lit_as_a_whole() -> None:
    text = SessionText(TURNS, all_evidence=True)
    lines_of(text, 40)
    assert all(text.is_lit(number) for number in range(len(TURNS)))
    assert text.anchor() == 0


def test_what_is_searched_for_is_found_line_by_line() -> None:
    text = SessionText(TURNS, find="RIVER")
    lines_of(text, 40)
    assert len(text.matches()) == 3
    assert PlainText([("", "nothing here")], find="x").matches() == []


def test_a_word_is_a_whole_word_and_brackets_are_no_pattern() -> None:
    pattern = word_pattern({"art", "c++", "(", "日本"})
    assert pattern is not None
    assert [m.group() for m in pattern.finditer("Art party c++ ( 日本 日本語")] == [
        "Art",
        "c++",
        "(",
        "日本",
    ]
    assert word_pattern(()) is None


def test_a_very_long_turn_is_laid_out_around_what_is_lit() -> None:
    far = Turn("tool", "z " * 500_000 + "the needle is here " + "z " * 500_000)
    started = time.process_time()
    text = SessionText((far, *TURNS), words={"needle"})
    shown = lines_of(text, 80)
    assert time.process_time() - started < 2
    assert len(shown) < 200
    assert any("needle" in one for one in shown)
    assert sum("o opens all of it" in one for one in shown) == 2


def test_sections_without_text_are_left_out() -> None:
    shown = lines_of(PlainText([("answer", "Ghent"), ("raw", ""), ("judge rules", "right")]), 40)
    assert [one.strip() for one in shown] == ["answer", "Ghent", "", "judge rules", "right"]
