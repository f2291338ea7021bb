"""Notice an abnormal mix of ends while a run goes on: nineteen abstentions in twenty are no result.

A rate alone does not show that something is broken (an empty memory, a judge that cannot parse, a
prompt that makes every agent give up); the mix of ends does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from memtui.metrics.alarm import ABSTAINED, ALL_ARMS, NORMAL_ENDS, Alarm, is_abnormal
from memtui.model import Label
from runners.episode_end import Finished


@dataclass
class MixAlarm:
    """Counts how episodes end, over all arms and per arm; each finding is reported once.

    An alarm is due when at least `minimum` episodes ended and at least `share` of them ended in the
    same abnormal way: an end reason other than an answer, an abstention although there is an answer (of
    the answerable questions), a verdict that is unknown.
    """

    share: float
    minimum: int
    _totals: Counter[str] = field(default_factory=Counter)
    _answerables: Counter[str] = field(default_factory=Counter)
    _kinds: dict[str, Counter[str]] = field(default_factory=dict)
    _reported: set[tuple[str, str]] = field(default_factory=set)

    def add(self, finished: Finished, answerable: bool) -> list[str]:
        """Count one ended episode; returns the alarms that are due now, in words."""
        if not finished.counts:
            return []
        kinds = []
        if finished.reason not in NORMAL_ENDS:
            kinds.append(f"ended with {finished.reason.value}")
        if finished.abstained and answerable:
            kinds.append(ABSTAINED)
        if finished.verdicts and finished.verdicts[0][1].label is Label.UNKNOWN:
            kinds.append("have an unknown verdict")
        alarms = []
        for where in (ALL_ARMS, finished.id.arm):
            self._totals[where] += 1
            self._answerables[where] += bool(answerable)
            counts = self._kinds.setdefault(where, Counter())
            counts.update(kinds)
            for kind, count in counts.items():
                if self._due(where, kind):
                    self._reported.add((where, kind))
                    alarms.append(str(Alarm(where, kind, count, self._among(where, kind))))
        return alarms

    def _due(self, where: str, kind: str) -> bool:
        if (where, kind) in self._reported:
            return False
        count, total = self._kinds[where][kind], self._among(where, kind)
        return is_abnormal(count, total, threshold=self.share, minimum=self.minimum)

    def _among(self, where: str, kind: str) -> int:
        """Episodes that could have ended so: only a question with an answer is abstained on wrongly."""
        return (self._answerables if kind == ABSTAINED else self._totals)[where]
