"""The best rank at which a call returned a piece of evidence, as SQL over the steps of episodes."""

from __future__ import annotations

_RANK = "min(json_extract(x.value,'$[1]'))"
_STEPS = (
    "step s,json_each(iif(json_valid(CAST(s.gold_ranks AS TEXT)),CAST(s.gold_ranks AS TEXT),'[]')) x"
    " WHERE s.gold_ranks IS NOT NULL"
)
RANK_SQL = (
    "CASE WHEN i.answerable AND e.gold_total IS NOT NULL"
    f" THEN (SELECT {_RANK} FROM {_STEPS} AND s.episode_id=e.id) END"
)
"""Of one episode. NULL where no piece ever came back, and where coverage is n/a. Blocks that were cut count: a
rank says where the memory put the evidence, not whether the model saw it."""
COUNTED_RANKS = (
    f"SELECT best,count(*) FROM (SELECT {_RANK} AS best FROM {_STEPS}"
    " AND s.episode_id IN (SELECT value FROM json_each(?)) GROUP BY s.episode_id) GROUP BY best"
)
"""(rank, episodes) of those, given by their ids as JSON, to which a piece came back."""
