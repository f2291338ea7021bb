"""The best rank at which a call returned a piece of evidence, as SQL over the steps of an episode."""

from __future__ import annotations

RANK_SQL = (
    "CASE WHEN i.answerable AND e.gold_total IS NOT NULL THEN (SELECT min(json_extract(x.value,'$[1]'))"
    " FROM step s,json_each(iif(json_valid(CAST(s.gold_ranks AS TEXT)),CAST(s.gold_ranks AS TEXT),'[]')) x"
    " WHERE s.episode_id=e.id AND s.gold_ranks IS NOT NULL) END"
)
"""NULL where no piece ever came back, and where coverage is n/a. Blocks that were cut count: a rank says
where the memory put the evidence, not whether the model saw it."""
