"""How a session becomes text, its hash and its token count: the one place everybody asks.

Memory systems prepare, agents read and context systems concatenate exactly this text, so that a
difference between two systems is never a difference in rendering. A date is metadata of a haystack
position and never part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from memtui.model import Turn

TOKENIZER = "chars/4"
"""Name of the token count below, stored wherever a count is stored.

One token per four characters of the rendered text, rounded up: no vocabulary is needed, so it is the
same offline and for every model. English text differs from a GPT or Llama tokenizer by about a tenth;
CJK text is underestimated.
"""


def count_tokens(text: str) -> int:
    """Tokens of `text` by `TOKENIZER`; 0 only for the empty text."""
    return -(-len(text) // 4)


def render_turn(turn: Turn) -> str:
    """One turn as text: `speaker: text`, then the image caption in brackets where there is one."""
    said = f"{turn.role}: {turn.text}" if turn.role else turn.text
    return f"{said} [image: {turn.caption}]" if turn.caption else said


def render_session(turns: Sequence[Turn]) -> str:
    """A whole session as text, one turn after the other, a line feed between them."""
    return "\n".join(map(render_turn, turns))


def render_block(turns: Sequence[Turn], first: int | None = None, last: int | None = None) -> str:
    """Turns `first` to `last` (0-based, inclusive) as text; None means from the start, to the end.

    Indices outside the session are cut to it, so a block never fails to render.
    """
    start = 0 if first is None else max(first, 0)
    end = len(turns) if last is None else max(last + 1, start)
    return render_session(turns[start:end])


def session_sha(turns: Sequence[Turn]) -> str:
    """sha256 hex over roles, texts and captions in order: equal content, equal sha.

    The parts are encoded as a JSON list, so that no text can imitate the border between two turns.
    """
    parts = [[turn.role, turn.text, turn.caption] for turn in turns]
    raw = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(raw.encode("ascii")).hexdigest()


def opaque_token(salt: str, sha: str) -> str:
    """The name under which agents and memory systems know a session: 12 hex characters.

    It depends on the salt of the run and the content alone, so it is stable across rungs and items
    and says nothing about the data set's own id.
    """
    return hashlib.sha256(f"{salt}\n{sha}".encode()).hexdigest()[:12]
