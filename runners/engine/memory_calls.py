"""How often memory systems would ask models, phase by phase, from what they declare; nothing is run.

Preparing goes by distinct session, opening by session of every haystack that an episode opens, searching
by the searches an agent is assumed to make. Each number has a least and a most, and says so where nobody
knows the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runners.engine.estimate import BASE_TOKENS, REPLY_TOKENS, call_seconds
from runners.engine.experiment import Experiment
from runners.memory.contract import Calls, Foretelling, MemorySystem, SessionText
from runners.memory.needs import LLM
from runners.models.prices import cost, price_of
from runners.models.settings import ModelSettings
from runners.sessions import count_tokens, render_session

COMPLETE, EMBED = "complete", "embed"
UNITS = {
    "prepare": "distinct sessions",
    "open": "sessions of opened histories",
    "call": "searches",
    "context": "contexts",
}
"""What is counted in each phase of `SystemInfo.calls`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Least and most of a number of calls; `most` None: not known beforehand."""

    least: int = 0
    most: int | None = 0

    def times(self, units: int) -> Bounds:
        """Of so many."""
        return Bounds(self.least * units, None if self.most is None else self.most * units)

    def plus(self, other: Bounds) -> Bounds:
        """Of both together."""
        most = None if self.most is None or other.most is None else self.most + other.most
        return Bounds(self.least + other.least, most)

    @property
    def typical(self) -> int:
        """The least, and one where a call may or may not be made."""
        return self.least or (1 if self.most != 0 else 0)

    def as_dict(self) -> dict[str, int | None]:
        """For JSON."""
        return {"least": self.least, "most": self.most}


def sum_of(first: Bounds, others: Iterable[Bounds]) -> Bounds:
    """All of them together."""
    for one in others:
        first = first.plus(one)
    return first


@dataclass(frozen=True, slots=True)
class PhaseCalls:
    """One memory system in one phase of a plan.

    `text_tokens` of session text go through the model at least once. `prompt_tokens` are that text,
    again for every completion beyond the least, and the instructions of each; what is stored already
    and shown again is not foreseen. `cost` and `cost_most` are US dollars (None: no price is known, or
    no most). `seconds` are those of the completions, one at a time; embeddings take time of this
    machine that is not estimated.
    """

    memory: str
    phase: str
    units: int
    complete: Bounds
    embed: Bounds
    model: str | None
    text_tokens: int
    prompt_tokens: Bounds
    completion_tokens: Bounds
    cost: float | None
    cost_most: float | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """As the plan's JSON holds it (docs/command-line.md)."""
        return {
            "memory": self.memory,
            "phase": self.phase,
            "units": self.units,
            "unit": UNITS[self.phase],
            "model": self.model,
            "completions": self.complete.as_dict(),
            "embeddings": self.embed.as_dict(),
            "text_tokens_least": self.text_tokens,
            "prompt_tokens": self.prompt_tokens.as_dict(),
            "completion_tokens": self.completion_tokens.as_dict(),
            "cost_usd_least": self.cost,
            "cost_usd_most": self.cost_most,
        }


@dataclass(slots=True)
class _Count:
    """What adds up for one system in one phase while histories are walked through."""

    units: int = 0
    complete: Bounds = Bounds()
    embed: Bounds = Bounds()
    typical: int = 0
    text_tokens: int = 0
    text: Bounds = Bounds()
    """Tokens of session text over all completions."""

    def add(self, calls: Mapping[str, tuple[int, int | None]], tokens: int) -> None:
        complete = Bounds(*calls.get(COMPLETE, (0, 0)))
        self.units += 1
        self.complete = self.complete.plus(complete)
        self.embed = self.embed.plus(Bounds(*calls.get(EMBED, (0, 0))))
        self.typical += complete.typical
        least = tokens if complete.least else 0
        self.text_tokens += least
        # The least is one reading of the text, in however many pieces; what comes on top reads again.
        again = None if complete.most is None else -(-complete.most // max(complete.least, 1))
        self.text = self.text.plus(Bounds(least, None if again is None else tokens * again))

    def add_all(self, other: _Count, times: int) -> None:
        self.units += other.units * times
        self.complete = self.complete.plus(other.complete.times(times))
        self.embed = self.embed.plus(other.embed.times(times))
        self.typical += other.typical * times
        self.text_tokens += other.text_tokens * times
        self.text = self.text.plus(other.text.times(times))


def expected(system: MemorySystem, session: SessionText) -> Calls:
    """Calls on account of one session: the system's own word, else what it declares of one exchange.

    A declaration speaks of a session of one exchange: for a longer one it is the least, and the most
    is known only where nothing is asked at all.
    """
    if isinstance(system, Foretelling):
        return system.expected_calls(session)
    if len(session.turns) <= 2:
        return system.info.calls
    return {
        phase: {kind: (least, 0 if most == 0 else None) for kind, (least, most) in kinds.items()}
        for phase, kinds in system.info.calls.items()
    }


def memory_calls(
    experiment: Experiment, models: Mapping[str, ModelSettings]
) -> tuple[PhaseCalls, ...]:
    """Per memory system that uses the door and phase in which it does; histories are looked at one by one."""
    systems = {
        arm.memory_key: arm.memory for arm in experiment.arms.values() if arm.memory.info.uses_door
    }
    if not systems:
        return ()
    counts = _counted(experiment, systems)
    model = experiment.memory_model
    settings = models.get(model or "", ModelSettings())
    found = []
    for key, system in systems.items():
        for phase in UNITS:
            if phase not in system.info.uses_door:
                continue
            count = counts[key, phase]
            if not system.info.calls:
                # It declares where it asks and not how often.
                count.complete = Bounds(0, None) if LLM in system.info.needs else Bounds()
                count.text = count.complete
                count.embed = Bounds(0, None)
            elif phase not in system.info.calls:
                continue
            found.append(_phase(system, key, phase, count, model, settings))
    return tuple(found)


def _phase(
    system: MemorySystem,
    memory: str,
    phase: str,
    count: _Count,
    model: str | None,
    settings: ModelSettings,
) -> PhaseCalls:
    calls = count.complete
    if model is None or calls.most == 0:
        return PhaseCalls(
            memory, phase, count.units, calls, count.embed, None, 0, Bounds(), Bounds(),
            0.0, 0.0, 0.0,
        )  # fmt: skip
    base = system.info.prompt_tokens or BASE_TOKENS
    prompt = count.text.plus(calls.times(base))
    completion = calls.times(REPLY_TOKENS)
    price = price_of(model, settings)
    most = None
    if prompt.most is not None and completion.most is not None:
        most = cost(price, prompt.most, completion.most, None)
    typical = count.text_tokens + count.typical * base
    return PhaseCalls(
        memory,
        phase,
        count.units,
        calls,
        count.embed,
        model,
        count.text_tokens,
        prompt,
        completion,
        cost(price, prompt.least, completion.least, None),
        most,
        call_seconds(model, settings, count.typical, typical, count.typical * REPLY_TOKENS),
    )


def _counted(
    experiment: Experiment, systems: Mapping[str, MemorySystem]
) -> dict[tuple[str, str], _Count]:
    counts = {(key, phase): _Count() for key in systems for phase in UNITS}
    calls: dict[str, dict[str, Calls]] = {key: {} for key in systems}
    tokens: dict[str, int] = {}
    opened: dict[str, _Count] = {}
    haystack = ""
    searches = experiment.config.budget.calls
    for spec in experiment.plan.episodes():
        key = experiment.arms[spec.arm].memory_key
        system = systems.get(key)
        if system is None:
            continue
        if spec.haystack != haystack:
            haystack, opened = spec.haystack, {}
            built = experiment.plan.haystack(spec.item, spec.scale, spec.ladder_seed)
            shas = [position.sha for position in built.haystack.positions]
        for sha in shas if key not in opened else ():
            if sha not in calls[key]:
                session = built.texts[sha]
                if sha not in tokens:
                    tokens[sha] = count_tokens(render_session(session.turns))
                calls[key][sha] = expected(system, session)
                counts[key, "prepare"].add(calls[key][sha].get("prepare", {}), tokens[sha])
        if key not in opened:
            opened[key] = _opening((calls[key][sha], tokens[sha]) for sha in shas)
        counts[key, "open"].add_all(opened[key], 1)
        context = system.info.context
        phase, times = ("context", 1) if context else ("call", searches)
        asked = _Count()
        asked.add(system.info.calls.get(phase, {}), 0)
        counts[key, phase].add_all(asked, times)
    return counts


def _opening(sessions: Iterable[tuple[Calls, int]]) -> _Count:
    count = _Count()
    for calls, tokens in sessions:
        count.add(calls.get("open", {}), tokens)
    return count


def unbounded(phases: Sequence[PhaseCalls]) -> list[str]:
    """A warning for each phase of which nobody knows how many completions it takes at most."""
    return [
        f"{one.memory}: how many completions it takes at most to {_DOES[one.phase]} is not known"
        f" beforehand (at least {one.complete.least:,}); caps.tokens and caps.cost hold nevertheless"
        for one in phases
        if one.complete.most is None
    ]


_DOES = {
    "prepare": "prepare sessions",
    "open": "open histories",
    "call": "search",
    "context": "give contexts",
}
