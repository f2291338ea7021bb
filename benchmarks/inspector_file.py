"""The run file that the inspector is measured with, and a run that goes on writing into a copy of it.

    python benchmarks/inspector_file.py live FILE --seconds 60 --steps 500

`live` writes into FILE and prints, as JSON, when each marked answer was committed (monotonic seconds).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from memtui.model import EndReason, EpisodeId, Evidence, Facts, Hit, Item, Label, Turn, Usage
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    HaystackEvent,
    HeartbeatEvent,
    ItemEvent,
    RunEvent,
    RunStateEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)
from memtui.store.writer import RunWriter

VERSION = 3
"""Grows when what is generated changes: cached files of another version are made anew."""
ARMS, ITEMS, HITS = 40, 500, 12
SCALES = (0.0, 100.0, 200.0, 300.0, 400.0)
JUDGES = ("judge-1", "judge-2")
AT = "2026-05-08T12:00:00+00:00"
SESSIONS = 400
ENDS = (EndReason.TIMEOUT, EndReason.STEP_CAP, EndReason.EMPTY, EndReason.MEMORY_ERROR)


def cached(folder: Path, episodes: int) -> Path:
    """The file of that many episodes, made where it is not there yet."""
    path = folder / f"inspector-{episodes}-v{VERSION}.memtui"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        generate(unfinished, episodes)
        unfinished.rename(path)
    return path


def generate(path: Path, episodes: int, seed: int = 1) -> None:
    """Write the file with the writer that runs use: arms x scales x questions, steps, two judges.

    The newest episode has 10 calls of 12 hits with texts of 400 characters.
    """
    writer = RunWriter(path).start()
    writer.put(
        RunEvent("a" * 16, "a hundred thousand episodes", "scale", {"loop": {"call_cap": 20}},
                 "0" * 64, "post_hoc", 2, 0.7, JUDGES[0], episodes, AT, SCALES)
    )  # fmt: skip
    _declare(writer)
    made = _Episodes(writer, seed)
    for number in range(episodes - 1):
        made.episode(number)
    made.episode(episodes - 1, calls=10, text="a passage " * 40)
    writer.put(RunStateEvent("finished", AT))
    writer.close_sync()


def _declare(writer: RunWriter) -> None:
    words = "a sentence of a session that was said some time ago "
    for number in range(SESSIONS):
        turns = tuple(Turn("user", f"{words * 3}{number} {turn}") for turn in range(6))
        writer.put(SessionEvent(f"{number:012x}", f"{number:064x}", turns, 240))
    for number in range(ARMS):
        key = f"memory-{number:02}/agent"
        writer.put(ArmEvent(key, "agent", key.split("/")[0], {"tools": [{"name": "search"}]}))
    for number in range(ITEMS):
        evidence = tuple(Evidence(f"e{n}", f"{(number + n) % SESSIONS:012x}", None) for n in (0, 1))
        writer.put(
            ItemEvent(
                Item(
                    f"q{number}", f"question {number}: where was the thing that was spoken of?",
                    f"gold {number}", f"type-{number % 6}", f"c{number % 100}",
                    answerable=number % 17 != 0, evidence=evidence,
                )
            )
        )  # fmt: skip
        for scale in SCALES:
            positions = tuple(
                (f"{(number + n) % SESSIONS:012x}", "2026-01-01T10:00:00", "evidence")
                for n in (0, 1)
            )
            writer.put(
                HaystackEvent(f"q{number}@{scale}", f"q{number}", scale, 1, "balanced", positions,
                              1000, "words", int(scale))
            )  # fmt: skip


class _Episodes:
    """Writes episode after episode, each as a run would."""

    def __init__(self, writer: RunWriter, seed: int) -> None:
        self._put = writer.put
        self._draw = random.Random(seed)
        self._hits = [
            tuple(
                Hit(f"{self._draw.randrange(SESSIONS):012x}", round(1 / (n + 1), 3), n < 10)
                for n in range(HITS)
            )
            for _ in range(200)
        ]

    def episode(
        self, number: int, *, calls: int = 0, text: str = "", answer: str = "", prefix: str = "u"
    ) -> int:
        """One episode with its steps and verdicts; how many steps."""
        draw, put = self._draw, self._put
        arm, rest = number % ARMS, number // ARMS
        scale, item = SCALES[rest % len(SCALES)], rest // len(SCALES) % ITEMS
        repeat = rest // len(SCALES) // ITEMS
        key = EpisodeId(f"memory-{arm:02}/agent", f"q{item}", f"scale={scale:.0f}", repeat, 1)
        uid = f"{prefix}{number:08x}"
        calls = calls or min(10, 1 + int(draw.expovariate(0.45)))
        put(EpisodeStarted(key, uid, f"q{item}@{scale}", scale, AT))
        first = draw.randint(1, calls) if draw.random() < 0.9 else None
        t_star = draw.randint(first, calls) if first and draw.random() < 0.8 else None
        for call in range(1, calls + 1):
            hits = self._hits[draw.randrange(len(self._hits))]
            if text:
                hits = tuple(
                    Hit(hit.ref, hit.score, hit.shown, 0, 1, (), f"{text}{call}.{n}")
                    for n, hit in enumerate(hits)
                )
            found = (
                0 if first is None or call < first else 1 if t_star is None or call < t_star else 2
            )
            put(
                StepEvent(
                    uid, call, "memory_call", AT, "search", counts_as_call=True, call_no=call,
                    query=f"the thing of question {item} again {call}", k_asked=HITS,
                    k_returned=HITS, k_shown=10, hits=hits, gold_cum=found,
                    gold_new=int(call == first) + int(call == t_star), new_hits=draw.randint(0, HITS),
                    wall_ms=12.0,
                )
            )  # fmt: skip
        put(StepEvent(uid, calls + 1, "answer", AT, text="an answer", wall_ms=900.0))
        chance = draw.random()
        end = EndReason.ANSWERED
        if chance < 0.03:
            end = EndReason.PROVIDER_ERROR if chance < 0.01 else ENDS[number % len(ENDS)]
        put(
            EpisodeFinished(
                uid, key, end,
                Facts(calls, calls, first, t_star, 2, 0 if first is None else 1 + (t_star is not None),
                      draw.randint(0, min(2, calls - 1)), 0),
                "◇" * calls, AT, answer or f"answer {item}", "raw answer",
                usage=Usage(1000 + draw.randrange(4000), None, 100, cost=draw.random() / 100),
                wall_ms=1000 + 2000 * draw.random(),
            )
        )  # fmt: skip
        if end is EndReason.ANSWERED:
            right = draw.random() < 0.9 - scale / 1500 - arm / 100 - (0.0 if t_star else 0.4)
            for judge in JUDGES:
                same = judge == JUDGES[0] or draw.random() < 0.95
                put(VerdictEvent(uid, judge, Label.RIGHT if right == same else Label.WRONG, AT))
        return calls + 1


def live(path: Path, seconds: float, steps: float, first: int) -> dict[str, float]:
    """Append at a rate of steps a second; {marked answer: when its episode was committed}."""
    writer = RunWriter(path).start()
    writer.put(RunStateEvent("running", AT))
    writer.commit_sync()
    made = _Episodes(writer, 2)
    committed: dict[str, float] = {}
    start = time.monotonic()
    done = number = 0
    beat = 0.0
    while (now := time.monotonic() - start) < seconds:
        if now - beat >= 1.0 or not beat:
            beat = now or 1e-9
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
            writer.put(HeartbeatEvent(stamp, 1, "bench", {"rate": 100.0}))
        marks = []
        while done < now * steps:
            marks.append(f"mk{number:06}")
            done += made.episode(first + number, answer=marks[-1], prefix="live")
            number += 1
        if marks:
            writer.commit_sync()
            at = time.monotonic()
            committed.update(dict.fromkeys(marks, at))
        time.sleep(0.02)
    writer.put(RunStateEvent("finished", AT))
    writer.close_sync()
    return committed


def main() -> None:
    """Write into a file while it is watched."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=("live",))
    parser.add_argument("path", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--steps", type=float, default=500.0)
    parser.add_argument("--first", type=int, required=True, help="number of the first episode")
    args = parser.parse_args()
    print(json.dumps(live(args.path, args.seconds, args.steps, args.first)))


if __name__ == "__main__":
    main()
