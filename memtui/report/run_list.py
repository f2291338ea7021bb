"""The run files of a folder, as a table and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memtui.report.plain import table_lines
from memtui.report.table import LEFT, RIGHT, Table
from memtui.store.workspace import RunSummary
from memtui.views.numbers import UNKNOWN, size
from memtui.views.text_door import clean_line

SCHEMA = "memtui-runs-1"


def runs_text(folder: Path, runs: Sequence[RunSummary]) -> str:
    """Plain text: one line per file, unusable ones with the reason."""
    return "\n".join(_lines(folder, runs)) + "\n"


def _lines(folder: Path, runs: Sequence[RunSummary]) -> Iterator[str]:
    usable = [run for run in runs if run.state != "unusable"]
    rows = tuple(_row(run) for run in usable)
    if rows:
        header = ("file", "state", "done", "arms", "data", "B", "mode", "judge", "started", "size")
        align = LEFT * 2 + RIGHT * 2 + LEFT + RIGHT + LEFT * 3 + RIGHT
        title = f"{folder} · {len(runs)} run file{'s'[: len(runs) != 1]}"
        yield from table_lines(Table(title, header, align, rows))
    else:
        yield clean_line(f"{folder} · no run file that can be used")
    for run in runs:
        if run.state == "unusable":
            yield clean_line(f"! {run.path.name}: {run.problem}")
        elif run.warning:
            yield clean_line(f"! {run.path.name}: {run.warning}")


def _row(run: RunSummary) -> tuple[str, ...]:
    progress = run.progress
    done = UNKNOWN if progress is None else f"{progress.done}/{progress.planned}"
    return (
        run.path.name,
        run.state,
        done,
        str(run.arms),
        run.dataset or UNKNOWN,
        UNKNOWN if run.budget is None else str(run.budget),
        run.mode.replace("_", " "),
        run.judge,
        run.created_at[:16].replace("T", " "),
        size(run.size),
    )


def runs_document(folder: Path, runs: Sequence[RunSummary]) -> dict[str, Any]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "folder": str(folder),
        "runs": [
            {
                "file": str(run.path),
                "state": run.state,
                "problem": run.problem,
                "warning": run.warning,
                "uid": run.uid,
                "name": run.name,
                "protocol": run.protocol,
                "dataset": run.dataset,
                "arms": run.arms,
                "budget": run.budget,
                "mode": run.mode,
                "judge": run.judge,
                "created_at": run.created_at,
                "finished_at": run.finished_at,
                "planned": None if run.progress is None else run.progress.planned,
                "done": None if run.progress is None else run.progress.done,
                "running": None if run.progress is None else run.progress.running,
                "heartbeat_age_s": run.heartbeat_age,
                "bytes": run.size,
            }
            for run in runs
        ],
    }
