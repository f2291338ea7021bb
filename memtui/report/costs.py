"""What a run spent, from the ledger of a run file: per cell and phase, and per memory system.

What happens within an episode belongs to its cell. What a memory system spends on taking sessions in
serves all its arms and scales, and stands beside them. Attempts that do not count were paid for too;
as if cold, an episode is asked once and a session taken in once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from memtui.metrics.cost import WHOLE, Amount, PhaseCost, Spent, in_order
from memtui.model import FLAGGED
from memtui.report.model import ArmCost, Cell, CellCost, Costs, Ingest
from memtui.store import codec
from memtui.store.reader import RunReader
from memtui.store.records import ArmRow, CellRow, EpisodeFact

_WITHIN = "owner>='episode:' AND owner<'episode;'"
_LINES = (
    "SELECT owner,phase,wall_ms,CASE WHEN json_valid(paid) THEN paid ELSE '{}' END AS paid,"
    " CASE WHEN json_valid(cold) THEN cold ELSE '{}' END AS cold FROM ledger WHERE "
)


def _summed(side: str) -> str:
    """Columns of `_spent`: over the lines of a group."""
    calls, prompt, completion, dollars = _said(side)
    return (
        f"total({calls}),count(*),total(ifnull({prompt},0)+ifnull({completion},0)),"
        f"total({prompt} IS NULL OR {completion} IS NULL),total({dollars}),total({dollars} IS NULL)"
    )


def _once(side: str) -> str:
    """The same where the lines of a group are the same work: the largest of them."""
    calls, prompt, completion, dollars = _said(side)
    return (
        f"ifnull(max({calls}),0),1,ifnull(max({prompt}),0)+ifnull(max({completion}),0),"
        f"max({prompt}) IS NULL OR max({completion}) IS NULL,ifnull(max({dollars}),0),"
        f"max({dollars}) IS NULL"
    )


def _said(side: str) -> list[str]:
    keys = ("calls", "prompt", "completion", "cost")
    return [f"json_extract(l.{side},'$.{key}')" for key in keys]


_WALL = "count(*),total(l.wall_ms),total(l.wall_ms IS NULL)"
_OF_EPISODES = (
    f"SELECT e.cell_id,e.counts,l.phase,{_summed('paid')},{_summed('cold')},{_WALL}"
    f" FROM ({_LINES}{_WITHIN}) l JOIN episode e ON e.uid=substr(l.owner,9) WHERE "
)
_OF_SYSTEMS = (
    f"SELECT l.owner,l.phase,{_summed('paid')},{_once('cold')},{_WALL}"
    f" FROM ({_LINES}NOT ({_WITHIN})) l GROUP BY l.owner,l.phase"
)
_NOT_SPLIT = (
    "SELECT e.cell_id,count(*),total(ifnull(e.prompt_tokens,0)+ifnull(e.completion_tokens,0)),"
    "total(e.prompt_tokens IS NULL OR e.completion_tokens IS NULL),total(e.cost),"
    "total(e.cost IS NULL),total(e.wall_ms),total(e.wall_ms IS NULL) FROM episode e"
    " WHERE e.counts=1 AND e.done=1 AND e.uid NOT IN"
    f" (SELECT substr(owner,9) FROM ledger WHERE {_WITHIN}) AND "
)


class Ledger:
    """The sums of some episodes, read once; what a budget changes is added by `costs`."""

    def __init__(
        self,
        reader: RunReader,
        arms: Sequence[ArmRow],
        cells: Iterable[CellRow],
        facts: Collection[EpisodeFact],
        *,
        whole: bool,
    ) -> None:
        """Reads every attempt of the episodes; `whole`: `facts` are all that the file has."""
        where, params = ("1", ()) if whole else _restriction(facts)
        self._arms, self._rows = arms, tuple(cells)
        self._cells: dict[int, list[PhaseCost]] = defaultdict(list)
        for cell, counts, phase, *sums in reader.query(
            f"{_OF_EPISODES}{where} GROUP BY e.cell_id,e.counts,l.phase", params
        ):
            found = _phase(phase, sums)
            if not counts:
                found.cold, found.wall = Spent(), Amount()
            self._cells[cell].append(found)
        for cell, n, tokens, no_tokens, dollars, no_dollars, wall, no_wall in reader.query(
            f"{_NOT_SPLIT}{where} GROUP BY e.cell_id", params
        ):
            paid = Spent(0, _amount(n, tokens, no_tokens), _amount(n, dollars, no_dollars))
            nothing = Amount(0.0, n, n)
            cold = Spent(0, nothing, nothing)
            self._cells[cell].append(PhaseCost(WHOLE, paid, cold, _amount(n, wall, no_wall)))
        self._systems: dict[str, PhaseCost] = {}
        memories = sorted({arm.memory for arm in arms}, key=len, reverse=True)
        for owner, phase, *sums in reader.query(_OF_SYSTEMS):
            _, _, name = owner.partition(":")
            memory = next((m for m in memories if name.startswith(f"{m}:")), "")
            found = _phase(phase, sums)
            self._systems.setdefault(memory, PhaseCost("ingest")).add(found)
        self._ended: dict[int, int] = defaultdict(int)
        for fact in facts:
            if fact.done and fact.end_reason != FLAGGED:
                self._ended[fact.cell_id] += 1

    def costs(self, cells: Sequence[Cell], apart: Sequence[Cell]) -> Costs:
        """Costs beside right answers: `cells` of answerable items, `apart` of those without an answer."""
        right: dict[int, int] = defaultdict(int)
        for one in (*cells, *apart):
            right[one.cell_id] += one.counts.right
        by_cell = tuple(
            CellCost(
                row.id, row.arm, row.scale, row.conditions, self._ended[row.id], right[row.id],
                in_order(self._cells.get(row.id, ())),
            )
            for row in self._rows
            if self._ended[row.id]
        )  # fmt: skip
        by_arm = []
        for arm in self._arms:
            mine = [one for one in by_cell if one.arm == arm.key]
            if not mine:
                continue
            phases = [phase for one in mine for phase in one.phases]
            ingest = self._systems.get(arm.memory)
            phases += [] if ingest is None else [ingest]
            ended, good = sum(one.episodes for one in mine), sum(one.right for one in mine)
            by_arm.append(ArmCost(arm.key, arm.memory, ended, good, in_order(phases)))
        ingests = tuple(
            Ingest(memory, tuple(a.key for a in self._arms if a.memory == memory), cost)
            for memory, cost in self._systems.items()
        )
        return Costs(by_cell, tuple(by_arm), ingests)


def _restriction(facts: Collection[EpisodeFact]) -> tuple[str, tuple[str, ...]]:
    """A condition on episodes: these with their earlier attempts."""
    ids = [fact.id for fact in facts if fact.end_reason != FLAGGED]
    condition = "e.key IN (SELECT key FROM episode WHERE id IN (SELECT value FROM json_each(?)))"
    return condition, (codec.to_text(ids),)


def _phase(name: str, sums: Sequence[Any]) -> PhaseCost:
    lines, wall, no_wall = sums[12:]
    return PhaseCost(name, _spent(sums[:6]), _spent(sums[6:12]), _amount(lines, wall, no_wall))


def _spent(sums: Sequence[Any]) -> Spent:
    calls, lines, tokens, no_tokens, dollars, no_dollars = sums
    return Spent(int(calls), _amount(lines, tokens, no_tokens), _amount(lines, dollars, no_dollars))


def _amount(lines: float, known: float, unknown: float) -> Amount:
    return Amount(float(known), int(lines), int(unknown))
