"""Finding judges by name: our own, and those of other packages (entry points `memtui.judges`)."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from memtui.errors import UserError
from runners.judges.contract import Judge
from runners.models.door import ModelDoor
from runners.models.settings import check_keys
from runners.plug_ins import Catalogue, options_of

_JUDGES = Catalogue("judge", "memtui.judges", built_in=("deterministic", "model", "local-yesno"))

DoorSource = ModelDoor | Callable[[], ModelDoor]
"""The door, or what opens it when a judge first needs a model."""


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return _JUDGES.names()


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
    make = _JUDGES.factory(name)
    _JUDGES.check_options(name, given, options_of(make, "door"))
    if "door" in inspect.signature(make).parameters:
        given["door"] = _open(door)
    judge: Judge = _JUDGES.call(name, make, given)
    return judge


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
