"""What a system says it needs (`model:minilm`, `package:kuzu`), and whether it is there."""

from __future__ import annotations

from importlib.util import find_spec

from memtui.errors import UserError
from runners.memory.contract import SystemInfo
from runners.memory.packages import environment
from runners.memory.packages.recipes import RECIPES
from runners.models import weights

LLM = "llm"
"""Needed by a system that asks a language model at its door."""


def missing(need: str) -> str | None:
    """None if `need` is present, else one line that says how to get it.

    A need is `kind:name`. Kinds: `model` (weights that `memtui models install` fetches), `package` (an
    importable Python package) and `environment` (of a published memory package, which `memtui systems
    install` makes). `llm` alone is a language model: which one is a matter of the run's
    configuration. A kind nobody knows counts as absent.
    """
    if need == LLM:
        return None
    kind, _, name = need.partition(":")
    if kind == "package":
        if find_spec(name) is None:
            return f"the Python package {name} is not installed: run `pip install {name}`"
        return None
    if kind == "environment" and name in RECIPES:
        return environment.missing(RECIPES[name])
    if kind == "model" and name in weights.KNOWN:
        found = weights.state(weights.KNOWN[name])
        if found == "installed":
            return None
        return f"the weights of {name} are {found}: run `memtui models install {name}`"
    return f"{need} is needed, and nothing here knows how to get it"


def require(info: SystemInfo) -> None:
    """UserError naming everything the system needs and does not find."""
    lines = [line for need in info.needs if (line := missing(need)) is not None]
    if lines:
        raise UserError(f"memory system {info.name!r} cannot run: {'; '.join(lines)}")
