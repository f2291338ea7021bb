"""What goes on in a run right now: the headless twin of the overview's dock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from memtui.metrics.scales import scale_value
from memtui.model import RunState
from memtui.query.budgets import budget_at
from memtui.report.alarms import troubles_of
from memtui.report.episode_lines import strip_text
from memtui.report.plain import table_lines
from memtui.report.source import choose_judge
from memtui.report.table import LEFT, RIGHT, Table, scale_text
from memtui.state.episode_standing import outcome_of
from memtui.state.fold_facts import fold_facts
from memtui.state.live import Dock, InFlight, ModelLoad, build_dock, latest_endings
from memtui.store import lease
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeRow, RunRow
from memtui.store.workspace import state_of
from memtui.views.numbers import UNKNOWN, compact, count, duration, money
from memtui.views.text_door import clean_line

SCHEMA = "memtui-now-1"
LOG_LINES = 200
WIDEST_QUESTION = 60


@dataclass(frozen=True, slots=True)
class Now:
    """The dock of a run file, and what its strips depend on."""

    file: str
    run: RunRow
    budget: int
    judge: str
    dock: Dock

    @property
    def live(self) -> bool:
        """Whether the run is going on."""
        return self.dock.state in (RunState.RUNNING, RunState.PAUSED)


def read_now(reader: RunReader, budget: int | None = None, judge: str | None = None) -> Now:
    """What the file says at this moment. UserError for a budget or a judge that it cannot have."""
    run, beat = reader.run(), reader.heartbeat()
    held = lease.holder(reader.path) is not None
    state, age = state_of(run.state, beat, held)
    at = budget_at(reader, run, budget)
    chosen, _ = choose_judge(reader, judge, run.judge)
    folds = fold_facts(reader.packed_facts(chosen), run.mode)
    # Asked after the facts: a run that goes on may have begun a cell meanwhile.
    cells = {cell.id: cell for cell in reader.cells()}
    dock = build_dock(
        state, age, reader.progress(), beat, reader.recent_events(LOG_LINES), latest_endings(reader),
        troubles_of(folds, cells, run.config, run.mode),
    )  # fmt: skip
    return Now(str(reader.path), run, at, chosen, dock)


# --- text ---------------------------------------------------------------------------------------


def now_text(now: Now) -> str:
    """Plain text: progress and rates, alarms, limits and troubles, the work in flight, the latest endings."""
    return "\n".join(_lines(now)) + "\n"


def _lines(now: Now) -> Iterator[str]:
    dock = now.dock
    yield clean_line(f"{now.run.name} · {now.file}")
    yield clean_line(f"{dock.state} · {' · '.join(_progress(dock, live=now.live))}")
    for alarm in dock.troubles.alarms:
        yield clean_line(f"ALARM  {alarm}")
    for outage in dock.outages:
        again = "" if outage.wait_s is None else f" for {duration(outage.wait_s * 1000)}"
        then = "its episodes stay pending" if outage.given_up else f"nothing is sent to it{again}"
        yield clean_line(f"DOWN  {outage.name} keeps failing: {then}")
    if now.live and not dock.quiet:
        yield from _limits(dock)
    yield from _troubles(dock)
    if dock.in_flight:
        yield ""
        yield from table_lines(_flights(dock, then=dock.quiet or not now.live))
    if dock.feed:
        yield ""
        rows = tuple(_ending(now, row) for row in dock.feed)
        header = ("id", "calls", "arm", "scale", "item", "question")
        title = f"Latest endings, newest first · B = {now.budget} · judge {now.judge}"
        yield from table_lines(Table(title, header, RIGHT + LEFT * 2 + RIGHT + LEFT * 2, rows))


def _progress(dock: Dock, *, live: bool) -> Iterator[str]:
    yield f"{count(dock.done)} of {count(dock.planned)} episodes"
    if dock.age is not None and (dock.quiet or not live):
        yield f"last sign of life {duration(dock.age * 1000)} ago"
    elif live:
        if not dock.done and dock.doing:
            yield dock.doing
        if dock.per_minute is not None:
            yield f"{dock.per_minute:.1f} a minute"
        if dock.eta_seconds is not None and dock.done < dock.planned:
            yield f"about {duration(dock.eta_seconds * 1000)} left"
        if dock.paced is not None:
            yield f"paced to {dock.paced:g}/s"
    if dock.cost is not None:
        yield money(dock.cost)
    elif dock.known_cost is not None:
        yield money(dock.known_cost, partial=True)
    if dock.tokens is not None:
        yield f"{compact(dock.tokens)} tokens"


def _limits(dock: Dock) -> Iterator[str]:
    parts = [_load(load) for load in dock.models]
    parts += [
        f"{limit.name} {limit.used:g}/{limit.limit:g}"
        for limit in dock.limits
        if limit.used is not None and limit.limit is not None
    ]
    for part in parts:
        yield clean_line(f"limit  {part}")


def _load(load: ModelLoad) -> str:
    """``qwen 3/3 calls, rpm 60/60, 2 waiting, paused 4.0 s``."""
    most = "" if load.concurrency is None else f"/{load.concurrency}"
    parts = [f"{load.name} {UNKNOWN if load.calling is None else load.calling}{most} calls"]
    for name, pair in (("rpm", load.rpm), ("tpm", load.tpm)):
        if pair is not None:
            parts.append(f"{name} {compact(pair[0])}/{compact(pair[1])}")
    if load.waiting:
        parts.append(f"{load.waiting} waiting")
    if load.retrying:
        parts.append(f"{load.retrying} to be sent again")
    if load.paused_s:
        parts.append(f"paused {duration(load.paused_s * 1000)}")
    return ", ".join(parts)


def _troubles(dock: Dock) -> Iterator[str]:
    for retry in dock.retrying:
        soon = (
            "" if retry.soonest_s is None else f", the first in {duration(retry.soonest_s * 1000)}"
        )
        yield clean_line(f"again  {retry.count} after {retry.reason}{soon}")
    if dock.retries:
        yield f"retries  {count(dock.retries)}"
    if dock.troubles.excluded:
        causes = ", ".join(f"{many} {cause}" for cause, many in dock.troubles.excluded)
        yield clean_line(f"excluded  {causes}")
    if dock.errors:
        kinds = ", ".join(f"{many} × {kind}" for kind, many in dock.errors)
        yield clean_line(f"trouble  {kinds}")
    if dock.last_log is not None:
        yield clean_line(f"log  {dock.last_log.level}: {dock.last_log.text}", width=200)


def _flights(dock: Dock, *, then: bool) -> Table:
    many = dock.in_flight_total
    named = f", {len(dock.in_flight)} named" if many > len(dock.in_flight) else ""
    title = f"{'Were in flight' if then else 'In flight'}: {many}{named}, longest first"
    header = ("for", "doing", "calls", "age", "arm", "scale", "item")
    rows = tuple(
        (
            _seconds(one.seconds),
            one.held or one.doing or UNKNOWN,
            UNKNOWN if one.calls is None else str(one.calls),
            _seconds(one.age),
            one.arm,
            scale_text(one.scale),
            one.item,
        )
        for one in dock.longest_first
    )
    return Table(title, header, RIGHT + LEFT + RIGHT * 2 + LEFT + RIGHT + LEFT, rows)


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else duration(value * 1000)


def _ending(now: Now, row: EpisodeRow) -> tuple[str, ...]:
    strip = strip_text(row, now.judge, now.budget, now.run.mode)
    question = clean_line(row.question, width=WIDEST_QUESTION)
    return (str(row.id), strip, row.arm, scale_text(row.scale), row.item, question)


# --- JSON ---------------------------------------------------------------------------------------


def now_document(now: Now) -> dict[str, Any]:
    """The JSON document."""
    dock, run = now.dock, now.run
    return {
        "schema": SCHEMA,
        "file": now.file,
        "uid": run.uid,
        "name": run.name,
        "state": dock.state,
        "heartbeat_age_s": dock.age,
        "silent": dock.quiet,
        "doing": dock.doing,
        "planned": dock.planned,
        "done": dock.done,
        "running": dock.running,
        "episodes_per_minute": dock.per_minute,
        "eta_s": dock.eta_seconds,
        "paced_per_s": dock.paced,
        "retries": dock.retries,
        "tokens": dock.tokens,
        "cost_usd": dock.cost,
        "known_cost_usd": dock.known_cost,
        "driver_late_s": dock.late,
        "in_flight_total": dock.in_flight_total,
        "in_flight": [_flight(one) for one in dock.longest_first],
        "models": [_model(load) for load in dock.models],
        "limits": [asdict(limit) for limit in dock.limits],
        "outages": [asdict(outage) for outage in dock.outages],
        "retrying": [asdict(retry) for retry in dock.retrying],
        "errors": [{"kind": kind, "count": many} for kind, many in dock.errors],
        "excluded": [{"cause": cause, "count": many} for cause, many in dock.troubles.excluded],
        "alarms": [{"what": a.what, "k": a.k, "n": a.n} for a in dock.troubles.alarms],
        "last_log": _log(dock),
        "budget": now.budget,
        "mode": run.mode,
        "judge": now.judge,
        "latest": [_latest(now, row) for row in dock.feed],
    }


def _flight(one: InFlight) -> dict[str, Any]:
    return {
        "arm": one.arm,
        "item": one.item,
        "scale": scale_value(one.scale),
        "doing": one.doing,
        "held": one.held,
        "seconds": one.seconds,
        "age_s": one.age,
        "calls": one.calls,
    }


def _model(load: ModelLoad) -> dict[str, Any]:
    found = {
        "name": load.name,
        "calling": load.calling,
        "concurrency": load.concurrency,
        "waiting": load.waiting,
        "retrying": load.retrying,
        "paused_s": load.paused_s,
    }
    for name, pair in (("rpm", load.rpm), ("tpm", load.tpm)):
        used, limit = (None, None) if pair is None else pair
        found |= {name: limit, f"{name}_used": used}
    return found


def _log(dock: Dock) -> dict[str, str] | None:
    event = dock.last_log
    if event is None:
        return None
    return {"at": event.at, "level": event.level, "kind": event.kind, "text": event.text}


def _latest(now: Now, row: EpisodeRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "episode": row.key,
        "arm": row.arm,
        "item": row.item,
        "scale": scale_value(row.scale),
        "question": row.question,
        "outcome": str(outcome_of(row, now.judge, now.budget, now.run.mode)),
        "strip": strip_text(row, now.judge, now.budget, now.run.mode),
        "finished_at": row.finished_at,
    }
