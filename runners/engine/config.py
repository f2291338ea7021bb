"""The configuration of an experiment: one TOML file, checked key by key before anything runs.

Unknown keys are errors: a setting that is accepted and ignored makes comparisons unfair without
anybody noticing. `memtui run --example` prints every key with its meaning (config_example.py).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from memtui.errors import UserError
from memtui.metrics.scales import parse_scale
from runners.engine.config_errors import explain
from runners.engine.profiles import with_profile


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _name_only(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class PartConfig(BaseModel):
    """A memory system, agent or judge: its registered name and options.

    `label` names it in the arm's key where two variants of one system are compared.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: str = Field(min_length=1)
    label: str = Field(default="", pattern=r"^[^/|\s]*$")

    @property
    def key(self) -> str:
        """What it is called in arm keys."""
        return self.label or self.name

    @property
    def options(self) -> dict[str, Any]:
        """Everything beside name and label, as the registry takes it."""
        return dict(self.__pydantic_extra__ or {})


Part = Annotated[PartConfig, BeforeValidator(_name_only)]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Number = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _scales(value: object) -> object:
    """`own` and numbers to the numbers used inside."""
    if not isinstance(value, list):
        return value
    scales = []
    for entry in value:
        try:
            scales.append(parse_scale(entry if not isinstance(entry, bool) else str(entry)))
        except (TypeError, ValueError):
            raise ValueError(f"a scale is `own` or a number from 0 up, not {entry!r}") from None
    if len(set(scales)) != len(scales):
        raise ValueError("a scale is listed twice")
    return tuple(sorted(scales))


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
Scales = Annotated[tuple[float, ...], BeforeValidator(_scales), Field(min_length=1)]
Seeds = Annotated[tuple[int, ...], BeforeValidator(_tuple), Field(min_length=1)]
Parts = Annotated[tuple[Part, ...], BeforeValidator(_tuple)]


class DataConfig(_Section):
    """Which questions are asked: data set, file, filters and the stratified limit."""

    name: str
    path: str | None = None
    pools: Names | None = None
    subset: Literal["all", "answerable", "unanswerable"] = "all"
    types: Names | None = None
    keys: Names | None = None
    flag: str | None = None
    limit: Count | None = None
    select_seed: int = 1
    options: dict[str, Any] = Field(default_factory=dict)


class ModelAccessConfig(_Section):
    """The settings in `[models]` that hold for all models: who uses which, recordings, faults."""

    memory: str | None = None
    """The model that memory systems ask."""
    cache: Literal["off", "record", "read", "replay"] = "off"
    recordings: str | None = None
    """File of recorded replies."""
    after_cut: Annotated[float, Field(ge=0, le=64)] = 1.0
    """Limit with which a memory system asks again for a reply that its limit cut before anything could be
    read of it, as a multiple of the first; 1: with the same, 0: it does not ask again."""
    vectors: bool = False
    """Record the local embedder's vectors too, for replays without its weights."""
    faults: dict[str, Any] = Field(default_factory=dict)
    """Faults to inject: `runners.models.faults.FaultSchedule` checks them."""

    @model_validator(mode="after")
    def _file(self) -> ModelAccessConfig:
        if 0 < self.after_cut < 1:
            raise ValueError("after_cut is 0 (do not ask again), 1 or more, not a smaller limit")
        if self.cache != "off" and self.recordings is None:
            raise ValueError(f'cache = "{self.cache}" needs recordings = "FILE"')
        return self


class LadderConfig(_Section):
    """The scales and how histories are drawn around the evidence."""

    scales: Scales = (0.0, 100.0, 200.0, 300.0, 400.0)
    seeds: Seeds = (1,)
    date_policy: Literal["balanced", "natural"] = "balanced"
    gold_string_check: bool = True
    allow_missing_rungs: bool = False


class BudgetConfig(_Section):
    """The call budget, and the caps of one episode."""

    calls: Annotated[int, Field(ge=0)] = 2
    mode: Literal["post_hoc", "hard"] = "post_hoc"
    forced_final_answer: bool = True
    step_cap: Count = 20
    call_cap: Count = 20
    tokens: Count | None = None
    cost: Number | None = None

    @model_validator(mode="after")
    def _below_cap(self) -> BudgetConfig:
        for name, cap in (("call_cap", self.call_cap), ("step_cap", self.step_cap)):
            if self.calls >= cap:
                raise ValueError(f"calls = {self.calls} must be below {name} = {cap}")
        return self


class ArmConfig(_Section):
    """One arm: a memory system and an agent."""

    memory: Part
    agent: Part


class MatrixConfig(_Section):
    """Every memory system with every agent."""

    memory: Parts = Field(min_length=1)
    agent: Parts = Field(min_length=1)


class MemoryLimit(_Section):
    """How many episodes may use a memory system at once."""

    concurrency: Count


class LimitsConfig(_Section):
    """Concurrency, retries and timeouts (seconds; 0 switches one off)."""

    workers: Count = 8
    prepare_concurrency: Count = 4
    retries: Annotated[int, Field(ge=0)] = 4
    prepare_s: Seconds = 600.0
    open_s: Seconds = 120.0
    memory_s: Seconds = 60.0
    agent_s: Seconds = 900.0
    judge_s: Seconds = 120.0
    episode_s: Seconds = 3600.0
    no_progress_s: Seconds = 1200.0
    memories: dict[str, MemoryLimit] = Field(default_factory=dict)


class CapsConfig(_Section):
    """Caps of one sitting; reaching one stops scheduling, and running again continues."""

    cost: Number | None = None
    tokens: Count | None = None
    wall_s: Number | None = None
    episodes: Count | None = None


class OutageConfig(_Section):
    """When a provider counts as down, and how long the engine waits for it."""

    failures: Count = 5
    pause_s: Number = 15.0
    longest_s: Number = 600.0
    rounds: Count = 6


class AlarmConfig(_Section):
    """When a mix of ends is abnormal enough to warn about."""

    share: Annotated[float, Field(gt=0, le=1)] = 0.9
    minimum: Count = 20
    allow_empty_memory: bool = False


class OutputConfig(_Section):
    """Where the run file goes and how it is written."""

    folder: str = "runs"
    durable: bool = False
    pace: Number | None = None


class ExperimentConfig(_Section):
    """A whole experiment. Sections are explained in docs/running-experiments.md."""

    name: str = Field(default="", pattern=r"^[^/\\\\]*$")
    profile: Literal["local"] | None = None
    """Defaults for a kind of machine (profiles.py)."""
    protocol: Literal["scale"] = "scale"
    alpha: Annotated[float, Field(gt=0, le=1)] = 0.7
    k: Count = 12
    repeats: Count = 1
    seed: int = 1
    observation_tokens: Count | None = None
    block_tokens: Count | None = None
    context_tokens: Count = 128_000
    judges: Annotated[Parts, Field(min_length=1)] = (PartConfig(name="deterministic"),)
    data: DataConfig
    models: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings by model name: `runners.models.settings.ModelSettings` checks them."""
    model_access: ModelAccessConfig = ModelAccessConfig()
    """Written in the file as keys of `[models]` itself."""
    ladder: LadderConfig = LadderConfig()
    budget: BudgetConfig = BudgetConfig()
    arms: Annotated[tuple[ArmConfig, ...], BeforeValidator(_tuple)] = ()
    matrix: MatrixConfig | None = None
    limits: LimitsConfig = LimitsConfig()
    caps: CapsConfig = CapsConfig()
    outage: OutageConfig = OutageConfig()
    alarm: AlarmConfig = AlarmConfig()
    output: OutputConfig = OutputConfig()

    @model_validator(mode="before")
    @classmethod
    def _models_table(cls, raw: Any) -> Any:
        """Keys of `[models]` that are no model's name are settings for all of them."""
        models = raw.get("models") if isinstance(raw, dict) else None
        if not isinstance(models, dict):
            return raw
        known = ModelAccessConfig.model_fields
        # A table is a model's; `faults` is the one table that is not.
        shared = {k: v for k, v in models.items() if k in known or not isinstance(v, dict)}
        if not shared:
            return raw
        rest = {k: v for k, v in models.items() if k not in shared}
        return {**raw, "models": rest, "model_access": {**raw.get("model_access", {}), **shared}}

    @model_validator(mode="after")
    def _arms(self) -> ExperimentConfig:
        keys = [arm_key(arm) for arm in self.all_arms()]
        if not keys:
            raise ValueError("no arms: give [[arms]] or [matrix] with memory and agent")
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(
                f"two arms are called {twice[0]!r}: give one of them a `label` of its own"
            )
        return self

    def all_arms(self) -> tuple[ArmConfig, ...]:
        """The arms of the matrix, then those listed one by one."""
        if self.matrix is None:
            return self.arms
        crossed = tuple(
            ArmConfig(memory=memory, agent=agent)
            for memory in self.matrix.memory
            for agent in self.matrix.agent
        )
        return crossed + self.arms


def arm_key(arm: ArmConfig) -> str:
    """`<memory>/<agent>`: the name of an arm in the run file."""
    return f"{arm.memory.key}/{arm.agent.key}"


def parse_config(text: str, source: str = "configuration", name: str = "") -> ExperimentConfig:
    """Check a configuration; UserError with the place and, for a misspelt key, what was meant.

    `name` is used where the text gives none.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{source} is not valid TOML: {error}") from None
    return check_config(raw, source, name)


def check_config(
    raw: dict[str, Any], source: str = "configuration", name: str = ""
) -> ExperimentConfig:
    """The same for a configuration that is a dictionary already."""
    try:
        config = ExperimentConfig.model_validate(with_profile(raw))
    except ValidationError as error:
        raise UserError(f"{source}: {explain(error, ExperimentConfig)}") from None
    return config if config.name else config.model_copy(update={"name": name or "experiment"})


def load_config(path: Path) -> ExperimentConfig:
    """Read a configuration file; relative paths (data, recordings) are taken from its own folder."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(
            f"there is no configuration {path}; `memtui run --example` prints one"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    config = parse_config(text, str(path), path.stem)
    return config.model_copy(
        update={
            "data": _beside(path, config.data, "path"),
            "model_access": _beside(path, config.model_access, "recordings"),
        }
    )


def _beside(file: Path, section: BaseModel, key: str) -> BaseModel:
    """The section with its relative path made absolute, seen from the configuration's folder."""
    value = getattr(section, key)
    if value is None or Path(value).is_absolute():
        return section
    resolved = str((file.parent / Path(value).expanduser()).resolve())
    return section.model_copy(update={key: resolved})
