"""WordPiece: the rules of BERT's uncased tokenizer, piece by piece equal to the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from runners.models import weights
from runners.models.wordpiece import WordPiece, normalize

PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "un",
    "##aff",
    "##able",
    "cafe",
    "我",
    ",",
    "don",
    "'",
    "t",
    "a",
]


@pytest.fixture
def small() -> WordPiece:
    return WordPiece({piece: i for i, piece in enumerate(PIECES)})


def named(tokenizer: WordPiece, text: str) -> list[str]:
    return [PIECES[i] for i in tokenizer.pieces(text)]


def test_the_longest_piece_wins_and_an_impossible_word_is_unknown(small: WordPiece) -> None:
    assert named(small, "unaffable unaffables aa") == ["un", "##aff", "##able", "[UNK]", "[UNK]"]


def test_case_accents_punctuation_and_chinese(small: WordPiece) -> None:
    assert named(small, "CAFÉ,我我 don't") == ["cafe", ",", "我", "我", "don", "'", "t"]


def test_a_very_long_word_is_one_unknown_piece(small: WordPiece) -> None:
    assert named(small, "a " + "a" * 101) == ["a", "[UNK]"]


def test_special_tokens_written_out_are_plain_text(small: WordPiece) -> None:
    assert small.end not in small.pieces("[SEP]")


def test_controls_and_spaces(small: WordPiece) -> None:
    assert normalize("a\x00b\ufffd\u200bc\td\u2003e") == "abc d e"
    assert small.pieces("") == small.pieces(" \n\x07 ") == []


@pytest.mark.parametrize("content", ["", "{}", '{"model": {"vocab": {}}}', "[1]"])
def test_a_file_that_is_no_tokenizer_is_said_to_be_none(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"tokenizer\.json is not the tokenizer"):
        WordPiece.from_file(path)


@pytest.fixture(scope="module")
def both() -> tuple[WordPiece, Any]:
    """Ours and the reference implementation, on the official vocabulary."""
    reference = pytest.importorskip("tokenizers")
    model = weights.weights("minilm")
    if weights.state(model) != "installed":
        pytest.skip("all-MiniLM-L6-v2 is not installed (memtui models install minilm)")
    path = weights.folder_of(model) / "tokenizer.json"
    theirs = reference.Tokenizer.from_file(str(path))
    theirs.no_truncation()
    theirs.no_padding()
    return WordPiece.from_file(path), theirs


TRICKY = [
    "naïve café ÀÉÎ ß İstanbul ΑΣ Σίσυφος ﬁ ²③ $100+~`^|<>=",
    "日本語テキスト 한국어 中文 ภาษาไทย हिन्दी עברית العربية",
    "emoji 👩‍👩‍👧 ok \u200b\u200d zero\u00adwidth a\tb\r\nc \u2028\u0085 \ue000",
    "http://a.b/c?d=e&f don't U.S.A. 3.14 1,000 C++ snake_case #tag @user",
    "x" * 100 + " " + "y" * 101,
]


@pytest.mark.parametrize("text", TRICKY)
def test_pieces_are_those_of_the_reference(text: str, both: tuple[WordPiece, Any]) -> None:
    ours, theirs = both
    assert ours.pieces(text) == theirs.encode(text, add_special_tokens=False).ids


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(codec="utf-8", max_codepoint=0x2FFF), max_size=60))
def test_pieces_of_any_text_are_those_of_the_reference(
    text: str, both: tuple[WordPiece, Any]
) -> None:
    ours, theirs = both
    # Which code points are assigned is a matter of the Unicode version, not of the rules.
    text = "".join(c for c in text if c.isascii() or c.isalnum() or c.isspace())
    # The reference reads a special token written out, such as [CLS], as the token itself.
    text = text.replace("[", "(")
    assert ours.pieces(text) == theirs.encode(text, add_special_tokens=False).ids


@pytest.mark.slow
def test_pieces_of_real_conversations(both: tuple[WordPiece, Any], shared_data: Path) -> None:
    ours, theirs = both
    texts = []
    with (shared_data / "longmemeval" / "session_pool.jsonl").open() as lines:
        for line in lines:
            texts += [turn["content"] for turn in json.loads(line)["turns"]]
    expected = theirs.encode_batch(texts, add_special_tokens=False)
    different = [i for i, text in enumerate(texts) if ours.pieces(text) != expected[i].ids]
    assert len(texts) > 5_000 and not different
