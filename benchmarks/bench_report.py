"""A report over 100,000 episodes: from process start to the printed page, then any other budget.

    python benchmarks/bench_report.py [--episodes N] [--keep FOLDER] [--json]

Three shapes: independent questions (LongMemEval-like), ten histories (LoCoMo-like), three repeats. For
each, `memtui report --no-bootstrap` (points and closed-form intervals) is run as a process of its own,
then a loaded report moves to every other budget. Best of `REPEATS`, wall seconds with CPU beside;
fails (exit 1) where a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time

from memtui.model import EndReason, EpisodeId, Evidence, Facts, Item, Label, Usage
from memtui.report.build import report_at
from memtui.report.source import ReportSource
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    HaystackEvent,
    ItemEvent,
    RunEvent,
    RunStateEvent,
    VerdictEvent,
)
from memtui.store.reader import open_run
from memtui.store.writer import RunWriter

START_GOAL, BUDGET_GOAL = 1.0, 0.050
REPEATS = 5
SCALES = (0.0, 100.0, 200.0, 300.0, 400.0)
AT = "2026-05-08T12:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Shape:
    """How the episodes of a file hang together."""

    name: str
    items: int
    clusters: int
    repeats: int


SHAPES = (
    Shape("independent questions", 500, 500, 1),
    Shape("ten histories", 1540, 10, 1),
    Shape("three repeats", 500, 500, 3),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds: the whole process, its CPU, with bootstrap, reading alone, the slowest other budget."""

    shape: str
    episodes: int
    cells: int
    megabytes: float
    start_wall: float
    start_cpu: float
    bootstrap_wall: float
    load: float
    worst_budget: float

    @property
    def met(self) -> bool:
        """Whether both goals are."""
        return self.start_wall <= START_GOAL and self.worst_budget <= BUDGET_GOAL


def generate(path: Path, shape: Shape, episodes: int, seed: int = 1) -> int:
    """Write a seeded file of about `episodes` episodes; returns how many it has."""
    draw = random.Random(seed)
    arms = max(1, round(episodes / (shape.items * len(SCALES) * shape.repeats)))
    planned = arms * shape.items * len(SCALES) * shape.repeats
    writer = RunWriter(path).start()
    put = writer.put
    config = {"loop": {"call_cap": 20, "k": 12}}
    put(
        RunEvent("b" * 16, shape.name, "scale", config, "0" * 64, "post_hoc", 2, 0.7, "judge-1",
                 planned, AT, SCALES)
    )  # fmt: skip
    keys = [f"memory{number}/agent" for number in range(arms)]
    for key in keys:
        put(ArmEvent(key, "agent", key.split("/")[0], {"tools": [{"name": "search"}]}))
    for number in range(shape.items):
        evidence = tuple(Evidence(f"e{n}", f"{number:06d}{n:06d}", None) for n in range(2))
        put(
            ItemEvent(
                Item(
                    f"q{number}",
                    f"question {number}?",
                    "gold",
                    f"type {number % 6}",
                    f"c{number % shape.clusters}",
                    answerable=number % 17 != 0,
                    evidence=evidence,
                )
            )
        )
        for scale in SCALES:
            put(
                HaystackEvent(f"q{number}@{scale}", f"q{number}", scale, 1, "balanced", (), 1000,
                              "words", int(scale))
            )  # fmt: skip
    uid = 0
    for repeat in range(shape.repeats):
        for number in range(shape.items):
            for scale in SCALES:
                for place, key in enumerate(keys):
                    uid += 1
                    _episode(writer, draw, f"{uid:08x}", key, place, number, scale, repeat)
    put(RunStateEvent("finished", AT))
    writer.close_sync()
    return planned


def _episode(
    writer: RunWriter,
    draw: random.Random,
    uid: str,
    arm: str,
    place: int,
    number: int,
    scale: float,
    repeat: int,
) -> None:
    identity = EpisodeId(arm, f"q{number}", f"scale={scale:.0f}|seed=1", repeat, 1)
    calls = min(20, 1 + int(draw.expovariate(0.9)))
    first = draw.randint(1, calls) if draw.random() < 0.9 else None
    t_star = draw.randint(first, calls) if first and draw.random() < 0.8 else None
    found = 0 if first is None else 2 if t_star is not None else 1
    chance = 0.9 - scale / 1500 - place / 100 - (0 if t_star else 0.4)
    end = EndReason.PROVIDER_ERROR if draw.random() < 0.01 else EndReason.ANSWERED
    writer.put(EpisodeStarted(identity, uid, f"q{number}@{scale}", scale, AT))
    writer.put(
        EpisodeFinished(
            uid,
            identity,
            end,
            Facts(calls, calls, first, t_star, 2, found, draw.randint(0, 2), 0),
            "◇" * calls,
            AT,
            "an answer",
            "an answer",
            usage=Usage(1000, None, 100),
            wall_ms=1500.0,
        )
    )
    if end is EndReason.ANSWERED:
        right = Label.RIGHT if draw.random() < chance else Label.WRONG
        writer.put(VerdictEvent(uid, "judge-1", right, AT))


def measure(path: Path, shape: Shape, episodes: int) -> Figures:
    """Time a file."""
    walls, cpus = zip(*(_process(path, "--no-bootstrap") for _ in range(REPEATS)), strict=True)
    with_bootstrap = min(_process(path)[0] for _ in range(2))
    with open_run(path) as reader:
        start = process_time()
        source = ReportSource(reader)
        first = report_at(source, 2)
        load = process_time() - start
        worst = 0.0
        for budget in (0, 1, *range(3, 20)):
            times = []
            for _ in range(REPEATS):
                start = perf_counter()
                report_at(source, budget)
                times.append(perf_counter() - start)
            worst = max(worst, min(times))
    return Figures(
        shape.name,
        episodes,
        len(first.cells),
        path.stat().st_size / 1e6,
        min(walls),
        min(cpus),
        with_bootstrap,
        load,
        worst,
    )


def _process(path: Path, *options: str) -> tuple[float, float]:
    before = os.times()
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "memtui", "report", str(path), *options],
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).resolve().parent.parent,
    )
    wall = perf_counter() - start
    after = os.times()
    if b"Reliability" not in done.stdout:
        raise SystemExit("the report printed no rates")
    used = after.children_user - before.children_user
    return wall, used + after.children_system - before.children_system


def main() -> int:
    """Run all shapes, print the table, fail where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="folder for the generated files")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for shape in SHAPES:
            path = folder / f"{shape.name.replace(' ', '-')}.memtui"
            episodes = args.episodes
            if not path.exists():
                episodes = generate(path, shape, args.episodes)
            found.append(measure(path, shape, episodes))
    if args.json:
        print(json.dumps([{**asdict(one), "met": one.met} for one in found], indent=2))
    else:
        print(f"goals: process {START_GOAL:.0f} s, any other budget {1000 * BUDGET_GOAL:.0f} ms")
        print(
            f"{'shape':<22}{'episodes':>9}{'cells':>7}{'MB':>7}{'process':>9}{'CPU':>7}{'x goal':>8}"
            f"{'bootstrap':>11}{'load CPU':>10}{'other B':>9}{'x goal':>8}"
        )
        for one in found:
            print(
                f"{one.shape:<22}{one.episodes:>9}{one.cells:>7}{one.megabytes:>7.1f}"
                f"{one.start_wall:>8.2f}s{one.start_cpu:>6.2f}s{one.start_wall / START_GOAL:>8.2f}"
                f"{one.bootstrap_wall:>10.2f}s{one.load:>9.2f}s{1000 * one.worst_budget:>7.0f}ms"
                f"{one.worst_budget / BUDGET_GOAL:>8.2f}"
            )
    return 0 if all(one.met for one in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
