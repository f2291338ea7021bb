"""Which packages can be put under test, pinned where, and what runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.errors import UserError

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one package is installed and run."""

    name: str
    """The system's name, `pkg:<slug>`."""
    package: str
    """The distribution under test, as the package index calls it."""
    version: str
    interface: str
    """Class of the paper behind it: flat, planar, hierarchical."""
    module: str
    """What must import once it is installed."""
    megabytes: int
    """Size of the environment, measured on Linux x86-64 with Python 3.11."""
    environ: Mapping[str, str] = field(default_factory=dict)
    """Variables its process is given: telemetry and hub access switched off."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """What is set differently from the package's defaults; part of the system's configuration."""
    complete: tuple[int, int | None] = (1, 1)
    """Completions to expect for a session of one batch, least and most (None: not known)."""
    prompt_tokens: int | None = None
    """Tokens (characters / 4) of the package's own words in one completion, counted at the door."""
    embed: tuple[int, int | None] = (0, 3)
    """Embedding requests to expect for a session of one batch; a search makes one."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Rules of the conformance suite that the package is known not to keep, and why."""

    @property
    def slug(self) -> str:
        """The name without its prefix: folder, lock file and worker file are called after it."""
        return self.name.removeprefix("pkg:")

    @property
    def lock(self) -> Path:
        """Every distribution of the environment, pinned and hashed."""
        return HERE / "requirements" / f"{self.slug}.lock"

    @property
    def worker(self) -> Path:
        """The program that the environment's interpreter runs."""
        return HERE / "workers" / f"{self.slug.replace('-', '_')}.py"

    @property
    def pins(self) -> str:
        """What names the pinned requirements: the start of their file's SHA-256."""
        return sha256(self.lock.read_bytes()).hexdigest()[:16]

    @property
    def need(self) -> str:
        """What a system made by it declares under `needs`."""
        return f"environment:{self.name}"


_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "False",
}

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "pkg:mem0-2",
            "mem0ai",
            "2.2.1",
            "planar",
            "mem0",
            200,
            {**_OFFLINE, "MEM0_TELEMETRY": "False"},
            {
                "observation_date": "session",
                "search": "vectors only: keywords and entities want downloads",
                "threshold": 0.0,
            },
            prompt_tokens=8_700,
        ),
        Recipe(
            "pkg:mem0-1",
            "mem0ai",
            "1.0.11",
            "planar",
            "mem0",
            200,
            {**_OFFLINE, "MEM0_TELEMETRY": "False"},
            {"todays_date": "session"},
            complete=(1, 2),
            prompt_tokens=1_450,
            embed=(0, None),
        ),
        Recipe(
            "pkg:memos-text",
            "MemoryOS",
            "2.0.33",
            "flat",
            "memos.memories.factory",
            670,
            {**_OFFLINE},
            {"memory": "general_text", "date_in_messages": True},
            complete=(1, 3),
            prompt_tokens=1_600,
        ),
        Recipe(
            "pkg:graphiti",
            "graphiti-core",
            "0.31.2",
            "hierarchical",
            "graphiti_core",
            170,
            {**_OFFLINE, "GRAPHITI_TELEMETRY_ENABLED": "false", "SEMAPHORE_LIMIT": "1"},
            {
                "graph": "kuzu 0.11.3",
                "search": "EDGE_HYBRID_SEARCH_RRF",
                "undated_sessions": "1970-01-01",
            },
            complete=(1, None),
            prompt_tokens=1_500,
            embed=(0, None),
            limits={
                "scripts without spaces": "its full-text index cuts words at spaces, and its vectors"
                " find nothing below a cosine of 0.6"
            },
        ),
    )
}


def recipe(name: str) -> Recipe:
    """The recipe called `name` (with or without `pkg:`); UserError for an unknown one."""
    found = RECIPES.get(name) or RECIPES.get(f"pkg:{name}")
    if found is None:
        raise UserError(f"there is no package {name!r} to install; known: {', '.join(RECIPES)}")
    return found
