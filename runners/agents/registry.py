"""Finding agents by name: our own, and those of other packages (entry points `memtui.agents`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from memtui.errors import UserError
from runners.agents.contract import Agent

if TYPE_CHECKING:
    from runners.models.door import ModelDoor

GROUP = "memtui.agents"

OWN = {
    "search-once": "runners.agents.extractive:search_once",
    "until-confident": "runners.agents.extractive:until_confident",
    "verify": "runners.agents.extractive:verify",
    "read": "runners.agents.extractive:read",
}
"""Name -> `module:factory` of the embedded agents; imported only when asked for."""
MODEL = "model"
"""The agent that asks a language model: it takes its options as one table."""

Factory = Callable[..., Agent]
"""Called with the options as keyword arguments; one with a parameter `door` also gets the door."""


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return (*OWN, MODEL, *sorted(_plug_ins()))


def factory(name: str) -> Factory:
    """The factory of an agent; UserError for an unknown name or one that cannot be loaded."""
    if name in OWN:
        module, attribute = OWN[name].split(":")
        own: Factory = getattr(import_module(module), attribute)
        return own
    plug_in = _plug_ins().get(name)
    if plug_in is None:
        raise UserError(f"there is no agent {name!r}{_did_you_mean(name, names())}")
    try:
        loaded = plug_in.load()
    except Exception as error:  # a stranger's package may fail in any way
        raise UserError(
            f"agent {name!r} ({plug_in.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not callable(loaded):
        raise UserError(f"agent {name!r}: {plug_in.value} is not a factory")
    found: Factory = loaded
    return found


def options_of(make: Factory) -> dict[str, Any] | None:
    """Option names with their defaults; None where the factory takes any keyword."""
    parameters = inspect.signature(make).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    known = {p.name: p.default for p in parameters if p.kind is not p.VAR_POSITIONAL}
    return {name: default for name, default in known.items() if name != "door"}


def build(
    name: str,
    options: Mapping[str, Any] | None = None,
    door: ModelDoor | Callable[[], ModelDoor] | None = None,
) -> Agent:
    """An agent with its configuration fixed; `door`, or what opens it, is for those that ask a model.

    UserError for an unknown name, an unknown option (with the nearest known one) or a value that the
    agent refuses.
    """
    given = dict(options or {})
    if name == MODEL:
        from runners.agents.model import ModelAgent

        return ModelAgent(given, door)
    make = factory(name)
    known = options_of(make)
    if known is not None:
        for option in given:
            if option not in known:
                raise UserError(
                    f"agent {name!r} has no option {option!r}{_did_you_mean(option, known)}"
                )
    if "door" in inspect.signature(make).parameters:
        given["door"] = door() if callable(door) else door
    try:
        return make(**given)
    except UserError as error:
        raise UserError(f"agent {name!r}: {error}", exit_code=error.exit_code) from error
    except (TypeError, ValueError) as error:
        raise UserError(f"agent {name!r} refuses its options: {error}") from error


def _plug_ins() -> dict[str, EntryPoint]:
    """Agents of other packages by name; our own names cannot be taken over."""
    return {
        entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in (*OWN, MODEL)
    }


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    choices = list(known)
    close = get_close_matches(word, choices, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; choose from {', '.join(choices)}" if choices else "; it takes none"
