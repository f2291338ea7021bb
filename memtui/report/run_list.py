"""The run files of a folder, as a table and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memtui.metrics.scales import scale_value
from memtui.report.plain import table_lines
from memtui.report.table import LEFT, RIGHT, Table
from memtui.state.run_list import RunLine, flagged_out
from memtui.views.numbers import UNKNOWN, money, percent, size
from memtui.views.text_door import clean_line

SCHEMA = "memtui-runs-1"
WIDEST_ALIAS = 32
HEADER: tuple[str, ...] = (
    "file", "alias", "state", "done", "pass", "exh", "wrong", "n", "excl", "cost", "arms", "data", "B",
    "mode", "judge", "started", "size",
)  # fmt: skip
ALIGN = LEFT * 3 + RIGHT * 8 + LEFT + RIGHT + LEFT * 3 + RIGHT


def runs_text(folder: Path, lines: Sequence[RunLine]) -> str:
    """Plain text: one line per file, then notes and warnings, and unusable files with the reason."""
    return "\n".join(_lines(folder, lines)) + "\n"


def _lines(folder: Path, lines: Sequence[RunLine]) -> Iterator[str]:
    usable = [line for line in lines if line.summary.state != "unusable"]
    if usable:
        out = any(line.without_flagged for line in lines)
        title = f"{folder} · {len(lines)} run file{'s'[: len(lines) != 1]} · rates in % of n"
        title += " · flagged questions out of every rate" if out else ""
        header, align = HEADER, ALIGN
        rows = [_row(line) for line in usable]
        if not any(line.alias for line in usable):
            header, align = header[:1] + header[2:], align[:1] + align[2:]
            rows = [row[:1] + row[2:] for row in rows]
        yield from table_lines(Table(title, header, align, tuple(rows)))
    else:
        yield clean_line(f"{folder} · no run file that can be used")
    for line in lines:
        run = line.summary
        if line.note:
            yield clean_line(f"note {run.path.name}: {line.note}")
        if run.state == "unusable":
            yield clean_line(f"! {run.path.name}: {run.problem}")
        elif run.warning or line.problem:
            yield clean_line(f"! {run.path.name}: {run.warning or line.problem}")


def _row(line: RunLine) -> tuple[str, ...]:
    run, progress, counts, paid = line.summary, line.summary.progress, line.counts, line.paid
    shares = [UNKNOWN] * 5
    if counts is not None:
        parts = (counts.passed, counts.exhausted, counts.wrong)
        shares = [percent(k / counts.n if counts.n else None) for k in parts]
        shares += [str(counts.n), str(counts.n_excluded)]
    return (
        run.path.name,
        clean_line(line.alias, width=WIDEST_ALIAS),
        "stopping" if line.stopping else run.state,
        UNKNOWN if progress is None else f"{progress.done}/{progress.planned}",
        *shares,
        UNKNOWN if paid is None else money(paid.cost, partial=paid.partial),
        str(run.arms),
        run.dataset or UNKNOWN,
        UNKNOWN if run.budget is None else str(run.budget),
        run.mode.replace("_", " "),
        line.judge or run.judge,
        run.created_at[:16].replace("T", " "),
        size(run.size),
    )


def runs_document(folder: Path, lines: Sequence[RunLine]) -> dict[str, Any]:
    """The JSON document."""
    return {
        "schema": SCHEMA,
        "folder": str(folder),
        "flagged": "exclude" if any(line.without_flagged for line in lines) else "include",
        "runs": [_run(line) for line in lines],
    }


def _run(line: RunLine) -> dict[str, Any]:
    run, progress, counts, paid = line.summary, line.summary.progress, line.counts, line.paid
    return {
        "file": str(run.path),
        "alias": line.alias,
        "note": line.note,
        "state": run.state,
        "trouble": run.trouble,
        "problem": run.problem or line.problem,
        "warning": run.warning,
        "uid": run.uid,
        "name": run.name,
        "protocol": run.protocol,
        "dataset": run.dataset,
        "arms": run.arms,
        "budget": run.budget,
        "mode": run.mode,
        "judge": line.judge or run.judge,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "planned": None if progress is None else progress.planned,
        "done": None if progress is None else progress.done,
        "running": None if progress is None else progress.running,
        "heartbeat_age_s": run.heartbeat_age,
        "stopping": line.stopping,
        "episodes_per_minute": line.per_minute,
        "eta_s": line.eta_seconds,
        "rates": None
        if counts is None
        else {
            "n": counts.n,
            "pass": counts.passed,
            "exhausted": counts.exhausted,
            "wrong": counts.wrong,
            "excluded": counts.n_excluded,
            "flagged": flagged_out(line),
            "scales": [
                {"scale": scale_value(scale), "pass": passed, "n": n}
                for scale, passed, n in line.by_scale
            ],
        },
        "cost_usd": None if paid is None else paid.cost,
        "cost_partial": paid is not None and paid.partial,
        "flagged_questions": line.flagged,
        "bytes": run.size,
    }
