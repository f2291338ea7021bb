"""The tables of docs/command-line.md as schemas: read, and held against a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
TITLE = re.compile(r"^####? `([\w-]+)`$")
ROW = re.compile(r"^\| (`.*?) \| (.*?) \| .*\|$")
INHERITS = re.compile(r"All keys of `(\w+)`")
WORDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "true or false": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "scale": lambda v: v == "own" or (isinstance(v, int | float) and not isinstance(v, bool)),
    "null": lambda v: v is None,
    "any": lambda v: True,
}


@dataclass
class Node:
    """One key: its types, and what is below it. `keys` of "" are the elements of a list or map."""

    types: list[str] = field(default_factory=list)
    keys: dict[str, Node] = field(default_factory=dict)
    optional: bool = False
    below: str = ""
    """`[]` for a list, `{}` for a map of free names."""


def schemas() -> dict[str, Node]:
    """Every documented document and shape by name."""
    found: dict[str, Node] = {}
    name = ""
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            title = TITLE.match(line)
            name = title[1] if title else ""
            if name:
                found[name] = Node()
        elif name and (inherits := INHERITS.search(line)):
            found[name].types.append(inherits[1])
        elif name and (row := ROW.match(line)):
            for path in re.findall(r"`([^`]+)`", row[1]):
                add(found[name], path, row[2])
    return found


def add(node: Node, path: str, types: str) -> None:
    """Add `path`, such as `cells[].calls?.n`, with its types."""
    for part in path.split("."):
        key, optional, below = re.fullmatch(r"(\w+)(\??)((?:\[\]|\{\})*)", part).groups()  # type: ignore[union-attr]
        node = node.keys.setdefault(key, Node())
        node.optional = node.optional or bool(optional)
        for sign in re.findall(r"\[\]|\{\}", below):
            node.below = sign
            node = node.keys.setdefault("", Node())
    node.types = split_types(types)


def split_types(text: str) -> list[str]:
    """`true or false or null` -> [`true or false`, `null`]."""
    return text.replace("true or false", "true/false").split(" or ")


def complaints(value: Any, node: Node, known: dict[str, Node], at: str = "") -> Iterator[str]:
    """What of `value` is not as documented: other keys, other types, undocumented nulls."""
    if node.below == "[]":
        if not isinstance(value, list):
            yield f"{at}: no list"
            return
        for one in value:
            yield from complaints(one, node.keys[""], known, f"{at}[]")
        return
    if node.below == "{}":
        if not isinstance(value, dict):
            yield f"{at}: no map"
            return
        for one in value.values():
            yield from complaints(one, node.keys[""], known, f"{at}{{}}")
        return
    shapes = [known[name] for name in node.types if name in known]
    plain = [name for name in node.types if name not in known]
    if value is None and (node.types or not at):
        if "null" not in plain:
            yield f"{at}: null is not documented"
        return
    keys = all_keys(node, shapes, known)
    if keys:
        if not isinstance(value, dict):
            yield f"{at}: no object"
            return
        needed = {key for key, one in keys.items() if not one.optional}
        if missing := sorted(needed - value.keys()):
            yield f"{at}: documented but not printed: {', '.join(missing)}"
        if extra := sorted(value.keys() - keys.keys()):
            yield f"{at}: printed but not documented: {', '.join(extra)}"
        for key in keys.keys() & value.keys():
            yield from complaints(value[key], keys[key], known, f"{at}.{key}".lstrip("."))
    elif not any(WORDS[name.replace("true/false", "true or false")](value) for name in plain):
        yield f"{at}: {value!r} is not {' or '.join(plain)}"


def all_keys(node: Node, shapes: list[Node], known: dict[str, Node]) -> dict[str, Node]:
    """Keys of a node and of the shapes it is or inherits."""
    found = dict(node.keys)
    for shape in shapes:
        inherited = [known[name] for name in shape.types]
        found.update(all_keys(shape, inherited, known))
    return found
