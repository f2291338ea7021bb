"""How sessions are cut into the chunks that memory systems extract from, embed and return.

Every chunk knows the turns it came from, and none crosses a session: a chunk depends on one session's
content alone, so it can be prepared once for all haystacks. Sizes are in tokens of `runners.sessions`
(four characters each).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtui.model import Turn
from runners.sessions import render_turn

CHARACTERS_PER_TOKEN = 4
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_NOT_AN_END = re.compile(r"(?:^|\s)(?:Dr|Mr|Mrs|Ms|St|vs|etc|e\.g|i\.e|approx|No)\.$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of turns as text: turns `first` to `last` (0-based, inclusive) of one session.

    A turn longer than a chunk is cut: then several chunks name the same turn.
    """

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LineChunk:
    """A run of lines as text: lines `first` to `last` (0-based, inclusive) of one text."""

    text: str
    first: int
    last: int


def has_text(turn: Turn) -> bool:
    """Whether anything was said or shown in the turn; there is nothing to remember of others."""
    return bool(turn.text.strip() or turn.caption.strip())


def turn_pairs(turns: Sequence[Turn], tokens: int = 512) -> list[Chunk]:
    """One chunk per exchange: what one side says and the reply to it.

    An exchange begins with each turn of the side that opens (`user` where the session has one, else
    the first speaker) and has at most two turns. One longer than `tokens` is cut between turns, and a
    longer turn between sentences. Turns without text are left out.
    """
    said = [(number, turn) for number, turn in enumerate(turns) if has_text(turn)]
    if not said:
        return []
    roles = {turn.role for _, turn in said}
    opener = "user" if "user" in roles else said[0][1].role
    groups: list[list[tuple[int, Turn]]] = []
    for number, turn in said:
        if not groups or turn.role == opener or len(groups[-1]) == 2:
            groups.append([])
        groups[-1].append((number, turn))
    return [chunk for group in groups for chunk in _packed(group, tokens)]


def packed_turns(turns: Sequence[Turn], tokens: int) -> list[Chunk]:
    """As many whole turns per chunk as fit into `tokens`; a longer turn is cut between sentences.

    What a language model is given at a time, where a whole session may be longer than it can read.
    """
    return list(_packed([(n, t) for n, t in enumerate(turns) if has_text(t)], tokens))


def _packed(turns: Iterable[tuple[int, Turn]], tokens: int) -> Iterator[Chunk]:
    limit = max(tokens, 1) * CHARACTERS_PER_TOKEN
    lines: list[str] = []
    numbers: list[int] = []
    size = 0

    def flush() -> Iterator[Chunk]:
        nonlocal size
        if lines:
            yield Chunk("\n".join(lines), numbers[0], numbers[-1])
        lines.clear()
        numbers.clear()
        size = 0

    for number, turn in turns:
        text = render_turn(turn)
        if size + len(text) > limit:
            yield from flush()
        if len(text) > limit:
            for part in cut_text(text, tokens):
                yield Chunk(part, number, number)
            continue
        lines.append(text)
        numbers.append(number)
        size += len(text) + 1
    yield from flush()


def sentences(text: str) -> list[str]:
    """Sentences of `text` in order, stripped, none empty; a line feed ends one too."""
    found: list[str] = []
    held = ""
    for piece in _SENTENCE_END.split(text):
        joined = f"{held} {piece}".strip() if held else piece.strip()
        held = ""
        if _NOT_AN_END.search(joined):
            held = joined
        elif joined:
            found.append(joined)
    if held:
        found.append(held)
    return found


def cut_text(text: str, tokens: int) -> list[str]:
    """`text` in parts of at most `tokens`, cut between sentences where that is possible.

    Parts are joined by what separated them: no word is lost, white space at a cut is.
    """
    limit = max(tokens, 1) * CHARACTERS_PER_TOKEN
    if len(text) <= limit:
        return [text] if text.strip() else []
    parts: list[str] = []
    current = ""
    for sentence in sentences(text):
        if current and len(current) + 1 + len(sentence) <= limit:
            current = f"{current} {sentence}"
            continue
        if current:
            parts.append(current)
        *full, current = [sentence[i : i + limit] for i in range(0, len(sentence), limit)]
        parts.extend(full)
    return [*parts, current] if current else parts


def line_chunks(lines: Sequence[str], tokens: int = 400, overlap: int = 80) -> list[LineChunk]:
    """Whole lines packed into chunks of `tokens`, the next one repeating about `overlap` of them.

    The rule of OpenClaw's `chunkMarkdown`: a line longer than a chunk is cut into slices; a chunk that
    is full is followed by one that begins with its last lines, as many as are needed to reach
    `overlap`. Chunks without any text are left out.
    """
    limit = max(tokens, 8) * CHARACTERS_PER_TOKEN
    carried = max(overlap, 0) * CHARACTERS_PER_TOKEN
    chunks: list[LineChunk] = []
    current: list[tuple[int, str]] = []
    size = 0

    def flush() -> None:
        text = "\n".join(segment for _, segment in current)
        if text.strip():
            chunks.append(LineChunk(text, current[0][0], current[-1][0]))

    for number, line in enumerate(lines):
        for start in range(0, max(len(line), 1), limit):
            segment = line[start : start + limit]
            if current and size + len(segment) + 1 > limit:
                flush()
                kept = 0
                reached = 0
                while kept < len(current) and reached < carried:
                    kept += 1
                    reached += len(current[-kept][1]) + 1
                # A tail that is the whole chunk would repeat for ever and say nothing new.
                current = current[-kept:] if 0 < kept < len(current) else []
                size = sum(len(segment) + 1 for _, segment in current)
                if size + len(segment) + 1 > limit:
                    current, size = [], 0
            current.append((number, segment))
            size += len(segment) + 1
    if current:
        flush()
    return chunks
