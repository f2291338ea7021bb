"""Every benchmark of the harness, one after the other, each with its table and its goals.

    python -m benchmarks [--longmemeval FOLDER] [--inspect PYTHON] [--cache FOLDER] [--only NAME …]

Each runs in a process of its own, so that none warms another's caches. Exits 1 when a goal is missed.
Figures go to docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = ("writer", "engine", "ladder", "prepare", "graph", "report", "door", "inspector")


def command(name: str, args: argparse.Namespace) -> list[str]:
    """The command line of one benchmark, with the peers and data that were given."""
    line = [sys.executable, str(HERE / f"bench_{name}.py")]
    if name in ("ladder", "graph") and args.longmemeval:
        line += ["--longmemeval", str(args.longmemeval)]
    if name == "engine" and args.inspect:
        line += ["--inspect", str(args.inspect)]
    if name == "inspector":
        line += ["--watch", str(args.watch)]
        line += ["--cache", str(args.cache)] if args.cache else []
    return line


def main() -> int:
    """Run them; 1 when one of them missed a goal or failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longmemeval", type=Path, help="folder of LongMemEval-109")
    parser.add_argument("--inspect", type=Path, metavar="PYTHON", help="a Python with Inspect AI")
    parser.add_argument("--cache", type=Path, help="folder that keeps the inspector's run file")
    parser.add_argument("--watch", type=float, default=60.0, help="seconds it watches a live run")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    args = parser.parse_args()
    environment = dict(os.environ, PYTHONPATH=str(HERE.parent))
    missed = []
    for name in args.only:
        print(f"\n== {name} ==", flush=True)
        if subprocess.run(command(name, args), env=environment).returncode:
            missed.append(name)
    print(f"\ngoals missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
