"""Parts of a run by name: our own, and those of other packages, found by their entry points."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from memtui.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The names of one kind of part, such as memory systems; nothing is imported before it is asked for.

    `own` maps a name to `module:factory`; `built_in` are names of ours that need no factory. A name of
    ours cannot be taken over by another package.
    """

    kind: str
    """What a reader calls one of them, such as `memory system`."""
    group: str
    """The entry point group of other packages."""
    own: Mapping[str, str] = field(default_factory=dict)
    built_in: tuple[str, ...] = ()

    def plug_ins(self) -> dict[str, EntryPoint]:
        """Parts of other packages by name."""
        ours = {*self.own, *self.built_in}
        return {e.name: e for e in entry_points(group=self.group) if e.name not in ours}

    def names(self) -> tuple[str, ...]:
        """Every known name, our own first."""
        return (*self.own, *self.built_in, *sorted(self.plug_ins()))

    def factory(self, name: str) -> Callable[..., Any]:
        """What makes a part; UserError for an unknown name or one that cannot be loaded."""
        if name in self.own:
            module, attribute = self.own[name].split(":")
            own: Callable[..., Any] = getattr(import_module(module), attribute)
            return own
        plug_in = self.plug_ins().get(name)
        if plug_in is None:
            hint = did_you_mean(name, self.names())
            raise UserError(f"there is no {self.kind} {name!r}; {hint}")
        try:
            made: Callable[..., Any] = plug_in.load()
        except Exception as error:  # a stranger's package may fail in any way
            raise UserError(
                f"{self.kind} {name!r} ({plug_in.value}) cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not callable(made):
            raise UserError(f"{self.kind} {name!r}: {plug_in.value} is not a factory")
        return made

    def check_options(self, name: str, given: Iterable[str], known: Iterable[str] | None) -> None:
        """UserError naming the first option that is not known; None: the part takes any."""
        if known is None:
            return
        options = list(known)
        for option in given:
            if option not in options:
                hint = did_you_mean(option, options)
                raise UserError(f"{self.kind} {name!r} has no option {option!r}; {hint}")

    def call(self, name: str, make: Callable[..., Any], given: Mapping[str, Any]) -> Any:
        """What the factory makes of the options; UserError naming the part where it refuses them."""
        try:
            return make(**given)
        except UserError as error:
            raise UserError(f"{self.kind} {name!r}: {error}", exit_code=error.exit_code) from error
        except (TypeError, ValueError) as error:
            raise UserError(f"{self.kind} {name!r} refuses its options: {error}") from error
        except Exception as error:  # a stranger's package may fail in any way
            raise UserError(
                f"{self.kind} {name!r} cannot be built: {type(error).__name__}: {error}"
            ) from error


def options_of(make: Callable[..., Any], *handed: str) -> dict[str, Any] | None:
    """Option names of a factory with their defaults, but those that are `handed` to it by us.

    None where it takes any keyword.
    """
    parameters = inspect.signature(make).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    named = {p.name: p.default for p in parameters if p.kind is not p.VAR_POSITIONAL}
    return {name: default for name, default in named.items() if name not in handed}
