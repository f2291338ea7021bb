"""Nothing but printable text of known width passes the door."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from memtui.views.text_door import RETURN, clean_block, clean_line, cut, fit

ANYTHING = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            "\x1b\x9b[]()m;0123\x07\\ \t\r\n\x00\x85\u2028\u202e\u200d\u200b\ufe0f日👍👩🏽e\u0301🇩🇪\ud800"
        ),
    ),
    max_size=200,
)

HOSTILE = {
    "[/bold] [red]list[int] [user] hi": "[/bold] [red]list[int] [user] hi",
    "a\x1b[2Jb\x1b[31mred\x1b[0m": "abred",
    "a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "ablink",
    "\x1b]52;c;aGVsbG8=\x07clip": "clip",
    "\x9b31mred": "red",
    "\x1bPpayload\x1b\\after": "after",
    "open \x1b]0;never closed": "open 0;never closed",
    "nul\x00bel\x07": "nul\\x00bel\\x07",
    "one\ntwo\r\nthree\rfour\u2028five\x85six": "one⏎two⏎three⏎four⏎five⏎six",
    "tab\tbed": "tab bed",
    "rtl \u202egnp.exe": "rtl \\u202egnp.exe",
    "zero\u200bwidth\ufeff": "zero\\u200bwidth\\ufeff",
    "👩\u200d👩\u200d👧": "👩👩👧",
    "⚠\ufe0f careful": "⚠ careful",
    "👍🏽": "👍",
    "hidden\U000e0041\U000e0042": "hidden\\U000e0041\\U000e0042",
    "lone \ud800 surrogate": "lone \\ud800 surrogate",
    "日本語です": "日本語です",
    "é e\u0301": "é e\u0301",
    "e" + "\u0301" * 40: "e" + "\u0301" * 4,
    "١٢٣ مرحبا": "١٢٣ مرحبا",
}


@pytest.mark.parametrize(("raw", "shown"), HOSTILE.items())
def test_each_hostile_text_has_one_known_form(raw: str, shown: str) -> None:
    assert clean_line(raw) == shown


def is_harmless(line: str) -> bool:
    return not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co") for c in line)


@given(ANYTHING)
def test_no_control_format_or_surrogate_leaves_the_door(raw: str) -> None:
    line = clean_line(raw)
    assert is_harmless(line)
    line.encode("utf-8")
    for part in clean_block(raw).split("\n"):
        assert is_harmless(part)


@given(ANYTHING)
def test_cleaning_twice_changes_nothing(raw: str) -> None:
    assert clean_line(clean_line(raw)) == clean_line(raw)
    assert clean_block(clean_block(raw)) == clean_block(raw)


@given(ANYTHING)
def test_the_width_of_a_clean_line_is_the_sum_of_its_characters(raw: str) -> None:
    line = clean_line(raw)
    assert cell_len(line) == sum(get_character_cell_size(c) for c in line)


@given(ANYTHING, st.integers(0, 60))
def test_width_is_respected(raw: str, width: int) -> None:
    line = clean_line(raw, width=width)
    assert cell_len(line) <= width
    assert cell_len(fit(raw, width)) == width
    assert cell_len(fit(raw, width, "right")) == width
    assert cell_len(fit(raw, width, "center")) == width


@given(ANYTHING, st.integers(1, 60))
def test_what_fits_is_whole_and_what_is_cut_says_so(raw: str, width: int) -> None:
    whole = clean_line(raw)
    line = clean_line(raw, width=width)
    if cell_len(whole) <= width:
        assert line == whole
    else:
        assert line.endswith("…")
        assert whole.startswith(line[:-1])


@given(
    st.lists(st.sampled_from(["é", "e\u0301", "日", "🇩🇪", "a", "각"]), max_size=30),
    st.integers(1, 40),
)
def test_a_cut_never_splits_a_cluster(clusters: list[str], width: int) -> None:
    line = cut("".join(clusters), width)
    kept = line.removesuffix("…") if cell_len("".join(clusters)) > width else line
    prefixes = {"".join(clusters[:n]) for n in range(len(clusters) + 1)}
    assert kept in prefixes


def test_a_block_keeps_its_lines() -> None:
    assert clean_block("a\tb\r\nc\x1b[1m\u2028d\x00") == "a    b\nc\nd\\x00"
    assert RETURN not in clean_block("a\nb")


@settings(max_examples=20)
@given(st.sampled_from(["x", "日", "\x1b[31m", "\n", "\x1b]0;", "e\u0301"]))
def test_a_megabyte_costs_what_is_shown(unit: str) -> None:
    raw = unit * (1_000_000 // len(unit))
    start = time.process_time()
    assert cell_len(clean_line(raw, width=80)) <= 80
    assert time.process_time() - start < 2
