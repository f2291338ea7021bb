"""The contract of a judge: it sees question, gold and answer, and nothing of the retrieval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from memtui.model import Label, Usage

JUDGE_ERROR = "judge_error"
"""Reason of a verdict that is unknown because the judge failed."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to judge."""

    question: str
    gold: str | None
    answer: str | None
    qtype: str
    answerable: bool
    question_date: str | None = None
    tempting: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome: UNKNOWN (with a reason) is excluded from every rate, never counted as wrong."""

    label: Label
    reason: str
    raw: str = ""
    usage: Usage | None = None


class Judge(Protocol):
    """A judge; its id is part of every metric's name."""

    @property
    def id(self) -> str:
        """Stable name that changes whenever a verdict could (version, prompt hash, model)."""

    async def judge(self, case: Case) -> Verdict: ...
