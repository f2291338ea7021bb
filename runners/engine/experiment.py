"""An experiment ready to run: parts built, plan made, and everything that could change a result hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from memtui.model import BudgetMode
from memtui.store.events import ArmEvent
from runners.agents.contract import Agent
from runners.engine.config import ExperimentConfig
from runners.engine.gates import ArmNeeds
from runners.engine.planned import Plan
from runners.episode_settings import EpisodeSettings
from runners.judges.contract import Judge
from runners.memory.contract import MemorySystem
from runners.models.door import ModelDoor
from runners.models.memory_door import Embedder, LocalEmbedder, MemoryDoor


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm: a memory system and an agent, built. Arms of one system share the instance."""

    key: str
    memory_key: str
    memory: MemorySystem
    agent: Agent
    note: str = ""
    """What the run's profile says about every arm."""

    @property
    def model(self) -> str | None:
        """The language model its agent asks; None for embedded agents."""
        model = self.agent.config.get("model")
        return model if isinstance(model, str) else None

    @property
    def needs(self) -> ArmNeeds:
        """What an episode of this arm occupies."""
        return ArmNeeds(self.memory_key, self.model)

    def settings(self) -> dict[str, Any]:
        """Its whole effective configuration."""
        info = self.memory.info
        return {
            "memory": {
                "name": info.name,
                "version": info.version,
                # Declared by every system, also by one that has no option for it.
                "mode": info.mode,
                "config": info.config,
            },
            "agent": {"name": self.agent.name, "config": self.agent.config},
            "tools": [
                {"name": t.name, "description": t.description, "parameters": t.parameters}
                for t in self.memory.tools()
            ],
        }

    def event(self) -> ArmEvent:
        """Its declaration for the run file."""
        info = self.memory.info
        return ArmEvent(
            key=self.key,
            agent=self.agent.name,
            memory=self.memory_key,
            config=self.settings(),
            form=info.form,
            provenance=info.provenance,
            note="; ".join(filter(None, (self.agent.note, self.note))),
        )


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything a run needs beside a place to write to.

    `data` describes the data set (name, sha256, counts, notes), `code` the versions and hashes of what
    computes results (code_of_record.py). `effective` and `hash` leave out what cannot change a result:
    workers, retries, pace, caps, output.
    """

    config: ExperimentConfig
    plan: Plan
    arms: Mapping[str, Arm]
    judges: Sequence[Judge]
    data: Mapping[str, Any] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    memory_model: str | None = None
    """The language model that memory systems ask; None where none asks."""
    models: ModelDoor | None = None
    """The door to the language models; None where no part asks one."""
    embedder: Embedder = field(default_factory=LocalEmbedder)
    """What memory systems get vectors from."""
    model_limits: Mapping[str, int] = field(default_factory=dict)
    """Episodes that may use a model at once."""

    def memory_door(self, owner: str, repeat: int = 0) -> MemoryDoor:
        """A door to models and embedder for one artifact or view."""
        return MemoryDoor(
            self.models,
            self.embedder,
            owner,
            self.memory_model,
            seed=self.config.seed,
            repeat=repeat,
            after_cut=self.config.model_access.after_cut,
        )

    @property
    def settings(self) -> EpisodeSettings:
        """Rules of the episode loop."""
        budget, limits = self.config.budget, self.config.limits
        return EpisodeSettings(
            k=self.config.k,
            budget=budget.calls,
            mode=BudgetMode(budget.mode),
            forced_final_answer=budget.forced_final_answer,
            step_cap=budget.step_cap,
            call_cap=budget.call_cap,
            observation_tokens=self.config.observation_tokens,
            block_tokens=self.config.block_tokens,
            context_tokens=self.config.context_tokens,
            max_tokens=budget.tokens,
            max_cost=budget.cost,
            open_s=limits.open_s,
            memory_s=limits.memory_s,
            agent_s=limits.agent_s,
            judge_s=limits.judge_s,
            episode_s=limits.episode_s,
        )

    def effective(self) -> dict[str, Any]:
        """The settings in force that can change a result: what resume compares."""
        config = self.config
        requested = config.model_dump(mode="json")
        return {
            "protocol": config.protocol,
            "alpha": config.alpha,
            "seed": config.seed,
            "repeats": config.repeats,
            "data": {
                **{k: v for k, v in requested["data"].items() if k != "path"},
                "sha256": self.data.get("sha256"),
            },
            "ladder": requested["ladder"],
            "loop": {**_in_force(self.settings), "no_progress_s": config.limits.no_progress_s},
            "arms": {key: arm.settings() for key, arm in self.arms.items()},
            "judges": [judge.id for judge in self.judges],
            "code": dict(self.code),
            **({"memory_model": self.memory_model} if self.memory_model else {}),
            **({"reply_tokens": self._reply_tokens()} if self._reply_tokens() else {}),
            **({"after_cut": config.model_access.after_cut} if self._asks_otherwise else {}),
        }

    def _reply_tokens(self) -> dict[str, int]:
        """The models whose replies are cut, with the length."""
        models = self.config.models
        return {k: m["max_tokens"] for k, m in sorted(models.items()) if m.get("max_tokens")}

    @property
    def _asks_otherwise(self) -> bool:
        """Whether cut replies are asked for in another way than without the setting."""
        return self.memory_model is not None and self.config.model_access.after_cut != 1.0

    @property
    def hash(self) -> str:
        """sha256 hex over `effective()`: the same hash means that results may be mixed."""
        return hash_of(self.effective())


def _in_force(settings: EpisodeSettings) -> dict[str, Any]:
    """The loop's settings; a later one that is not set is left out, so that old runs keep their hash."""
    return {k: v for k, v in asdict(settings).items() if k != "block_tokens" or v is not None}


def hash_of(settings: Mapping[str, Any]) -> str:
    """sha256 hex of settings as canonical JSON."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def salt_of(seed: int, dataset_sha: str) -> str:
    """Salt of the opaque names: the same for the same data and seed, so that runs can be compared."""
    return hashlib.sha256(f"memtui {seed} {dataset_sha}".encode()).hexdigest()[:16]
