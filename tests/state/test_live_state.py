"""The dock reads what a driver says tolerantly; news merge without loss; states name themselves."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from memtui.screens.dock import dock_lines
from memtui.state.live import build_dock
from memtui.state.watch import merged
from memtui.store.records import EventRow, HeartbeatRow, Progress
from memtui.store.tail import Changes
from memtui.views.look import NO_COLOUR

PROGRESS = Progress(planned=100, done=40, running=3, attempts=43, not_counted=0)
AT = "2025-03-01T10:00:00+00:00"
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["in_flight", "in_flight_total", "limits", "errors", "rate", "eta_s", "pace", "retries",
     "tokens", "cost", "known_cost", "models", "late_s", "doing"]
)  # fmt: skip


def beat(snapshot: dict[str, Any]) -> HeartbeatRow:
    return HeartbeatRow(AT, 1, "host", snapshot)


@given(st.dictionaries(KEYS, JSON))
def test_no_snapshot_breaks_the_dock(snapshot: dict[str, Any]) -> None:
    dock = build_dock("running", 1.0, PROGRESS, beat(snapshot), (), ())
    assert dock.done == 40


def test_what_the_driver_says_is_shown() -> None:
    dock = build_dock(
        "running",
        0.5,
        PROGRESS,
        beat(
            {
                "rate": 2.0,
                "eta_s": 30.0,
                "pace": 25.0,
                "in_flight_total": 9,
                "errors": {"open: KeyError": 2},
                "limits": [{"kind": "model", "name": "m", "used": 1, "limit": 4}],
                "in_flight": [
                    {"arm": "bm25/once", "item": "q1", "scale": 100.0, "doing": "searching",
                     "calls": 2, "for_s": 1.5}
                ],
            }
        ),
        (EventRow(1, AT, "warning", "retry", "429", {}),),
        (),
    )  # fmt: skip
    assert (dock.per_minute, dock.eta_seconds, dock.paced, dock.in_flight_total) == (120, 30, 25, 9)
    assert dock.in_flight[0].doing == "searching" and dock.in_flight[0].seconds == 1.5
    assert dock.errors == (("open: KeyError", 2),)
    assert dock.last_log is not None and dock.last_log.text == "429"


def test_limits_waits_and_retries_of_models_are_read() -> None:
    load = {"in_flight": 3, "waiting": 2, "retrying": 1, "paused_s": 4.0, "concurrency": 3, "rpm": 60,
            "rpm_used": 58}  # fmt: skip
    call = {"owner": "episode:u5", "state": "retrying", "reason": "timeout", "retry_in": 2.5}
    later = {"owner": "", "state": "retrying", "reason": "timeout", "retry_in": 9.0}
    dock = build_dock(
        "running", 0.5, PROGRESS,
        beat({
            "models": {"models": {"qwen": load, "odd": None}, "calls": [call, later, None]},
            "in_flight": [{"uid": "u5", "arm": "a", "for_s": 1.0, "age_s": 7.0}, {"uid": "u6"}],
            "limits": [{"kind": "outage", "name": "p", "wait_s": 30.0, "given_up": False}],
        }), (), (),
    )  # fmt: skip
    qwen = dock.models[0]
    assert (qwen.calling, qwen.concurrency, qwen.waiting, qwen.paused_s) == (3, 3, 2, 4.0)
    assert qwen.rpm == (58.0, 60.0) and qwen.tpm is None
    assert [(r.reason, r.count, r.soonest_s) for r in dock.retrying] == [("timeout", 2, 2.5)]
    assert [f.held for f in dock.in_flight] == ["retry timeout", ""] and dock.in_flight[0].age == 7
    assert [(o.name, o.wait_s) for o in dock.outages] == [("p", 30.0)]


def test_a_decision_that_a_model_is_asked_for_is_called_that() -> None:
    calls = [{"owner": "episode:u1", "state": "calling", "model": "qwen"}]
    flights = [{"uid": "u1", "doing": "deciding"}, {"uid": "u2", "doing": "deciding"}]
    snapshot = {
        "models": {"calls": calls},
        "in_flight": [*flights, {"uid": "u1", "doing": "judging"}],
    }
    dock = build_dock("running", 0.5, PROGRESS, beat(snapshot), (), ())
    assert [f.doing for f in dock.in_flight] == ["asking qwen", "deciding", "judging"]


def test_without_a_heartbeat_nothing_is_claimed() -> None:
    dock = build_dock("running", None, PROGRESS, None, (), ())
    assert dock.per_minute is None and dock.eta_seconds is None and dock.in_flight == ()


def test_what_the_driver_does_not_say_is_unknown_and_a_zero_is_shown() -> None:
    silent = build_dock(
        "running", 0.5, PROGRESS, beat({"models": {"models": {"qwen": {}}}}), (), ()
    )
    (load,) = silent.models
    assert (silent.retries, load.calling, load.waiting, load.retrying, load.paused_s) == (None,) * 5
    told = build_dock("running", 0.5, PROGRESS, beat({"cost": 0.0, "tokens": 0}), (), ())
    line = dock_lines(told, lambda row: Text(), 120, 8, NO_COLOUR)[0].plain
    assert "$0" in line and "0 tokens" in line


def test_log_lines_are_counted_where_the_driver_counts_no_errors() -> None:
    lines = [EventRow(n, AT, "warning", "retry", "429", {}) for n in range(3)]
    dock = build_dock("running", 1.0, PROGRESS, beat({}), lines, ())
    assert dock.errors == (("retry", 3),)


def test_news_of_several_looks_become_one() -> None:
    first = Changes(3, "running", episodes=(1,), stepped=(1, 2), heartbeat=True)
    second = Changes(5, "finished", episodes=(1, 4), judged=(4,), run=True)
    both = merged(first, second)
    assert both.episodes == (1, 4) and both.stepped == (1, 2) and both.judged == (4,)
    assert both.heartbeat and both.run and both.ended
    assert merged(None, first) is first
    gone = merged(first, Changes(3, "running", gone=True))
    assert gone.gone and not merged(gone, Changes(1, "running", replaced=True)).gone
