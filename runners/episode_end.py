"""How an episode ends: the answer is judged, and the terminal row is written and acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.model import EndReason, EpisodeId, Facts, Item, Usage
from memtui.store.events import EpisodeFinished, LedgerEvent, VerdictEvent
from runners.judges.asking import ask, case_of
from runners.judges.contract import Judge, Verdict
from runners.trajectory import Trajectory, utc_now
from runners.usage import as_if_cold

NOT_COUNTED = frozenset({EndReason.CANCELLED, EndReason.INTERRUPTED})
"""Attempts that were stopped from outside: kept and visible, and their episode stays pending."""

Verdicts = tuple[tuple[str, Verdict], ...]
"""(judge id, verdict) per judge."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the loop stopped and what the agent said, before it is judged."""

    reason: EndReason
    answer: str | None = None
    answer_raw: str | None = None
    abstained: bool = False
    forced: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """How an attempt ended, for the engine's own counts. `verdicts` is (judge id, verdict)."""

    id: EpisodeId
    reason: EndReason
    facts: Facts
    usage: Usage
    verdicts: Verdicts
    abstained: bool
    forced: bool
    counts: bool
    attempts: int
    """Attempts of model calls, retries included."""
    wall_ms: float
    error: str = ""
    notes: tuple[str, ...] = ()
    """What the reader of the run should know of the arm, such as more blocks than asked for."""


async def judge_answer(
    item: Item, ending: Ending, judges: Sequence[Judge], seconds: float | None
) -> Verdicts:
    """Verdicts on the answer, one per judge; a judge that fails leaves its verdict unknown.

    An episode without an answer has no verdict: that it did not pass follows from its end reason.
    """
    if ending.answer is None:
        return ()
    case = case_of(item, ending.answer)
    return tuple([(judge.id, await ask(judge, case, seconds)) for judge in judges])


async def finish(
    id: EpisodeId,
    record: Trajectory,
    ending: Ending,
    verdicts: Verdicts,
    wall_ms: float,
) -> Finished:
    """Write verdicts, ledger and the terminal row, in that order, and wait for the acknowledgement.

    The row comes last: a run that is killed in between has an unfinished attempt, never a finished
    one whose verdict is lost.
    """
    sink, uid = record.sink, record.uid
    for judge, verdict in verdicts:
        await sink.emit(
            VerdictEvent(
                uid,
                judge,
                verdict.label,
                utc_now(),
                raw=verdict.raw,
                reason=verdict.reason,
                usage=verdict.usage,
            )
        )
    await _write_ledger(record, verdicts)
    counts = ending.reason not in NOT_COUNTED
    facts = record.tracker.facts()
    usage = record.usage()
    await sink.emit(
        EpisodeFinished(
            episode=uid,
            id=id,
            end_reason=ending.reason,
            facts=facts,
            strip=record.tracker.strip,
            at=utc_now(),
            answer=ending.answer,
            answer_raw=ending.answer_raw,
            forced=ending.forced,
            abstained=ending.abstained,
            usage=usage,
            wall_ms=wall_ms,
            error=ending.error,
            counts=counts,
            views=record.tracker.views(),
        )
    )
    await sink.commit()
    return Finished(
        id=id,
        reason=ending.reason,
        facts=facts,
        usage=usage,
        verdicts=verdicts,
        abstained=ending.abstained,
        forced=ending.forced,
        counts=counts,
        attempts=usage.attempts,
        wall_ms=wall_ms,
        error=ending.error,
        notes=tuple(record.notes),
    )


async def _write_ledger(record: Trajectory, verdicts: Verdicts) -> None:
    owner = f"episode:{record.uid}"
    answer = record.agent_usage.total()
    paid, cold = answer, as_if_cold(answer)
    if (seen := record.meter.take("answer")) is not None:
        paid, cold = seen.paid.total(), seen.cold.total()
    await record.sink.emit(LedgerEvent(owner, "answer", paid, cold, record.agent_ms))
    if record.calls or record.memory_ms:
        paid, cold = record.memory_paid.total(), record.memory_cold.total()
        await record.sink.emit(LedgerEvent(owner, "search", paid, cold, record.memory_ms))
    if (seen := record.meter.take("judge")) is not None:
        # Several judges of one episode share a line.
        paid, cold = seen.paid.total(), seen.cold.total()
        await record.sink.emit(LedgerEvent(owner, "judge", paid, cold, seen.wall_ms))
        return
    for _, verdict in verdicts:
        if verdict.usage is not None:
            await record.sink.emit(
                LedgerEvent(owner, "judge", verdict.usage, as_if_cold(verdict.usage))
            )
