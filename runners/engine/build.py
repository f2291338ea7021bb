"""From a checked configuration to an experiment: load the data, build systems, agents and judges, plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.errors import UserError, did_you_mean
from runners.agents import registry as agents
from runners.agents.contract import Agent, Brief
from runners.datasets import registry as datasets
from runners.datasets.contract import DataSet
from runners.engine.code_of_record import code_of, versions
from runners.engine.config import ExperimentConfig, ModelAccessConfig, PartConfig, arm_key
from runners.engine.experiment import Arm, Experiment, salt_of
from runners.engine.profiles import NOTES
from runners.judges import registry as judges
from runners.judges.contract import Judge
from runners.memory import registry as memories
from runners.memory.contract import Context, MemorySystem
from runners.memory.needs import LLM
from runners.models.chat import ChatClient
from runners.models.clients import Clients
from runners.models.door import ModelDoor
from runners.models.faults import FaultSchedule, FaultyClient
from runners.models.memory_door import Embedder, LocalEmbedder
from runners.models.prices import LOCAL_PREFIX
from runners.models.recorded_vectors import RecordedEmbedder
from runners.models.recordings import CacheMode, Recordings
from runners.models.settings import ModelSettings
from runners.plug_ins import options_of
from runners.protocols.scale import ScaleOptions, ScalePlan


@dataclass(frozen=True, slots=True)
class Built:
    """An experiment with what only the plan and the end of the run need of its models."""

    experiment: Experiment
    models: dict[str, ModelSettings]


def build(config: ExperimentConfig, *, limit: int | None = None) -> Built:
    """Build everything a configuration names; UserError for what does not exist or does not fit.

    `limit` (items, stratified) overrides `data.limit`. Nothing is run and no model is asked.
    """
    if limit is not None:
        config = config.model_copy(update={"data": config.data.model_copy(update={"limit": limit})})
    models = model_settings(config)
    door = ModelDoors(models, config)
    arms = build_arms(config, door)
    known_models = {arm.model for arm in arms.values() if arm.model}
    judge_list = tuple(build_judge(part, door) for part in config.judges)
    memory_model = memory_model_of(config, arms)
    if memory_model is not None:
        door()
    _known_limits(config, arms)
    data = datasets.load(config.data.name, config.data.path, **config.data.options)
    plan = ScalePlan(
        data, tuple(arms), scale_options(config), salt=salt_of(config.seed, data.sha256)
    )
    strangers: list[object] = [data, *judge_list]
    for arm in arms.values():
        strangers += (arm.memory, arm.agent)
    experiment = Experiment(
        config=config,
        plan=plan,
        arms=arms,
        judges=judge_list,
        data=described(data),
        code=code_of(strangers),
        versions=versions(),
        memory_model=memory_model,
        models=door.opened,
        embedder=_embedder(config, door.opened),
        model_limits={
            name: settings.concurrency
            for name, settings in models.items()
            if settings.concurrency is not None and name in known_models
        },
    )
    return Built(experiment, models)


def model_settings(config: ExperimentConfig) -> dict[str, ModelSettings]:
    """Settings by model name; `limits.retries` holds where a model gives none of its own."""
    found = {}
    for name, options in config.models.items():
        given = {"retries": config.limits.retries, **options}
        if "threads" in options and not name.startswith(LOCAL_PREFIX):
            raise UserError(f"models.{name}: threads is for local models only (`{LOCAL_PREFIX}…`)")
        found[name] = ModelSettings.from_options(given, f"models.{name}")
    return found


class ModelDoors:
    """The one door to the models of a run, opened when the first part asks for it.

    Embedded agents never ask, so a run without models needs none of the `llm` extra.
    """

    def __init__(self, models: Mapping[str, ModelSettings], config: ExperimentConfig) -> None:
        self._models = models
        self._config = config
        self.opened: ModelDoor | None = None

    def __call__(self) -> ModelDoor:
        """The door."""
        if self.opened is None:
            access = self._config.model_access
            self.opened = ModelDoor(
                self._client(),
                models=self._models,
                default=ModelSettings(retries=self._config.limits.retries),
                seed=self._config.seed,
                recordings=recordings_of(access),
            )
        return self.opened

    def _client(self) -> ChatClient | None:
        """The client with the faults the configuration asks for; None for the usual one."""
        faults = self._config.model_access.faults
        if not faults:
            return None
        return FaultyClient(Clients(), FaultSchedule.from_options(faults, "models.faults"))


def recordings_of(access: ModelAccessConfig) -> Recordings | None:
    """The recordings the configuration names; UserError where they are needed and not there."""
    if access.cache == "off" or access.recordings is None:
        return None
    return Recordings(Path(access.recordings).expanduser(), CacheMode(access.cache))


def _embedder(config: ExperimentConfig, models: ModelDoor | None) -> Embedder:
    """The local embedder, behind the recordings where there are some."""
    if models is None or models.recordings is None:
        return LocalEmbedder()
    keep = config.model_access.vectors
    return RecordedEmbedder(LocalEmbedder(), models.recordings, keep=keep)


def memory_model_of(config: ExperimentConfig, arms: Mapping[str, Arm]) -> str | None:
    """The model that memory systems ask: the configured one, else the only one there is.

    UserError naming the systems that need one where it cannot be told which.
    """
    asking = sorted({a.memory_key for a in arms.values() if LLM in a.memory.info.needs})
    named = config.model_access.memory
    if named is not None:
        return named if asking else None
    if not asking:
        return None
    known = {*config.models, *(a.model for a in arms.values() if a.model)}
    if len(known) == 1:
        return known.pop()
    choice = f" (one of {', '.join(sorted(known))}?)" if known else ""
    raise UserError(
        f"{', '.join(asking)}: needs a language model and the run names none: set"
        f' `memory = "provider/model"` under [models]{choice}'
    )


def build_arms(config: ExperimentConfig, door: ModelDoors) -> dict[str, Arm]:
    """Arms by key; each distinct memory system and agent is built once and shared."""
    _one_part_per_name(config)
    systems: dict[str, MemorySystem] = {}
    whos: dict[str, Agent] = {}
    arms = {}
    for arm in config.all_arms():
        memory, agent = arm.memory, arm.agent
        if memory.key not in systems:
            systems[memory.key] = memories.build(memory.name, _with_k(memory, config.k))
        if agent.key not in whos:
            whos[agent.key] = agents.build(agent.name, agent.options, door)
        note = NOTES.get(config.profile or "", "")
        built = Arm(arm_key(arm), memory.key, systems[memory.key], whos[agent.key], note)
        _can_start(built)
        arms[built.key] = built
    return arms


def _one_part_per_name(config: ExperimentConfig) -> None:
    """UserError where two parts of one name differ: their results would share a name."""
    arms = config.all_arms()
    for what, parts in (
        ("memory system", [arm.memory for arm in arms]),
        ("agent", [arm.agent for arm in arms]),
    ):
        seen: dict[str, PartConfig] = {}
        for part in parts:
            first = seen.setdefault(part.key, part)
            if (first.name, first.options) != (part.name, part.options):
                raise UserError(
                    f"{what} {part.key!r} is configured twice with different options: give one of"
                    " them a `label` of its own"
                )


def _with_k(part: PartConfig, k: int) -> dict[str, Any]:
    """The part's options, with the experiment's k for a system that takes one and was given none."""
    options = part.options
    takes = options_of(memories.factory(part.name))
    if takes is not None and "k" in takes and "k" not in options:
        options["k"] = k
    return options


def _can_start(arm: Arm) -> None:
    """UserError naming the arm when agent and memory system do not fit together."""
    info = arm.memory.info
    brief = Brief(
        question="Does this arm start?",
        now=None,
        tools=() if info.context else arm.memory.tools(),
        k=1,
        budget=None,
        context=Context("", (), 0) if info.context else None,
    )
    try:
        arm.agent.start(brief)
    except UserError as error:
        raise UserError(f"arm {arm.key}: {error}") from error


def build_judge(part: PartConfig, door: ModelDoors) -> Judge:
    """A judge by its configuration."""
    return judges.build(part.name, part.options, door)


def scale_options(config: ExperimentConfig) -> ScaleOptions:
    """The options of the scale protocol."""
    ladder, data = config.ladder, config.data
    return ScaleOptions(
        scales=ladder.scales,
        ladder_seeds=ladder.seeds,
        date_policy=ladder.date_policy,
        gold_check=ladder.gold_string_check,
        allow_missing_rungs=ladder.allow_missing_rungs,
        pools=data.pools,
        repeats=config.repeats,
        subset=data.subset,
        types=data.types,
        keys=data.keys,
        flag=data.flag,
        limit=data.limit,
        select_seed=data.select_seed,
    )


def described(data: DataSet) -> dict[str, Any]:
    """The data set as the run file keeps it."""
    return {
        "name": data.name,
        "sha256": data.sha256,
        "source": data.source,
        "licence": data.licence,
        "counts": dict(data.counts),
        "notes": list(data.notes),
        "findings": len(data.findings),
    }


def _known_limits(config: ExperimentConfig, arms: Mapping[str, Arm]) -> None:
    """UserError for limits of something that no arm uses: a setting must not be ignored silently."""
    used = {arm.memory_key for arm in arms.values()}
    for name in config.limits.memories:
        if name not in used:
            hint = did_you_mean(name, sorted(used))
            raise UserError(f"limits.memories.{name}: no arm uses it; {hint}")
