"""Asking a judge: what it is shown of an episode, and what becomes of a judge that fails."""

from __future__ import annotations

import asyncio

from memtui.errors import UserError
from memtui.model import Item, Label
from memtui.store.records import ItemRow
from runners.failures import describe
from runners.judges.contract import JUDGE_ERROR, Case, Judge, Verdict
from runners.promised import require


def case_of(item: Item | ItemRow, answer: str | None) -> Case:
    """Question, gold and answer, and nothing of the retrieval."""
    return Case(
        question=item.question,
        gold=item.gold,
        answer=answer,
        qtype=item.qtype,
        answerable=item.answerable,
        question_date=item.question_date,
        tempting=item.tempting,
    )


async def ask(judge: Judge, case: Case, seconds: float | None) -> Verdict:
    """The verdict, UNKNOWN (`judge_error`) where the judge fails or takes more than `seconds`.

    Raises only UserError: what no further call can survive (key, model name, credit).
    """
    try:
        async with asyncio.timeout(seconds or None):
            return require(await judge.judge(case), Verdict)
    except UserError:
        raise
    except Exception as error:
        return Verdict(Label.UNKNOWN, JUDGE_ERROR, raw=describe(error))
