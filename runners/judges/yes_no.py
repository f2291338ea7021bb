"""A judge for small models: worked examples, one token, and how sure the model was of it.

A small model forced to write JSON says "no" to nearly everything; asked for one plain word after a few
examples it separates right from wrong, and the log probabilities of that word say how well. Good for a
smoke run on one machine, not for published scores: see docs/language-models.md.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from memtui.errors import UserError
from memtui.model import Label, Usage
from runners.judges.abstention import abstains
from runners.judges.contract import JUDGE_ERROR, Case, Verdict
from runners.judges.folding import words
from runners.models.chat import Message, ModelRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ModelError
from runners.models.settings import check_keys

OPTIONS = ("model", "threshold", "timeout")
TASK = (
    "Decide whether an answer gives the correct answer of a question. Other words, other date forms and"
    " more words are fine; another value, only a part, or no answer is not. Reply yes or no."
)
EXAMPLES: tuple[tuple[str, str, str, str], ...] = (
    ("Where did Ana move?", "Lisbon", "She moved to Lisbon in spring.", "yes"),
    ("What is the dog called?", "Biscuit", "The dog is called Pepper.", "no"),
    ("When is the exam?", "7 May 2023", "May 7th, 2023", "yes"),
    ("How many plants did she buy?", "three", "She bought 4 plants.", "no"),
    ("Which two cities did he visit?", "Rome and Oslo", "Rome", "no"),
    ("What does Tom cook on Sundays?", "mushroom risotto", "risotto with mushrooms", "yes"),
    ("What colour is the car?", "green", "There is not enough information.", "no"),
)
"""Question, correct answer, answer, verdict: the seven shots."""
CANDIDATES = 10
"""Candidates of the first token that are looked at."""


class YesNoJudge:
    """Options: `model` (required), `threshold` (0.5: the chance of yes from which an answer is right),
    `timeout` (s)."""

    def __init__(self, options: Mapping[str, Any], door: ModelDoor) -> None:
        check_keys(options, OPTIONS, "judge 'local-yesno'")
        model = options.get("model")
        if not isinstance(model, str) or not model:
            raise UserError(
                "judge 'local-yesno' needs a model, e.g. model = \"local/qwen2.5-coder-1.5b\""
            )
        threshold = options.get("threshold", 0.5)
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise UserError("judge 'local-yesno': threshold must be a number")
        if not 0 < threshold < 1:
            raise UserError("judge 'local-yesno': threshold must lie between 0 and 1")
        self._model = model
        self._threshold = float(threshold)
        self._timeout = options.get("timeout")
        self._door = door

    @property
    def id(self) -> str:
        """`local-yesno/<model>#<hash of examples, task and threshold>`."""
        body = [_shot("", "", ""), TASK, EXAMPLES, self._threshold]
        digest = hashlib.sha256(json.dumps(body, ensure_ascii=False).encode()).hexdigest()
        return f"local-yesno/{self._model}#{digest[:8]}"

    async def judge(self, case: Case) -> Verdict:
        """Ask for one token; UNKNOWN where there is no gold, no reply, or neither word among the candidates.

        Items that cannot be answered are judged by the deterministic judge's rule for abstentions.
        """
        if not words(case.answer or ""):
            return Verdict(Label.WRONG, "no_answer")
        if case.gold is None and case.answerable:
            return Verdict(Label.UNKNOWN, "no_gold")
        if not case.answerable:
            # A small model calls any answer to such a question right; the rule does not.
            refused = abstains(case.answer or "")
            return Verdict(Label.RIGHT if refused else Label.WRONG, "abstention_rule")
        request = ModelRequest(
            self._model,
            conversation(case),
            temperature=0.0,
            max_tokens=1,
            timeout=self._timeout,
            extra={"logprobs": True, "top_logprobs": CANDIDATES},
            phase="judge",
        )
        try:
            reply = await self._door.complete(request)
        except ModelError as error:
            usage = Usage(calls=1, attempts=error.attempts)
            return Verdict(Label.UNKNOWN, JUDGE_ERROR, raw=f"{error.kind}: {error}", usage=usage)
        chance = chance_of_yes(reply.alternatives, reply.text)
        if chance is None:
            return Verdict(Label.UNKNOWN, "unparsable", raw=reply.text or "", usage=reply.usage)
        label = Label.RIGHT if chance >= self._threshold else Label.WRONG
        return Verdict(label, "yes_no", raw=f"{reply.text} · yes {chance:.3f}", usage=reply.usage)


def conversation(case: Case) -> tuple[Message, ...]:
    """Task, the examples as turns that were answered, then the case: the stable part first, so that a
    server's prefix cache holds it."""
    messages: list[Message] = [{"role": "system", "content": TASK}]
    for question, gold, answer, verdict in EXAMPLES:
        messages.append({"role": "user", "content": _shot(question, gold, answer)})
        messages.append({"role": "assistant", "content": verdict})
    last = _shot(case.question, case.gold or "", case.answer or "")
    messages.append({"role": "user", "content": last})
    return tuple(messages)


def _shot(question: str, gold: str, answer: str) -> str:
    return (
        f"Question: {question}\nCorrect answer: {gold}\nAnswer: {' '.join(answer.split())}\n"
        "Is the answer right? yes or no"
    )


def chance_of_yes(alternatives: tuple[tuple[str, float], ...], text: str | None) -> float | None:
    """The chance of `yes` among `yes` and `no`, in any case and with any space around; from the text
    alone where the provider gives no candidates; None where neither word is there."""
    sums = {"yes": 0.0, "no": 0.0}
    for token, log_probability in alternatives or (((text or ""), 0.0),):
        word = token.strip().lower()
        if word in sums:
            sums[word] += math.exp(log_probability)
    total = sum(sums.values())
    return sums["yes"] / total if total else None
