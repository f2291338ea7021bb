"""What a foreign harness tells, as our types: converted where that is certain, else refused at once.

A text given where a list of ids belongs would be taken letter by letter, and the verdict "no" would be
true: both are refused rather than recorded as something else. Every refusal is a UserError, one line.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memtui.errors import UserError
from memtui.model import EndReason, Evidence, Hit, Label, Turn, Usage

HitLike = str | tuple[str, float] | Hit
"""A session id (or an id of the memory's own), (id, score), or a `Hit`."""
UsageLike = Usage | Mapping[str, Any] | None
"""`Usage`, or a provider's usage object as a mapping."""
EvidenceLike = str | tuple[str, int]
"""A session id, or (session id, 0-based turn)."""
TurnLike = Turn | tuple[str, str] | Mapping[str, str]
"""`Turn`, (role, text), or a chat message with `role` and `content`."""

_RESERVED = ("scale", "seed")


def text(what: str, value: object) -> str:
    """A text, as it is."""
    if not isinstance(value, str):
        raise UserError(f"{what} is a text, got {value!r:.60}")
    return value


def said_text(what: str, value: object) -> str:
    """A text; None, as some providers reply to a call of tools, says nothing."""
    return "" if value is None else text(what, value)


def gold(value: object) -> str | None:
    """The gold answer as text; a number is the digits it is written with."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return None if value is None else text("gold", value)


def whole(what: str, value: object) -> int:
    """A whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < 0:
        raise UserError(f"{what} is a whole number, 0 or more; got {value!r:.60}")
    return int(value)


def scale(value: object) -> float:
    """A number of irrelevant sessions, or another ordered value: finite, 0 or more."""
    made = _number(value)
    if made is None or not 0 <= made < 1e15:  # exact as a float, and as a number of JSON
        raise UserError(f"scale is a number, 0 or more; got {value!r:.60}")
    return made


def rate(what: str, value: object) -> float:
    """A number above 0 and up to 1."""
    made = _number(value)
    if made is None or not 0 < made <= 1:
        raise UserError(f"{what} is a rate above 0 and up to 1; got {value!r:.60}")
    return made


def _number(value: object) -> float | None:
    """The number it is, numpy's included; None for anything else, True and False too."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    return float(value)


def ids(what: str, value: object) -> list[str]:
    """Ids of sessions."""
    return [text(f"an id in {what}", one) for one in _several(what, value)]


def hits(value: Sequence[HitLike]) -> tuple[Hit, ...]:
    """What a call returned, in rank order."""
    return tuple([_hit(one) for one in _several("hits", value)])


def _hit(hit: object) -> Hit:
    if isinstance(hit, Hit):
        return hit
    if isinstance(hit, str):
        return Hit(hit)
    if isinstance(hit, (tuple, list)) and len(hit) == 2 and isinstance(hit[0], str):
        score = _number(hit[1])
        if score is not None or hit[1] is None:
            return Hit(hit[0], score)
    raise UserError(f"a hit is an id, (id, score) or memtui.model.Hit; got {hit!r:.60}")


def evidence(value: Sequence[EvidenceLike]) -> tuple[Evidence, ...]:
    """The gold references of a question."""
    return tuple([_evidence(one) for one in _several("evidence", value)])


def _evidence(reference: object) -> Evidence:
    if isinstance(reference, str):
        return Evidence(reference, reference, None)
    if isinstance(reference, (tuple, list)) and len(reference) == 2:
        session, turn = text("a session of evidence", reference[0]), whole("a turn", reference[1])
        return Evidence(f"{session}:{turn}", session, turn)
    raise UserError(f"evidence is a session id or (id, turn); got {reference!r:.60}")


def turn(value: TurnLike) -> Turn:
    """One message of a session; a message of several parts is its texts, one a line."""
    if isinstance(value, Turn):
        return value
    if isinstance(value, Mapping):
        said = value.get("content") or value.get("text") or ""
        if isinstance(said, list):
            said = "\n".join(p["text"] for p in said if isinstance(p, dict) and "text" in p)
        return Turn(text("the role of a turn", value.get("role")), text("a turn", said))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Turn(text("the role of a turn", value[0]), text("a turn", value[1]))
    raise UserError(
        f"a turn is (role, text), a chat message or memtui.model.Turn; got {value!r:.60}"
    )


def conditions(value: Mapping[str, object] | None) -> dict[str, str]:
    """Further axes, as the text that identifies an episode can hold them."""
    made = {str(k): str(v) for k, v in (value or {}).items()}
    for name, setting in made.items():
        if name in _RESERVED:
            raise UserError(f"conditions: {name!r} has an argument of its own, `{name}=`")
        if not name or any(sign in name + setting for sign in "|="):
            raise UserError(f"conditions: no | and no = in {name!r} or {setting!r:.60}")
    return made


def label(right: object) -> Label:
    """A verdict: True, False, or None for unknown."""
    if right is None:
        return Label.UNKNOWN
    if isinstance(right, str) or right not in (True, False):
        raise UserError(f"right is True, False or None (unknown); got {right!r:.60}")
    return Label.RIGHT if right else Label.WRONG


def usage(value: UsageLike) -> Usage | None:
    """A provider's usage under either of its common spellings; what is not there is unknown."""
    if value is None or isinstance(value, Usage):
        return value
    if not isinstance(value, Mapping):
        raise UserError(
            "usage is memtui.model.Usage or a mapping (`response.usage.model_dump()`);"
            f" got {type(value).__name__}"
        )

    def first(*names: str) -> Any:
        found = next((value[n] for n in names if value.get(n) is not None), None)
        if found is None:
            return None
        made = _number(found)
        if made is None or not 0 <= made < math.inf:
            raise UserError(f"usage: {names[0]} is a number, 0 or more; got {found!r:.60}")
        return found

    return Usage(
        prompt=first("prompt", "prompt_tokens", "input_tokens"),
        cached=first("cached", "cached_tokens", "cache_read_input_tokens"),
        completion=first("completion", "completion_tokens", "output_tokens"),
        reasoning=first("reasoning", "reasoning_tokens"),
        cost=first("cost"),
        calls=first("calls") or 1,
        attempts=first("attempts") or 1,
    )


def total(usages: Sequence[Usage]) -> Usage:
    """The sum over everything that asked a model: a field that one of them leaves unknown is unknown."""

    def add(values: list[Any]) -> Any:
        return None if not values or None in values else sum(values)

    return Usage(
        prompt=add([u.prompt for u in usages]),
        cached=add([u.cached for u in usages]),
        completion=add([u.completion for u in usages]),
        reasoning=add([u.reasoning for u in usages]),
        cost=add([u.cost for u in usages]),
        calls=sum(u.calls for u in usages),
        attempts=sum(u.attempts for u in usages),
    )


def end_reason(value: object) -> EndReason:
    """A value of the closed list of end reasons."""
    try:
        return EndReason(str(value))
    except ValueError:
        known = ", ".join(r.value for r in EndReason)
        raise UserError(f"no end reason {value!r:.60}; there are {known}") from None


def errors(value: Mapping[type[Any], str] | None) -> dict[type[BaseException], EndReason]:
    """What a harness's exceptions mean."""
    made: dict[type[BaseException], EndReason] = {}
    for kind, reason in (value or {}).items():
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise UserError(f"errors maps exception classes to end reasons; got {kind!r:.60}")
        made[kind] = end_reason(reason)
    return made


def said(error: BaseException) -> str:
    """`Type: message`, whatever its own `__str__` does."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def one_of(what: str, value: object, known: Sequence[str]) -> str:
    """One of a closed list."""
    if value not in known:
        raise UserError(f"{what} is one of {', '.join(known)}; got {value!r:.60}")
    return str(value)


def _several(what: str, value: object) -> Sequence[object]:
    if isinstance(value, (str, bytes, Mapping)):
        raise UserError(f"{what} is a list, got {value!r:.60}: write [{value!r:.60}]")
    if not isinstance(value, Iterable):
        raise UserError(f"{what} is a list, got {value!r:.60}")
    return list(value)
