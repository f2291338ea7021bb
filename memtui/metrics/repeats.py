"""Repeats of a question: pass^k, and the mean per question before anything is averaged over questions.

pass^k (tau-bench, Yao et al., arXiv 2406.12045): the chance that k repeats drawn without replacement
all pass, C(c, k) / C(m, k) for a question with c passes in m counted repeats, averaged over questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RepeatRates:
    """`mean` of the per-question pass rates over `questions`; `pass_hat[k]` = (value, questions with
    at least k counted repeats)."""

    questions: int
    mean: float | None
    pass_hat: dict[int, tuple[float, int]]


def pass_hat(questions: Iterable[tuple[int, int]]) -> RepeatRates:
    """Rates from (passes, counted repeats) of each question; questions without a counted one drop out."""
    counted = [(passes, m) for passes, m in questions if m]
    if not counted:
        return RepeatRates(0, None, {})
    mean = math.fsum(passes / m for passes, m in counted) / len(counted)
    values: dict[int, tuple[float, int]] = {}
    for k in range(1, max(m for _, m in counted) + 1):
        able = [(passes, m) for passes, m in counted if m >= k]
        total = math.fsum(math.comb(passes, k) / math.comb(m, k) for passes, m in able)
        values[k] = (total / len(able), len(able))
    return RepeatRates(len(counted), mean, values)
