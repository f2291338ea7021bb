"""Before the first episode: is the memory filled at all, and can recall say anything at this k?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from memtui.errors import UserError
from memtui.metrics.scales import scale_label
from runners.engine.executor import LocalExecutor
from runners.engine.experiment import Arm, Experiment
from runners.engine.planned import Planned
from runners.failures import describe

LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `level` is `info`, `warning` or `error`."""

    level: str
    kind: str
    text: str


async def memory_checks(
    experiment: Experiment, executor: LocalExecutor, spec: Planned
) -> list[Check]:
    """Open the first history on every memory system and count what it holds.

    Raises UserError when a system holds none of it, unless `alarm.allow_empty_memory` is set: every
    question would be asked of an empty memory, and the rates would look like results.
    """
    checks: list[Check] = []
    history = await executor.histories.get(spec)
    items = {item.key: item for item in experiment.plan.items()}
    total = len(history.haystack.positions)
    firsts: dict[str, Arm] = {}
    for arm in experiment.arms.values():
        firsts.setdefault(arm.memory_key, arm)
    for name, arm in firsts.items():
        try:
            await executor.preparations[name].ensure(history.texts)
            async with asyncio.timeout(experiment.settings.open_s or None):
                view, _ = await executor.open(arm, items[spec.item], history)
        except UserError:
            raise
        except Exception as error:
            checks.append(
                Check("error", "preflight", f"{name} cannot be opened: {describe(error)}")
            )
            continue
        stored = getattr(view, "stored", None)
        try:
            await view.close()
        except Exception as error:
            checks.append(Check("warning", "preflight", f"{name} cannot close: {describe(error)}"))
        if not isinstance(stored, int):
            checks.append(Check("info", "preflight", f"{name} does not say how much it holds"))
        elif stored == 0 and total and not experiment.config.alarm.allow_empty_memory:
            raise UserError(
                f"{name} holds 0 of {total} sessions after it was filled: every question would be asked"
                " of an empty memory (alarm.allow_empty_memory = true runs it all the same)"
            )
        else:
            level = "info" if stored == total else "warning"
            text = f"{name}: {stored} of {total} sessions stored"
            checks.append(Check(level, "preflight", text))
    return checks


def trivial_recall(experiment: Experiment) -> Iterator[Check]:
    """Scales whose histories hold no more than k sessions: everything comes back by construction.

    Looks at the first `LOOKED_AT` items of each scale below k.
    """
    k = experiment.config.k
    sizes: dict[float, dict[str, int]] = {}
    for spec in experiment.plan.episodes():
        found = sizes.setdefault(spec.scale, {})
        if spec.scale > k or spec.item in found or len(found) >= LOOKED_AT:
            continue
        history = experiment.plan.haystack(spec.item, spec.scale, spec.ladder_seed).haystack
        found[spec.item] = len(history.positions)
    for scale, found in sorted(sizes.items()):
        small = [size for size in found.values() if size <= k]
        if small:
            yield Check(
                "warning",
                "trivial_recall",
                f"scale {scale_label(scale)}: {len(small)} of the first {len(found)} histories hold at"
                f" most k = {k} sessions ({min(small)} to {max(small)}): one call can return everything,"
                " so coverage there says nothing about retrieval",
            )
