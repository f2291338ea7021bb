"""One episode of a foreign harness while it runs: numbers its steps, counts its facts, ends it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from memtui import recorded_values as told
from memtui.errors import UserError
from memtui.metrics.facts import FactTracker
from memtui.metrics.similarity import QueryHistory
from memtui.model import EndReason, Usage
from memtui.recorded_run import RecordedRun, Spec, moment
from memtui.recorded_values import HitLike, UsageLike
from memtui.store.events import EpisodeFinished, EpisodeStarted, StepEvent, VerdictEvent

_REFUSED = ("refused", "invalid_args", "unknown_tool")
_STOPPED = (EndReason.CANCELLED, EndReason.INTERRUPTED)
"""Stopped from outside: kept and visible, not counted."""


class EpisodeRecord:
    """An episode, entered with `with` or `async with`; leaving it writes how it ended.

    An exception that leaves the block ends the episode with the reason the recorder was told for it
    (`memory_error` without one; cancellation and Ctrl-C are `cancelled` and not counted) and goes on to
    the caller.
    """

    def __init__(self, run: RecordedRun, spec: Spec) -> None:
        self._run = run
        self._spec = spec
        self._lock = threading.Lock()
        known = run.knows() if spec.provenance == "partial" else None
        self._tracker = FactTracker(spec.evidence, spec.provenance, known)
        self._queries = QueryHistory()
        self._seq = 0
        self._calls = 0
        self._usages: list[Usage] = []
        self._answer: tuple[str | None, str | None] = (None, None)
        self._forced = self._abstained = False
        self._reason: EndReason | None = None
        self._ended = False
        self._error = ""
        self._clock = time.monotonic()

    @property
    def uid(self) -> str:
        """Unique id of this attempt."""
        return self._spec.uid

    # -- steps -----------------------------------------------------------------------------------

    def memory_call(
        self,
        tool: str,
        query: str,
        hits: Sequence[HitLike] = (),
        *,
        k: int | None = None,
        status: str = "ok",
        raw: str = "",
        text: str = "",
        usage: UsageLike = None,
        wall_ms: float | None = None,
        messages: Sequence[dict[str, Any]] = (),
        data: Mapping[str, Any] | None = None,
        at: datetime | None = None,
    ) -> None:
        """A call of the memory that the agent asked for: it counts as one (R).

        `hits` in rank order. `usage` is what models inside the memory used for it, and part of what the
        episode used. `status` `refused`, `invalid_args` or `unknown_tool` marks a call that was
        asked for and not made.
        """
        when = moment(at)
        query, made = told.text("query", query), told.hits(hits)
        k = None if k is None else told.whole("k", k)
        counted = told.usage(usage)
        raw, text = told.said_text("raw", raw), told.said_text("text", text)
        with self._lock:
            self._require_open()
            if counted is not None:
                self._usages.append(counted)
            self._calls += 1
            near = self._queries.add(query)
            seen = self._tracker.call(made, status=status, executed=status not in _REFUSED)
            self._step(
                "memory_call",
                at=when,
                name=tool,
                status=status,
                counts_as_call=True,
                call_no=self._calls,
                query=query,
                k_asked=k,
                k_returned=len(made),
                k_shown=sum(h.shown for h in made),
                hits=made,
                gold_ranks=seen.gold_ranks,
                gold_new=seen.gold_new,
                gold_cum=seen.gold_cum,
                new_hits=seen.new_hits,
                similarity=near.value,
                similarity_kind=near.kind,
                raw=raw,
                text=text,
                usage=counted,
                wall_ms=wall_ms,
                messages=tuple(messages),
                data=dict(data or {}),
            )

    def context(
        self, hits: Sequence[HitLike], *, text: str = "", at: datetime | None = None
    ) -> None:
        """What was put in front of the model before any call (R stays 0)."""
        when = moment(at)
        made = told.hits(hits)
        with self._lock:
            self._require_open()
            seen = self._tracker.context(made)
            self._step(
                "context",
                at=when,
                call_no=0,
                k_returned=len(made),
                k_shown=sum(h.shown for h in made),
                hits=made,
                gold_ranks=seen.gold_ranks,
                gold_new=seen.gold_new,
                gold_cum=seen.gold_cum,
                new_hits=seen.new_hits,
                text=text,
            )

    def model(
        self,
        *,
        raw: str | None = "",
        text: str | None = "",
        name: str = "",
        usage: UsageLike = None,
        wall_ms: float | None = None,
        messages: Sequence[dict[str, Any]] = (),
        data: Mapping[str, Any] | None = None,
        at: datetime | None = None,
    ) -> None:
        """A reply of the model: `raw` as it came, `messages` only those that are new."""
        counted = told.usage(usage)
        raw, text = told.said_text("raw", raw), told.said_text("text", text)
        when = moment(at)
        with self._lock:
            self._require_open()
            self._usages.append(counted or Usage(calls=1, attempts=1))
            self._step(
                "model",
                at=when,
                name=name,
                raw=raw,
                text=text,
                usage=counted,
                wall_ms=wall_ms,
                messages=tuple(messages),
                data=dict(data or {}),
            )

    def tool(
        self,
        name: str,
        *,
        raw: str = "",
        text: str = "",
        status: str = "ok",
        wall_ms: float | None = None,
        data: Mapping[str, Any] | None = None,
        at: datetime | None = None,
    ) -> None:
        """A call of a tool that is not the memory: visible, not counted."""
        when = moment(at)
        with self._lock:
            self._require_open()
            self._step(
                "tool",
                at=when,
                name=name,
                raw=raw,
                text=text,
                status=status,
                wall_ms=wall_ms,
                data=dict(data or {}),
            )

    # -- the end ---------------------------------------------------------------------------------

    def answer(
        self,
        text: str,
        *,
        right: bool | None = None,
        raw: str | None = None,
        forced: bool = False,
        abstained: bool = False,
        at: datetime | None = None,
    ) -> None:
        """The final answer; `right` None leaves it unjudged."""
        when = moment(at)
        text = told.text("an answer", text)
        told.label(right)
        with self._lock:
            self._require_open()
            self._answer = (text, raw)
            self._forced, self._abstained = forced, abstained
            self._step("answer", at=when, text=text, raw=raw or "")
        if right is not None:
            self.verdict(right)

    def verdict(
        self,
        right: bool | None,
        *,
        judge: str | None = None,
        reason: str = "",
        raw: str = "",
        usage: UsageLike = None,
        at: datetime | None = None,
    ) -> None:
        """A judge's verdict; None is unknown, which is never counted as wrong."""
        label = told.label(right)
        self._run.put(
            VerdictEvent(
                self.uid,
                judge or self._run.judge,
                label,
                moment(at),
                raw=raw,
                reason=reason,
                usage=told.usage(usage),
            )
        )

    def end(self, reason: str, *, error: str = "") -> None:
        """Say why the episode ends, where it is not an answer: one of `memtui.model.EndReason`."""
        self._reason = told.end_reason(reason)
        self._error = error

    def __enter__(self) -> EpisodeRecord:
        self._run.began(self._spec)
        spec = self._spec
        self._run.put(EpisodeStarted(spec.id, spec.uid, spec.haystack, spec.scale, spec.started))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._finish(error)
        self._run.commit()

    async def __aenter__(self) -> EpisodeRecord:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._finish(error)
        await self._run.commit_async()

    def _finish(self, error: BaseException | None) -> None:
        with self._lock:
            self._ended = True
        if error is not None:
            self._reason = self._reason_of(error)
            self._error = told.said(error)
        answer, raw = self._answer
        reason = self._reason
        if reason is None and answer is None:
            reason = EndReason.EMPTY
        if reason is None:
            reason = EndReason.FORCED if self._forced else EndReason.ANSWERED
        self._run.put(
            EpisodeFinished(
                episode=self.uid,
                id=self._spec.id,
                end_reason=reason,
                facts=self._tracker.facts(),
                strip=self._tracker.strip,
                at=moment(),
                answer=answer,
                answer_raw=raw,
                forced=self._forced,
                abstained=self._abstained,
                usage=told.total(self._usages),
                wall_ms=(time.monotonic() - self._clock) * 1000,
                error=self._error,
                counts=reason not in _STOPPED,
                views=self._tracker.views(),
            )
        )
        self._run.ended(self._spec)

    def _reason_of(self, error: BaseException) -> EndReason:
        for kind, reason in self._run.errors.items():
            if isinstance(error, kind):
                return reason
        if isinstance(error, asyncio.CancelledError) or not isinstance(error, Exception):
            return EndReason.CANCELLED
        return EndReason.TIMEOUT if isinstance(error, TimeoutError) else EndReason.MEMORY_ERROR

    def _require_open(self) -> None:
        if self._ended:
            raise UserError(
                "this episode has ended: what happens after its block is not part of it"
            )

    def _step(self, kind: str, **fields: Any) -> None:
        self._seq += 1
        self._run.put(StepEvent(self.uid, self._seq, kind, **fields))
        self._run.alive()
