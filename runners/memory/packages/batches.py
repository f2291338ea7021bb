"""A session as the chat messages that packages take, in batches that a small context can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.model import Turn
from runners.memory.chunking import cut_text, has_text
from runners.sessions import count_tokens

ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages (`role`, `content`) of the turns `first` to `last` (0-based, inclusive)."""

    messages: tuple[dict[str, str], ...]
    first: int
    last: int


def batches(turns: Sequence[Turn], tokens: int) -> tuple[Batch, ...]:
    """Whole turns, as many as fit into `tokens`; a longer turn is cut between sentences.

    Packages know the roles `user` and `assistant`. Where a data set names its speakers, the first one
    is the user, all others the assistant, and the name stands before what is said. Turns without text
    are left out.
    """
    speakers = {turn.role for turn in turns if has_text(turn)}
    opener = next((turn.role for turn in turns if has_text(turn)), "")
    found: list[Batch] = []
    held: list[dict[str, str]] = []
    numbers: list[int] = []
    size = 0

    def flush() -> None:
        nonlocal size
        if held:
            found.append(Batch(tuple(held), numbers[0], numbers[-1]))
        held.clear()
        numbers.clear()
        size = 0

    for number, turn in enumerate(turns):
        if not has_text(turn):
            continue
        for part in cut_text(_said(turn, speakers), tokens):
            cost = count_tokens(part)
            if held and size + cost > tokens:
                flush()
            held.append({"role": _role(turn, opener), "content": part})
            numbers.append(number)
            size += cost
    flush()
    return tuple(found)


def _role(turn: Turn, opener: str) -> str:
    if turn.role in ROLES:
        return turn.role
    return ROLES[0] if turn.role == opener else ROLES[1]


def _said(turn: Turn, speakers: set[str]) -> str:
    caption = f" [image: {turn.caption}]" if turn.caption else ""
    name = "" if speakers <= set(ROLES) or not turn.role else f"{turn.role}: "
    # What cannot be encoded cannot be sent.
    text = f"{name}{turn.text}{caption}"
    return text.encode("utf-8", "replace").decode("utf-8")
