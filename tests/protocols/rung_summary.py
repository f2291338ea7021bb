"""What the rungs of a plan hold, added up: what tests compare with the histories themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from memtui.metrics.scales import scale_label
from runners.protocols.scale import ScalePlan
from runners.sessions import TOKENIZER


@dataclass(slots=True)
class RungSummary:
    """One scale of a plan, over all items and ladder seeds."""

    scale: float
    label: str
    histories: int = 0
    """Histories that exist at this scale: items x ladder seeds."""
    missing: int = 0
    """Histories that the pool cannot fill."""
    sessions_min: int | None = None
    sessions_max: int | None = None
    sessions_total: int = 0
    tokens_min: int | None = None
    tokens_max: int | None = None
    tokens_total: int = 0
    tokenizer: str = TOKENIZER
    irrelevant: int = 0
    borrowed: int = 0
    contaminated: int = 0
    redated: int = 0
    no_evidence: int = 0
    """Histories without any evidence session, because the data set names none that exists."""
    ages: int = 0
    age_total: float = 0.0
    pools: dict[str, int] = field(default_factory=dict)

    @property
    def tokens_mean(self) -> float | None:
        """Mean tokens of a history; None without histories."""
        return self.tokens_total / self.histories if self.histories else None

    @property
    def evidence_age(self) -> float | None:
        """Mean age percentile of the evidence, 0 oldest .. 1 newest; None where nothing has one."""
        return self.age_total / self.ages if self.ages else None


def rung_summary(plan: ScalePlan) -> tuple[RungSummary, ...]:
    """One summary per scale, in order. Builds every history once (no text is read but for the check)."""
    summaries = {scale: RungSummary(scale, scale_label(scale)) for scale in plan.scales}
    for key in plan.item_keys():
        for seed in plan.options.ladder_seeds:
            for scale, summary in summaries.items():
                if plan.available(key, scale, seed):
                    _add(summary, plan, key, scale, seed)
                else:
                    summary.missing += 1
    return tuple(summaries.values())


def _add(summary: RungSummary, plan: ScalePlan, key: str, scale: float, seed: int) -> None:
    """Counts one history in."""
    rung = plan.rung(key, scale, seed)
    sessions, tokens = len(rung.places), rung.tokens
    summary.histories += 1
    summary.sessions_total += sessions
    summary.tokens_total += tokens
    summary.sessions_min = _least(summary.sessions_min, sessions)
    summary.tokens_min = _least(summary.tokens_min, tokens)
    summary.sessions_max = max(summary.sessions_max or 0, sessions)
    summary.tokens_max = max(summary.tokens_max or 0, tokens)
    summary.irrelevant += rung.n_irrelevant
    summary.borrowed += rung.borrowed
    summary.contaminated += rung.contaminated
    summary.redated += rung.redated
    summary.no_evidence += not any(place.role == "evidence" for place in rung.places)
    if rung.evidence_age is not None:
        summary.ages += 1
        summary.age_total += rung.evidence_age
    for name, count in rung.pools.items():
        summary.pools[name] = summary.pools.get(name, 0) + count


def _least(known: int | None, value: int) -> int:
    """The smaller one, where there is one yet."""
    return value if known is None else min(known, value)
