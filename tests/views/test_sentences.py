"""Sentences that do not fit lose whole words, never a digit of a number."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from rich.text import Text

from memtui.views.sentences import broken, sentence, shorten

SAID = "scale 0: 20 of the first 2048 episodes (0.98 %) took 19.4 s — 記憶 of 1,234 calls"
NUMBER = r"\d[\d.,]*"
WIDTHS = range(8, cell_len(SAID) + 2)


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_left_are_whole_words(width: int) -> None:
    for shown in (sentence(SAID, width), shorten(Text(SAID), width).plain):
        assert cell_len(shown) <= width
        if shown != SAID:
            assert shown.endswith("…")
            assert set(re.findall(NUMBER, shown)) <= set(re.findall(NUMBER, SAID))
            assert SAID.startswith(shown[:-1])


@pytest.mark.parametrize("width", WIDTHS)
def test_a_broken_line_loses_nothing_and_keeps_its_styles(width: int) -> None:
    text = Text(SAID, end="")
    text.stylize("bold", 9, 28)
    lines = broken(text, width)
    assert all(line.cell_len <= width for line in lines)
    assert " ".join(line.plain.rstrip() for line in lines) == SAID
    lit = "".join(line.plain[span.start : span.end] for line in lines for span in line.spans)
    assert lit.replace(" ", "") == SAID[9:28].replace(" ", "")


def test_one_endless_word_is_cut_within() -> None:
    assert sentence("x" * 100, 10) == "x" * 9 + "…"
    assert [line.plain for line in broken(Text("x" * 25), 10)] == ["x" * 10, "x" * 10, "x" * 5]


def test_outside_text_passes_the_door() -> None:
    assert sentence("a \x1b[31mred\x1b[0m word", 40) == "a red word"
