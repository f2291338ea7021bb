"""Chunks hold every word once, keep their size and know their turns."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.model import Turn
from runners.memory.chunking import (
    cut_text,
    line_chunks,
    packed_turns,
    sentences,
    turn_pairs,
)
from runners.memory.flat.words import words
from runners.sessions import count_tokens, render_turn

TEXT = st.text(alphabet="ab c.!\n京。", max_size=120)
TURNS = st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), TEXT), max_size=8)


def spans(turns: list[Turn]) -> list[tuple[int, int]]:
    return [(chunk.first, chunk.last) for chunk in turn_pairs(turns)]


def test_an_exchange_is_what_one_says_and_the_reply() -> None:
    u, a = Turn("user", "hello there"), Turn("assistant", "welcome")
    assert spans([u, a, u, a, u]) == [(0, 1), (2, 3), (4, 4)]
    assert spans([a, u, a]) == [(0, 0), (1, 2)]
    assert spans([u, u, a, a]) == [(0, 0), (1, 2), (3, 3)]
    assert spans([Turn("Ann", "hi"), Turn("Bo", "hi"), Turn("Ann", "so")]) == [(0, 1), (2, 2)]
    assert spans([u, Turn("assistant", " "), u, a]) == [(0, 0), (2, 3)]
    assert spans([]) == spans([Turn("user", "")]) == []
    assert turn_pairs([u, a])[0].text == "user: hello there\nassistant: welcome"
    assert "[image: a cat]" in turn_pairs([Turn("user", "", "a cat")])[0].text


def test_a_long_turn_is_cut_between_sentences_and_keeps_its_number() -> None:
    long = " ".join(f"Sentence number {i} is here." for i in range(40))
    chunks = turn_pairs([Turn("user", "Short."), Turn("assistant", long)], tokens=50)
    assert [(c.first, c.last) for c in chunks[:2]] == [(0, 0), (1, 1)]
    assert all(count_tokens(c.text) <= 50 for c in chunks)
    assert all(c.text.endswith("here.") for c in chunks[1:])


@settings(deadline=None)
@given(TURNS, st.integers(8, 40))
def test_no_word_is_lost_and_no_chunk_too_long(turns: list[Turn], tokens: int) -> None:
    for cut in (turn_pairs(turns, tokens), packed_turns(turns, tokens)):
        assert all(count_tokens(chunk.text) <= tokens for chunk in cut)
        said = [w for t in turns if t.text.strip() for w in words(render_turn(t))]
        # A run of letters longer than a chunk is the only thing that is ever cut inside.
        assert "".join(w for c in cut for w in words(c.text)) == "".join(said)
        firsts = [chunk.first for chunk in cut]
        assert firsts == sorted(firsts)


@given(TEXT, st.integers(1, 10))
def test_cut_text_keeps_everything_but_white_space(text: str, tokens: int) -> None:
    parts = cut_text(text, tokens)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(count_tokens(part) <= tokens and part.strip() for part in parts)


def test_sentences() -> None:
    assert sentences("Dr. Who came. He left!\n- a list\n京都。大阪。") == [
        "Dr. Who came.",
        "He left!",
        "- a list",
        "京都。",
        "大阪。",
    ]
    assert sentences("") == sentences(" \n ") == []


def test_line_chunks_repeat_the_last_lines() -> None:
    lines = [f"line {i:02} " + "x" * 32 for i in range(10)]  # 41 characters each with the line feed
    chunks = line_chunks(lines, tokens=41, overlap=10)  # 164 characters: four lines, one repeated
    assert [(c.first, c.last) for c in chunks] == [(0, 3), (3, 6), (6, 9)]
    assert chunks[0].text.split("\n")[-1] == chunks[1].text.split("\n")[0]
    assert line_chunks(["", " "], 10, 2) == []


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab ", max_size=90), max_size=12), st.integers(0, 12))
def test_line_chunks_cover_every_line(lines: list[str], overlap: int) -> None:
    chunks = line_chunks(lines, tokens=8, overlap=overlap)
    covered = {n for c in chunks for n in range(c.first, c.last + 1)}
    assert covered >= {n for n, line in enumerate(lines) if line.strip()}
    assert all(len(c.text) <= 32 for c in chunks)
