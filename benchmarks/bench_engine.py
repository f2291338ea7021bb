"""What the engine itself costs: an episode of two decisions and one memory call, nothing to wait for.

    python benchmarks/bench_engine.py [--episodes N] [--inspect PYTHON] [--json]

Ours is a whole run into a run file: histories, preparation, steps, verdicts, ledger, acknowledgement of
every episode, heartbeat. The peer is Inspect AI 0.3.285 with the same shape (inspect_shape.py), asked
with `--inspect` for the Python of an environment that has it. CPU time of all threads, start-up and
planning apart; the budget is 1 CPU-ms an episode.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memtui.model import Hit, Label, Turn
from runners.agents.contract import Action, Brief, Call, Observation
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem, SourceSession
from runners.engine.config import check_config
from runners.engine.experiment import Arm, Experiment, salt_of
from runners.engine.run import run_experiment
from runners.judges.contract import Case, Verdict
from runners.memory.contract import CallResult, Context, Haystack, SessionText, SystemInfo, ToolSpec
from runners.protocols.scale import ScaleOptions, ScalePlan
from runners.sessions import session_sha

BUDGET_MS = 1.0
HITS = 12
SEARCH = ToolSpec(
    "memory_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


class InstantAgent:
    """Searches once, then answers."""

    name = "instant"
    note = ""
    config: dict[str, Any] = {}  # noqa: RUF012 - never written to

    def start(self, brief: Brief) -> InstantSession:
        """Begin."""
        return InstantSession(brief)


class InstantSession:
    """One episode."""

    def __init__(self, brief: Brief) -> None:
        self._query = brief.question

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        """Two decisions."""
        if observations:
            return Action(answer="blue", answer_raw="blue", raw="blue")
        call = Call("memory_search", {"query": self._query}, f'{{"query": "{self._query}"}}')
        return Action(calls=(call,), raw=call.raw)


class InstantMemory:
    """Returns the first sessions."""

    info = SystemInfo("instant", "1", "flat")

    def tools(self) -> tuple[ToolSpec, ...]:
        """One tool."""
        return (SEARCH,)

    async def prepare(self, session: SessionText, door: object) -> None:
        """Nothing."""

    async def open(
        self, haystack: Haystack, artifacts: object, texts: object, now: str | None, door: object
    ) -> InstantView:
        """Keep the tokens."""
        return InstantView(haystack)


class InstantView:
    """One history."""

    def __init__(self, haystack: Haystack) -> None:
        self.stored = len(haystack.positions)
        self._hits = tuple(Hit(p.token, 1.0) for p in haystack.positions[:HITS])

    async def call(self, tool: str, args: object) -> CallResult:
        """The first sessions."""
        return CallResult(self._hits)

    async def context(self, question: str, tokens: int) -> Context:
        """None."""
        return Context("", (), 0)

    async def rank(self, query: str, depth: int) -> None:
        """Cannot say."""

    async def close(self) -> None:
        """Nothing is held."""


class InstantJudge:
    """Everything is right."""

    id = "instant@1"

    async def judge(self, case: Case) -> Verdict:
        """Right."""
        return Verdict(Label.RIGHT, "instant")


def experiment(episodes: int) -> Experiment:
    """One question over one history of 12 sessions, `episodes` times."""
    sessions = {}
    for i in range(HITS):
        turns = (Turn("user", f"note {i}"), Turn("assistant", "fine"))
        sessions[f"s{i}"] = SourceSession(f"s{i}", turns, None, session_sha(turns), "pool")
    item = SourceItem(
        "q", "pet", "blue", "blue", "single", "q", True, None, (SourceEvidence("s0", "s0", None),)
    )
    data = DataSet("instant", "0" * 64, (item,), sessions, ("pool",))
    config = check_config(
        {
            "name": "bench",
            "repeats": episodes,
            "data": {"name": "instant"},
            "ladder": {"scales": [HITS - 1]},
            "arms": [{"memory": "instant", "agent": "instant"}],
            "limits": {"workers": 16},
        }
    )
    options = ScaleOptions(scales=config.ladder.scales, repeats=episodes)
    arm = Arm("instant/instant", "instant", InstantMemory(), InstantAgent())
    return Experiment(
        config=config,
        plan=ScalePlan(data, (arm.key,), options, salt=salt_of(1, data.sha256)),
        arms={arm.key: arm},
        judges=(InstantJudge(),),
        data={"name": data.name, "sha256": data.sha256},
    )


def ours(episodes: int) -> float:
    """CPU seconds of a run of so many episodes."""
    planned = experiment(episodes)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        result = asyncio.run(run_experiment(planned, Path(folder) / "bench.memtui"))
        spent = time.process_time() - start
    if result.done != episodes:
        raise SystemExit(f"only {result.done} of {episodes} episodes ended: {result.note}")
    return spent


def peer(python: Path, samples: int) -> dict[str, float] | None:
    """What inspect_shape.py measures; None where Inspect AI is not there."""
    script = Path(__file__).with_name("inspect_shape.py")
    done = subprocess.run(
        [str(python), str(script), "--samples", str(samples)], capture_output=True, text=True
    )
    if done.returncode:
        print(f"no peer: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> int:
    """Measure, print, and exit 1 over budget."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=3_000)
    parser.add_argument("--samples", type=int, default=200, help="samples of the peer")
    parser.add_argument("--inspect", type=Path, metavar="PYTHON", help="a Python with Inspect AI")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    ours(50)
    few = args.episodes // 10
    one_ms = 1_000 * (ours(args.episodes) - ours(few)) / (args.episodes - few)
    document: dict[str, Any] = {
        "episodes": args.episodes,
        "cpu_ms_per_episode": round(one_ms, 3),
        "budget_ms": BUDGET_MS,
        "inspect_cpu_ms_per_sample": None,
        "ratio": None,
    }
    found = peer(args.inspect, args.samples) if args.inspect else None
    if found is not None:
        theirs = 1_000 * (found["cpu_s"] - found["cpu_one_s"]) / (found["samples"] - 1)
        document["inspect_cpu_ms_per_sample"] = round(theirs, 3)
        document["ratio"] = round(theirs / one_ms, 1)
    if args.json:
        print(json.dumps(document))
    else:
        print(f"engine: 2 decisions, 1 memory call  {one_ms:6.3f} CPU-ms an episode")
        print(f"budget                              {BUDGET_MS:6.3f} CPU-ms")
        if document["ratio"] is None:
            print("Inspect AI                          not measured (--inspect PYTHON)")
        else:
            print(f"Inspect AI 0.3.285, same shape      {theirs:6.3f} CPU-ms a sample")
            print(f"ratio                               {document['ratio']:6.1f}")
    return 0 if one_ms <= BUDGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())
