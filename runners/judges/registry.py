"""Finding judges by name: our own, and those of other packages (entry points `memtui.judges`)."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from memtui.errors import UserError
from runners.judges.contract import Judge
from runners.models.door import ModelDoor
from runners.models.settings import check_keys

GROUP = "memtui.judges"
OWN = ("deterministic", "model", "local-yesno")

DoorSource = ModelDoor | Callable[[], ModelDoor]
"""The door, or what opens it when a judge first needs a model."""


def _plug_ins() -> dict[str, EntryPoint]:
    """Judges of other packages by name; our own names cannot be taken over."""
    return {e.name: e for e in entry_points(group=GROUP) if e.name not in OWN}


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return (*OWN, *sorted(_plug_ins()))


def build(
    name: str, options: Mapping[str, Any] | None = None, door: DoorSource | None = None
) -> Judge:
    """A judge with its configuration fixed; UserError for an unknown name or option.

    A plug-in's factory is called with its options as keyword arguments; where it has a parameter
    `door` it also gets the metered door.
    """
    given = dict(options or {})
    if name == "deterministic":
        from runners.judges.deterministic import DeterministicJudge

        check_keys(given, (), "judge 'deterministic'")
        return DeterministicJudge()
    if name == "model":
        from runners.judges.model import ModelJudge

        return ModelJudge(given, _open(door))
    if name == "local-yesno":
        from runners.judges.yes_no import YesNoJudge

        return YesNoJudge(given, _open(door))
    return _plugged_in(name, given, door)


def from_spec(spec: str | Mapping[str, Any], door: DoorSource | None = None) -> Judge:
    """A judge from one word or table.

    `deterministic` · `model:openai/gpt-4o` · `model:openai/gpt-4o,style=locomo,official_compat=true` ·
    `{"name": "model", "model": "openai/gpt-4o"}`.
    """
    if not isinstance(spec, str):
        table = dict(spec)
        name = table.pop("name", None)
        if not isinstance(name, str):
            raise UserError('a judge needs a name, e.g. name = "deterministic"')
        return build(name, table, door)
    head, _, rest = spec.strip().partition(":")
    options: dict[str, Any] = {}
    for i, piece in enumerate(p for p in rest.split(",") if p):
        key, equals, value = piece.partition("=")
        if not equals:
            if i or head not in ("model", "local-yesno"):
                raise UserError(f"judge {spec!r}: {piece!r} is no option; write key=value")
            key, value = "model", piece
        options[key.strip()] = _value(value.strip())
    return build(head, options, door)


def _value(text: str) -> Any:
    """A TOML value, or the text itself."""
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


def _open(door: DoorSource | None) -> ModelDoor:
    if door is None:
        return ModelDoor()
    return door if isinstance(door, ModelDoor) else door()


def _plugged_in(name: str, options: dict[str, Any], door: DoorSource | None) -> Judge:
    found = _plug_ins().get(name)
    if found is None:
        close = get_close_matches(name, names(), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(names())}"
        raise UserError(f"there is no judge {name!r}; {hint}")
    try:
        factory = found.load()
        parameters = inspect.signature(factory).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        if not takes_any:
            check_keys(options, [p for p in parameters if p != "door"], f"judge {name!r}")
        if "door" in parameters:
            options = {**options, "door": _open(door)}
        return cast(Judge, factory(**options))
    except UserError:
        raise
    except Exception as error:  # a stranger's package may fail in any way
        raise UserError(
            f"judge {name!r} ({found.value}) cannot be built: {type(error).__name__}: {error}"
        ) from error
