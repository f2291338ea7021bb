"""What the conformance rules demand, in the words in which they say that it was not met."""

from __future__ import annotations

from runners.memory.conformance_bench import Answer, Bench, RuleBroken, RuleNotApplicable
from runners.memory.contract import Haystack


def require(holds: bool, message: str) -> None:
    """RuleBroken with `message` unless `holds`."""
    if not holds:
        raise RuleBroken(message)


def searched(bench: Bench) -> None:
    """Only systems that are searched are under this rule."""
    if bench.info.context:
        raise RuleNotApplicable("a context system is not searched")


def traced(bench: Bench) -> None:
    """Only systems whose hits can be traced are under this rule."""
    if bench.info.provenance == "none":
        raise RuleNotApplicable("declares that its hits cannot be traced")


def check_refs(answer: Answer, hay: Haystack, bench: Bench) -> None:
    """Every hit names a session of this haystack, itself or among its sources."""
    tokens = {position.token for position in hay.positions}
    for hit in answer.hits:
        named = set(hit.sources) or {hit.ref}
        if bench.info.provenance == "full" or hit.sources:
            foreign = named - tokens
            require(not foreign, f"a hit names {sorted(foreign)}, which is not in this haystack")
        require(
            hit.first is None or (hit.last is not None and 0 <= hit.first <= hit.last),
            f"a hit of turns {hit.first} to {hit.last}",
        )
