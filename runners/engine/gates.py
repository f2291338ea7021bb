"""What holds an episode back: limits per model and memory system, a provider that is down, the pace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic

Clock = Callable[[], float]


class Pace:
    """At most `rate` episodes start per second; None: as fast as they go.

    After a pause nothing is caught up: the next start is due one interval later.
    """

    def __init__(self, rate: float | None, clock: Clock = monotonic) -> None:
        self.rate = rate
        self._clock = clock
        self._due = 0.0

    def wait(self) -> float:
        """Seconds until the next start is due; 0 when it is."""
        return max(0.0, self._due - self._clock()) if self.rate else 0.0

    def started(self) -> None:
        """An episode starts now."""
        if self.rate:
            now = self._clock()
            # Half an interval of slack keeps the rate exact when the caller wakes up late.
            self._due = max(self._due, now - 0.5 / self.rate) + 1.0 / self.rate


@dataclass(slots=True)
class Outage:
    """Circuit breaker of one provider: opens after failures in a row, lets one probe through at a time.

    `failures` provider errors without a success between them open it for `pause_s` seconds, doubled
    with each probe that fails, up to `longest_s`; after `rounds` failed probes the provider is given
    up for this sitting.
    """

    failures: int
    pause_s: float
    longest_s: float
    rounds: int
    clock: Clock = monotonic
    in_a_row: int = 0
    failed_probes: int = 0
    open_until: float | None = None
    probing: bool = False

    @property
    def given_up(self) -> bool:
        """True when no probe is left: what needs this provider stays pending."""
        return self.failed_probes > self.rounds

    def may_run(self) -> bool:
        """May an episode start that needs this provider?"""
        if self.open_until is None:
            return True
        return not self.given_up and not self.probing and self.clock() >= self.open_until

    def wait(self) -> float:
        """Seconds until a probe may run; 0 when nothing is to be waited for."""
        if self.open_until is None or self.probing or self.given_up:
            return 0.0
        return max(0.0, self.open_until - self.clock())

    def started(self) -> None:
        """An episode starts; while the circuit is open it is the probe."""
        self.probing = self.open_until is not None

    def ended(self, failed: bool | None) -> float | None:
        """An episode ended: with a provider error, without, or (None) without having asked.

        Returns the pause in seconds when this opened the circuit, or kept it open.
        """
        was_open, self.probing = self.open_until is not None, False
        if failed is None:
            return None
        if not failed:
            self.in_a_row, self.failed_probes, self.open_until = 0, 0, None
            return None
        self.in_a_row += 1
        if was_open:
            if self.open_until is not None and self.clock() < self.open_until:
                # It was under way when the circuit opened: nothing new was learned.
                return None
            self.failed_probes += 1
        elif self.in_a_row < self.failures:
            return None
        pause = min(self.pause_s * 2.0**self.failed_probes, self.longest_s)
        self.open_until = self.clock() + pause
        return pause


@dataclass(frozen=True, slots=True)
class ArmNeeds:
    """What an arm's episodes occupy while they run."""

    memory: str
    model: str | None


class Gates:
    """Counts what is in use and says which arms may start another episode."""

    def __init__(
        self,
        needs: Mapping[str, ArmNeeds],
        model_limits: Mapping[str, int],
        memory_limits: Mapping[str, int],
        outage: Callable[[], Outage],
    ) -> None:
        self._needs = needs
        self._limits = {("model", k): v for k, v in model_limits.items()}
        self._limits |= {("memory", k): v for k, v in memory_limits.items()}
        self._used: dict[tuple[str, str], int] = {}
        self.outages = {provider_of(need): outage() for need in needs.values()}

    def may_run(self, arm: str) -> bool:
        """May another episode of this arm start now?"""
        need = self._needs[arm]
        if not self.outages[provider_of(need)].may_run():
            return False
        return self._free("memory", need.memory) and self._free("model", need.model)

    def _free(self, kind: str, name: str | None) -> bool:
        if name is None:
            return True
        limit = self._limits.get((kind, name))
        return limit is None or self._used.get((kind, name), 0) < limit

    def started(self, arm: str) -> None:
        """An episode of this arm starts."""
        self._count(arm, 1)
        self.outages[provider_of(self._needs[arm])].started()

    def ended(self, arm: str, failed: bool | None) -> float | None:
        """An episode of this arm ended; see `Outage.ended`."""
        self._count(arm, -1)
        return self.outages[provider_of(self._needs[arm])].ended(failed)

    def _count(self, arm: str, by: int) -> None:
        need = self._needs[arm]
        for key in (("memory", need.memory), ("model", need.model or "")):
            self._used[key] = self._used.get(key, 0) + by

    def provider(self, arm: str) -> str:
        """Name of the provider whose failures hold this arm back."""
        return provider_of(self._needs[arm])

    def given_up(self, arm: str) -> bool:
        """True when this arm cannot go on in this sitting."""
        return self.outages[provider_of(self._needs[arm])].given_up

    def wait(self, arms: tuple[str, ...]) -> float:
        """Shortest wait until a provider may be probed, over the arms that have work; 0 for none."""
        waits = [self.outages[provider_of(self._needs[arm])].wait() for arm in arms]
        return min((wait for wait in waits if wait), default=0.0)

    def snapshot(self) -> list[dict[str, object]]:
        """Limits in use and providers that are down, for the heartbeat."""
        rows: list[dict[str, object]] = [
            {"kind": kind, "name": name, "used": self._used.get((kind, name), 0), "limit": limit}
            for (kind, name), limit in sorted(self._limits.items())
        ]
        for name, outage in sorted(self.outages.items()):
            if outage.open_until is not None:
                rows.append(
                    {
                        "kind": "outage",
                        "name": name,
                        "in_a_row": outage.in_a_row,
                        "wait_s": round(outage.wait(), 1),
                        "given_up": outage.given_up,
                    }
                )
        return rows


def provider_of(need: ArmNeeds) -> str:
    """Whose failures count together: the model's, or for arms without one the memory system's."""
    return need.model or need.memory
