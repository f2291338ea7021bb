"""What shared preparation saves: BM25 over a ladder of histories, beside an index built per history.

    python benchmarks/bench_ladder.py [--longmemeval FOLDER] [--every N] [--json]

Ours prepares each distinct session once and opens every history on it. The peer (bm25s, the same
words, the same k1 and b, its Lucene variant) builds an index per history, as harnesses do that keep
one store per question. Both answer the item's question over every rung. Times are CPU seconds of
this process. Fails (exit 1) where scores differ by more than 1e-6, where ties are not in the order
of the history, where a session was prepared twice, or where the memory or a ratio (over all ladders
together) misses its goal.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from runners.datasets.registry import load
from runners.memory.contract import Haystack, SessionText
from runners.memory.flat.bm25 import BM25, DEFAULT_B, DEFAULT_K1
from runners.memory.flat.search import Scores, best
from runners.memory.flat.words import words
from runners.protocols.scale import ScaleOptions, ScalePlan
from runners.sessions import render_session

ALL_IN_GOAL, OPEN_GOAL, MEMORY_GOAL = 60.0, 300.0, 1.5
K = 12
REPEATS, PEER_REPEATS = 7, 2
"""The best of so many runs counts on either side: whatever else the machine does only adds."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question over one history."""

    question: str
    haystack: Haystack
    peer: bool
    """Whether the peer builds this one too."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """All histories of one data set, in plan order, with every session's text."""

    name: str
    cases: list[Case]
    texts: dict[str, SessionText]


@dataclass(frozen=True, slots=True)
class Figures:
    """One row of the table; seconds are CPU seconds."""

    ladder: str
    histories: int
    sessions: int
    """Sessions in all histories together."""
    distinct: int
    prepared: int
    ours_prepare: float
    ours_open_and_search: float
    peer_histories: int
    peer_words: float
    peer_index_and_search: float
    peer_words_once: float
    """What cutting each distinct session only once would have cost the peer."""
    worst_difference: float
    peak_gib: float

    def ratios(self) -> dict[str, float]:
        """The peer's time over ours. All-in: against all of ours; else against open and search alone.

        `_words_kept` is the same, had the peer cut each session into words only once.
        """
        ours, search = self.ours_prepare + self.ours_open_and_search, self.ours_open_and_search
        peer = self.peer_words + self.peer_index_and_search
        return {
            "all_in": peer / ours,
            "without_preparation": peer / search,
            "all_in_words_kept": (self.peer_words_once + self.peer_index_and_search) / ours,
            "without_preparation_words_kept": self.peer_index_and_search / search,
        }


def together(rows: Sequence[Figures]) -> Figures:
    """All ladders as one."""

    def total(name: str) -> Any:
        return sum(getattr(row, name) for row in rows)

    summed = {f.name: total(f.name) for f in fields(Figures) if f.name != "ladder"}
    summed["worst_difference"] = max(row.worst_difference for row in rows)
    summed["peak_gib"] = max(row.peak_gib for row in rows)
    return Figures(ladder="together", **summed)


def ladders(longmemeval: Path | None, every: int) -> Iterator[Ladder]:
    """The synthetic set at 0..400 and, where it is given, LongMemEval-109 at 0..300."""
    yield _ladder("synthetic", None, (0.0, 100.0, 200.0, 300.0, 400.0), every)
    if longmemeval is not None:
        yield _ladder("longmemeval-109", longmemeval, (0.0, 100.0, 200.0, 300.0), every)


def _ladder(name: str, path: Path | None, scales: tuple[float, ...], every: int) -> Ladder:
    plan = ScalePlan(load(name, path), ["bm25"], ScaleOptions(scales=scales), salt="bench")
    cases: list[Case] = []
    texts: dict[str, SessionText] = {}
    for place, item in enumerate(plan.items()):
        for scale in scales:
            built = plan.haystack(item.key, scale, 1)
            cases.append(Case(item.question, built.haystack, place % every == 0))
            for position in built.haystack.positions:
                if position.sha not in texts:
                    texts[position.sha] = built.texts[position.sha]
    return Ladder(name, cases, texts)


async def ours(ladder: Ladder) -> tuple[float, float, int]:
    """Seconds of preparation, seconds of opening and searching, sessions prepared."""
    system = BM25(k=K)
    prepare = search = 0.0
    artifacts: dict[str, object] = {}
    for case in ladder.cases:
        start = process_time()
        for position in case.haystack.positions:
            if position.sha not in artifacts:
                artifacts[position.sha] = await system.prepare(ladder.texts[position.sha], None)
        prepared = process_time()
        view = await system.open(case.haystack, artifacts, ladder.texts, None, None)
        await view.call("memory_search", {"query": case.question})
        await view.close()
        prepare += prepared - start
        search += process_time() - prepared
    return prepare, search, system.preparations


async def peer(ladder: Ladder) -> tuple[float, float, float]:
    """Seconds for words, seconds for indexing and searching, and the worst difference in a score."""
    bm25s = import_module("bm25s")
    system = BM25(k=K)
    artifacts = {sha: await system.prepare(text, None) for sha, text in ladder.texts.items()}
    cutting = indexing = worst = 0.0
    for case in ladder.cases:
        if not case.peer:
            continue
        times = []
        for _ in range(PEER_REPEATS):
            start = process_time()
            blocks = [
                words(render_session(ladder.texts[p.sha].turns)) for p in case.haystack.positions
            ]
            cut = process_time()
            index = bm25s.BM25(method="lucene", k1=DEFAULT_K1, b=DEFAULT_B, dtype="float64")
            index.index(blocks, show_progress=False)
            scores: Scores = index.get_scores(words(case.question))
            np.argsort(-scores, kind="stable")[:K]
            times.append((cut - start, process_time() - cut))
        cutting += min(time[0] for time in times)
        indexing += min(time[1] for time in times)
        view = await system.open(case.haystack, artifacts, ladder.texts, None, None)
        found = await view.scores(case.question)
        worst = max(worst, float(np.abs(np.where(np.isfinite(found), found, 0) - scores).max()))
        _check_ties(found, best(found, K).tolist())
    return cutting, indexing, worst


def _check_ties(scores: Scores, order: Sequence[int]) -> None:
    keys = [(-scores[i], i) for i in order]
    if keys != sorted(keys):
        sys.exit("blocks of equal score are not in the order of the history")


def measure(ladder: Ladder) -> Figures:
    """Ours first, so that the peak of memory is ours."""
    runs = [asyncio.run(ours(ladder)) for _ in range(REPEATS)]
    prepare, search = (min(run[part] for run in runs) for part in (0, 1))
    prepared = max(run[2] for run in runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cutting, indexing, worst = asyncio.run(peer(ladder))
    size = sum(len(case.haystack.positions) for case in ladder.cases)
    size_peer = sum(len(case.haystack.positions) for case in ladder.cases if case.peer)
    # The peer's time grows with the sessions it indexes; with `--every` a part stands for the whole.
    share = size / size_peer
    cutting, indexing = cutting * share, indexing * share
    once = cutting * len(ladder.texts) / size
    return Figures(
        ladder=ladder.name,
        histories=len(ladder.cases),
        sessions=size,
        distinct=len(ladder.texts),
        prepared=prepared,
        ours_prepare=prepare,
        ours_open_and_search=search,
        peer_histories=sum(case.peer for case in ladder.cases),
        peer_words=cutting,
        peer_index_and_search=indexing,
        peer_words_once=once,
        worst_difference=worst,
        peak_gib=peak,
    )


def problems(row: Figures) -> list[str]:
    """What misses its goal."""
    found = []
    if row.prepared != row.distinct:
        found.append(f"{row.prepared} preparations of {row.distinct} distinct sessions")
    if row.worst_difference > 1e-6:
        found.append(f"a score differs by {row.worst_difference:.1e}")
    if row.peak_gib > MEMORY_GOAL:
        found.append(f"{row.peak_gib:.2f} GiB at the peak, goal {MEMORY_GOAL}")
    return found


def slow(row: Figures) -> list[str]:
    """Which ratios miss their goal."""
    goals = {"all_in": ALL_IN_GOAL, "without_preparation": OPEN_GOAL}
    ratios = row.ratios()
    return [
        f"{ratios[name]:.0f} x {name.replace('_', ' ')}, goal {goal:.0f}"
        for name, goal in goals.items()
        if ratios[name] < goal
    ]


def table(rows: Sequence[Figures]) -> str:
    """The rows as a markdown table."""
    head = (
        "| ladder | histories x sessions | distinct, prepared | ours: prepare + open, search | "
        "peer: words + index, search | all-in | without preparation | "
        "both, had the peer kept the words | score difference | peak |"
    )
    lines = [head, "|" + "---|" * 10]
    for r in rows:
        ratio = r.ratios()
        part = "" if r.peer_histories == r.histories else f" (from {r.peer_histories} histories)"
        lines.append(
            f"| {r.ladder} | {r.histories} x {r.sessions / r.histories:.0f} | {r.distinct}, "
            f"{r.prepared} | {r.ours_prepare:.2f} + {r.ours_open_and_search:.2f} s | "
            f"{r.peer_words:.1f} + {r.peer_index_and_search:.1f} s{part} | **{ratio['all_in']:.0f} x** | "
            f"**{ratio['without_preparation']:.0f} x** | {ratio['all_in_words_kept']:.0f} x, "
            f"{ratio['without_preparation_words_kept']:.0f} x | "
            f"{r.worst_difference:.0e} | {r.peak_gib:.2f} GiB |"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--longmemeval", type=Path, help="folder of LongMemEval-109")
    parser.add_argument(
        "--every", type=int, default=1, help="let the peer index every Nth item only"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = [measure(ladder) for ladder in ladders(args.longmemeval, args.every)]
    if len(rows) > 1:
        rows.append(together(rows))
    if args.json:
        print(json.dumps([asdict(row) | row.ratios() for row in rows], indent=2))
    else:
        print(table(rows))
    missed = [f"{row.ladder}: {problem}" for row in rows for problem in problems(row)]
    missed += [f"{rows[-1].ladder}: {problem}" for problem in slow(rows[-1])]
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
