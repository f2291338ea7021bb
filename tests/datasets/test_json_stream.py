"""A huge JSON list is read entry by entry: equal to reading it whole, in bounded memory."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from runners.datasets.json_stream import JsonList
from runners.datasets.longmemeval import load_longmemeval
from runners.datasets.shelf import SessionShelf

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(
    entries=st.lists(JSON, max_size=6),
    piece=st.integers(1, 64),
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 1]),
)
def test_reading_in_pieces_equals_reading_whole(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[Any],
    piece: int,
    ascii_only: bool,
    indent: int | None,
) -> None:
    path = tmp_path_factory.mktemp("stream") / "list.json"
    text = json.dumps(entries, ensure_ascii=ascii_only, indent=indent)
    path.write_bytes(b"\xef\xbb\xbf " + text.encode("utf-8", "surrogatepass") + b" \n")
    if any("\ud800" <= char <= "\udfff" for char in text):
        return
    stream = JsonList(path, piece)
    assert list(stream) == entries
    assert stream.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "text",
    ["", " ", "{}", "[1 2]", "[1,]", "[1", "[1]x", '["a]', "[tru]", "[1,,2]", "][", '[{"a" 1}]'],
)
@pytest.mark.parametrize("piece", [1, 1 << 20])
def test_what_is_no_list_is_one_clear_line(tmp_path: Path, text: str, piece: int) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(UserError) as refusal:
        list(JsonList(path, piece))
    assert refusal.value.exit_code == 3
    assert str(path) in str(refusal.value)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'["caf\xe9"]')
    with pytest.raises(UserError, match="not UTF-8"):
        list(JsonList(path))


def row(number: int, sessions: int, characters: int) -> dict[str, Any]:
    """A row of the M shape: many sessions, the first of them evidence."""
    text = f"{number} " + "word " * (characters // 5)
    ids = [f"answer_{number}"] + [f"{number:04x}_{index}" for index in range(1, sessions)]
    return {
        "question_id": f"q{number}",
        "question_type": "multi-session",
        "question": f"Which word is number {number}?",
        "answer": "word",
        "question_date": "2023/05/30 (Tue) 21:56",
        "haystack_session_ids": ids,
        "haystack_dates": ["2023/05/20 (Sat) 10:00"] * sessions,
        "haystack_sessions": [
            [{"role": "user", "content": f"{text} {index}", "has_answer": index == 0}]
            for index in range(sessions)
        ],
        "answer_session_ids": ids[:1],
    }


def write_rows(path: Path, rows: int, sessions: int, characters: int) -> int:
    with path.open("w") as out:
        for number in range(rows):
            out.write(",\n" if number else "[")
            json.dump(row(number, sessions, characters), out)
        out.write("]")
    return path.stat().st_size


def test_memory_is_bounded_by_an_entry_and_not_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    size = write_rows(path, rows=60, sessions=50, characters=8_000)
    assert size > 20_000_000
    entry = size // 60
    tracemalloc.start()
    try:
        count = sum(1 for _ in JsonList(path, 1 << 18))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 60
    assert peak < 8 * entry + (4 << 18), f"{peak:,} bytes for entries of {entry:,}"


def test_the_m_shape_keeps_its_texts_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    size = write_rows(path, rows=12, sessions=160, characters=6_000)
    tracemalloc.start()
    try:
        dataset = load_longmemeval(path, on_disk=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert dataset.name == "longmemeval-m"
    assert dataset.counts["session_slots"] == 12 * 160
    assert peak < size * 0.75, f"{peak:,} bytes for a file of {size:,}"
    assert isinstance(dataset.sessions, SessionShelf)
    assert dataset.sessions.on_disk
    session = dataset.sessions["0007_11"]
    assert session.turns[0].text.endswith(" 11")
    assert session.evidence_for == frozenset()
    assert dataset.sessions["answer_7"].evidence_for == {"q7"}
