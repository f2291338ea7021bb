"""What an agent gets to see of a memory call: at most k blocks, within a token limit.

Every hit that is cut stays in the record with `shown` False: evidence that was found and then cut
away before the model saw it is a different fault from evidence that was never found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memtui.model import Hit, Turn
from runners.agents.contract import ShownBlock
from runners.memory.contract import CallResult, Haystack, SessionText
from runners.sessions import count_tokens, render_block, render_turn

NOTHING_FOUND = "No results."


@dataclass(frozen=True, slots=True)
class HaystackText:
    """Turns and dates of a haystack's sessions by opaque token: what blocks are rendered from."""

    turns: Mapping[str, tuple[Turn, ...]]
    dates: Mapping[str, str | None]

    @classmethod
    def of(cls, haystack: Haystack, texts: Mapping[str, SessionText]) -> HaystackText:
        """Index a haystack; `texts` is keyed by session sha."""
        positions = haystack.positions
        return cls(
            {position.token: texts[position.sha].turns for position in positions},
            {position.token: position.date for position in positions},
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """A call's hits after the cut, and what the agent is given of them.

    `returned` counts what the system gave back, `shown` what the agent sees; `cut` says why blocks
    were held back or shortened (`k`, `tokens`, `block` or nothing).
    """

    hits: tuple[Hit, ...]
    blocks: tuple[ShownBlock, ...]
    text: str
    returned: int
    shown: int
    cut: str = ""


def show(
    result: CallResult,
    sessions: HaystackText,
    k: int,
    token_limit: int | None,
    block_limit: int | None = None,
) -> Shown:
    """Cut a call's result to k blocks and `token_limit` tokens and render what is left.

    With `block_limit` each block is cut to that many tokens first, as an oversized first block is.

    Blocks are shown in rank order until one does not fit; a first block that alone is over the limit
    is shown up to the last turn that fits, and the hit is split there, so that coverage stays exact.
    Hits the system already marked as cut stay cut.
    """
    hits: list[Hit] = []
    blocks: list[ShownBlock] = []
    left = token_limit
    full = False
    cut = ""
    for hit in result.hits:
        if full or not hit.shown or len(blocks) >= k:
            if not cut and hit.shown:
                cut = "tokens" if full else "k"
            hits.append(replace(hit, shown=False) if hit.shown else hit)
            continue
        text, rest = _block_text(hit, sessions), None
        if block_limit is not None and count_tokens(text) > block_limit:
            head, rest, text = _split(hit, sessions, block_limit)
            hit, cut = head or hit, cut or "block"
        if left is not None:
            tokens = count_tokens(text)
            if tokens > left:
                full, cut = True, "tokens"
                head, tail, text = (None, hit, "") if blocks else _split(hit, sessions, left)
                if head is None:
                    hits.append(replace(hit, shown=False))
                    if rest is not None:
                        hits.append(rest)
                    continue
                hits.append(head)
                hits += [part for part in (tail, rest) if part is not None]
                blocks.append(ShownBlock(head.ref, text, _date(head, sessions)))
                continue
            left -= tokens
        hits.append(hit)
        if rest is not None:
            hits.append(rest)
        blocks.append(ShownBlock(hit.ref, text, _date(hit, sessions)))
    shown = tuple(blocks)
    return Shown(
        hits=tuple(hits),
        blocks=shown,
        text=_observation_text(result, shown, cut, token_limit),
        returned=len(result.hits),
        shown=len(shown),
        cut=cut,
    )


def _block_text(hit: Hit, sessions: HaystackText) -> str:
    if hit.text is not None:
        return hit.text
    turns = sessions.turns.get(hit.ref)
    return "" if turns is None else render_block(turns, hit.first, hit.last)


def _date(hit: Hit, sessions: HaystackText) -> str | None:
    """The session's date; for a block made from several sessions, that of the newest dated one."""
    if hit.ref in sessions.dates:
        return sessions.dates[hit.ref]
    return max((d for token in hit.sources if (d := sessions.dates.get(token))), default=None)


def _split(hit: Hit, sessions: HaystackText, limit: int) -> tuple[Hit | None, Hit | None, str]:
    """The part of an oversized block that fits, the rest, and the text of the part.

    A block of verbatim turns is split between two turns; one with a text of its own, or whose first
    turn alone is over the limit, is cut inside and keeps its range.
    """
    turns = sessions.turns.get(hit.ref)
    if hit.text is None and turns is not None:
        first = hit.first or 0
        last = len(turns) - 1 if hit.last is None else min(hit.last, len(turns) - 1)
        end, room = first, limit
        while end <= last and (size := count_tokens(render_turn(turns[end]) + "\n")) <= room:
            room -= size
            end += 1
        if end > first:
            head = replace(hit, first=first, last=end - 1)
            tail = replace(hit, first=end, last=last, shown=False)
            return head, tail, render_block(turns, first, end - 1)
    return hit, None, _block_text(hit, sessions)[: max(limit, 1) * 4] + " […]"


def _observation_text(
    result: CallResult, blocks: tuple[ShownBlock, ...], cut: str, token_limit: int | None
) -> str:
    own = result.text
    if own is not None and not cut:
        if token_limit is None or count_tokens(own) <= token_limit:
            return own
        if not blocks:
            return own[: max(token_limit, 1) * 4] + " […]"
    # The system's own text names blocks that were cut here: what the agent reads and what `shown`
    # says must be the same, so the shown blocks are rendered instead.
    if not blocks:
        return NOTHING_FOUND
    return "\n\n".join(
        f"[{rank}] {block.token}{f' · {block.date}' if block.date else ''}\n{block.text}"
        for rank, block in enumerate(blocks, 1)
    )
