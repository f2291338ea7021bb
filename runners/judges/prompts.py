"""Prompts of the model judge, one per kind of question; their hash is part of the judge's id.

Own texts to the effect of LongMemEval's five yes/no variants (arXiv 2410.10813, `evaluate_qa.py`) and
of the CORRECT/WRONG practice on LoCoMo (Mem0, arXiv 2504.19413).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from runners.judges.contract import Case


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """A prompt with the two words it asks for; `{question}`, `{gold}`, `{answer}`, `{date}` are filled in."""

    text: str
    words: str
    """`yes/no` or `correct/wrong`."""


_FRAME = """\
{task}

Question: {question}
{gold_label}: {gold}
Response to judge: {answer}

{ask}"""

_YES_NO = "Reply with one word, yes or no."


def _yes_no(task: str, ask: str, gold_label: str = "Correct answer") -> JudgePrompt:
    text = (
        _FRAME.replace("{task}", task)
        .replace("{gold_label}", gold_label)
        .replace("{ask}", f"{ask} {_YES_NO}")
    )
    return JudgePrompt(text, "yes/no")


PROMPTS: dict[str, JudgePrompt] = {
    "plain": _yes_no(
        "You are given a question, its correct answer and a response of an assistant. Say yes if the"
        " response gives the correct answer, says the same in other words, or holds every step that"
        " leads to it. Say no if it gives only a part of what the correct answer says.",
        "Is the response right?",
    ),
    "temporal": _yes_no(
        "You are given a question about time, its correct answer and a response of an assistant. Say"
        " yes if the response gives the correct answer, says the same in other words, or holds every"
        " step that leads to it. Say no if it gives only a part of it. Do not hold it against the"
        " response when a count of days, weeks or months is off by one (18 days for 19).",
        "Is the response right?",
    ),
    "knowledge-update": _yes_no(
        "You are given a question, its correct answer and a response of an assistant. The fact asked"
        " for has changed over time. Say yes if the response gives the up-to-date answer, even when it"
        " mentions earlier information beside it. Say no if it presents outdated information as the"
        " answer.",
        "Is the response right?",
    ),
    "preference": _yes_no(
        "You are given a request, a description of what a response that suits this user would look"
        " like, and a response of an assistant. Say yes if the response recalls the user's own"
        " information rightly and makes use of it. It need not cover every point of the description.",
        "Does the response suit the user?",
        "What a suitable response looks like",
    ),
    "abstention": _yes_no(
        "You are given a question that cannot be answered from what the user ever said, an explanation"
        " why, and a response of an assistant. Say yes if the response recognises that the question"
        " cannot be answered: that the information is missing or incomplete, or that only something"
        " else is known. Say no if it gives an answer.",
        "Does the response recognise that the question cannot be answered?",
        "Explanation",
    ),
    "correct-wrong": JudgePrompt(
        "You are given a question about two people's conversations, a short gold answer and a generated"
        " answer. Be generous: the generated answer may be much longer, and counts as CORRECT as long"
        " as it touches on the same thing as the gold answer. For questions about time, the same date"
        " or period in another form (May 7th, 7 May, last Tuesday when that is the date) is CORRECT; a"
        " different or vaguer one is WRONG.\n\n"
        "Question: {question}\nGold answer: {gold}\nGenerated answer: {answer}\n\n"
        "Reply with one word, CORRECT or WRONG.",
        "correct/wrong",
    ),
}

_BY_TYPE = {
    "single-session-user": "plain",
    "single-session-assistant": "plain",
    "multi-session": "plain",
    "temporal-reasoning": "temporal",
    "knowledge-update": "knowledge-update",
    "single-session-preference": "preference",
}
STYLES = ("auto", "longmemeval", "locomo")


def variant_of(case: Case, style: str = "auto") -> str:
    """Which prompt a case gets.

    `auto`: LongMemEval's own types their variant, every other type the CORRECT/WRONG prompt;
    `longmemeval` and `locomo` force one family. Unanswerable items always get the abstention prompt.
    """
    if not case.answerable:
        return "abstention"
    if style == "locomo":
        return "correct-wrong"
    found = _BY_TYPE.get(case.qtype)
    if found is not None:
        return found
    return "plain" if style == "longmemeval" else "correct-wrong"


def fill(prompt: JudgePrompt, case: Case) -> str:
    """The prompt for one case; braces in question, gold or answer stay as they are."""
    values = {
        "{question}": case.question
        if case.question_date is None
        else f"{case.question} (asked on {case.question_date})",
        "{gold}": case.gold or "(none given)",
        "{answer}": case.answer or "",
    }
    out: list[str] = []
    rest = prompt.text
    while rest:
        at = min((i for k in values if (i := rest.find(k)) >= 0), default=-1)
        if at < 0:
            out.append(rest)
            break
        key = next(k for k in values if rest.startswith(k, at))
        out += [rest[:at], values[key]]
        rest = rest[at + len(key) :]
    return "".join(out)


def prompts_hash(style: str, prompts: dict[str, JudgePrompt] = PROMPTS) -> str:
    """8 hex digits that change with any prompt text or with the style."""
    body = {name: [p.text, p.words] for name, p in sorted(prompts.items())}
    text = json.dumps([style, body], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
