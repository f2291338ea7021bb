"""Coverage does not apply to questions without an answer: filter, list, record and twins say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.metrics import glyphs
from memtui.query.language import parse
from memtui.query.subject import Environment
from memtui.report.episode import EpisodeReport, episode_document
from memtui.report.failures import failures_document, find_failures
from memtui.report.source import ReportSource
from memtui.screens.episode_row import evidence_words
from memtui.state.episode_list import FactIndex
from memtui.state.settings import Settings, SortKey
from memtui.store import episode_queries
from memtui.store.reader import RunReader, open_run
from tests.report.generated_run import ARMS, RunFile

BM25 = ARMS[0]
NOW = Environment(2, judge="deterministic-1")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One question with and one without an answer, whose annotated session both times came in call 1."""
    run = RunFile(tmp_path_factory.mktemp("runs") / "two.memtui")
    run.item("q")
    run.item("none", answerable=False)
    for key in ("q", "none"):
        run.add(BM25, key, 0.0, [[f"e-{key}"], ["x"], ["x"]], "wrong")
    return run.write()


def found(reader: RunReader, text: str) -> list[str]:
    where, params = parse(text).where(NOW)
    rows = reader.episode_rows(reader.episode_ids(where, params, judge=NOW.judge))
    return sorted(row.item for row in rows.values())


@pytest.mark.parametrize(
    "text", ["tstar:1", "hit:1", "gold:1", "found:1", "overshoot:2", "cov:covered"]
)
def test_no_filter_about_evidence_finds_one(path: Path, text: str) -> None:
    with open_run(path) as reader:
        assert found(reader, text) == ["q"]


@pytest.mark.parametrize(
    "text", ["tstar:none", "hit:none", "gold:none", "cov:na", "flag:coverage_na"]
)
def test_it_is_unknown_of_them(path: Path, text: str) -> None:
    with open_run(path) as reader:
        assert found(reader, text) == ["none"]


def test_list_record_and_twins_have_no_coverage_of_them(path: Path) -> None:
    with open_run(path) as reader:
        source = ReportSource(reader)
        listed = {one["item"]: one for one in failures_document(find_failures(source))["episodes"]}
        rows = {row.item: row for row in reader.episode_rows(reader.episode_ids()).values()}
        detail = reader.episode(rows["none"].id)
        assert detail is not None
        shown = episode_document(EpisodeReport(reader, detail, 2, NOW.judge, context=False))
    for document in (listed["none"], shown):
        for name in ("first_hit", "t_star", "gold_found", "gold_total"):
            assert document[name] is None, name
        assert document["strip"].startswith("○○│·")
        assert "coverage_na" in document["flags"]
    assert (listed["q"]["t_star"], listed["q"]["strip"][:4]) == (1, "◆◇│·")
    assert evidence_words(rows["none"]) == ("n/a", "–")
    assert shown["coverage"] == []
    assert {value for view in shown["views"].values() for value in view} == {None}
    calls = [step for step in shown["steps"] if step["kind"] == "memory_call"]
    assert {(step["gold_new"], step["gold_cum"]) for step in calls} == {(None, None)}
    assert calls[0]["gold_ranks"], "where the annotated session stood is kept"
    json.dumps(shown)


@pytest.mark.parametrize("sort", [SortKey.T_STAR, SortKey.OVERSHOOT, SortKey.COVERAGE])
@pytest.mark.parametrize("backwards", [False, True])
def test_they_come_last_where_evidence_orders_the_list(
    path: Path, sort: SortKey, backwards: bool
) -> None:
    with open_run(path) as reader:
        facts = reader.packed_facts("deterministic-1")
        settings = Settings(2, 0.7, "deterministic-1", sort=sort, reversed=backwards)
        ids, _ = FactIndex(facts, "post_hoc").select(
            settings, {cell.id: cell for cell in reader.cells()}
        )
        rows = reader.episode_rows(ids)
    assert [rows[one].item for one in ids] == ["q", "none"]


def test_the_signs_of_evidence_are_those_of_the_strip() -> None:
    signs = {glyphs.COMPLETE, glyphs.NEW_EVIDENCE, glyphs.NO_EVIDENCE}
    assert set(episode_queries._EVIDENCE_SIGNS) == signs
    assert episode_queries._NOT_KNOWN == glyphs.UNKNOWN
