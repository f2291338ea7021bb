"""Judge the answers of a run file again, by any judge: verdicts are appended, none is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memtui.model import Label, Usage
from memtui.store.events import EventSink, LedgerEvent, VerdictEvent
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeDetail
from runners.judges.asking import ask, case_of
from runners.judges.contract import Judge, Verdict
from runners.trajectory import utc_now
from runners.usage import UsageTotal, as_if_cold


@dataclass
class Rejudged:
    """What a rejudging did. Labels are counted by name; agreement is with the verdict compared to."""

    judge: str
    compared_with: str
    judged: int = 0
    without_answer: int = 0
    """Episodes that ended without an answer: nothing to judge."""
    already_judged: int = 0
    """Left out because this judge had judged them and only missing ones were asked for."""
    labels: dict[str, int] = field(default_factory=lambda: {label.value: 0 for label in Label})
    reasons: dict[str, int] = field(default_factory=dict)
    agreement: dict[str, dict[str, int]] = field(default_factory=dict)
    """Label of the compared judge -> label of this one -> episodes with both."""
    usage: Usage = field(default_factory=Usage)

    @property
    def both(self) -> tuple[int, int]:
        """(episodes on which both judges decided, of those the ones they agree on)."""
        decided = (Label.RIGHT.value, Label.WRONG.value)
        n = sum(self.agreement.get(a, {}).get(b, 0) for a in decided for b in decided)
        return n, sum(self.agreement.get(a, {}).get(a, 0) for a in decided)


async def rejudge(
    reader: RunReader,
    sink: EventSink,
    judge: Judge,
    episodes: Sequence[int],
    *,
    compare_with: str = "",
    only_missing: bool = False,
    concurrency: int = 8,
    seconds: float | None = 300.0,
    progress: Callable[[int, int], None] | None = None,
) -> Rejudged:
    """Judge finished episodes by row id and append the verdicts to the run file behind `sink`.

    Each verdict is acknowledged before the next batch begins, so a stopped rejudging loses nothing
    and `only_missing` continues it. A judge that fails leaves UNKNOWN (`judge_error`); what no further
    call can survive (key, model name, credit) is raised after the verdicts so far are safe.
    """
    result = Rejudged(judge.id, compare_with)
    totals = UsageTotal()
    done = 0
    try:
        for at in range(0, len(episodes), concurrency):
            batch = [
                _todo(reader, id, judge.id, only_missing, result)
                for id in episodes[at : at + concurrency]
            ]
            chosen = [detail for detail in batch if detail is not None]
            verdicts = await asyncio.gather(
                *(ask(judge, case_of(d.item, d.row.answer), seconds) for d in chosen),
                return_exceptions=True,
            )
            fatal: BaseException | None = None
            for detail, verdict in zip(chosen, verdicts, strict=True):
                if isinstance(verdict, BaseException):
                    fatal = fatal or verdict
                    continue
                totals.add(verdict.usage)
                _count(result, detail, verdict)
                await _append(sink, detail, judge.id, verdict)
            await sink.commit()
            if fatal is not None:
                raise fatal
            done += len(batch)
            if progress is not None:
                progress(done, len(episodes))
    finally:
        result.usage = totals.total()
        # Whoever closes the writer next need not wait for this reader to let go of the file.
        reader.release()
    return result


def _todo(
    reader: RunReader, id: int, judge: str, only_missing: bool, result: Rejudged
) -> EpisodeDetail | None:
    detail = reader.episode(id)
    if detail is None or not detail.row.done:
        return None
    if detail.row.answer is None:
        result.without_answer += 1
        return None
    if only_missing and detail.row.labels.get(judge) not in (None, Label.UNKNOWN.value):
        result.already_judged += 1
        return None
    return detail


def _count(result: Rejudged, detail: EpisodeDetail, verdict: Verdict) -> None:
    result.judged += 1
    result.labels[verdict.label.value] += 1
    result.reasons[verdict.reason] = result.reasons.get(verdict.reason, 0) + 1
    before = detail.row.labels.get(result.compared_with)
    if before is not None:
        row = result.agreement.setdefault(before, {})
        row[verdict.label.value] = row.get(verdict.label.value, 0) + 1


async def _append(sink: EventSink, detail: EpisodeDetail, judge: str, verdict: Verdict) -> None:
    uid = detail.row.uid
    await sink.emit(
        VerdictEvent(
            uid, judge, verdict.label, utc_now(), verdict.raw, verdict.reason, verdict.usage
        )
    )
    if verdict.usage is not None:
        cold = as_if_cold(verdict.usage)
        await sink.emit(LedgerEvent(f"episode:{uid}", "judge", verdict.usage, cold))
