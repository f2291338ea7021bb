"""Which episode a person means: its id, its uid, its key, or an item with the arm and scale that make it one."""

from __future__ import annotations

from memtui.errors import UserError
from memtui.metrics.scales import scale_label
from memtui.query.naming import at_arm_and_scale
from memtui.store.reader import RunReader
from memtui.store.records import EpisodeDetail
from memtui.views.numbers import UNKNOWN

MOST = 12


def find_episode(
    reader: RunReader,
    wanted: str,
    *,
    arm: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    repeat: int | None = None,
) -> EpisodeDetail:
    """The one episode that `wanted` and the choices name; UserError with the candidates otherwise."""
    number = int(wanted) if wanted.isdecimal() and len(wanted) < 19 else reader.episode_id(wanted)
    if number is None:
        attempts = reader.query(
            "SELECT id FROM episode WHERE key=? ORDER BY counts, attempt", (wanted,)
        )
        number = attempts[-1][0] if attempts else None
    if number is not None:
        detail = reader.episode(number)
        if detail is not None:
            return detail
    conditions, params = at_arm_and_scale(arm, scale)
    conditions.append("i.key=?")
    params.append(wanted)
    if seed is not None:
        conditions.append("h.ladder_seed=?")
        params.append(seed)
    if repeat is not None:
        conditions.append("e.repeat=?")
        params.append(repeat)
    found = reader.episode_ids(" AND ".join(conditions), params)
    if len(found) == 1:
        detail = reader.episode(found[0])
        if detail is not None:
            return detail
    if not found:
        raise UserError(
            f"no episode {wanted!r} in {reader.path}: give an id (memtui failures lists them), a uid, "
            "a key or the key of an item"
        )
    rows = reader.episode_rows(found[:MOST])
    listed = ", ".join(
        f"{row.id} ({row.arm} scale {UNKNOWN if row.scale is None else scale_label(row.scale)})"
        for row in rows.values()
    )
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    raise UserError(
        f"{len(found)} episodes ask {wanted!r}: {listed}{more}; choose by id, or with --arm, --scale, "
        "--seed, --repeat"
    )
