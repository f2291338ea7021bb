"""LoCoMo: a hostile file in our own words, then the official file's counts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.model import EvidenceStatus
from runners.datasets.contract import DataSet, SourceItem
from runners.datasets.locomo import category_name, load_locomo
from runners.sessions import render_session, session_sha
from tests.datasets.places import LOCOMO


@pytest.fixture(scope="module")
def hostile() -> DataSet:
    return load_locomo(LOCOMO, allow_unpinned=True)


@pytest.fixture(scope="module")
def official(shared_data: Path) -> DataSet:
    return load_locomo(shared_data / "locomo" / "locomo10.json")


def item(dataset: DataSet, key: str) -> SourceItem:
    return next(item for item in dataset.items if item.key == key)


def test_another_file_is_refused_unless_it_is_allowed() -> None:
    with pytest.raises(UserError, match="not the official") as refusal:
        load_locomo(LOCOMO)
    assert "allow_unpinned" in str(refusal.value)
    assert any(
        "not the official" in note for note in load_locomo(LOCOMO, allow_unpinned=True).notes
    )


def test_sessions_are_ordered_by_number_and_not_as_text(hostile: DataSet) -> None:
    assert item(hostile, "conv-7/0").own == (
        "conv-7/session_1",
        "conv-7/session_2",
        "conv-7/session_10",
    )


def test_dates_are_iso_or_unknown(hostile: DataSet) -> None:
    dates = {key: session.date for key, session in hostile.sessions.items()}
    assert dates["conv-7/session_1"] == "2024-02-29T00:05"
    assert dates["conv-7/session_10"] == "2024-06-03T23:59"
    assert dates["conv-7/session_2"] is None
    assert "conv-7/session_3" not in dates


def test_a_caption_stays_apart_from_the_text_and_is_rendered(hostile: DataSet) -> None:
    session = hostile.sessions["conv-7/session_1"]
    turn = session.turns[0]
    assert turn.text == "My bicycle is red, look."
    assert turn.caption == "a photo of a blue bicycle"
    assert "[image: a photo of a blue bicycle]" in render_session(session.turns)
    assert session.sha == session_sha(session.turns)


def test_every_category_has_its_name() -> None:
    names = [category_name(number) for number in (1, 2, 3, 4, 5, 6, None)]
    assert names == [
        "multi-hop",
        "temporal",
        "open-domain",
        "single-hop",
        "adversarial",
        "unknown(6)",
        "unknown(None)",
    ]


def test_an_unknown_category_is_an_item_like_others(hostile: DataSet) -> None:
    unknown = item(hostile, "conv-7/7")
    assert (unknown.qtype, unknown.answerable, unknown.gold, unknown.gold_raw) == (
        "unknown(6)",
        True,
        "2019",
        2019,
    )


def test_the_three_forms_of_an_adversarial_item(hostile: DataSet) -> None:
    trap, both, answer = (item(hostile, f"conv-7/{index}") for index in (4, 5, 6))
    assert all(not one.answerable for one in (trap, both, answer))
    assert [one.meta["answer_form"] for one in (trap, both, answer)] == [
        "adversarial_answer",
        "both",
        "answer",
    ]
    assert (trap.gold, trap.tempting) == (None, "the canoe")
    assert (both.gold, both.tempting) == ("No", "Yes")
    assert answer.gold is None, "the text of an adversarial item alone is never gold"


def test_gold_is_never_altered_and_its_fault_is_named(hostile: DataSet) -> None:
    glued = item(hostile, "conv-7/3")
    assert (glued.gold, glued.gold_raw) == ("bluecar", "bluecar")
    broken = item(hostile, "conv-7/2")
    assert {"gold-garbled", "evidence-empty", "known_defect"} <= set(broken.flags)
    assert broken.evidence == ()


def test_a_dangling_reference_is_kept_and_flagged(hostile: DataSet) -> None:
    lost = item(hostile, "conv-7/12")
    assert [gold.status for gold in lost.evidence] == [EvidenceStatus.DANGLING]
    assert "known_defect" in lost.flags
    half = item(hostile, "conv-7/11")
    assert {gold.status for gold in half.evidence} == {
        EvidenceStatus.DANGLING,
        EvidenceStatus.RESOLVED,
    }
    repaired = item(hostile, "conv-7/9")
    assert [gold.status for gold in repaired.evidence] == [EvidenceStatus.REPAIRED]
    assert "known_defect" not in repaired.flags


def test_half_a_pair_can_be_stored(hostile: DataSet) -> None:
    text = hostile.sessions["conv-7/session_1"].turns[3].text
    assert "\ufffd" in text
    assert text.encode("utf-8")


def test_loading_twice_gives_equal_content() -> None:
    first, second = (load_locomo(LOCOMO, allow_unpinned=True) for _ in range(2))
    assert first.items == second.items
    assert dict(first.sessions) == dict(second.sessions)


@pytest.mark.parametrize(
    "document", [{}, [], [1], [{"qa": []}], [{"sample_id": 1, "conversation": [], "qa": []}]]
)
def test_another_shape_is_refused_in_one_line(tmp_path: Path, document: object) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(document))
    with pytest.raises(UserError) as refusal:
        load_locomo(path, allow_unpinned=True)
    assert refusal.value.exit_code == 3
    assert "\n" not in str(refusal.value)


def test_the_official_file_has_its_counts(official: DataSet) -> None:
    assert len(official.items) == 1986
    assert len(official.sessions) == 272
    assert sum(len(session.turns) for session in official.sessions.values()) == 5882
    assert Counter(item.qtype for item in official.items) == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }
    assert official.counts["answerable"] == 1540
    clusters = Counter(item.cluster for item in official.items if item.answerable)
    assert [clusters[f"conv-{n}"] for n in (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)] == [
        152, 81, 152, 199, 178, 123, 150, 191, 156, 158,
    ]  # fmt: skip


def test_captioned_evidence_of_the_official_file(official: DataSet) -> None:
    captioned = Counter(item.qtype for item in official.items if item.meta["caption_in_evidence"])
    assert [captioned[name] for name in ("multi-hop", "temporal", "open-domain", "single-hop")] == [
        201,
        157,
        55,
        288,
    ]


def test_all_but_three_items_of_the_official_file_resolve(official: DataSet) -> None:
    lost = [
        item.key
        for item in official.items
        if any(gold.status is EvidenceStatus.DANGLING for gold in item.evidence)
    ]
    assert lost == ["conv-42/58", "conv-42/88", "conv-47/38"]
    assert [item.key for item in official.items if not item.evidence] == [
        "conv-26/30",
        "conv-26/46",
        "conv-50/39",
        "conv-50/42",
    ]


def test_category_four_has_its_evidence_in_one_session(official: DataSet) -> None:
    def one_session(qtype: str) -> int:
        return sum(
            len({gold.session_id for gold in item.evidence} - {None}) == 1
            for item in official.items
            if item.qtype == qtype
        )

    assert one_session("single-hop") == 840
    assert one_session("multi-hop") <= 14


def test_the_declared_subset_is_about_a_third(official: DataSet) -> None:
    flagged = [item for item in official.items if "span_answerable" in item.flags]
    assert len(flagged) == official.counts["span_answerable"]
    assert all(item.answerable for item in flagged)
    assert 0.30 < len(flagged) / official.counts["answerable"] < 0.37


def test_the_audit_flags_items_and_leaves_gold_alone(official: DataSet, shared_data: Path) -> None:
    folder = shared_data / "locomo"
    audited = load_locomo(folder / "locomo10.json", audit=folder / "audit" / "errors.json")
    wrong = [item for item in audited.items if "audit-score-corrupting" in item.flags]
    assert Counter(item.qtype for item in wrong) == {
        "multi-hop": 28,
        "temporal": 26,
        "open-domain": 9,
        "single-hop": 36,
    }
    assert all("known_defect" in item.flags for item in wrong)
    assert [item.gold for item in audited.items] == [item.gold for item in official.items]
