"""What a replay reads: the order of the run once, then the run at a moment, ready to be drawn.

Everything here runs in the reading thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.report.alarms import troubles_of
from memtui.state.live import Dock, Troubles
from memtui.state.overview import Overview, build_overview
from memtui.state.replay import Replay, steps_so_far
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.timeline import read_timeline, seconds_of
from memtui.store import codec
from memtui.store.records import EpisodeRow

MOST_STEPS = 4000
"""Steps of the attempts under way that are looked through for a picture."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The run at a moment, ready to be drawn."""

    moment: float
    overview: Overview
    dock: Dock
    over: bool


def read_replay(session: RunSession, settings: Settings) -> Replay:
    """Read the order of the run; in the reading thread."""
    facts = {fact.id: fact for fact in session.reader.episode_facts(settings.judge)}
    left_out = session.marks.bad_gold if settings.without_flagged else frozenset()
    timeline = read_timeline(session.reader, settings.judge, facts, left_out)
    run = session.header.run
    unfilled = session.reader.unfilled_items()
    return Replay(timeline, run.mode, run.planned, session.passing(settings), unfilled)


def picture_at(session: RunSession, settings: Settings, replay: Replay, moment: float) -> Picture:
    """The run at a moment; in the reading thread."""
    replay.go_to(moment)
    header, folds = session.header, replay.folds()
    overview = build_overview(
        header.arms, header.cells, header.run.scales, folds,
        budget=settings.budget, alpha=settings.alpha, mode=header.run.mode,
        order=settings.arm_order, ladder=replay.ladder_folds(),
        conditional=settings.conditional,
    )  # fmt: skip
    troubles = Troubles()
    if not settings.filter:  # an alarm is about the whole run
        cells = {cell.id: cell for cell in header.cells}
        troubles = troubles_of(folds, cells, header.run.config, header.run.mode)
    under_way = replay.in_flight
    rows = session.reader.episode_rows([*under_way, *replay.latest])
    steps = steps_so_far(
        _steps_of(session, rows, under_way),
        {one: moment - replay.timeline.started[one] for one in under_way},
    )
    dock = replay.dock(rows, steps, settings.judge, troubles)
    return Picture(replay.moment, overview, dock, replay.over)


def _steps_of(
    session: RunSession, rows: dict[int, EpisodeRow], under_way: Sequence[int]
) -> list[tuple[int, str, float | None, int | None]]:
    """(attempt, kind, seconds since its start, call) of the steps of the attempts under way."""
    if not under_way:
        return []
    starts = {one: seconds_of(rows[one].started_at) for one in under_way if one in rows}
    found = []
    for episode, kind, at, call in session.reader.query(
        "SELECT episode_id,kind,at,call_no FROM step WHERE episode_id IN"
        f" (SELECT value FROM json_each(?)) ORDER BY episode_id,seq LIMIT {MOST_STEPS}",
        (codec.to_text(list(under_way)),),
    ):
        start, then = starts.get(episode), seconds_of(at)
        since = None if start is None or then is None else then - start
        found.append((episode, kind, since, call))
    return found
