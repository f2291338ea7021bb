"""The conformance suite over an installed package, with scripted replies in the model's place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runners.memory.conformance import (
    FAILED,
    NOT_APPLICABLE,
    PASSED,
    Check,
    ConformanceReport,
    check_system,
)
from runners.memory.conformance_rules import RULES
from runners.memory.packages.pool import WorkerPool
from runners.memory.packages.recipes import Recipe
from runners.memory.packages.replies import REPLIES
from runners.memory.packages.system import PackageSystem, start_worker

CLOSING = "closing gives back"
OWN_NETWORK = "no network from its process"
RULE_SECONDS = 300.0


async def check_package(
    recipe: Recipe,
    *,
    rule_seconds: float = RULE_SECONDS,
    rules: Sequence[str] | None = None,
    on_rule: Callable[[str], None] | None = None,
) -> ConformanceReport:
    """Every rule of the suite (or those named), and one about what the package's process looked up.

    One process serves all rules, as it would in a run; each view has a state of its own. Closing is
    tried on a system with a process of its own.
    """
    wanted = tuple(RULES if rules is None else rules)
    pool = WorkerPool(lambda: start_worker(recipe), 1)
    try:
        report = await check_system(
            lambda: PackageSystem.sharing(recipe, pool),
            rule_seconds=rule_seconds,
            responder=REPLIES[recipe.name],
            rules=[rule for rule in wanted if rule != CLOSING],
            on_rule=on_rule,
        )
        closing = await check_system(
            lambda: PackageSystem(recipe),
            rule_seconds=rule_seconds,
            responder=REPLIES[recipe.name],
            rules=[rule for rule in wanted if rule == CLOSING],
            on_rule=on_rule,
        )
        refused = await pool.refused()
    finally:
        pool.close()
    found = Check(OWN_NETWORK, PASSED, "nothing but this machine was asked for")
    if refused:
        found = Check(OWN_NETWORK, FAILED, f"tried: {', '.join(refused[:3])}")
    elif pool.started > 1:
        found = Check(OWN_NETWORK, FAILED, f"{pool.started - 1} processes died before they told")
    tried = (*report.checks, *closing.checks)
    checks = [
        _known(recipe, check) for check in sorted(tried, key=lambda check: wanted.index(check.rule))
    ]
    return ConformanceReport(report.system, (*checks, found))


def _known(recipe: Recipe, check: Check) -> Check:
    """A failure that the recipe names is a limit of the package, told as such and not as ours."""
    why = recipe.limits.get(check.rule)
    if check.status != FAILED or why is None:
        return check
    return Check(check.rule, NOT_APPLICABLE, f"known limit of {recipe.package}: {why}")
