"""Repeats of a question: pass^k, and the mean per question before anything is averaged over questions.

pass^k (tau-bench, Yao et al., arXiv 2406.12045): the chance that k repeats drawn without replacement
all pass, C(c, k) / C(m, k) for a question with c passes in m counted repeats, averaged over questions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtui.metrics.signature import Profile


@dataclass(frozen=True, slots=True)
class RepeatRates:
    """`mean` of the per-question pass rates over `questions`; `pass_hat[k]` = (value, questions with
    at least k counted repeats)."""

    questions: int
    mean: float | None
    pass_hat: dict[int, tuple[float, int]]


def pass_hat(questions: Iterable[tuple[int, int, int]]) -> RepeatRates:
    """Rates from (passes, counted repeats, how many such questions); those without a repeat drop out."""
    counted = [(passes, m, times) for passes, m, times in questions if m and times]
    total = sum(times for _, _, times in counted)
    if not total:
        return RepeatRates(0, None, {})
    mean = math.fsum(times * passes / m for passes, m, times in counted) / total
    values: dict[int, tuple[float, int]] = {}
    for k in range(1, max(m for _, m, _ in counted) + 1):
        able = [row for row in counted if row[1] >= k]
        n = sum(times for _, _, times in able)
        chance = math.fsum(
            times * math.comb(passes, k) / math.comb(m, k) for passes, m, times in able
        )
        values[k] = (chance / n, n)
    return RepeatRates(total, mean, values)


def repeat_rates(profiles: Mapping[Profile, int], budget: int) -> RepeatRates:
    """Rates at B from the profiles of questions: how their counted repeats ended."""
    seen: Counter[tuple[int, int]] = Counter()
    for profile, times in profiles.items():
        passes = m = 0
        for (requested, right), count in profile:
            m += count
            if right and requested <= budget:
                passes += count
        seen[passes, m] += times
    return pass_hat((passes, m, times) for (passes, m), times in seen.items())
