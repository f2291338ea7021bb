"""What would run: episodes, prompts, tokens, cost, hours, missing rungs and missing parts; runs nothing.

The same configuration gives the same plan, byte for byte, as text and as JSON.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from memtui.errors import how_to_add
from memtui.metrics.scales import scale_label, scale_value
from runners.engine import estimate, preflight
from runners.engine.estimate import Estimate, HistorySize, JudgeEstimate
from runners.engine.experiment import Experiment
from runners.engine.memory_calls import Bounds, PhaseCalls, memory_calls, sum_of, unbounded
from runners.memory.contract import SystemInfo
from runners.memory.registry import missing_needs
from runners.models import local_server
from runners.models.prices import LOCAL_PREFIX
from runners.models.recordings import CacheMode
from runners.models.settings import ModelSettings

SIZED = 25
"""Histories of each scale whose size is looked at."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Rungs that the data cannot fill at one scale."""

    scale: float
    histories: int
    of: int
    example: str


@dataclass(frozen=True, slots=True)
class PlanReport:
    """A plan in numbers; `missing_parts` holds one line per thing that has to be installed first."""

    experiment: Experiment
    rows: tuple[Estimate, ...]
    judges: tuple[JudgeEstimate, ...]
    memories: tuple[PhaseCalls, ...]
    """What memory systems ask; in every total, at its least and at its most."""
    sizes: dict[float, HistorySize]
    missing: tuple[Missing, ...]
    missing_parts: tuple[str, ...]
    warnings: tuple[str, ...]
    hours: float

    @property
    def parts(self) -> tuple[Estimate | JudgeEstimate, ...]:
        """What agents and judges use."""
        return (*self.rows, *self.judges)

    @property
    def asking(self) -> tuple[PhaseCalls, ...]:
        """What memory systems use of language models."""
        return tuple(one for one in self.memories if one.model is not None)

    @property
    def episodes(self) -> int:
        """Episodes that would run."""
        return sum(row.episodes for row in self.rows)

    @property
    def cost(self) -> float | None:
        """US dollars of everything, memory systems at their least; None as soon as a part is unknown."""
        return _known(part.cost for part in (*self.parts, *self.asking))

    @property
    def cost_most(self) -> float | None:
        """The same with memory systems at their most; None where there is no price or no most."""
        return _known([*(one.cost for one in self.parts), *(one.cost_most for one in self.asking)])

    @property
    def prompt_tokens(self) -> Bounds:
        """Tokens of all prompts: of agents and judges, and of memory systems from least to most."""
        fixed = sum(part.prompt_tokens for part in self.parts)
        return sum_of(Bounds(fixed, fixed), (one.prompt_tokens for one in self.asking))

    @property
    def completion_tokens(self) -> Bounds:
        """Tokens of all replies, in the same way."""
        fixed = sum(part.completion_tokens for part in self.parts)
        return sum_of(Bounds(fixed, fixed), (one.completion_tokens for one in self.asking))

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON holds it (docs/command-line.md)."""
        experiment = self.experiment
        return {
            "schema": "memtui-plan-1",
            "name": experiment.config.name,
            "config_hash": experiment.hash,
            "data": dict(experiment.data),
            "items": len(experiment.plan.items()),
            "episodes": self.episodes,
            "prompt_tokens": self.prompt_tokens.least,
            "prompt_tokens_most": self.prompt_tokens.most,
            "completion_tokens": self.completion_tokens.least,
            "completion_tokens_most": self.completion_tokens.most,
            "cost_usd": self.cost,
            "cost_usd_most": self.cost_most,
            "hours": round(self.hours, 3),
            "cells": [
                {
                    "arm": row.arm,
                    "scale": scale_value(row.scale),
                    "episodes": row.episodes,
                    "model": row.model,
                    "prompt": row.prompt,
                    "prompt_at_cap": row.prompt_at_cap,
                    "context_window": row.context,
                    "fits": row.fits,
                    "fits_at_cap": row.fits_at_cap,
                    "prompt_tokens": row.prompt_tokens,
                    "completion_tokens": row.completion_tokens,
                    "cost_usd": row.cost,
                }
                for row in self.rows
            ],
            "judges": [
                {
                    "model": judge.model,
                    "calls": judge.calls,
                    "prompt_tokens": judge.prompt_tokens,
                    "completion_tokens": judge.completion_tokens,
                    "cost_usd": judge.cost,
                }
                for judge in self.judges
            ],
            "memories": [one.as_dict() for one in self.memories],
            "scales": [
                {
                    "scale": scale_value(scale),
                    "sessions": round(size.sessions, 1),
                    "tokens": round(size.tokens),
                }
                for scale, size in sorted(self.sizes.items())
            ],
            "missing_rungs": [
                {
                    "scale": scale_value(m.scale),
                    "histories": m.histories,
                    "of": m.of,
                    "example": m.example,
                }
                for m in self.missing
            ],
            "missing_parts": list(self.missing_parts),
            "warnings": list(self.warnings),
            "assumptions": list(estimate.assumptions(experiment.config)),
        }


def _known(costs: Iterable[float | None]) -> float | None:
    """The sum, None as soon as one of them is unknown."""
    total = 0.0
    for one in costs:
        if one is None:
            return None
        total += one
    return total


def make_plan(experiment: Experiment, models: Mapping[str, ModelSettings]) -> PlanReport:
    """Look at an experiment without running anything of it."""
    episodes = Counter((spec.arm, spec.scale) for spec in experiment.plan.episodes())
    sizes = history_sizes(experiment)
    rows = []
    seconds: dict[str, float] = {}
    for (arm_key, scale), count in sorted(
        episodes.items(), key=lambda entry: (list(experiment.arms).index(entry[0][0]), entry[0][1])
    ):
        arm = experiment.arms[arm_key]
        row = estimate.estimate(
            arm_key,
            scale,
            count,
            sizes[scale],
            context_system=arm.memory.info.context,
            model=arm.model,
            settings=models.get(arm.model or "", ModelSettings()),
            config=experiment.config,
        )
        rows.append(row)
        seconds[row.model or ""] = seconds.get(row.model or "", 0.0) + row.seconds
    judges = []
    for part in experiment.config.judges:
        model = part.options.get("model")
        if isinstance(model, str):
            settings = models.get(model, ModelSettings())
            judge = estimate.judge_estimate(model, sum(episodes.values()), settings)
            judges.append(judge)
            seconds[model] = seconds.get(model, 0.0) + judge.seconds
    memories = memory_calls(experiment, models)
    for one in memories:
        if one.model is not None:
            seconds[one.model] = seconds.get(one.model, 0.0) + one.seconds
    at_once = {name: settings.concurrency for name, settings in models.items()}
    return PlanReport(
        experiment=experiment,
        rows=tuple(rows),
        judges=tuple(judges),
        memories=memories,
        sizes=sizes,
        missing=missing_rungs(experiment),
        missing_parts=missing_parts(experiment, models),
        warnings=(*_warnings(experiment, rows), *unbounded(memories)),
        hours=estimate.hours(seconds, at_once, experiment.config.limits.workers),
    )


def history_sizes(experiment: Experiment) -> dict[float, HistorySize]:
    """Mean size of the first `SIZED` histories of each scale."""
    found: dict[float, list[tuple[int, int]]] = {}
    seen: set[str] = set()
    for spec in experiment.plan.episodes():
        sizes = found.setdefault(spec.scale, [])
        if len(sizes) >= SIZED or spec.haystack in seen:
            continue
        seen.add(spec.haystack)
        built = experiment.plan.haystack(spec.item, spec.scale, spec.ladder_seed)
        sizes.append((built.event.tokens, len(built.haystack.positions)))
    return {
        scale: HistorySize(
            sum(tokens for tokens, _ in sizes) / len(sizes),
            sum(sessions for _, sessions in sizes) / len(sizes),
        )
        for scale, sizes in found.items()
    }


def missing_rungs(experiment: Experiment) -> tuple[Missing, ...]:
    """Rungs that the data cannot fill, by scale."""
    notes: dict[float, list[str]] = {}
    for event in experiment.plan.unavailable():
        notes.setdefault(event.scale, []).append(f"{event.item}: {event.note}")
    of = len(experiment.plan.items()) * len(experiment.config.ladder.seeds)
    return tuple(Missing(scale, len(lines), of, lines[0]) for scale, lines in sorted(notes.items()))


def missing_parts(experiment: Experiment, models: Mapping[str, ModelSettings]) -> tuple[str, ...]:
    """What has to be there before the first episode and is not."""
    lines: dict[str, None] = {}
    for arm in experiment.arms.values():
        for line in missing_needs(_without_recorded(arm.memory.info, experiment)):
            lines[f"{arm.memory_key}: {line}"] = None
    if experiment.models is None or experiment.config.model_access.cache == "replay":
        return tuple(lines)
    if find_spec("litellm") is None:
        lines[f"language models are asked through litellm: {how_to_add('llm')}"] = None
    asked = [*models, experiment.memory_model, *(arm.model for arm in experiment.arms.values())]
    for model in asked:
        if model and model.startswith(LOCAL_PREFIX) and (absent := local_server.problem(model)):
            lines[absent] = None
    for name, settings in models.items():
        key = settings.api_key_env
        if key is not None and not os.environ.get(key):
            lines[f"models.{name}: the environment variable {key} holds no key"] = None
    return tuple(lines)


def _without_recorded(info: SystemInfo, experiment: Experiment) -> SystemInfo:
    """What a system needs, less the weights whose vectors a replay brings along.

    That holds for systems that get their vectors at the door.
    """
    models = experiment.models
    if models is None or models.recordings is None or not info.uses_door:
        return info
    recordings = models.recordings
    if recordings.mode is not CacheMode.REPLAY or not recordings.vectors:
        return info
    return replace(info, needs=tuple(need for need in info.needs if need != "model:minilm"))


def _warnings(experiment: Experiment, rows: list[Estimate]) -> list[str]:
    warnings = [*experiment.plan.caveats()]
    warnings += [check.text for check in preflight.trivial_recall(experiment)]
    # Cells of one problem share a line: arms of one agent have the same prompts at most scales.
    cells: dict[str, list[str]] = {}
    for row in rows:
        where = f"{row.arm} at scale {scale_label(row.scale)}"
        if row.fits is False:
            problem = f"a prompt of about {row.prompt:,} tokens does not fit {row.model} ({row.context:,})"
        elif row.fits_at_cap is False:
            problem = (
                f"an episode that goes on to the safety cap reaches {row.prompt_at_cap:,} tokens,"
                f" more than {row.model} takes ({row.context:,}); lower observation_tokens"
            )
        else:
            continue
        cells.setdefault(problem, []).append(where)
    for problem, places in cells.items():
        more = f" and {len(places) - 1} more cells" if len(places) > 1 else ""
        warnings.append(f"{places[0]}{more}: {problem}")
    return warnings
