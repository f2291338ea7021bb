"""Finding agents by name: our own, and those of other packages (entry points `memtui.agents`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from runners.agents.contract import Agent
from runners.plug_ins import Catalogue, options_of

if TYPE_CHECKING:
    from runners.models.door import ModelDoor

OWN = {
    "search-once": "runners.agents.extractive:search_once",
    "until-confident": "runners.agents.extractive:until_confident",
    "verify": "runners.agents.extractive:verify",
    "read": "runners.agents.extractive:read",
}
"""Name -> `module:factory` of the embedded agents; imported only when asked for."""
MODEL = "model"
"""The agent that asks a language model: it takes its options as one table."""

_AGENTS = Catalogue("agent", "memtui.agents", OWN, (MODEL,))


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return _AGENTS.names()


def build(
    name: str,
    options: Mapping[str, Any] | None = None,
    door: ModelDoor | Callable[[], ModelDoor] | None = None,
) -> Agent:
    """An agent with its configuration fixed; `door`, or what opens it, is for those that ask a model:
    a factory with a parameter `door` gets it beside its options.

    UserError for an unknown name, an unknown option (with the nearest known one) or a value that the
    agent refuses.
    """
    given = dict(options or {})
    if name == MODEL:
        from runners.agents.model import ModelAgent

        return ModelAgent(given, door)
    make = _AGENTS.factory(name)
    _AGENTS.check_options(name, given, options_of(make, "door"))
    if "door" in inspect.signature(make).parameters:
        given["door"] = door() if callable(door) else door
    agent: Agent = _AGENTS.call(name, make, given)
    return agent
