"""What holds episodes back: limits, a provider that is down, the pace; and that every cell fills."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from runners.engine.gates import ArmNeeds, Gates, Outage, Pace
from runners.engine.pending import Pending


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Spec:
    arm: str
    number: int


def specs(**arms: int) -> list[Spec]:
    """`arms` episodes per arm, interleaved as a plan gives them."""
    most = max(arms.values())
    return [Spec(arm, i) for i in range(most) for arm, count in arms.items() if i < count]


def test_arms_go_in_step_and_in_plan_order() -> None:
    queue = Pending(specs(a=3, b=3))
    taken = [queue.next(lambda _: True) for _ in range(6)]
    assert taken == specs(a=3, b=3)
    assert queue.next(lambda _: True) is None and len(queue) == 0


def test_an_arm_that_waits_holds_nobody_up() -> None:
    queue = Pending(specs(slow=2, fast=5))
    taken = [queue.next(lambda arm: arm == "fast") for _ in range(6)]
    assert [s.number for s in taken if s] == [0, 1, 2, 3, 4]
    assert taken[-1] is None and len(queue) == 2
    first = queue.next(lambda _: True)
    assert first == Spec("slow", 0)


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 30), min_size=1))
def test_every_cell_fills_at_the_same_pace(arms: dict[str, int]) -> None:
    queue = Pending(specs(**arms))
    seen: Counter[str] = Counter()
    while (spec := queue.next(lambda _: True)) is not None:
        assert spec.number == seen[spec.arm]
        seen[spec.arm] += 1
        shares = [seen[arm] / total for arm, total in arms.items()]
        assert max(shares) - min(shares) <= max(1 / total for total in arms.values()) + 1e-9
    assert seen == Counter(arms)


def gates(clock: Clock, **limits: int) -> Gates:
    needs = {
        "x/one": ArmNeeds("x", "m"),
        "y/one": ArmNeeds("y", "m"),
        "x/free": ArmNeeds("x", None),
    }
    return Gates(needs, {"m": 2}, limits, lambda: Outage(2, 10.0, 40.0, 3, clock))


def test_limits_per_model_and_per_memory_system() -> None:
    g = gates(Clock(), x=2)
    g.started("x/one")
    g.started("y/one")
    assert not g.may_run("x/one") and not g.may_run("y/one"), "the model is full"
    assert g.may_run("x/free")
    g.started("x/free")
    assert not g.may_run("x/free"), "the memory system is full"
    g.ended("y/one", False)
    assert g.may_run("y/one") and not g.may_run("x/one")
    g.ended("x/free", False)
    g.ended("x/one", False)
    assert all(g.may_run(arm) for arm in ("x/one", "y/one", "x/free"))


def test_an_outage_holds_back_only_who_needs_the_provider() -> None:
    clock = Clock()
    g = gates(clock)
    for arm in ("x/one", "y/one"):
        g.started(arm)
        assert g.ended(arm, True) == (None if arm == "x/one" else 10.0)
    assert not g.may_run("x/one") and not g.may_run("y/one") and g.may_run("x/free")
    assert g.wait(("x/one", "x/free")) == 10.0
    clock.now += 10
    assert g.may_run("x/one")
    g.started("x/one")
    assert not g.may_run("y/one"), "one probe at a time"
    assert g.ended("x/one", True) == 20.0
    clock.now += 20
    g.started("y/one")
    assert g.ended("y/one", False) is None
    assert g.may_run("x/one") and g.snapshot()[-1]["kind"] == "model"


def test_a_provider_is_given_up_after_its_probes() -> None:
    clock = Clock()
    outage = Outage(1, 10.0, 15.0, 2, clock)
    pauses = []
    for _ in range(4):
        if not outage.may_run():
            break
        outage.started()
        pauses.append(outage.ended(True))
        clock.now += 100
    assert pauses == [10.0, 15.0, 15.0, 15.0]
    assert outage.given_up and not outage.may_run()


def test_late_failures_of_the_same_outage_teach_nothing() -> None:
    clock = Clock()
    outage = Outage(2, 10.0, 40.0, 3, clock)
    for _ in range(5):
        outage.started()
    assert [outage.ended(True) for _ in range(5)] == [None, 10.0, None, None, None]
    assert outage.failed_probes == 0


def test_an_end_that_says_nothing_of_the_provider_changes_nothing() -> None:
    outage = Outage(2, 10.0, 40.0, 3, Clock())
    outage.ended(True)
    outage.ended(None)
    assert outage.in_a_row == 1


def test_pace() -> None:
    clock = Clock()
    pace = Pace(4.0, clock)
    starts: list[float] = []
    while len(starts) < 9:
        if not pace.wait():
            pace.started()
            starts.append(clock.now)
        clock.now += 0.01
    assert 1.8 <= starts[-1] - starts[0] <= 2.2
    clock.now += 60
    pace.started()
    assert pace.wait() > 0.1, "a pause is not caught up with"
    pace.rate = None
    assert pace.wait() == 0


def test_the_pace_is_kept_by_a_caller_that_wakes_late() -> None:
    clock = Clock()
    pace = Pace(10.0, clock)
    count = 0
    for _ in range(1_000):
        clock.now += 0.013
        while not pace.wait():
            pace.started()
            count += 1
    assert 120 <= count <= 132
