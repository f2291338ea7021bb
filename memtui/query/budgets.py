"""Which budgets a run can speak about, asked in one way by screens, links and reports."""

from __future__ import annotations

from memtui.metrics.limits import call_cap
from memtui.metrics.outcome import check_budget
from memtui.model import EndReason
from memtui.store.reader import RunReader
from memtui.store.records import RunRow


def cap_of(reader: RunReader, run: RunRow) -> int | None:
    """The number of calls from which on R is censored: the configured cap, else the most calls of an episode
    that was stopped at one; None where nothing was."""
    configured = call_cap(run.config)
    if configured is not None:
        return configured
    most: int | None = reader.query(
        "SELECT max(requested) FROM episode WHERE counts=1 AND end_reason=?",
        (EndReason.STEP_CAP,),
    )[0][0]
    return most


def budget_at(reader: RunReader, run: RunRow, wanted: int | None = None) -> int:
    """The budget to look at, the run's own by default; UserError for one at which R is not known."""
    at = run.budget if wanted is None else wanted
    return check_budget(at, run.mode, run.budget, cap_of(reader, run))
