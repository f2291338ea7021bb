"""How often a judge errs, both ways: wrong answers accepted, right answers rejected.

    python benchmarks/judge_calibration.py --data FOLDER [--judge SPEC] [--write FILE] [--json]

FOLDER holds `locomo/` (with `audit/`) and `longmemeval/`. Wrong answers are the two public sets of the
LoCoMo audit, beside the published judge's own votes on them; right answers are the golds verbatim and
seeded rewrites of them; the hand-checked cases stand in tests/judges/hand_checked.json. `--write`
puts the table between the `<!-- calibration -->` marks of a Markdown file. SPEC is that of
`memtui rejudge`; a model judge asks its model about every case (about 11,000: `--limit N` takes every
N-th). Exits 1 where the deterministic judge misses its bounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.metrics.intervals import wilson
from runners.judges.calibration import (
    Probe,
    Rates,
    abstention_golds,
    evidence_sentences,
    hand_checked,
    locomo_golds,
    longmemeval_golds,
    measure,
    rewritten,
    tempting_answers,
    wrong_answers,
)
from runners.judges.contract import Judge
from runners.judges.registry import from_spec

ROOT = Path(__file__).resolve().parents[1]
HAND_CHECKED = ROOT / "tests" / "judges" / "hand_checked.json"
START, END = "<!-- calibration -->", "<!-- /calibration -->"
BOUNDS = {"v1": 0.006, "v2": 0.02, "rewrites": 0.98}


@dataclass(frozen=True)
class Row:
    """One line of the table: what was asked, and how many were judged right."""

    name: str
    wanted: str
    """`wrong` or `right`: what the answers are; `mixed` for hand-checked ones."""
    rates: Rates
    published: str = ""


async def table(judge: Judge, folder: Path, every: int) -> list[Row]:
    """Measure every set."""
    rows = []

    async def add(name: str, wanted: str, probes: Sequence[Probe], published: str = "") -> None:
        rows.append(Row(name, wanted, await measure(judge, probes[::every]), published))

    for name, title in (("v1", "specific"), ("v2", "vague but on topic")):
        probes = wrong_answers(folder, name)
        votes = sum(p.published or 0.0 for p in probes) / len(probes)
        await add(f"LoCoMo audit {name}, {title}", "wrong", probes, f"{votes:.1%}")
    await add("LoCoMo adversarial, the tempting answer", "wrong", tempting_answers(folder))
    locomo, longmemeval = locomo_golds(folder), longmemeval_golds(folder)
    await add("LoCoMo golds verbatim (categories 1-4)", "right", locomo)
    await add("LongMemEval golds verbatim", "right", longmemeval)
    await add("LongMemEval abstention explanations", "right", abstention_golds(folder))
    sentences = evidence_sentences(folder)
    await add("evidence sentences that hold the gold word for word", "mostly right", sentences)
    probes = rewritten([*locomo, *longmemeval], seed=1)
    for kind in ("date", "numeral", "list", "lead-in"):
        await add(f"rewrites: {kind}", "right", [p for p in probes if p.group == kind])
    for name in ("first", "held-out"):
        probes = hand_checked(HAND_CHECKED, name)
        await add(f"hand-checked ({name}), right ones", "right", [p for p in probes if p.right])
        await add(f"hand-checked ({name}), wrong ones", "wrong", [p for p in probes if not p.right])
    return rows


def markdown(judge: str, rows: Sequence[Row]) -> str:
    """The table as Markdown."""
    lines = [
        f"Judge `{judge}`.",
        "",
        "| answers | they are | n | judged right | 95 % (Wilson) | unknown | published judge |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        r = row.rates
        interval = wilson(r.right, r.n)
        span = "n/a" if interval is None else f"{interval.low:.1%} to {interval.high:.1%}"
        lines.append(
            f"| {row.name} | {row.wanted} | {r.n} | {r.right} ({r.accepted:.2%}) |"
            f" {span} | {r.unknown} | {row.published} |"
        )
    return "\n".join(lines)


def document(judge: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The table as JSON."""
    return {
        "judge": judge,
        "rows": [
            {
                "answers": row.name,
                "they_are": row.wanted,
                "n": row.rates.n,
                "judged_right": row.rates.right,
                "unknown": row.rates.unknown,
                "published_judge": row.published or None,
                "by_group": {k: list(v) for k, v in sorted(row.rates.by_group.items())},
            }
            for row in rows
        ],
    }


def write(path: Path, text: str) -> None:
    """Replace what stands between the marks; the file keeps the rest."""
    old = path.read_text(encoding="utf-8")
    head, mark, rest = old.partition(START)
    if not mark:
        raise SystemExit(f"{path} has no {START}")
    _, end, tail = rest.partition(END)
    path.write_text(f"{head}{START}\n{text}\n{END}{tail if end else rest}", encoding="utf-8")


def misses(rows: Sequence[Row]) -> list[str]:
    """Which of the deterministic judge's bounds do not hold."""
    out = []
    for row in rows:
        for name in ("v1", "v2"):
            if f"audit {name}" in row.name and row.rates.accepted > BOUNDS[name]:
                out.append(f"{row.name}: {row.rates.accepted:.2%} accepted")
        if row.name.startswith("rewrites") and row.rates.accepted < BOUNDS["rewrites"]:
            out.append(f"{row.name}: only {row.rates.accepted:.2%} accepted")
        if "verbatim" in row.name and row.rates.right < row.rates.n:
            out.append(f"{row.name}: {row.rates.n - row.rates.right} rejected")
    return out


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judge", default="deterministic")
    parser.add_argument("--limit", type=int, default=1, metavar="N", help="take every N-th case")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    judge = from_spec(args.judge)
    rows = asyncio.run(table(judge, args.data, max(1, args.limit)))
    text = markdown(judge.id, rows)
    print(json.dumps(document(judge.id, rows), indent=2) if args.json else text)
    if args.write:
        write(args.write, text)
    if args.judge != "deterministic":
        return 0
    failed = misses(rows)
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
