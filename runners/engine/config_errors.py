"""Say what is wrong with a configuration in one line: the path of the key, and what was meant."""

from __future__ import annotations

import typing
from collections.abc import Iterator

from pydantic import BaseModel, ValidationError

from memtui.errors import did_you_mean

SHOWN = 3
"""Errors named before the rest is only counted."""


def explain(error: ValidationError, root: type[BaseModel]) -> str:
    """The first errors of a validation as `path: what is wrong`, separated by semicolons."""
    lines = []
    for entry in error.errors(include_url=False):
        path = tuple(entry["loc"])
        where = dotted(path).replace("model_access", "models", 1)
        if entry["type"] == "extra_forbidden":
            known = known_keys(root, path[:-1])
            line = f"unknown key `{where}`; {did_you_mean(str(path[-1]), known)}"
        elif entry["type"] == "missing":
            line = f"`{where}` is missing"
        elif entry["type"] == "value_error":
            message = str(entry["ctx"]["error"])
            line = f"`{where}`: {message}" if where else message
        else:
            message = entry["msg"][:1].lower() + entry["msg"][1:]
            line = f"`{where}` = {entry['input']!r}: {message}"
        lines.append(line)
    more = len(lines) - SHOWN
    return "; ".join(lines[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def dotted(path: tuple[int | str, ...]) -> str:
    """`arms[1].memory.name` for `("arms", 1, "memory", "name")`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def known_keys(root: type[BaseModel], path: tuple[int | str, ...]) -> tuple[str, ...]:
    """Keys of the section that `path` leads to."""
    model: type[BaseModel] | None = root
    for part in path:
        if model is None:
            return ()
        if isinstance(part, str) and part in model.model_fields:
            found = list(_models(model.model_fields[part].annotation))
            model = found[0] if found else None
    return tuple(model.model_fields) if model is not None else ()


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Sections inside an annotation such as `dict[str, ModelLimit]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)
