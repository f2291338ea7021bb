"""Measure a judge: how often it accepts wrong answers, and how often it rejects right ones.

A judge's rates are part of every number it gives (docs/metrics.md). Wrong answers come from the public
LoCoMo audit (two sets of 1,540), right ones from the golds themselves and their rewrites.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memtui.model import Label
from runners.judges.contract import Case, Judge, Verdict
from runners.judges.rewrites import rewrites

LOCOMO_TYPES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
WRONG_SETS = {
    "v1": "ap_v1_specific_wrong_scored.json",
    "v2": "ap_v2_vague_wrong_scored.json",
}
"""Wrong answers: v1 specific, v2 vague but on topic."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A case whose verdict is known; `group` is what rates are split by."""

    case: Case
    right: bool
    group: str
    published: float | None = None
    """Share of the published judge's three votes that accepted the answer, where it is known."""


@dataclass
class Rates:
    """Counts of a judge on probes of one kind."""

    n: int = 0
    right: int = 0
    wrong: int = 0
    unknown: int = 0
    by_group: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Group -> (judged right, all)."""
    errors: list[tuple[Probe, Verdict]] = field(default_factory=list)
    """Probes judged other than they are."""

    @property
    def accepted(self) -> float:
        """Share judged right."""
        return self.right / self.n if self.n else float("nan")


def wrong_answers(folder: Path, name: str) -> list[Probe]:
    """One audit set (`v1` or `v2`) from a folder that holds `locomo/audit/`."""
    path = folder / "locomo" / "audit" / WRONG_SETS[name]
    rows = json.loads(path.read_text(encoding="utf-8"))["detailed_results"].values()
    out = []
    for row in (r for user in rows for r in user):
        votes = [bool(v) for v in row["llm_judgments"].values()]
        qtype = LOCOMO_TYPES[int(row["category"])]
        case = Case(
            row["question"], str(row["golden_answer"]), row["generated_answer"], qtype, True
        )
        out.append(Probe(case, False, qtype, sum(votes) / len(votes)))
    return out


def locomo_golds(folder: Path) -> list[Probe]:
    """Every gold of LoCoMo categories 1 to 4, given back verbatim."""
    path = folder / "locomo" / "locomo10.json"
    out = []
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        for row in conversation["qa"]:
            if row["category"] == 5:
                continue
            gold, qtype = str(row["answer"]), LOCOMO_TYPES[row["category"]]
            out.append(Probe(Case(row["question"], gold, gold, qtype, True), True, qtype))
    return out


def tempting_answers(folder: Path) -> list[Probe]:
    """LoCoMo's adversarial questions answered with the very answer they invite."""
    path = folder / "locomo" / "locomo10.json"
    out = []
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        for row in conversation["qa"]:
            if row["category"] != 5:
                continue
            trap = str(row["adversarial_answer"])
            case = Case(row["question"], None, trap, LOCOMO_TYPES[5], False, tempting=trap)
            out.append(Probe(case, False, LOCOMO_TYPES[5]))
    return out


def abstention_golds(folder: Path) -> list[Probe]:
    """LongMemEval's 30 explanations why a question cannot be answered, after a lead-in."""
    path = folder / "longmemeval" / "questions_500.jsonl"
    out = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        row: dict[str, Any] = json.loads(line) if line.strip() else {}
        if row.get("is_abstention"):
            gold = str(row["answer"])
            case = Case(row["question"], gold, f"Well: {gold}", row["question_type"], False)
            out.append(Probe(case, True, "abstention"))
    return out


def longmemeval_golds(folder: Path) -> list[Probe]:
    """Every gold of LongMemEval's 500 questions that is an answer: no rubric, no abstention."""
    path = folder / "longmemeval" / "questions_500.jsonl"
    out = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            continue
        row = json.loads(line)
        qtype = row["question_type"]
        if row["is_abstention"] or qtype == "single-session-preference":
            continue
        gold = str(row["answer"])
        out.append(Probe(Case(row["question"], gold, gold, qtype, True), True, qtype))
    return out


def evidence_sentences(folder: Path) -> list[Probe]:
    """Sentences of the evidence (at most 40 words) that hold the gold word for word, as answers.

    What a span-reading agent returns at best. Mostly right, not always: "two weeks ago" holds the gold
    "two" of another question.
    """
    out = []
    for conversation in json.loads((folder / "locomo" / "locomo10.json").read_text("utf-8")):
        turns = {
            turn["dia_id"]: turn["text"]
            for value in conversation["conversation"].values()
            if isinstance(value, list)
            for turn in value
        }
        for row in conversation["qa"]:
            if row["category"] != 5:
                texts = [turns[e] for e in row["evidence"] if e in turns]
                case = Case(
                    row["question"], str(row["answer"]), None, LOCOMO_TYPES[row["category"]], True
                )
                out += _holding(case, texts)
    golds = {p.case.question: p.case for p in longmemeval_golds(folder)}
    path = folder / "longmemeval" / "evidence_turns_500.jsonl"
    for line in path.read_text(encoding="utf-8").split("\n"):
        row = json.loads(line) if line.strip() else {"question": ""}
        known = golds.get(row["question"])
        if known is not None:
            out += _holding(known, [t["content"] for s in row["sessions"] for t in s["turns"]])
    return out


def _holding(case: Case, texts: Sequence[str]) -> list[Probe]:
    """The first sentence that holds the gold between word boundaries, if any."""
    gold = re.escape((case.gold or "").lower().rstrip("."))
    for sentence in (s for text in texts for s in re.split(r"(?<=[.!?])\s+", text)):
        if len(sentence.split()) <= 40 and re.search(rf"(?<!\w){gold}(?!\w)", sentence.lower()):
            return [Probe(replace(case, answer=sentence), True, case.qtype)]
    return []


def rewritten(golds: Iterable[Probe], seed: int = 1) -> list[Probe]:
    """Seeded rewrites of golds, grouped by kind of rewrite."""
    out = []
    for probe in golds:
        case = probe.case
        for made in rewrites(case.gold or "", case.question, seed):
            again = Case(case.question, case.gold, made.text, case.qtype, True, case.question_date)
            out.append(Probe(again, True, made.kind))
    return out


def hand_checked(path: Path, set_name: str | None = None) -> list[Probe]:
    """Cases labelled by hand: a JSON list with question, gold, answer, right, kind, set."""
    out = []
    for row in json.loads(path.read_text(encoding="utf-8")):
        if set_name is not None and row.get("set") != set_name:
            continue
        case = Case(
            row["question"],
            row["gold"],
            row["answer"],
            row["qtype"],
            row.get("answerable", True),
            row.get("question_date"),
            row.get("tempting"),
        )
        out.append(Probe(case, row["right"], row["kind"]))
    return out


async def measure(judge: Judge, probes: Sequence[Probe], *, concurrency: int = 8) -> Rates:
    """Judge every probe and count; errors keep the probe and the verdict."""
    gate = asyncio.Semaphore(concurrency)

    async def ask(probe: Probe) -> Verdict:
        async with gate:
            return await judge.judge(probe.case)

    rates = Rates()
    verdicts = await asyncio.gather(*(ask(p) for p in probes))
    for probe, verdict in zip(probes, verdicts, strict=True):
        rates.n += 1
        said_right = verdict.label is Label.RIGHT
        rates.right += said_right
        rates.wrong += verdict.label is Label.WRONG
        rates.unknown += verdict.label is Label.UNKNOWN
        accepted, all_ = rates.by_group.get(probe.group, (0, 0))
        rates.by_group[probe.group] = (accepted + said_right, all_ + 1)
        if verdict.label is not Label.UNKNOWN and said_right is not probe.right:
            rates.errors.append((probe, verdict))
    return rates
