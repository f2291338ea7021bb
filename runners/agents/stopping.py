"""Named stopping policies: when an extractive agent stops searching, and what it asks next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from runners.agents import thresholds
from runners.agents.reformulate import next_query, query_key
from runners.agents.span_question import Question
from runners.agents.span_reader import NOTHING, Candidate, Reading
from runners.normalise import normalise


@dataclass(slots=True)
class Progress:
    """What an episode has come to, as a policy sees it: nothing of scores, ranks or gold."""

    question: Question
    reading: Reading
    asked: list[str] = field(default_factory=list)
    dry: int = 0
    """Searches in a row, up to now, that showed no new block."""
    latest: Reading = NOTHING
    """What the last search alone says."""

    def reformulate(self) -> tuple[str, str]:
        """The next query and its rule, or two empty texts."""
        return next_query(self.question, self.reading, {query_key(query) for query in self.asked})


@dataclass(frozen=True, slots=True)
class Decision:
    """Search for `query`, or stop when it is empty; `why` completes "… because"."""

    why: str
    query: str = ""
    rule: str = ""
    """How the query was made."""


class Policy(Protocol):
    """When to stop. `options` is everything that changes its behavior."""

    @property
    def name(self) -> str: ...

    @property
    def options(self) -> dict[str, Any]: ...

    @property
    def threshold(self) -> float | None:
        """The confidence it waits for, where it waits for one."""

    def decide(self, progress: Progress) -> Decision: ...


@dataclass(frozen=True, slots=True)
class SearchOnce:
    """One search with the question as it stands, then an answer."""

    name: str = "search-once"
    threshold: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        """None."""
        return {}

    def decide(self, progress: Progress) -> Decision:
        """Search if nothing was searched."""
        if progress.asked:
            return Decision("this policy searches once")
        query, rule = progress.reformulate()
        return Decision("nothing was searched yet", query, rule)


@dataclass(frozen=True, slots=True)
class UntilConfident:
    """Search with ever other words until the text scorer is confident in what was shown."""

    threshold: float = thresholds.CONFIDENT
    patience: int = thresholds.PATIENCE
    name: str = "until-confident"

    @property
    def options(self) -> dict[str, Any]:
        """`threshold` and `patience`."""
        return {"threshold": self.threshold, "patience": self.patience}

    def decide(self, progress: Progress) -> Decision:
        """Stop when confident, out of patience or out of words."""
        confidence = progress.reading.confidence
        if progress.asked:
            if confidence >= self.threshold:
                return Decision(
                    f"confidence {confidence:.2f} reaches the threshold of {self.threshold:.2f}"
                )
            if progress.dry >= self.patience:
                return Decision(f"the last {progress.dry} searches showed nothing new")
        query, rule = progress.reformulate()
        if not query:
            return Decision("there is no other way left to put the question")
        if not progress.asked:
            return Decision("nothing was searched yet", query, rule)
        return Decision(
            f"confidence {confidence:.2f} is below the threshold of {self.threshold:.2f}",
            query,
            rule,
        )


@dataclass(frozen=True, slots=True)
class Verify:
    """Search, then search again in other words until what comes back says the same by itself."""

    checks: int = thresholds.CHECKS
    name: str = "verify"
    threshold: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        """`checks`: how many further searches at most."""
        return {"checks": self.checks}

    def decide(self, progress: Progress) -> Decision:
        """Stop when the last search alone gives the answer held so far, or after `checks` more."""
        if not progress.asked:
            query, rule = progress.reformulate()
            return Decision("nothing was searched yet", query, rule)
        held, latest = same_answer(progress.reading.best), same_answer(progress.latest.best)
        if len(progress.asked) > 1 and held and held == latest:
            return Decision("another search by itself led to the same answer")
        if len(progress.asked) > self.checks:
            return Decision(f"{self.checks} further searches did not settle it")
        query, rule = progress.reformulate()
        if not query:
            return Decision("there is no other way left to put the question")
        best = progress.reading.best
        held_so_far = (
            "there is no candidate yet" if best is None else f"{best.answer!r} is unchecked"
        )
        return Decision(held_so_far, query, rule)


@dataclass(frozen=True, slots=True)
class Read:
    """No search: the answer is read off the context."""

    name: str = "read"
    threshold: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        """None."""
        return {}

    def decide(self, progress: Progress) -> Decision:
        """Always stop."""
        return Decision("the whole context has been read")


def same_answer(candidate: Candidate | None) -> str:
    """A candidate as two readings are compared by; empty where there is none."""
    return "" if candidate is None else normalise(candidate.answer)
