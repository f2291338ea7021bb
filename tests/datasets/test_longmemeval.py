"""LongMemEval: a hostile file in our own words, then the counts of real copies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.model import EvidenceStatus
from runners.datasets.contract import DataSet, SourceItem
from runners.datasets.longmemeval import load_longmemeval
from runners.datasets.longmemeval_109 import load_longmemeval_109
from runners.protocols.canary import texts
from tests.datasets.places import LONGMEMEVAL, POOL, UNEQUAL


@pytest.fixture(scope="module", params=[False, True], ids=["in-memory", "on-disk"])
def hostile(request: pytest.FixtureRequest) -> DataSet:
    return load_longmemeval(LONGMEMEVAL, on_disk=request.param)


def item(dataset: DataSet, key: str) -> SourceItem:
    return next(item for item in dataset.items if item.key == key)


def evidence(one: SourceItem) -> list[tuple[str | None, int | None]]:
    return [(gold.session_id, gold.turn) for gold in one.evidence]


def test_evidence_is_at_turn_level_where_turns_are_marked(hostile: DataSet) -> None:
    assert evidence(item(hostile, "q_plain")) == [("answer_11_1", 0)]
    assert evidence(item(hostile, "q_int")) == [("answer_22_1", 1)]
    assert evidence(item(hostile, "q_late")) == [("answer_33_1", None), ("answer_33_2", 0)]


def test_marks_and_keys_of_the_file_do_not_reach_turns(hostile: DataSet) -> None:
    said = "\n".join(text for s in hostile.sessions.values() for text in texts(s.turns))
    assert "has_answer" not in said
    assert not any("answer_" in text for text in said.splitlines())


def test_int_golds_are_kept_raw(hostile: DataSet) -> None:
    one = item(hostile, "q_int")
    assert (one.gold, one.gold_raw) == ("3", 3)
    assert "answer-not-string" in one.flags


def test_abstention_is_in_the_id_of_any_type(hostile: DataSet) -> None:
    none, unknown = item(hostile, "q_none_abs"), item(hostile, "q_unknown_abs")
    assert not none.answerable
    assert not unknown.answerable
    assert none.qtype == "multi-session"
    assert none.cluster == "q_none"


def test_unknown_evidence_is_unknown_and_not_empty(hostile: DataSet) -> None:
    one = item(hostile, "q_unknown_abs")
    assert one.evidence == ()
    assert one.meta["evidence_known"] is False
    assert "evidence-unknown" in one.flags
    assert hostile.counts["evidence_unknown"] == 1


def test_a_dangling_id_is_kept(hostile: DataSet) -> None:
    one = item(hostile, "q_dangling")
    assert [(gold.raw, gold.status) for gold in one.evidence] == [
        ("answer_44_1", EvidenceStatus.DANGLING),
        ("cafe_1", EvidenceStatus.RESOLVED),
    ]
    assert "known_defect" in one.flags
    assert one.own_dates == ("2024-05-22T10:00", None, "2024-06-22T10:00")


def test_made_up_ids_in_an_oracle_row_are_all_evidence(hostile: DataSet) -> None:
    one = item(hostile, "q_synthetic")
    assert evidence(one) == [("q_synthetic__by_date_0", None), ("q_synthetic__by_date_1", None)]


def test_late_evidence_and_repeated_sessions_are_flagged_and_kept(hostile: DataSet) -> None:
    assert "evidence-late" in item(hostile, "q_late").flags
    repeated = item(hostile, "q_none_abs")
    assert "session-repeated" in repeated.flags
    assert repeated.own == ("answer_22_abs_1", "f00d_1", "f00d_1")


def test_an_empty_session_is_a_session_without_turns(hostile: DataSet) -> None:
    assert hostile.sessions["cafe_2"].turns == ()


def test_one_id_with_two_contents_is_two_sessions(tmp_path: Path) -> None:
    rows = json.loads(LONGMEMEVAL.read_text())[:2]
    rows[1]["haystack_session_ids"] = ["sharegpt_a_0", "ultrachat_9"]
    rows[1]["answer_session_ids"] = ["sharegpt_a_0"]
    path = tmp_path / "two.json"
    path.write_text(json.dumps(rows))
    dataset = load_longmemeval(path)
    first, second = dataset.items[0].own[0], dataset.items[1].own[0]
    assert first == "sharegpt_a_0"
    assert second.startswith("sharegpt_a_0#")
    assert dataset.sessions[first].sha != dataset.sessions[second].sha
    assert evidence(dataset.items[1])[0][0] == second


def test_lists_of_different_length_name_the_question() -> None:
    with pytest.raises(UserError, match=r"'q_unequal'.*2 session ids, 1 dates") as refusal:
        load_longmemeval(UNEQUAL)
    assert refusal.value.exit_code == 3


def test_lines_and_a_list_read_equal(tmp_path: Path) -> None:
    rows = json.loads(LONGMEMEVAL.read_text())
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert load_longmemeval(path).items == load_longmemeval(LONGMEMEVAL).items


def test_a_pool_keeps_what_is_evidence_apart() -> None:
    dataset = load_longmemeval(LONGMEMEVAL, pool=POOL)
    sessions = dataset.sessions
    assert sessions["abcd_1"].pool == "simulated"
    assert sessions["abcd_1"].evidence_for == frozenset()
    assert sessions["x_abs__by_date_1"].pool == "unidentified"
    assert sessions["answer_99_1"].evidence_for == {"q_else"}
    assert sessions["answer_22_1"].evidence_for == {"q_int"}
    assert dataset.sha256 != load_longmemeval(LONGMEMEVAL).sha256


def test_in_memory_and_on_disk_are_equal() -> None:
    memory, disk = (load_longmemeval(LONGMEMEVAL, pool=POOL, on_disk=d) for d in (False, True))
    assert memory.items == disk.items
    assert dict(memory.sessions) == dict(disk.sessions)


def test_the_109_questions(shared_data: Path) -> None:
    dataset = load_longmemeval_109(shared_data / "longmemeval")
    assert dataset.name == "longmemeval-109"
    assert len(dataset.items) == 109
    assert dataset.counts["answerable"] == 106
    assert len({session.sha for session in dataset.sessions.values()}) == 566
    own = {session for one in dataset.items for session in one.own}
    assert len(own) == 207
    assert Counter(one.qtype for one in dataset.items) == {
        "temporal-reasoning": 30,
        "knowledge-update": 24,
        "multi-session": 23,
        "single-session-user": 14,
        "single-session-preference": 11,
        "single-session-assistant": 7,
    }
    assert all(one.evidence for one in dataset.items)
    assert 0.35 < dataset.counts["span_answerable"] / 106 < 0.55
    never = Counter(s.pool for s in dataset.sessions.values() if not s.evidence_for)
    assert never == {"simulated": 146, "sharegpt": 79, "ultrachat": 78, "unidentified": 48}


def test_complete_haystacks(shared_data: Path) -> None:
    dataset = load_longmemeval(shared_data / "longmemeval" / "haystacks_s_full.json")
    assert dataset.name == "longmemeval-s"
    assert [len(one.own) for one in dataset.items] == [53, 39, 41, 40, 50, 48, 48]
    assert dataset.counts["session_slots"] == 319
    turns = sum(len(dataset.sessions[s].turns) for one in dataset.items for s in one.own)
    assert turns == 3331


def test_capped_haystacks_know_no_evidence(shared_data: Path) -> None:
    dataset = load_longmemeval(shared_data / "longmemeval" / "haystacks_s_abstain_capped12.json")
    assert [one.answerable for one in dataset.items] == [False] * 4
    assert all(one.meta["evidence_known"] is False for one in dataset.items)
