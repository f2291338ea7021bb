"""The shipped recordings of the memory systems with a local model: they replay anywhere, as documented."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "docs" / "experiments" / "memory-systems-local-replay.toml"
ROW = re.compile(r"^\| `([\w-]+)` \| " + r" \| ".join([r"(\d) / (\d) / (\d) \((\d)\)"] * 3))


def documented() -> dict[tuple[str, float], tuple[int, ...]]:
    """Pass, exhausted, wrong and covered by system and scale, as docs/results.md has them."""
    text = (ROOT / "docs" / "results.md").read_text("utf-8")
    section = text.split("## Memory systems with a small language model", 1)[1].split("\n## ")[0]
    rows = {}
    for line in section.splitlines():
        if found := ROW.match(line):
            figures = [int(figure) for figure in found.groups()[1:]]
            for place, scale in enumerate((0.0, 8.0, 16.0)):
                rows[found[1], scale] = tuple(figures[4 * place : 4 * place + 4])
    return rows


@pytest.mark.slow
def test_the_recordings_replay_without_any_model_and_give_the_documented_figures(
    tmp_path: Path,
) -> None:
    def memtui(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "memtui", *arguments],
            cwd=ROOT,
            # No weights and no cached vector is at hand.
            env={"PATH": "", "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            check=False,
        )

    run = tmp_path / "replay.memtui"
    ended = memtui("run", str(CONFIG), "--no-report", "--out", str(run))
    assert ended.returncode == 0, ended.stderr[-2000:]
    report = json.loads(memtui("report", str(run), "--json", "--no-bootstrap").stdout)
    measured = {
        (cell["arm"].split("/")[0], cell["scale"]): (
            cell["pass"], cell["exhausted"], cell["wrong"], cell["covered_at_b"],
        )
        for cell in report["cells"]
    }  # fmt: skip
    assert len(measured) == 18 and all(cell["n"] == 4 for cell in report["cells"])
    assert {key: documented().get(key) for key in measured} == measured
