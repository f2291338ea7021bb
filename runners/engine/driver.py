"""Drive a run: start what may start, wait for what is under way, stop for whatever reason there is.

One loop owns all decisions. Everything that stops a run (a cap, the user, a provider that is down, a
file that cannot be written) goes through `stop`, and every started episode ends in a terminal row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from time import monotonic

from memtui.model import EndReason, EpisodeId, RunState
from memtui.store.events import EventSink, LogEvent, RunStateEvent
from runners.engine.alarms import MixAlarm
from runners.engine.config import CapsConfig
from runners.engine.executor import Executor, Job, attempt_uid
from runners.engine.gates import Gates, Pace
from runners.engine.pending import Pending
from runners.engine.planned import Planned
from runners.engine.progress import Progress
from runners.episode_end import Finished
from runners.trajectory import PREPARING, Activity, utc_now

GRACE_S = 2.0
"""Seconds that episodes under way get to end by themselves when the user stops a run."""
TICK_S = 0.5
"""Longest the loop sleeps: caps and waits are looked at this often."""


@dataclass(slots=True)
class Stop:
    """Why a run stops before its plan is done. `resumable` runs are continued by running again."""

    kind: str
    """`user`, `cap`, `outage` or `failure`."""
    text: str
    error: BaseException | None = None


class Driver:
    """Runs the pending episodes of one run through an executor."""

    def __init__(
        self,
        *,
        pending: Pending[Planned],
        executor: Executor,
        gates: Gates,
        pace: Pace,
        progress: Progress,
        caps: CapsConfig,
        alarm: MixAlarm,
        sink: EventSink,
        run_uid: str,
        next_attempt: Callable[[str], int],
        unanswerable: Collection[str] = (),
        workers: int = 8,
        no_progress_s: float = 0.0,
    ) -> None:
        self.pending = pending
        self.progress = progress
        self.gates = gates
        self.pace = pace
        self.workers = workers
        self.paused = False
        self.stopped: Stop | None = None
        self.stopping = asyncio.Event()
        self._executor = executor
        self._caps = caps
        self._alarm = alarm
        self._sink = sink
        self._run_uid = run_uid
        self._next_attempt = next_attempt
        self._unanswerable = frozenset(unanswerable)
        self._no_progress_s = no_progress_s
        self._tasks: dict[asyncio.Task[None], Job] = {}
        self._wake = asyncio.Event()
        self._cancel_at: float | None = None
        self._began = monotonic()
        self._arms_left = set(pending.arms())

    # -- steering --------------------------------------------------------------------------------

    async def pause(self) -> None:
        """Start nothing new; what is under way ends."""
        if not self.paused and self.stopped is None:
            self.paused = True
            await self._sink.emit(RunStateEvent(RunState.PAUSED, utc_now(), "paused by the user"))

    async def resume(self) -> None:
        """Go on after a pause."""
        if self.paused:
            self.paused = False
            await self._sink.emit(RunStateEvent(RunState.RUNNING, utc_now()))
            self._wake.set()

    def stop(self, stop: Stop, *, grace_s: float | None = GRACE_S) -> None:
        """Start nothing new; cancel what is still under way after `grace_s` (None: let it end).

        A second call can only make it faster.
        """
        self.stopped = self.stopped or stop
        self.stopping.set()
        if grace_s is not None:
            due = monotonic() + grace_s
            self._cancel_at = due if self._cancel_at is None else min(due, self._cancel_at)
        self._wake.set()

    def set_workers(self, workers: int) -> None:
        """Change how many episodes run at once; fewer takes effect as episodes end."""
        self.workers = workers
        self._wake.set()

    def set_pace(self, rate: float | None) -> None:
        """Change how many episodes start per second."""
        self.pace.rate = rate
        self._wake.set()

    def watch(self) -> None:
        """End episodes that have shown no sign of life for too long (`no_progress`)."""
        if not self._no_progress_s:
            return
        now = monotonic()
        for task, job in self._tasks.items():
            flight = self.progress.in_flight.get(job.uid)
            if flight is None or flight.activity.ended_by is not None:
                continue
            if flight.activity.doing == PREPARING:
                # It waits for work with time limits of its own, perhaps behind many others.
                continue
            if now - flight.activity.since > self._no_progress_s:
                flight.activity.ended_by = EndReason.NO_PROGRESS
                task.cancel()

    # -- the loop --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until the plan is done or the run is stopped and nothing is under way any more.

        Raises the error that made going on impossible (a file that cannot be written, something the
        user has to put right).
        """
        try:
            while True:
                self._check_caps()
                self._start_what_may()
                if not self._tasks and (
                    self.stopped or not self.pending or self._nothing_can_run()
                ):
                    break
                await self._sleep()
                self._let_go()
        finally:
            await self._cancel_all()
        if self.stopped is not None and self.stopped.error is not None:
            raise self.stopped.error

    def _start_what_may(self) -> None:
        while (
            self.stopped is None
            and not self.paused
            and len(self._tasks) < self.workers
            and not self.pace.wait()
        ):
            spec = self.pending.next(self.gates.may_run)
            if spec is None:
                return
            self._start(spec)
            self._check_caps()

    def _start(self, spec: Planned) -> None:
        first = spec.id
        number = self._next_attempt(first.key)
        id = EpisodeId(first.arm, first.item, first.conditions, first.repeat, number)
        job = Job(spec, id, attempt_uid(self._run_uid, id))
        self.gates.started(spec.arm)
        self.pace.started()
        activity = self.progress.started(job)
        task = asyncio.create_task(self._one(job, activity))
        self._tasks[task] = job
        task.add_done_callback(self._gone)

    async def _one(self, job: Job, activity: Activity) -> None:
        finished: Finished | None = None
        try:
            finished = await self._executor.run(job, activity)
        except asyncio.CancelledError:
            self.progress.ends[EndReason.CANCELLED.value] += 1
            if self.stopped is None:
                raise
        except BaseException as error:
            self.stop(Stop("failure", str(error), error), grace_s=0.0)
        finally:
            self.progress.ended(job, finished)
            pause = self.gates.ended(job.spec.arm, _provider_failed(finished))
        if pause is not None:
            await self._outage(job.spec.arm, pause)
        if finished is not None:
            answerable = job.spec.item not in self._unanswerable
            for text in self._alarm.add(finished, answerable):
                await self._log("warning", "abnormal_mix", text)

    def _gone(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.stop(Stop("failure", str(error), error), grace_s=0.0)
        self._wake.set()

    async def _outage(self, arm: str, pause: float) -> None:
        provider = self.gates.provider(arm)
        if self.gates.given_up(arm):
            text = f"{provider} keeps failing: its episodes stay pending; run again to continue"
        else:
            text = f"{provider} keeps failing: nothing is sent to it for {pause:.0f} s"
        await self._log("error", "provider_outage", text, provider=provider, pause_s=pause)

    async def _log(self, level: str, kind: str, text: str, **data: object) -> None:
        await self._sink.emit(LogEvent(utc_now(), level, kind, text, data))

    def _let_go(self) -> None:
        """Tell the executor as soon as an arm has run its last episode."""
        left = {*self.pending.arms(), *(job.spec.arm for job in self._tasks.values())}
        if left != self._arms_left:
            self._arms_left = left
            self._executor.left(left)

    def _nothing_can_run(self) -> bool:
        """True, and the run is stopped, when all that is left needs a provider that was given up."""
        arms = self.pending.arms()
        if not arms or not all(self.gates.given_up(arm) for arm in arms):
            return False
        providers = sorted({self.gates.provider(arm) for arm in arms})
        self.stop(Stop("outage", f"provider failure ({', '.join(providers)})"))
        return True

    def _check_caps(self) -> None:
        if self.stopped is not None:
            return
        caps, progress = self._caps, self.progress
        under_way = len(progress.in_flight)
        reached = ""
        if caps.episodes and progress.done + under_way >= caps.episodes:
            reached = f"{caps.episodes} episodes"
        elif caps.cost and progress.usage.known_cost >= caps.cost:
            reached = f"{caps.cost:g} US dollars"
        elif caps.tokens and progress.usage.known_tokens >= caps.tokens:
            reached = f"{caps.tokens:,} tokens"
        elif caps.wall_s and monotonic() - self._began >= caps.wall_s:
            reached = f"{caps.wall_s:g} seconds"
        if reached and self.pending:
            # What is under way was paid for: it ends by itself.
            self.stop(Stop("cap", f"cap reached: {reached}"), grace_s=None)

    async def _sleep(self) -> None:
        """Until something happens that the loop has to look at."""
        wait = TICK_S
        if self.stopped is None and not self.paused:
            if due := self.pace.wait():
                wait = min(wait, due)
            if due := self.gates.wait(self.pending.arms()):
                wait = min(wait, due)
        if self._cancel_at is not None:
            left = self._cancel_at - monotonic()
            if left <= 0:
                self._cancel_at = None
                for task in self._tasks:
                    task.cancel()
            else:
                wait = min(wait, left)
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _cancel_all(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_SAYS_NOTHING = frozenset(
    {EndReason.MEMORY_ERROR, EndReason.TIMEOUT, EndReason.NO_PROGRESS, EndReason.CANCELLED}
)


def _provider_failed(finished: Finished | None) -> bool | None:
    """Whether the provider failed; None where the episode may have ended before it was asked."""
    if finished is None or finished.reason in _SAYS_NOTHING:
        return None
    return finished.reason is EndReason.PROVIDER_ERROR
