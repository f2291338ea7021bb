"""One suite for every memory system: does it keep the contract that makes systems comparable?

    report = await check_system(lambda: MySystem(option=3))
    assert report.ok, str(report)

The factory is called once per rule and more, and must give a fresh, independent system each time.
Rules are listed in `conformance_rules.py`; docs/adding-a-memory-system.md says what each one protects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runners.memory.conformance_bench import Bench, RuleBroken, RuleNotApplicable
from runners.memory.conformance_rules import RULES
from runners.memory.contract import MemorySystem, Rehearsing
from runners.models.scripted_door import Responder

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "n/a"


@dataclass(frozen=True, slots=True)
class Check:
    """What one rule found."""

    rule: str
    status: str
    """`passed`, `failed` or `n/a`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """All rules over one system."""

    system: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The rules the system breaks."""
        return tuple(check for check in self.checks if check.status == FAILED)

    def __str__(self) -> str:
        width = max((len(check.rule) for check in self.checks), default=0)
        lines = [f"{c.status:<6}  {c.rule:<{width}}  {c.detail}".rstrip() for c in self.checks]
        return "\n".join(
            (f"{self.system}: {len(self.failed)} of {len(lines)} rules failed", *lines)
        )


async def check_system(
    factory: Callable[[], MemorySystem],
    *,
    rule_seconds: float = 120.0,
    responder: Responder | None = None,
    rules: Sequence[str] | None = None,
    on_rule: Callable[[str], None] | None = None,
) -> ConformanceReport:
    """Run every rule, or those named, over fresh systems of `factory`.

    One rule's failure does not keep the others from running; whatever a system raises fails the rule,
    as does one that takes more than `rule_seconds`. Only the factory itself may raise. `responder`
    stands in for the language model, by default the system's own `rehearse`; without one every reply
    is empty. `on_rule` hears the name of each rule before it is tried.
    """
    system = factory()
    name = system.info.name
    if responder is None and isinstance(system, Rehearsing):
        responder = system.rehearse
    checks = []
    for rule, run in RULES.items():
        if rules is not None and rule not in rules:
            continue
        if on_rule is not None:
            on_rule(rule)
        try:
            async with asyncio.timeout(rule_seconds):
                checks.append(Check(rule, PASSED, await run(Bench(factory, responder))))
        except RuleNotApplicable as reason:
            checks.append(Check(rule, NOT_APPLICABLE, str(reason)))
        except RuleBroken as broken:
            checks.append(Check(rule, FAILED, str(broken)))
        except TimeoutError:
            checks.append(Check(rule, FAILED, f"not done after {rule_seconds:g} s"))
        except Exception as error:  # whatever a stranger's system raises
            checks.append(Check(rule, FAILED, f"{type(error).__name__}: {error}"))
    return ConformanceReport(name, tuple(checks))
