"""Choose the thresholds of the extractive agents, and show what every policy does at every scale.

    python benchmarks/tune_extractive.py            # the tune split: the table behind thresholds.py
    python benchmarks/tune_extractive.py --show test   # one table of all policies on a split

Tuning looks at the `tune` split only. Searches go through our BM25 over the ladder's histories; answers
are judged by the deterministic judge.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtui.metrics.facts import FactTracker
from memtui.model import Evidence, Label
from runners.agents import thresholds
from runners.agents.contract import Agent, Brief, Observation
from runners.agents.extractive import ExtractiveAgent, read, search_once, until_confident, verify
from runners.agents.stopping import UntilConfident
from runners.datasets.contract import SourceItem
from runners.datasets.synthetic import load
from runners.judges.contract import Case
from runners.judges.deterministic import decide
from runners.memory.contract import Artifact, Haystack, MemorySystem, Position, SessionText
from runners.memory.registry import build
from runners.observation import HaystackText, show
from runners.protocols.ladder import Ladder
from runners.protocols.pool import SessionPool

SCALES = (0, 100, 200, 300, 400)
CAP = 20
BUDGET = 2


@dataclass(frozen=True, slots=True)
class Run:
    """One episode: calls, verdict, whether all evidence was shown by the end."""

    item: SourceItem
    scale: int
    calls: int
    right: bool
    covered: bool
    answer: str


@dataclass(slots=True)
class Bench:
    """A split with its histories, opened once per memory system."""

    split: str
    seed: int = 1
    pool: SessionPool = field(init=False)
    rungs: dict[tuple[str, int], Haystack] = field(init=False)
    texts: dict[str, SessionText] = field(init=False)

    def __post_init__(self) -> None:
        dataset = load(split=self.split)
        self.pool = SessionPool(dataset)
        self.texts = {sha: SessionText(sha, self.pool.turns(sha)) for sha in self.pool.by_sha}
        ladder = Ladder(self.pool, seed=self.seed)
        self.rungs = {}
        for item in dataset.items:
            fillers = ladder.draw(item, max(SCALES))
            for scale in SCALES:
                rung = ladder.rung(item, fillers[:scale])
                positions = tuple(
                    Position(place.session.sha[:12], place.session.sha, place.date)
                    for place in rung.places
                )
                self.rungs[item.key, scale] = Haystack(f"{item.key}@{scale}", positions)

    @property
    def items(self) -> tuple[SourceItem, ...]:
        """All questions of the split."""
        return self.pool.dataset.items

    async def run(
        self, system: MemorySystem, agents: Mapping[str, Agent], scales: Sequence[int] = SCALES
    ) -> dict[str, list[Run]]:
        """Every agent over every question and scale; a system's view is shared by the agents."""
        artifacts: dict[str, Artifact] = {
            sha: await system.prepare(text, None) for sha, text in self.texts.items()
        }
        runs: dict[str, list[Run]] = {name: [] for name in agents}
        for scale in scales:
            for item in self.items:
                haystack = self.rungs[item.key, scale]
                sessions = HaystackText.of(haystack, self.texts)
                view = await system.open(haystack, artifacts, self.texts, item.question_date, None)
                for name, agent in agents.items():
                    brief = Brief(item.question, item.question_date, system.tools(), 12, None)
                    tracker = FactTracker(self._evidence(item), "full")
                    if system.info.context:
                        context = await view.context(item.question, 128_000)
                        brief = Brief(item.question, item.question_date, (), 12, None, context)
                        tracker.context(context.hits)
                    session = agent.start(brief)
                    observations: list[Observation] = []
                    calls = 0
                    while True:
                        action = await session.act(observations, must_answer=calls >= CAP)
                        if not action.calls:
                            break
                        (call,) = action.calls
                        calls += 1
                        result = await view.call(call.tool, call.args or {})
                        shown = show(result, sessions, 12, None)
                        tracker.call(shown.hits)
                        observations = [Observation(call.tool, call.raw, shown.blocks, shown.text)]
                    runs[name].append(self._judged(item, scale, calls, action.answer, tracker))
        return runs

    def _evidence(self, item: SourceItem) -> tuple[Evidence, ...]:
        sha_of = self.pool.sha_of
        return tuple(
            Evidence(e.raw, sha_of[e.session_id or ""][:12], e.turn, e.status)
            for e in item.evidence
        )

    def _judged(
        self, item: SourceItem, scale: int, calls: int, answer: str | None, tracker: FactTracker
    ) -> Run:
        case = Case(
            item.question, item.gold, answer, item.qtype, item.answerable, item.question_date
        )
        right = decide(case).label is Label.RIGHT
        facts = tracker.facts()
        return Run(item, scale, calls, right, facts.t_star is not None, answer or "")


def table(runs: Mapping[str, Sequence[Run]]) -> str:
    """Pass, exhausted and wrong at the budget by scale, with coverage, accuracy and calls."""
    lines = [
        f"{'policy':<16}{'scale':>6}{'n':>4}{'pass':>7}{'exh':>7}{'wrong':>7}{'cov':>7}{'acc':>7}{'calls':>7}{'p90':>5}"
    ]
    for name, all_runs in runs.items():
        for scale in sorted({run.scale for run in all_runs}):
            cell = [run for run in all_runs if run.scale == scale and counted(run)]
            n = len(cell)
            passed = sum(run.right and run.calls <= BUDGET for run in cell)
            exhausted = sum(run.calls > BUDGET for run in cell)
            calls = sorted(run.calls for run in cell)
            rates = (passed, exhausted, n - passed - exhausted)
            covered, right = sum(run.covered for run in cell), sum(run.right for run in cell)
            lines.append(
                f"{name:<16}{scale:>6}{n:>4}"
                + "".join(f"{count / n:>7.2f}" for count in (*rates, covered, right))
                + f"{sum(calls) / n:>7.2f}{calls[(9 * n + 9) // 10 - 1]:>5}"
            )
    return "\n".join(lines)


def counted(run: Run) -> bool:
    """Answerable, and with a gold that rules can judge."""
    return run.item.answerable and run.item.qtype != "single-session-preference"


def value(runs: Sequence[Run]) -> float:
    """What is tuned: accuracy over all scales, abstention items included, less the price of calls."""
    judged = [run for run in runs if run.item.qtype != "single-session-preference"]
    right = sum(run.right for run in judged)
    calls = sum(run.calls for run in judged)
    return (right - thresholds.CALL_PRICE * calls) / len(judged)


async def tune(bench: Bench) -> None:
    """Print the value of each setting, best last."""
    system = build("bm25", {})
    agents: dict[str, Agent] = {}
    for threshold in (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8):
        for patience in (1, 2, 3):
            agents[f"threshold={threshold} patience={patience}"] = ExtractiveAgent(
                UntilConfident(threshold, patience)
            )
    for floor in (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
        agents[f"search-once abstain_below={floor}"] = search_once(abstain_below=floor)
    for checks in (1, 2, 3):
        agents[f"verify checks={checks}"] = verify(checks=checks)
    runs = await bench.run(system, agents)
    for name in sorted(runs, key=lambda name: value(runs[name])):
        print(f"{value(runs[name]):.4f}  {name}")


async def show_all(bench: Bench, systems: Sequence[str]) -> None:
    """Print the table of every policy with each system."""
    for name in systems:
        system = build(name, {})
        agents: dict[str, Agent] = {"read": read()}
        if not system.info.context:
            agents = {
                "search-once": search_once(),
                "until-confident": until_confident(),
                "verify": verify(),
            }
        print(f"\n{name} on {bench.split}, ladder seed {bench.seed}, B = {BUDGET}")
        print(table(await bench.run(system, agents)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", choices=("test", "tune"), help="table of all policies")
    parser.add_argument("--seed", type=int, default=1, help="ladder seed")
    parser.add_argument("--memory", nargs="+", default=["bm25", "full-history", "rolling-window"])
    args = parser.parse_args()
    if args.show:
        asyncio.run(show_all(Bench(args.show, args.seed), args.memory))
    else:
        asyncio.run(tune(Bench("tune", args.seed)))


if __name__ == "__main__":
    main()
