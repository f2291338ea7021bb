"""LoCoMo: ten long two-person conversations with 1,986 questions.

Maharana et al. 2024, arXiv 2402.17753, github.com/snap-research/locomo, CC BY-NC 4.0. The official file
is pinned by its sha256. Categories are integers in the file and not in the paper's order; the table
below is proved by the data (a category 4 question has its evidence in one session, a category 1
question almost never).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from memtui.model import EvidenceStatus, Turn
from runners.datasets import locomo_lint
from runners.datasets.contract import DataSet, Finding, SourceItem, SourceSession
from runners.datasets.dates import iso_date
from runners.datasets.evidence import TurnIndex, read_evidence, references
from runners.datasets.files import clean, combined_sha256, read_json
from runners.datasets.gold import canonical_gold, count_declared, with_declared_subset
from runners.datasets.rules import item_flags
from runners.datasets.session_pool import SessionPoolFile, read_session_pool
from runners.sessions import session_sha

SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
BYTES = 2_805_274

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5
POOL = "conversations"
"""Sessions of the other conversations, as a filler pool."""


def category_name(category: object) -> str:
    """Name of a category number; `unknown(6)` for one that is not in the table."""
    if isinstance(category, int) and category in CATEGORIES:
        return CATEGORIES[category]
    return f"unknown({category})"


def load_locomo(
    path: Path,
    *,
    allow_unpinned: bool = False,
    pool: Path | None = None,
    audit: Path | None = None,
) -> DataSet:
    """Reads the official file.

    A file with another sha256 is refused unless `allow_unpinned` is set: several redistributed copies
    differ in captions, addresses or added answers. `pool` is a session pool file whose sessions may
    be drawn after those of the other conversations. `audit` is the public audit's `errors.json`: its
    findings become flags of the items, gold stays as it is. Raises UserError.
    """
    document, digest = read_json(path)
    notes = []
    if digest != SHA256:
        differs = f"sha256 {digest[:16]}…, not the official {SHA256[:16]}…"
        if not allow_unpinned:
            raise UserError(
                f"{path}: {differs}; get the official file with `memtui data get locomo`, or set "
                "allow_unpinned to use this one"
            )
        notes.append(f"not the official LoCoMo file: {differs}")
    conversations = locomo_lint.conversations(document, path)
    extra = read_session_pool(pool) if pool is not None else SessionPoolFile()
    overlay = locomo_lint.lint_audit(audit, document) if audit is not None else []
    items: list[SourceItem] = []
    sessions: dict[str, SourceSession] = {}
    findings: list[Finding] = []
    for conversation in conversations:
        name = f"{conversation['sample_id']}/"
        told = locomo_lint.lint_conversation(conversation)
        told.extend(found for found in overlay if found.item.startswith(name))
        findings.extend(told)
        by_item: dict[str, list[Finding]] = {}
        for found in told:
            by_item.setdefault(found.item, []).append(found)
        mine, questions = _conversation(conversation, by_item)
        sessions.update((session.id, session) for session in mine)
        items.extend(questions)
    sessions.update(extra.sessions)
    declared = with_declared_subset(items, sessions)
    counts = {
        **count_declared(declared),
        "conversations": len(conversations),
        "sessions": len(sessions) - len(extra.sessions),
        "turns": sum(len(s.turns) for s in sessions.values() if s.pool == POOL),
    }
    return DataSet(
        name="locomo",
        sha256=combined_sha256((digest, extra.sha256)),
        items=declared,
        sessions=sessions,
        pools=(POOL, *extra.pools),
        tiers=((POOL,), *extra.tiers),
        own_first=True,
        findings=tuple(findings),
        notes=(*notes, *extra.notes),
        licence="CC BY-NC 4.0",
        source=str(path),
        counts=counts,
    )


def _conversation(
    raw: Mapping[str, Any], told: Mapping[str, list[Finding]]
) -> tuple[list[SourceSession], list[SourceItem]]:
    """Sessions and questions of one conversation."""
    name = str(raw["sample_id"])
    talk = raw["conversation"]
    places: dict[tuple[int, int], tuple[str, int]] = {}
    exact: set[str] = set()
    texts: dict[str, tuple[Turn, ...]] = {}
    dates: dict[str, str | None] = {}
    for number, turns in locomo_lint.sessions(talk):
        key = f"{name}/session_{number}"
        texts[key] = tuple(map(_turn, turns))
        dates[key] = iso_date(talk.get(f"session_{number}_date_time"))
        for index, turn in enumerate(turns):
            dia_id = turn.get("dia_id")
            if isinstance(dia_id, str) and (match := re.fullmatch(r"D(\d+):(\d+)", dia_id)):
                exact.add(dia_id)
                places.setdefault((int(match[1]), int(match[2])), (key, index))
    items = [
        _item(f"{name}/{index}", name, question, places, frozenset(exact), texts, told)
        for index, question in enumerate(raw["qa"])
    ]
    evidence_for: dict[str, set[str]] = {}
    for item in items:
        for evidence in item.evidence:
            if evidence.session_id is not None:
                evidence_for.setdefault(evidence.session_id, set()).add(item.key)
    mine = [
        SourceSession(
            id=key,
            turns=turns,
            date=dates[key],
            sha=session_sha(turns),
            pool=POOL,
            evidence_for=frozenset(evidence_for.get(key, ())),
        )
        for key, turns in texts.items()
    ]
    return mine, items


def _turn(raw: Mapping[str, Any]) -> Turn:
    """One message; the caption of an image stays apart from what was said."""
    return Turn(
        role=clean(raw.get("speaker", "")),
        text=clean(raw.get("text", "")),
        caption=clean(raw.get("blip_caption") or ""),
    )


def _item(
    key: str,
    conversation: str,
    raw: Mapping[str, Any],
    places: TurnIndex,
    exact: frozenset[str],
    texts: Mapping[str, tuple[Turn, ...]],
    told: Mapping[str, list[Finding]],
) -> SourceItem:
    """One question. A category 5 question expects abstention; its trap is never gold."""
    category = raw.get("category")
    adversarial = category == ADVERSARIAL
    evidence = references(read_evidence(locomo_lint.evidence_strings(raw), places, exact))
    gold_raw = raw.get("answer")
    tempting = raw.get("adversarial_answer")
    form = [name for name in ("answer", "adversarial_answer") if name in raw]
    captioned = any(
        gold.turn is not None
        and gold.session_id is not None
        and gold.status is not EvidenceStatus.DANGLING
        and texts[gold.session_id][gold.turn].caption
        for gold in evidence
    )
    return SourceItem(
        key=key,
        question=clean(raw.get("question", "")),
        # a redistributed copy may hold the trap under `answer`: it is gold only beside its trap
        gold=canonical_gold(gold_raw) if not adversarial or len(form) == 2 else None,
        gold_raw=gold_raw,
        qtype=category_name(category),
        cluster=conversation,
        answerable=not adversarial,
        question_date=None,
        evidence=evidence,
        own=tuple(texts),
        tempting=canonical_gold(tempting),
        flags=item_flags(told.get(key, ())),
        meta={
            "category": category,
            "answer_form": "both" if len(form) == 2 else form[0] if form else "none",
            "caption_in_evidence": captioned,
            "captions": "rendered into the text of every turn that has one",
        },
    )
