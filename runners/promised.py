"""What a memory, an agent or a judge returned, held against its contract before anything relies on it.

The contracts are dataclasses, so their annotations are the rules. A part that breaks its own has failed
like one that crashed; unchecked, the odd value would end the whole run where it is stored.
"""

from __future__ import annotations

import numbers
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Check = Callable[[object], str | None]
"""None for a value that keeps the rule, else what is wrong, such as `.ref is 5, not str`."""


class BrokenContract(TypeError):
    """A value that its contract does not allow."""


def require(value: T, kind: type[T]) -> T:
    """The value, if it is a `kind` through and through; BrokenContract naming the field if not."""
    rule: Any = kind
    problem = _check(rule)(value)
    if problem is not None:
        raise BrokenContract(f"{kind.__name__}{problem}")
    return value


@cache
def _check(hint: Any) -> Check:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: None
    if origin in (Union, types.UnionType):
        return _one_of(tuple(map(_check, inner)), hint)
    if origin is tuple and inner[-1] is Ellipsis:
        return _each(_check(inner[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _instance(Mapping, "mapping")
    if hint is bool:
        return _is_bool
    if hint is int:
        return _instance(numbers.Integral, "int")  # numpy's numbers are numbers
    if hint is float:
        return _instance(numbers.Real, "float")
    if is_dataclass(hint):
        return _fields(hint)
    return _instance(origin or hint, getattr(hint, "__name__", str(hint)))


def _instance(kind: type, name: str) -> Check:
    def check(value: object) -> str | None:
        return None if isinstance(value, kind) else f" is {value!r:.80}, not {name}"

    return check


def _is_bool(value: object) -> str | None:
    same = isinstance(value, bool) or (hasattr(value, "dtype") and value in (True, False))
    return None if same else f" is {value!r:.80}, not bool"


def _one_of(checks: tuple[Check, ...], hint: object) -> Check:
    def check(value: object) -> str | None:
        for one in checks:
            if one(value) is None:
                return None
        return f" is {value!r:.80}, not {hint}"

    return check


def _each(one: Check) -> Check:
    def check(value: object) -> str | None:
        if not isinstance(value, (tuple, list)):
            return f" is {value!r:.80}, not tuple"
        for n, entry in enumerate(value):
            if (problem := one(entry)) is not None:
                return f"[{n}]{problem}"
        return None

    return check


def _fields(kind: Any) -> Check:
    hints = get_type_hints(kind)
    rules = [(f.name, _plain_types(hints[f.name]), _check(hints[f.name])) for f in fields(kind)]

    def check(value: object) -> str | None:
        if not isinstance(value, kind):
            return f" is {value!r:.80}"
        for name, plain, one in rules:
            found = getattr(value, name)
            if type(found) not in plain and (problem := one(found)) is not None:
                return f".{name}{problem}"
        return None

    return check


def _plain_types(hint: Any) -> frozenset[type]:
    """Types whose every value keeps the rule: most fields of most values need no closer look."""
    if get_origin(hint) in (Union, types.UnionType):
        return frozenset().union(*map(_plain_types, get_args(hint)))
    if hint is float:
        return frozenset((float, int))
    return frozenset((hint,)) if hint in (str, int, bool, types.NoneType, dict) else frozenset()
