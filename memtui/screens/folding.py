"""What the app reads again whenever episodes of the open file changed; `folded` runs in the reading thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.state.overview import Folds
from memtui.state.session import RunSession
from memtui.state.settings import Settings

if TYPE_CHECKING:
    from memtui.state.live import Troubles


def folded(session: RunSession, settings: Settings) -> tuple[Folds, Folds | None]:
    """The folds that pass the filter line, and those of whole ladders."""
    folds = session.folds(settings)
    for group in folds.values():
        group.settle(session.header.run.mode)
    return folds, session.ladder_folds(settings)


def troubles_now(session: RunSession, settings: Settings, folds: Folds) -> Troubles:
    """What is excluded of what passes the filter line, as in row 1 and in every cell (`folds`); and the alarms,
    which are about the whole run."""
    header = session.header
    whole = session.folds(replace(settings, filter="")) if settings.filter else folds
    # Asked after the facts: a live run may have begun a cell that the header does not know yet.
    cells = {cell.id: cell for cell in session.reader.cells()}
    from memtui.report.alarms import (
        excluded_by_cause,
        troubles_of,
    )  # on the way to the first frame nobody needs it

    mode = header.run.mode
    everything = troubles_of(whole, cells, header.run.config, mode)
    return (
        everything
        if whole is folds
        else replace(everything, excluded=excluded_by_cause(folds, mode))
    )


def new_alarms(before: Troubles, now: Troubles) -> Iterator[str]:
    """Alarms in words that were not due when it was looked last."""
    known = {alarm.what for alarm in before.alarms}
    for alarm in now.alarms:
        if alarm.what not in known:
            yield f"ALARM {alarm}"
