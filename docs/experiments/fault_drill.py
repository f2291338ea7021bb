"""Everything that goes wrong, in one run: what was acknowledged stays, everything else is what it was.

    python docs/experiments/fault_drill.py [--folder FOLDER] [--no-mount]

Two published packages and two systems of our own are filled, searched and read through a scripted model
server on 127.0.0.1 that answers with 429 (single ones, and in storms), 500, broken connections, stalls beyond
the timeout, bodies that are no JSON, replies cut in the middle, and with nothing but failures for some requests.
While that goes on, the process of a package is killed (`kill -9`) as it waits for the model, and the disk under
the run file is filled. With room again the same command goes on under the same faults; a third sitting finds the
server calm and asks again what providers had kept from ending. After each sitting the file is held against what
was seen in it before, and against what the server did. About two minutes; exit 1 when a check fails.

Needs `pip install 'memtui[llm]'`, `memtui models install minilm` and `memtui systems install mem0-2 memos-text`;
no language model. As root the disk is a tmpfs of 12 MB; else the size of a file is limited instead.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fault_drill_server import FAILURES, TIMEOUT_S, Server, command_of, family, serving

ROOT = Path(__file__).parents[2]
CONFIG = """
name = "fault-drill-together"
k = 5
judges = ["deterministic"]
[data]
name = "synthetic"
flag = "span_answerable"
limit = 4
options = {{ fillers = 16, exchanges = 1 }}
[ladder]
scales = [0, 8]
[budget]
calls = 2
call_cap = 4
[limits]
workers = 6
open_s = 300
memories."pkg:mem0-2".concurrency = 2
memories."pkg:memos-text".concurrency = 2
[outage]
failures = 100
[alarm]
allow_empty_memory = true
[models]
memory = "openai/scripted"
[models."openai/scripted"]
api_base = "{url}"
timeout = {timeout}
retries = 3
price = {{ input = 1, output = 2 }}
[matrix]
memory = ["pkg:mem0-2", "pkg:memos-text", "memos-text", "mem0-v2"]
agent = [{{ name = "model", model = "openai/scripted", mode = "json", label = "scripted" }}]
"""
STATE = "memtui-pkg-"
"""In the name of a package's state folder."""
FULL_AT = 6
"""Acknowledged episodes after which the disk is full."""


# --- the disk -----------------------------------------------------------------------------------


@contextmanager
def disk(folder: Path, *, mount: bool) -> Iterator[Path]:
    """A small disk to write the run to; else a plain folder."""
    place = folder / "disk"
    place.mkdir()
    mounted = (
        mount
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], check=False
        ).returncode
    )
    try:
        yield place
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def fill(place: Path, child: int) -> str:
    """Leave the run no room: every free byte of the disk is taken, or its files may not grow any more."""
    if os.path.ismount(place):
        with (place / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(bytes(65536))
        with (place / "filler").open("ab", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(b"\0")
        return "a full tmpfs"
    size = max(one.stat().st_size for one in place.iterdir())
    resource.prlimit(child, resource.RLIMIT_FSIZE, (size, size))
    return f"files of at most {size:,} bytes"


# --- the run file -------------------------------------------------------------------------------


def settled(path: Path) -> dict[str, tuple[Any, ...]]:
    """Every episode that ended and is not asked again, by its identity: its end, answer, verdict, steps."""
    if not path.exists():
        return {}
    query = """
        SELECT e.key, e.end_reason, e.answer, e.requested, e.strip,
               (SELECT group_concat(v.judge || v.label) FROM verdict v WHERE v.episode_id = e.id),
               (SELECT count(*) FROM step s WHERE s.episode_id = e.id)
        FROM episode e WHERE e.counts = 1 AND e.done = 1 AND e.end_reason <> 'provider_error'"""
    with suppress(sqlite3.Error):
        link = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
        try:
            return {row[0]: row[1:] for row in link.execute(query)}
        finally:
            link.close()
    return {}


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Read the file as it lies there."""
    link = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return link.execute(query).fetchall()
    finally:
        link.close()


# --- the drill ----------------------------------------------------------------------------------


@dataclass
class Drill:
    """The parts of one drill, and what was found."""

    folder: Path
    place: Path
    server: Server
    seen: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Every acknowledged episode that was ever read, as it was then."""
    changed: list[str] = field(default_factory=list)
    """Those that were read otherwise, or not at all, later on."""
    failed: int = 0

    @property
    def path(self) -> Path:
        """The run file."""
        return self.place / "drill.memtui"

    def check(self, holds: bool, what: str) -> None:
        """Print one thing that must hold."""
        self.failed += not holds
        print(f"  {'ok  ' if holds else 'FAIL'}  {what}", flush=True)

    def memtui(self, *arguments: str) -> subprocess.Popen[str]:
        """The program of this checkout, in the folder of the drill."""
        return subprocess.Popen(
            [sys.executable, "-m", "memtui", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none", "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def sitting(self, name: str, *, full: bool = False) -> tuple[int, str]:
        """Run to its end; whatever is acknowledged meanwhile is remembered."""
        print(f"{name}", flush=True)
        self.server.begin()
        child = self.memtui("run", "drill.toml", "--out", str(self.path), "--no-report")
        self.server.kill = child.pid if full else None
        said: list[str] = []
        pipe = child.stderr
        assert pipe is not None
        reader = threading.Thread(target=lambda: said.append(pipe.read()), daemon=True)
        reader.start()
        below: set[int] = set()
        states: set[str] = set()
        while child.poll() is None:
            self._look()
            below |= set(family(child.pid)) - {child.pid}
            # The process that watches over a package's names its folder.
            states |= {word for pid in below for word in command_of(pid).split() if STATE in word}
            if full and len(self.seen) >= FULL_AT and "memory_error" in self._ends():
                print(
                    f"        {len(self.seen)} acknowledged, then {fill(self.place, child.pid)}",
                    flush=True,
                )
                full = False
            time.sleep(0.05)
        reader.join()
        (self.folder / f"sitting-{name[0]}.err").write_text("".join(said), "utf-8")
        time.sleep(1.0)
        left = [command_of(pid)[:60] for pid in below if "memtui" in command_of(pid)]
        kept = [state for state in states if Path(state).exists()]
        self.check(
            bool(states) and not kept, f"none of {len(states)} state folders is left: {kept}"
        )
        self.check(not left, f"none of {len(below)} processes below it is left: {left}")
        print(f"        the server: {dict(sorted(self.server.did.items()))}")
        return child.returncode, "".join(said).strip()

    def whole(self) -> None:
        """The file is sound, and holds whatever was acknowledged, as it was."""
        checked = self.memtui("check", str(self.path))
        said = "".join(checked.communicate()).strip().splitlines() or [""]
        self.check(checked.returncode == 0, f"memtui check: {said[0][:90]}")
        self._look()
        now = settled(self.path)
        self.changed += [key for key, row in self.seen.items() if now.get(key) != row]
        self.check(
            not self.changed,
            f"{len(self.seen)} episodes were seen acknowledged, all are there unchanged",
        )

    def _look(self) -> None:
        """Remember what is acknowledged now; what was remembered before must be the same."""
        for key, row in settled(self.path).items():
            if self.seen.setdefault(key, row) != row:
                self.changed.append(key)

    def _ends(self) -> set[str]:
        return {str(row[0]) for row in self.seen.values()}

    def spent(self) -> int:
        """Attempts after the first, over all calls in the ledger."""
        (found,) = rows(
            self.path,
            "SELECT sum(json_extract(paid, '$.attempts') - json_extract(paid, '$.calls')) FROM ledger",
        )
        return int(found[0] or 0)

    def accounts(self, *, kept_from_ending: bool) -> None:
        """How everything ended, held against what was done to it."""
        planned = rows(self.path, "SELECT planned FROM run")[0][0]
        query = "SELECT end_reason, count(*) FROM episode WHERE counts = 1 AND done = 1 GROUP BY 1"
        ends = dict(rows(self.path, query))
        print(
            f"        of {planned}: "
            + ", ".join(f"{n} {reason}" for reason, n in sorted(ends.items()))
        )
        self.check(sum(ends.values()) == planned, f"each of the {planned} episodes ended once")
        told = rows(
            self.path, "SELECT error FROM episode WHERE end_reason = 'memory_error' AND counts = 1"
        )
        self.check(
            len(told) == 1 and "SIGKILL" in told[0][0],
            f"one killed process is one failure of its system: {[one[:80] for (one,) in told]}",
        )
        own = {"answered", "truncated", "empty", "filtered", "no_answer", "step_cap", "call_cap"}
        others = set(ends) - own - {"memory_error", "provider_error"}
        self.check(
            not others, f"what else ended is the agent's own or the provider's {others or ''}"
        )
        failed = rows(
            self.path,
            "SELECT error FROM episode WHERE end_reason = 'provider_error' AND counts = 1",
        )
        causes = Counter(cause_of(error) for (error,) in failed)
        self.check(
            bool(failed) == kept_from_ending, f"kept from ending by the provider: {dict(causes)}"
        )
        self.check(
            set(causes) <= set(FAILURES), "each of them for a cause that the server knows of"
        )
        command = ("report", str(self.path), "--json", "--no-bootstrap")
        document = json.loads(self.memtui(*command).communicate()[0])
        n, excluded = (sum(cell[key] for cell in document["cells"]) for key in ("n", "excluded"))
        self.check(
            (n, excluded) == (planned - len(failed), len(failed)),
            f"the report counts {n} and excludes {excluded}; the killed one is among those that count",
        )


CAUSES = {
    "slow down": "rate_limited",
    "oops": "server",
    "no reply within|timed out": "stall",
    "Expecting value": "malformed",
    "Connection error|disconnected": "disconnect",
}


def cause_of(error: str) -> str:
    """Which of its faults an episode's error tells of; the error itself where it is none of them."""
    found = [cause for words, cause in CAUSES.items() if re.search(words, error)]
    return found[0] if found else error[:100]


def drill(folder: Path, place: Path) -> int:
    """Three sittings over one file; the number of checks that failed."""
    state = Server()
    with serving(state) as url:
        return sittings(Drill(folder, place, state), url)


def sittings(one: Drill, url: str) -> int:
    """What the drill does, against the server at `url`."""
    state, folder, place = one.server, one.folder, one.place
    (folder / "drill.toml").write_text(CONFIG.format(url=url, timeout=TIMEOUT_S), "utf-8")

    code, said = one.sitting("1. faults, a killed process, then a full disk", full=True)
    one.check(
        state.killed is not None, "a package's process was killed while it waited for the model"
    )
    one.check(code == 3, f"exit {code}: {said.splitlines()[-1] if said else ''}")
    one.check(
        "Traceback" not in said and "never retrieved" not in said,
        "told in a line, without a traceback",
    )
    one.whole()
    (place / "filler").unlink(missing_ok=True)

    spent = one.spent()
    code, said = one.sitting("2. room again, the same faults")
    one.check(code in (0, 3), f"exit {code}: {said.splitlines()[-1] if said else ''}")
    one.whole()
    one.accounts(kept_from_ending=True)
    failures, given_up = state.failures()
    retries = one.spent() - spent
    one.check(
        failures - given_up == retries,
        f"the server failed {failures} attempts, {given_up} of them the last of a call;"
        f" the ledger has {retries} retries",
    )
    one.check(len(state.never) > 0, f"{len(state.never)} requests never get an answer")

    state.calm = True
    code, said = one.sitting("3. the server is calm")
    one.check(code == 0, f"exit {code}")
    one.whole()
    one.accounts(kept_from_ending=False)
    return one.failed


def main() -> int:
    """Run the drill."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, help="where to work; kept (default: a temporary folder)"
    )
    parser.add_argument(
        "--no-mount", action="store_true", help="limit the size of files in any case"
    )
    args = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="memtui-drill-") as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with disk(folder, mount=os.geteuid() == 0 and not args.no_mount) as place:
            failed = drill(folder, place)
    print(f"{failed} checks failed; {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
