"""Stops, marks and coverage of an episode, from the steps of a run file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memtui.metrics.facts import FactTracker
from memtui.model import Evidence
from memtui.state.trajectory import Trajectory, query_words, trajectory, units_of
from memtui.store.reader import RunReader, open_run
from tests.ui.make_run import Story, write


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    path: Path = tmp_path_factory.mktemp("state") / "run.memtui"
    asyncio.run(write(path, Story(items=6, scales=(0.0, 100.0))))
    return open_run(path)


def episodes(reader: RunReader) -> list[Trajectory]:
    found = []
    for episode_id in reader.episode_ids():
        detail = reader.episode(episode_id)
        assert detail is not None
        found.append(trajectory(detail, reader.steps(episode_id)))
    return found


def test_marks_and_coverage_agree_with_the_counts_of_the_run(reader: RunReader) -> None:
    for found in episodes(reader):
        row = found.detail.row
        tracker = FactTracker(found.detail.item.evidence)
        for stop in found.stops:
            if stop.step.kind == "context":
                facts = tracker.context(stop.step.hits)
            elif stop.is_call:
                facts = tracker.call(stop.step.hits)
            else:
                continue
            assert sum(view.new for view in stop.hits) == facts.new_hits
            gold = {view.rank for view in stop.hits if view.gold}
            assert gold == {rank for _, rank in facts.gold_ranks}
            if facts.gold_cum is not None and row.gold_total is not None:
                assert stop.after == facts.gold_cum
                assert stop.after - stop.before == facts.gold_new
        assert "".join(stop.glyph for stop in found.stops if stop.is_call) == row.strip
        assert found.calls == row.requested
        assert len(units_of(found.detail.item.evidence)) == (row.gold_total or 0)


def test_one_starts_at_the_first_evidence_and_walks_from_change_to_change(
    reader: RunReader,
) -> None:
    walked = 0
    for found in episodes(reader):
        start = found.first_gold_stop()
        changes = [n for n, stop in enumerate(found.stops) if stop.after > stop.before]
        assert start == (changes[0] if changes else 0)
        at, seen = start, [start] if changes else []
        while (following := found.next_change(at, 1)) is not None:
            seen.append(at := following)
        assert seen == changes
        walked += len(changes)
    assert walked > 20


def test_every_decision_goes_with_the_step_it_led_to(reader: RunReader) -> None:
    for found in episodes(reader):
        for stop in found.stops:
            if stop.is_call:
                assert stop.decision is not None and stop.decision.seq == stop.step.seq - 1


def test_an_unfinished_episode_gets_its_strip_from_its_steps(reader: RunReader) -> None:
    from dataclasses import replace

    for found in episodes(reader):
        detail = found.detail
        running = replace(detail, row=replace(detail.row, strip="", done=False))
        again = trajectory(running, [stop.step for stop in found.stops])
        calls = [stop.glyph for stop in again.stops if stop.is_call]
        assert "".join(calls) == detail.row.strip


def test_units_are_turns_where_annotated_else_the_session() -> None:
    evidence = [
        Evidence("a", "s1", 3),
        Evidence("b", "s1", None),
        Evidence("c", "s2", None),
        Evidence("c", "s2", None),
        Evidence("d", None, None),
    ]
    assert units_of(evidence) == ("s1:3", "s2")


def test_query_words_are_those_worth_lighting_up() -> None:
    assert query_words("What is the name of Rosa's new dog in 2024? 日 x") == {
        "name", "rosa", "new", "dog", "2024", "日",
    }  # fmt: skip
