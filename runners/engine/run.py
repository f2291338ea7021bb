"""Run an experiment into a run file: new or continued, watched, steered and stopped cleanly."""

from __future__ import annotations

import asyncio
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui.model import RunState
from memtui.store.errors import StoreError
from memtui.store.events import (
    Event,
    EventSink,
    ItemEvent,
    LogEvent,
    RunEvent,
    RunStateEvent,
)
from memtui.store.writer import RunWriter
from runners.engine import control, preflight, resume
from runners.engine.alarms import MixAlarm
from runners.engine.driver import GRACE_S, Driver, Stop
from runners.engine.executor import LocalExecutor
from runners.engine.experiment import Experiment
from runners.engine.gates import Gates, Outage, Pace
from runners.engine.heartbeat import Heartbeat, Watcher
from runners.engine.pending import Pending
from runners.engine.progress import Progress
from runners.trajectory import utc_now

INTERRUPTED = 130
INCOMPLETE = 3


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a sitting ended. `exit_code` is 0 complete, 3 incomplete, 130 stopped by the user."""

    path: Path
    state: RunState
    planned: int
    done: int
    done_now: int
    ends: dict[str, int] = field(default_factory=dict)
    note: str = ""
    exit_code: int = 0
    resumed: bool = False


def run_path(experiment: Experiment, out: Path | None = None) -> Path:
    """Where the run file goes: `out`, else `NAME.memtui` in the configured folder."""
    if out is not None:
        return out
    return Path(experiment.config.output.folder).expanduser() / f"{experiment.config.name}.memtui"


async def run_experiment(
    experiment: Experiment,
    out: Path | None = None,
    *,
    new: bool = False,
    pace: float | None = None,
    on_beat: Watcher | None = None,
    on_log: Callable[[LogEvent], None] | None = None,
    signals: bool = False,
    grace_s: float = GRACE_S,
) -> RunResult:
    """Run what is left of an experiment and return how the sitting ended.

    Continues an existing file of the same settings; UserError with a list of changes when they differ
    (`new` writes to another, numbered file instead). `pace` (episodes per second) overrides the
    configuration; `on_beat` and `on_log` hear of each heartbeat and of what is logged. With `signals`,
    SIGINT, SIGTERM and SIGHUP stop the run cleanly (episodes under way get `grace_s` seconds), a second
    one at once; that is only possible in the main thread. StoreError when the file can no longer be
    written: what was acknowledged is in it.
    """
    path = run_path(experiment, out)
    path = resume.numbered(path) if new else path
    before = resume.earlier(path)
    effective, hash = experiment.effective(), experiment.hash
    if before is not None:
        resume.require_same(path, before, effective, hash)
    async with RunWriter(path, durable=experiment.config.output.durable) as writer:
        sink = _Heard(writer, on_log)
        uid = writer.run_uid or (before.uid if before else uuid.uuid4().hex)
        await _declare(experiment, sink, uid, effective, hash)
        sitting = _Sitting(experiment, path, sink, uid, before, pace)
        return await sitting.run(on_beat, grace_s, signals=signals)


async def _declare(
    experiment: Experiment, sink: EventSink, uid: str, effective: dict[str, Any], hash: str
) -> None:
    """The run, its arms and items; what is in the file already is left as it is."""
    config = experiment.config
    await sink.emit(
        RunEvent(
            uid=uid,
            name=config.name,
            protocol=config.protocol,
            config={"requested": config.model_dump(mode="json"), "effective": effective},
            config_hash=hash,
            mode=config.budget.mode,
            budget=config.budget.calls,
            alpha=config.alpha,
            judge=experiment.judges[0].id,
            planned=experiment.plan.planned,
            created_at=utc_now(),
            scales=config.ladder.scales,
            dataset=dict(experiment.data),
            versions=dict(experiment.versions),
            seeds={
                "seed": config.seed,
                "ladder": list(config.ladder.seeds),
                "select": config.data.select_seed,
            },
        )
    )
    for arm in experiment.arms.values():
        await sink.emit(arm.event())
    for item in experiment.plan.items():
        await sink.emit(ItemEvent(item))


class _Heard:
    """The writer, with somebody who hears of what is logged (the command line)."""

    def __init__(self, writer: RunWriter, on_log: Callable[[LogEvent], None] | None) -> None:
        self.next_attempt = writer.next_attempt
        self.commit = writer.commit
        self.keep = writer.emit
        """Hand an event on that nobody else hears of."""
        self._on_log = on_log

    async def emit(self, event: Event) -> None:
        """Hand an event on."""
        if self._on_log is not None and isinstance(event, LogEvent):
            self._on_log(event)
        await self.keep(event)


class _Sitting:
    """One process working on one run file."""

    def __init__(
        self,
        experiment: Experiment,
        path: Path,
        sink: _Heard,
        uid: str,
        before: resume.Earlier | None,
        pace: float | None,
    ) -> None:
        self.experiment = experiment
        self.path = path
        self.sink = sink
        self.doing = "starting"
        self.before = before
        config = experiment.config
        finished = before.finished if before else frozenset()
        todo = [spec for spec in experiment.plan.episodes() if spec.id.key not in finished]
        self.first = todo[0] if todo else None
        self.progress = Progress(experiment.plan.planned, experiment.plan.planned - len(todo))
        self.executor = LocalExecutor(experiment, sink, self.progress.spent)
        outage = config.outage
        self.driver = Driver(
            pending=Pending(todo),
            executor=self.executor,
            gates=Gates(
                {arm.key: arm.needs for arm in experiment.arms.values()},
                experiment.model_limits,
                {name: limit.concurrency for name, limit in config.limits.memories.items()},
                lambda: Outage(outage.failures, outage.pause_s, outage.longest_s, outage.rounds),
            ),
            pace=Pace(pace if pace is not None else config.output.pace),
            progress=self.progress,
            caps=config.caps,
            alarm=MixAlarm(config.alarm.share, config.alarm.minimum),
            sink=sink,
            run_uid=uid,
            next_attempt=sink.next_attempt,
            unanswerable=[i.key for i in experiment.plan.items() if not i.answerable],
            workers=config.limits.workers,
            no_progress_s=config.limits.no_progress_s,
        )

    async def run(self, on_beat: Watcher | None, grace_s: float, *, signals: bool) -> RunResult:
        """Drive to the end and leave the file in a state that says how it ended."""
        control.remove(self.path)
        if self.first is None:
            return await self._end()
        if self.before is not None:
            await self._log("info", "resumed", self._resumed())
        if faults := self.experiment.config.model_access.faults:
            said = ", ".join(f"{kind} {value}" for kind, value in faults.items())
            await self._log("warning", "drill", f"faults are injected into model calls: {said}")
        models = self.experiment.models
        if models is not None and models.recordings is not None and models.recordings.damage:
            await self._log("warning", "recordings", models.recordings.damage)
        pulse = Heartbeat(
            self.driver, self.sink, self.path, extra=self._extra, on_beat=on_beat, grace_s=grace_s
        )
        beating = asyncio.create_task(pulse.run())
        try:
            with _signals(self.driver, grace_s if signals else None):
                await self._prepared_or_stopped()
                self.doing = "running"
                await self.driver.run()
        except BaseException as error:
            await self._failed(error)
            raise
        finally:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)
            await self.executor.close()
            if self.experiment.models is not None:
                await self.experiment.models.close()
            control.remove(self.path)
        await pulse.beat()
        return await self._end()

    async def _prepared_or_stopped(self) -> None:
        """The preflight, which a stop ends at once: nothing of it is worth keeping."""
        self.doing = "preflight"
        check = asyncio.create_task(self._preflight())
        stop = asyncio.create_task(self.driver.stopping.wait())
        await asyncio.wait((check, stop), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not check.done():
            check.cancel()
            await asyncio.gather(check, return_exceptions=True)
            return
        await check

    async def _failed(self, error: BaseException) -> None:
        """Say in the file how the run ended, if it can still be written."""
        with suppress(StoreError):
            text = str(error) or type(error).__name__
            # Whoever listens is told by the exception itself.
            await self.sink.keep(LogEvent(utc_now(), "error", "failure", text))
            await self.sink.emit(RunStateEvent(RunState.INTERRUPTED, utc_now(), text))

    async def _preflight(self) -> None:
        assert self.first is not None
        for check in preflight.trivial_recall(self.experiment):
            await self._log(check.level, check.kind, check.text)
        for check in await preflight.memory_checks(self.experiment, self.executor, self.first):
            await self._log(check.level, check.kind, check.text)
        for event in self.experiment.plan.unavailable():
            await self.sink.emit(event)

    async def _end(self) -> RunResult:
        stopped, progress = self.driver.stopped, self.progress
        done = progress.done_before + progress.done
        complete = not progress.pending
        state = RunState.FINISHED if complete else RunState.INTERRUPTED
        note = ""
        if not complete:
            why = stopped.text if stopped else f"{progress.pending} episodes did not end"
            note = f"{why}; {progress.pending} of {progress.planned} episodes are pending"
        await self.sink.emit(RunStateEvent(state, utc_now(), note))
        await self.sink.commit()
        code = 0 if complete else INTERRUPTED if stopped and stopped.kind == "user" else INCOMPLETE
        return RunResult(
            path=self.path,
            state=state,
            planned=progress.planned,
            done=done,
            done_now=progress.done,
            ends=dict(progress.ends),
            note=note,
            exit_code=code,
            resumed=self.before is not None,
        )

    def _resumed(self) -> str:
        assert self.before is not None
        again = f"; {self.before.failed} failed at a provider and are asked again"
        return (
            f"continued: {self.progress.done_before} of {self.progress.planned} episodes were finished"
            f"{again if self.before.failed else ''}"
        )

    def _extra(self) -> dict[str, Any]:
        models = self.experiment.models
        return {
            **({"models": models.snapshot()} if models is not None else {}),
            "doing": self.doing,
            "histories": self.executor.histories.built,
            "sessions": self.executor.histories.sessions,
            "prepared": {name: p.prepared for name, p in self.executor.preparations.items()},
        }

    async def _log(self, level: str, kind: str, text: str) -> None:
        await self.sink.emit(LogEvent(utc_now(), level, kind, text))


@contextmanager
def _signals(driver: Driver, grace_s: float | None) -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into a clean stop; a second signal does not wait for anything.

    A SIGHUP that is ignored already (`nohup`) stays ignored.
    """
    if grace_s is None:
        yield
        return
    loop = asyncio.get_running_loop()
    received = 0

    def on_signal(name: str) -> None:
        nonlocal received
        received += 1
        driver.stop(Stop("user", f"stopped by {name}"), grace_s=grace_s if received == 1 else 0.0)

    handled = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handled.append(signal.SIGHUP)
    for number in handled:
        loop.add_signal_handler(number, on_signal, number.name)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
