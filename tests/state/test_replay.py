"""A replay is a prefix of the recorded order: clocks pace it, and at its end it is the finished run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.state.live import Troubles
from memtui.state.replay import SPEEDS, Replay, clock, faster, nearest_speed, steps_so_far
from memtui.state.timeline import END, START, VERDICT, Timeline, build_timeline
from memtui.store.attempts import AttemptRow, LabelRow, SetAside
from memtui.store.records import EpisodeFact
from tests.state.folded_facts import fold_cells

BEGIN = datetime(2025, 3, 1, 10, tzinfo=UTC)


def at(second: float | None) -> str | None:
    return None if second is None else (BEGIN + timedelta(seconds=second)).isoformat()


def row(id: int, rev: int, start: float | None, end: float | None, **more: Any) -> AttemptRow:
    plain: dict[str, Any] = {"counts": 1, "done": 1, "end_reason": "answered"} | more
    return AttemptRow(id, rev, started_at=at(start) or "?", finished_at=at(end), **plain)


def fact(id: int, **more: Any) -> EpisodeFact:
    plain: dict[str, Any] = {
        "rev": id, "cell_id": id % 3, "item_id": id % 4, "cluster": id % 4, "qtype": 0,
        "answerable": int(id % 5 != 0), "done": 1, "end_reason": "answered", "requested": id % 4,
        "executed": 1, "first_hit": 1, "t_star": 1 if id % 2 else None, "gold_total": 2,
        "gold_found": 2, "redundant": 0, "zero_yield": 0, "forced": 0, "abstained": 0, "repeat": 0,
        "attempt": 1, "flagged": 0, "label": None,
    }  # fmt: skip
    return EpisodeFact(id=id, **(plain | more))


def order(line: Timeline) -> list[tuple[int, int]]:
    return list(zip(line.kinds, line.episodes, strict=True))


CLOCKS = st.none() | st.floats(-100, 5_000, allow_nan=False)


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[AttemptRow], list[LabelRow], dict[int, EpisodeFact]]:
    """Attempts with any clocks at all, in any order of ends, judged in time, late, or never."""
    count = draw(st.integers(1, 12))
    revs = draw(st.permutations(range(2, count + 2)))
    rows, labels, facts = [], [], {}
    for id in range(1, count + 1):
        done = draw(st.integers(0, 1)) or int(id % 4 != 0)
        rows.append(
            row(id, revs[id - 1] if done else 1, draw(CLOCKS), draw(CLOCKS) if done else None,
                counts=done, done=done, end_reason="answered" if done else None)
        )  # fmt: skip
        label = draw(st.sampled_from([None, "right", "wrong"])) if done else None
        if label is not None:
            late = draw(st.integers(0, 1)) * 100
            labels.append(LabelRow(id, revs[id - 1] + late, label, at(draw(CLOCKS)) or ""))
        facts[id] = fact(id, done=done, end_reason="answered" if done else None, label=label)
    return rows, sorted(labels, key=lambda one: one.rev), facts


@given(runs(), st.lists(st.floats(0, 6_000), max_size=6))
def test_whatever_the_clocks_say_the_end_is_the_finished_run(
    run: tuple[list[AttemptRow], list[LabelRow], dict[int, EpisodeFact]], moments: list[float]
) -> None:
    rows, labels, facts = run
    line = build_timeline(rows, labels, facts)
    assert list(line.moments) == sorted(line.moments)
    ends = [id for kind, id in order(line) if kind == END]
    assert ends == [r.id for r in sorted(rows, key=lambda r: r.rev) if r.done]
    starts = [id for kind, id in order(line) if kind == START]
    assert starts == [r.id for r in rows]
    for id in ends:
        assert order(line).index((START, id)) < order(line).index((END, id))
    replay = Replay(line, "post_hoc", len(rows))
    for moment in moments:  # forward and back
        replay.go_to(moment)
        assert replay.folds() == fold_cells(replay.facts(), "post_hoc")
        progress = replay.progress
        assert progress.done + progress.running == len(replay.facts())
    replay.go_to(line.length)
    assert replay.over
    assert {f.id: f.label for f in replay.facts() if f.done} == {
        f.id: f.label for f in facts.values() if f.done
    }
    wanted = fold_cells([f for f in facts.values() if f.done], "post_hoc")
    assert {k: v for k, v in replay.folds().items() if k in wanted}.keys() == wanted.keys()
    assert fold_cells([f for f in replay.facts() if f.done], "post_hoc") == wanted


def test_clocks_set_the_pace_and_a_clock_set_back_costs_no_time() -> None:
    rows = [row(1, 2, 0, 10), row(2, 3, 5, -900), row(3, 4, -895, -890)]
    line = build_timeline(rows, [], {id: fact(id) for id in (1, 2, 3)})
    ends = {id: m for m, (kind, id) in zip(line.moments, order(line), strict=True) if kind == END}
    assert ends[1] == 10 and ends[2] == 10 and ends[3] == pytest.approx(16)  # a pause of 1 s
    replay = Replay(line, "post_hoc", 3)
    replay.go_to(7)
    assert replay.in_flight == [1, 2] and replay.progress.done == 0


def test_a_verdict_that_came_later_was_not_there_before() -> None:
    line = build_timeline(
        [row(1, 2, 0, 10), row(2, 3, 0, 100)],
        [LabelRow(1, 9, "right", at(60) or "")],
        {1: fact(1, label="right"), 2: fact(2)},
    )
    assert (VERDICT, 1) in order(line)
    replay = Replay(line, "post_hoc", 2)
    replay.go_to(50)
    (known,) = [f for f in replay.facts() if f.done]
    assert known.label is None  # excluded as unjudged, as it was then
    replay.go_to(1_000)
    assert {f.id: f.label for f in replay.facts()} == {1: "right", 2: None}


def test_a_night_between_two_sittings_is_left_out_and_an_orphan_does_not_fill_it() -> None:
    night = 36_000.0
    orphan = row(2, 3, 5, None, counts=0, end_reason="interrupted")
    rows = [row(1, 2, 0, 10), orphan, row(3, 4, night, night + 20)]
    line = build_timeline(rows, [], {1: fact(1), 3: fact(3)}, [SetAside(fact(2), None)])
    assert line.length < 60 and line.pauses == 1
    replay = Replay(line, "post_hoc", 2)
    replay.go_to(8)
    assert replay.in_flight == [1, 2]
    replay.go_to(line.length)
    assert replay.progress.done == 2 and replay.progress.not_counted == 1


def test_an_attempt_that_was_replaced_counted_until_then() -> None:
    failed = row(1, 5, 0, 10, counts=0, end_reason="provider_error")  # its rev is the replacement's
    rows = [failed, row(2, 3, 12, 20), row(3, 5, 30, 40)]
    aside = [SetAside(fact(1, end_reason="provider_error"), 3)]
    line = build_timeline(rows, [], {2: fact(2), 3: fact(3)}, aside)
    assert [id for kind, id in order(line) if kind == END] == [1, 2, 3]
    replay, before = Replay(line, "post_hoc", 2), line.started[3] - 0.5
    replay.go_to(before)
    assert {f.id for f in replay.facts()} == {1, 2} and replay.progress.done == 2
    replay.go_to(40)
    assert {f.id for f in replay.facts()} == {2, 3} and replay.progress.done == 2
    replay.go_to(before)
    assert {f.id for f in replay.facts()} == {1, 2}


def test_what_the_filter_leaves_out_is_not_folded_but_counted_as_progress() -> None:
    rows = [row(1, 2, 0, 10), row(2, 3, 0, 20)]
    replay = Replay(build_timeline(rows, [], {1: fact(1), 2: fact(2)}), "post_hoc", 2, only={2})
    replay.go_to(20)
    assert replay.folds() == fold_cells([fact(2)], "post_hoc") and replay.progress.done == 2


def test_a_rate_is_of_the_time_of_the_run() -> None:
    rows = [row(id, id + 1, 0, id * 2.0) for id in range(1, 61)]
    replay = Replay(build_timeline(rows, [], {r.id: fact(r.id) for r in rows}), "post_hoc", 60)
    replay.go_to(100)
    dock = replay.dock({}, {}, "rules", Troubles())
    assert dock.per_minute == pytest.approx(30) and dock.in_flight_total == 10


def test_a_run_without_an_attempt_is_over_at_once() -> None:
    replay = Replay(build_timeline([], [], {}), "post_hoc", 5)
    replay.go_to(10)
    assert replay.over and replay.folds() == {} and replay.progress.planned == 5


def test_the_last_step_so_far_is_the_one_its_clock_allows() -> None:
    found = [(1, "model", 1.0, None), (1, "memory_call", 2.0, 1), (1, "model", None, None),
             (1, "answer", 9.0, None)]  # fmt: skip
    assert steps_so_far(found, {1: 0.5}) == {}
    assert steps_so_far(found, {1: 2.5}) == {1: ("memory_call", 1)}
    assert steps_so_far(found, {1: 9.5}) == {1: ("answer", 1)}


def test_speeds_go_in_steps_and_stop_at_both_ends() -> None:
    assert faster(60, 1) == 120 and faster(1, -1) == 1 and faster(600, 1) == 600
    assert nearest_speed(0.2) == SPEEDS[0] and nearest_speed(70) == 60
    assert clock(754) == "12:34" and clock(3723) == "1:02:03"
