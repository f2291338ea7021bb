"""The project's own format: strict lines, honest about what is torn or bad, equal after a round trip."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.errors import UserError
from memtui.model import EvidenceStatus
from runners.datasets.contract import DataSet
from runners.datasets.files import read_lines
from runners.datasets.jsonl import load_jsonl
from runners.datasets.jsonl_write import write_jsonl
from runners.datasets.locomo import load_locomo
from runners.datasets.longmemeval import load_longmemeval
from tests.datasets.places import HOSTILE_LINES, LOCOMO, LONGMEMEVAL, POOL, TINY_LINES

SEPARATORS = "\u0085\u2028\u2029\x0b\x0c\x1c\x1d\x1e"


def write(path: Path, *rows: object) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


SESSION = {"id": "s1", "date": "2024-05-01", "turns": [{"role": "user", "text": "I like rye."}]}
QUESTION = {"id": "q1", "question": "What do I like?", "answer": "rye", "evidence": ["s1"]}


@given(st.text(alphabet=st.sampled_from("ab " + SEPARATORS), min_size=1))
@settings(max_examples=40, deadline=None)
def test_lines_end_at_line_feeds_only(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    session = {**SESSION, "turns": [{"role": "user", "text": text}]}
    write(path, session, QUESTION)
    assert [line.problem for line in read_lines(path)] == ["", ""]
    assert load_jsonl(path).sessions["s1"].turns[0].text == text


def test_a_torn_last_line_is_left_out_and_told(tmp_path: Path) -> None:
    path = write(tmp_path / "torn.jsonl", SESSION, QUESTION)
    with path.open("a") as out:
        out.write('{"id": "q2", "question": "Wh')
    dataset = load_jsonl(path)
    assert [item.key for item in dataset.items] == ["q1"]
    assert [f.item for f in dataset.findings if f.rule == "line-torn"] == ["torn.jsonl:3"]
    assert dataset.notes == ("lines left out: torn.jsonl:3 (line-torn)",)
    assert dataset.counts["lines_skipped"] == 1


def test_a_bad_line_in_the_middle_stops_with_its_number() -> None:
    with pytest.raises(UserError, match=r"hostile\.jsonl: line 5: not JSON at column") as refusal:
        load_jsonl(HOSTILE_LINES)
    assert refusal.value.exit_code == 3


def test_a_bad_line_is_skipped_only_when_asked_and_counted() -> None:
    dataset = load_jsonl(HOSTILE_LINES, skip_bad_lines=True)
    assert [item.key for item in dataset.items] == ["q1", "q2", "q3", "q4"]
    assert dataset.counts["lines_skipped"] == 2
    assert {f.item for f in dataset.findings if f.rule == "line-bad"} == {"hostile.jsonl:5"}
    assert dataset.sessions["s2"].date == "2024-05-02T10:00", "the first line of an id holds"


def test_answers_of_every_kind() -> None:
    items = {item.key: item for item in load_jsonl(TINY_LINES).items}
    assert (items["q1"].gold, items["q2"].gold, items["q4"].gold) == ("pier 7", "ミケ, Mike", "7")
    assert items["q2"].gold_raw == ["ミケ", "Mike"]
    assert items["q3"].gold is None
    assert not items["q3"].answerable
    assert items["q4"].meta["evidence_known"] is False
    assert items["q2"].evidence[1].status is EvidenceStatus.DANGLING
    assert items["q1"].own == ("s1", "s2")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "", "turns": []}, "`id` must be non-empty"),
        ({"id": "x", "turns": {}}, "`turns` must be a list"),
        ({"id": "x", "turns": [{"role": "user", "text": 5}]}, "must be text"),
        ({"id": "x", "turns": [{"role": "u", "text": "", "has_answer": True}]}, "has_answer"),
        ({"id": "x", "question": 5}, "`question` must be text"),
        ({"id": "x", "question": "?", "evidence": "s1"}, "`evidence` must be a list"),
        ({"id": "x", "question": "?", "evidence": [{"session": "s", "turn": "1"}]}, "0-based"),
        ({"id": "x", "question": "?", "answerable": "no"}, "true or false"),
        ({"type": "haystack"}, "is not one of"),
        ({"words": 1}, "neither a session"),
        ([1], "an object is expected"),
        ({"type": "dataset", "format": "memtui-data/9"}, "memtui-data/9"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(tmp_path: Path, row: object, message: str) -> None:
    path = write(tmp_path / "wrong.jsonl", SESSION, row, QUESTION)
    with pytest.raises(UserError, match=message) as refusal:
        load_jsonl(path)
    assert "line 2" in str(refusal.value)


def test_questions_and_sessions_in_two_files(tmp_path: Path) -> None:
    questions = write(tmp_path / "questions.jsonl", QUESTION)
    sessions = write(tmp_path / "sessions.jsonl", SESSION)
    one = load_jsonl(write(tmp_path / "one.jsonl", SESSION, QUESTION))
    two = load_jsonl(questions, sessions=sessions)
    assert two.items == one.items
    assert dict(two.sessions) == dict(one.sessions)
    assert two.sha256 not in (one.sha256, load_jsonl(questions).sha256)
    alone = load_jsonl(questions).items[0].evidence[0]
    assert alone.status is EvidenceStatus.DANGLING


def test_a_file_without_questions(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no question"):
        load_jsonl(write(tmp_path / "s.jsonl", SESSION))


def test_a_misspelt_key_is_told_with_the_one_meant(tmp_path: Path) -> None:
    path = write(tmp_path / "k.jsonl", SESSION, {**QUESTION, "evidnce": ["s1"]})
    (told,) = [f for f in load_jsonl(path).findings if f.rule == "key-unknown"]
    assert "'evidence'" in told.detail


def same(before: DataSet, after: DataSet) -> None:
    """Everything but the notes and what lint says of the other format."""
    assert len(before.items) == len(after.items)
    for one, other in zip(before.items, after.items, strict=True):
        assert replace(other, flags=(), meta={}) == replace(one, flags=(), meta={})
        assert set(one.flags) <= set(other.flags)
        assert one.meta.items() <= other.meta.items()
    assert dict(before.sessions) == dict(after.sessions)
    assert (before.tiers, before.own_first) == (after.tiers, after.own_first)
    assert before.licence == after.licence


@pytest.mark.parametrize("name", ["locomo", "longmemeval", "jsonl"])
def test_what_is_written_reads_back_equal(tmp_path: Path, name: str) -> None:
    dataset = {
        "locomo": lambda: load_locomo(LOCOMO, allow_unpinned=True),
        "longmemeval": lambda: load_longmemeval(LONGMEMEVAL, pool=POOL),
        "jsonl": lambda: load_jsonl(TINY_LINES),
    }[name]()
    path = tmp_path / "out.jsonl"
    lines = write_jsonl(dataset, path)
    assert lines == 1 + len(dataset.sessions) + len(dataset.items)
    same(dataset, load_jsonl(path))


def test_an_existing_file_is_not_replaced_unasked(tmp_path: Path) -> None:
    dataset = load_jsonl(TINY_LINES)
    path = tmp_path / "out.jsonl"
    path.write_text("mine")
    with pytest.raises(UserError, match="exists already"):
        write_jsonl(dataset, path)
    assert path.read_text() == "mine"
    write_jsonl(dataset, path, overwrite=True)
    assert load_jsonl(path).items == dataset.items
    assert list(tmp_path.iterdir()) == [path]


def test_real_data_survive_the_round_trip(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "longmemeval"
    for number, file in enumerate(("oracle_full.json", "haystacks_s_full.json")):
        dataset = load_longmemeval(folder / file)
        path = tmp_path / f"{number}.jsonl"
        write_jsonl(dataset, path)
        same(dataset, load_jsonl(path))
