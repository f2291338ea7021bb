"""What a run has cost so far: everything paid at a door, the judges' verdicts included."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.store.reader import RunReader


@dataclass(frozen=True, slots=True)
class Paid:
    """US dollars; `cost` is None where nothing is known of it, `partial` where only a part is."""

    cost: float | None
    partial: bool = False


_ASKED = "(coalesce(json_extract({0},'$.calls'),0)>0 OR json_extract({0},'$.prompt')>0)"
"""A usage in which a model was asked: one without is no cost, rather than an unknown one."""


def paid_for(reader: RunReader) -> Paid:
    """The sum over the ledger and the verdicts; of a file without a ledger, over the counted episodes."""
    total, known, asked = 0.0, 0, 0
    for table, column in (("ledger", "paid"), ("verdict", "usage")):
        cost, priced, unpriced = reader.query(
            f"SELECT total(json_extract({column},'$.cost')),count(json_extract({column},'$.cost')),"
            f" total(json_extract({column},'$.cost') IS NULL AND {_ASKED.format(column)})"
            f" FROM {table} WHERE {column} IS NOT NULL AND {column}<>'{{}}'"
        )[0]
        total, known, asked = total + cost, known + priced, asked + int(unpriced)
    rows = reader.query("SELECT EXISTS(SELECT 1 FROM ledger)")[0][0]
    if not rows:
        cost, priced, episodes = reader.query(
            "SELECT total(cost),count(cost),count(*) FROM episode WHERE counts=1 AND done=1"
        )[0]
        total, known, asked = total + cost, known + priced, asked + episodes - priced
    if asked and not known:
        return Paid(None)
    if not rows and not known:
        return Paid(None)
    return Paid(total, partial=asked > 0)
