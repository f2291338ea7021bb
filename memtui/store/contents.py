"""What a run file says, without when it was said: two runs of equal content tell the same story.

Left out are times, durations, the run's own name and uid, attempts that were made again, and what is kept
about the process (log, heartbeat). Rows are named by identity, never by number: workers write in any
order. The ledger is compared in sums per phase, since of two episodes that ask the same, either may be
the one that pays; what a run that was continued prepared twice counts once among the cold costs.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import orjson

from memtui.store.reader import RunReader

_EPISODE = "a.key || '|' || i.key || '|' || c.conditions || '|r' || e.repeat"
_OF_EPISODE = (
    " JOIN cell c ON c.id = e.cell_id JOIN arm a ON a.id = c.arm_id JOIN item i ON i.id = e.item_id"
)
_QUESTIONS = {
    "arm": "SELECT key, agent, memory, config, form, provenance, note FROM arm",
    "item": (
        "SELECT key, question, gold, gold_raw, qtype, cluster, answerable, question_date, tempting,"
        " flags, meta FROM item"
    ),
    "evidence": (
        "SELECT i.key, v.ord, v.raw, v.session, v.turn, v.status FROM evidence v"
        " JOIN item i ON i.id = v.item_id"
    ),
    "session": "SELECT token, sha, source, date, n_turns, tokens FROM session",
    "haystack": (
        "SELECT h.key, i.key, h.scale, h.ladder_seed, h.n_sessions, h.tokens, h.available, h.z"
        " FROM haystack h JOIN item i ON i.id = h.item_id"
    ),
    "episode": (
        f"SELECT {_EPISODE}, e.done, e.end_reason, e.requested, e.executed, e.first_hit,"
        " e.t_star, e.gold_total, e.gold_found, e.redundant, e.zero_yield, e.strip, e.forced,"
        " e.abstained, e.answer, e.answer_raw, e.error, e.coverage, e.views, e.usage"
        f" FROM episode e{_OF_EPISODE} WHERE e.counts = 1"
    ),
    "step": (
        f"SELECT {_EPISODE}, s.seq, s.kind, s.name, s.status, s.call_no, s.query, s.k_asked,"
        " s.k_returned, s.k_shown, s.hits, s.gold_ranks, s.similarity, s.raw, s.text, s.usage,"
        " s.data, m.z FROM step s JOIN episode e ON e.id = s.episode_id"
        f"{_OF_EPISODE} LEFT JOIN message m ON m.step_id = s.id WHERE e.counts = 1"
    ),
    "verdict": (
        f"SELECT {_EPISODE}, v.judge, v.label, v.reason, v.raw, v.usage FROM verdict v"
        f" JOIN episode e ON e.id = v.episode_id{_OF_EPISODE} WHERE e.counts = 1"
    ),
}
_LEDGER = (
    "SELECT l.owner, l.phase, l.paid, l.cold, coalesce(e.counts, 1) FROM ledger l"
    " LEFT JOIN episode e ON l.owner = 'episode:' || e.uid"
)
SHOWN = 120
"""Characters of a differing row that are shown."""


def contents(path: Path) -> dict[str, list[str]]:
    """Rows of every kind as sorted texts."""
    with RunReader(path) as reader:
        found = {
            kind: sorted(repr(tuple(row)) for row in reader.query(sql))
            for kind, sql in _QUESTIONS.items()
        }
        found["ledger"] = _ledger(reader.query(_LEDGER))
    return found


def _ledger(rows: list[Any]) -> list[str]:
    """One line per phase, side and count: its sum, and how often it is unknown."""
    paid: dict[tuple[str, str], float] = defaultdict(float)
    cold: dict[tuple[str, str, str], float] = {}
    unknown: dict[tuple[str, str, str], int] = defaultdict(int)
    for owner, phase, paid_raw, cold_raw, counts in rows:
        for key, value in orjson.loads(paid_raw).items():
            if value is None:
                unknown[phase, "paid", key] += 1
            else:
                paid[phase, key] += value
        # What an attempt paid that was made again, the next one found recorded.
        for key, value in orjson.loads(cold_raw).items() if counts else ():
            if value is None:
                unknown[phase, "cold", key] += 1
            else:
                # An artifact or a state that is made again is the same one.
                cold[owner, phase, key] = max(value, cold.get((owner, phase, key), 0.0))
    sums: dict[tuple[str, str, str], float] = defaultdict(float)
    for (phase, key), value in paid.items():
        sums[phase, "paid", key] = value
    for (_, phase, key), value in cold.items():
        sums[phase, "cold", key] += value
    return sorted(
        f"{' '.join(key)}: {round(sums[key], 9):g}, {unknown[key]} unknown"
        for key in {*sums, *unknown}
        if sums[key] or unknown[key]
    )


def differences(one: Path, other: Path, most: int = 10) -> list[str]:
    """One line per row that only one of two runs has, at most `most` of them; empty when equal."""
    first, second = contents(one), contents(other)
    lines = []
    for kind in first:
        left, right = set(first[kind]), set(second[kind])
        if len(first[kind]) != len(second[kind]):
            lines.append(f"{kind}: {len(first[kind])} rows and {len(second[kind])}")
        for name, only in ((one.name, left - right), (other.name, right - left)):
            lines += [f"{kind}: only {name} has {row[:SHOWN]}" for row in sorted(only)]
    return lines[:most]
