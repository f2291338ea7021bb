"""The embedded extractive agents: baselines that copy a span out of what they are shown.

No model, no network, no randomness. All policies share one reader (`span_reader.py`) in every arm; they
differ only in when they stop searching (`stopping.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from memtui.errors import UserError
from memtui.model import Usage
from runners.agents import thresholds
from runners.agents.contract import Action, Brief, Call, Observation, ShownBlock
from runners.agents.span_reader import Reading, SpanReader
from runners.agents.span_text import BlockCache
from runners.agents.stopping import (
    Decision,
    Policy,
    Progress,
    Read,
    SearchOnce,
    UntilConfident,
    Verify,
)
from runners.memory.contract import Context, ToolSpec

SCORER = "span-1"
"""Changes whenever an answer or a confidence could."""
NOT_MENTIONED = "This was not mentioned in the conversations."
NOTE = (
    "baseline: an extractive agent without a model copies at most 30 words out of the text it is "
    "shown; it cannot count, add up or infer"
)
FREE = Usage(prompt=0, cached=0, completion=0, reasoning=0, cost=0.0)
"""No model is asked, so the cost is known: nothing."""

_HEADING = re.compile(r"^--- Session of (.+?) ---$", re.MULTILINE)
_CACHE = BlockCache()


class ExtractiveAgent:
    """A reader with a stopping policy; `abstain_below` is a score of the best candidate in [0, 1]."""

    def __init__(
        self,
        policy: Policy,
        *,
        abstain_below: float = thresholds.ABSTAIN_BELOW,
        cache: BlockCache | None = None,
    ) -> None:
        if not 0 <= abstain_below <= 1:
            raise UserError(f"abstain_below must be between 0 and 1, not {abstain_below!r}")
        self._policy = policy
        self._abstain_below = abstain_below
        self._cache = cache if cache is not None else _CACHE

    @property
    def name(self) -> str:
        """The policy's name."""
        return self._policy.name

    @property
    def config(self) -> dict[str, Any]:
        """Everything that changes its behavior."""
        return {
            "policy": self._policy.name,
            "scorer": SCORER,
            "abstain_below": self._abstain_below,
            **self._policy.options,
        }

    @property
    def note(self) -> str:
        """That it is a baseline."""
        return NOTE

    def start(self, brief: Brief) -> ExtractiveSession:
        """Begin an episode; UserError where a reading policy is given nothing to read."""
        if brief.context is None and isinstance(self._policy, Read):
            raise UserError(
                "agent 'read' reads a context and never searches: pair it with a context system such "
                "as full-history, or take search-once, until-confident or verify"
            )
        return ExtractiveSession(brief, self._policy, self._abstain_below, self._cache)


class ExtractiveSession:
    """One episode."""

    def __init__(
        self, brief: Brief, policy: Policy, abstain_below: float, cache: BlockCache
    ) -> None:
        self._policy = policy if brief.context is None else Read()
        self._cache = cache
        self._reader = reader = SpanReader(brief.question, cache)
        self._abstain_below = abstain_below
        self._tool = None if brief.context is not None else search_tool(brief.tools)
        self._progress = Progress(reader.question, reader.read())
        if brief.context is not None:
            reader.add(context_blocks(brief.context))

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        """Read what came back, then search on or answer."""
        progress = self._progress
        new = 0
        refused = False
        for observation in observations:
            new += self._reader.add(observation.blocks)
            refused |= observation.status == "refused"
        if observations:
            progress.dry = 0 if new else progress.dry + 1
            progress.latest = self._read_alone(observations)
        progress.reading = self._reader.read()
        if must_answer:
            decision = Decision("an answer was asked for")
        elif refused:
            decision = Decision("the memory refused another search")
        elif self._tool is None and not isinstance(self._policy, Read):
            decision = Decision("there is no tool to search with")
        else:
            decision = self._policy.decide(progress)
        facts = self._facts(decision, new)
        if decision.query and self._tool is not None:
            return self._search(decision, facts)
        return self._answer(decision, facts)

    def _read_alone(self, observations: Sequence[Observation]) -> Reading:
        """What the last search says by itself."""
        reader = SpanReader(self._reader.question.text, self._cache)
        for observation in observations:
            reader.add(observation.blocks)
        return reader.read()

    def _search(self, decision: Decision, facts: dict[str, Any]) -> Action:
        assert self._tool is not None
        tool, field = self._tool
        self._progress.asked.append(decision.query)
        args = {field: decision.query}
        raw = json.dumps(args, ensure_ascii=False)
        call = Call(tool=tool, args=args, raw=raw, call_id=f"call-{len(self._progress.asked)}")
        return Action(
            calls=(call,),
            reasoning=f"{_seen(facts)}Search with {decision.rule}, because {decision.why}.",
            raw=raw,
            usage=FREE,
            data={**facts, "decision": "search", "query_rule": decision.rule},
        )

    def _answer(self, decision: Decision, facts: dict[str, Any]) -> Action:
        best = self._progress.reading.best
        abstained = best is None or best.score < self._abstain_below
        answer = NOT_MENTIONED if best is None or abstained else best.answer
        verb = "Answer that it was not mentioned" if abstained else f"Answer {answer!r}"
        return Action(
            answer=answer,
            answer_raw=answer,
            abstained=abstained,
            reasoning=f"{_seen(facts)}{verb}, because {decision.why}.",
            raw=answer,
            usage=FREE,
            data={**facts, "decision": "abstain" if abstained else "answer"},
        )

    def _facts(self, decision: Decision, new: int) -> dict[str, Any]:
        """What the decision rested on, for the decision pane."""
        reading: Reading = self._progress.reading
        best, rival = reading.best, reading.rival
        return {
            "policy": self._policy.name,
            "why": decision.why,
            "threshold": self._policy.threshold,
            "confidence": round(reading.confidence, 4),
            "candidate": None if best is None else best.answer,
            "candidate_sentence": None if best is None else best.sentence,
            "candidate_token": None if best is None else best.token,
            "candidate_date": None if best is None else best.date,
            "cover": None if best is None else round(best.cover, 4),
            "fit": None if best is None else round(best.fit, 4),
            "via": best.via or None if best is not None else None,
            "rival": None if rival is None else rival.answer,
            "rival_score": None if rival is None else round(rival.score, 4),
            "answer_kind": self._progress.question.kind,
            "new_blocks": new,
            "blocks_seen": self._reader.blocks,
        }


def _seen(facts: dict[str, Any]) -> str:
    """What is held so far, as a sentence."""
    if not facts["blocks_seen"]:
        return ""
    if facts["candidate"] is None:
        return "Nothing shown so far matches. "
    text = f"Best so far: {facts['candidate']!r} (confidence {facts['confidence']:.2f}"
    if facts["rival"] is not None:
        text += f"; next {facts['rival']!r}"
    return text + "). "


def search_tool(tools: Sequence[ToolSpec]) -> tuple[str, str] | None:
    """The tool to search with and its text argument: the first that needs nothing but a text."""
    for tool in tools:
        properties = tool.parameters.get("properties", {})
        texts = [n for n, schema in properties.items() if schema.get("type") == "string"]
        needed = set(tool.parameters.get("required", ()))
        if "query" in texts:
            texts = ["query"]
        if texts and needed <= {texts[0]}:
            return tool.name, texts[0]
    return None


def context_blocks(context: Context) -> list[ShownBlock]:
    """A context cut into its dated sessions; one block without a date where it has no headings."""
    parts = _HEADING.split(context.text)
    shown = list(dict.fromkeys(hit.ref for hit in context.hits if hit.shown))
    if len(parts) < 3:
        return [ShownBlock(shown[0] if len(shown) == 1 else "", context.text, None)]
    blocks = []
    for place, (date, text) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        token = shown[place] if place < len(shown) else ""
        blocks.append(ShownBlock(token, text.strip("\n"), date if date[:1].isdigit() else None))
    return blocks


def search_once(*, abstain_below: float = thresholds.ABSTAIN_BELOW) -> ExtractiveAgent:
    """One search, then an answer."""
    return ExtractiveAgent(SearchOnce(), abstain_below=abstain_below)


def until_confident(
    *,
    threshold: float = thresholds.CONFIDENT,
    patience: int = thresholds.PATIENCE,
    abstain_below: float = thresholds.ABSTAIN_BELOW,
) -> ExtractiveAgent:
    """Searches on until the reader's own confidence reaches `threshold` (0 to 1)."""
    if not 0 <= threshold <= 1:
        raise UserError(f"threshold must be between 0 and 1, not {threshold!r}")
    if patience < 1:
        raise UserError(f"patience must be at least 1, not {patience!r}")
    return ExtractiveAgent(UntilConfident(threshold, patience), abstain_below=abstain_below)


def verify(
    *, checks: int = thresholds.CHECKS, abstain_below: float = thresholds.ABSTAIN_BELOW
) -> ExtractiveAgent:
    """Checks its candidate with at most `checks` further searches."""
    if checks < 1:
        raise UserError(f"checks must be at least 1, not {checks!r}")
    return ExtractiveAgent(Verify(checks), abstain_below=abstain_below)


def read(*, abstain_below: float = thresholds.ABSTAIN_BELOW) -> ExtractiveAgent:
    """Reads the context of a context system; asks nothing."""
    return ExtractiveAgent(Read(), abstain_below=abstain_below)
