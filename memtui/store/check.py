"""`memtui check`: is a run file whole, and if not, what was lost?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memtui.model import RunState
from memtui.store import codec, lease
from memtui.store.column_kinds import misfits
from memtui.store.connect import ADVICE, open_read_only, require_run_file
from memtui.store.damage import lost_rows, page_report
from memtui.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. `error`: something is lost or contradicts itself. `warning`: unfinished."""

    kind: str
    severity: str
    text: str
    where: str = ""


def check_file(path: Path) -> list[Problem]:
    """Everything that is wrong with a run file, an empty list when it is whole.

    Never raises for a bad file: one that cannot be opened is a problem of kind `unusable`.
    """
    try:
        connection, found = open_read_only(path)
    except StoreError as error:
        text = str(error).replace(
            ADVICE, ": its list of tables cannot be read, so nothing in it can"
        )
        return [Problem("unusable", "error", text)]
    with closing(connection):
        try:
            warning = require_run_file(path, found)
        except StoreError as error:
            return [Problem("unusable", "error", str(error))]
        problems = [Problem("newer_version", "warning", warning)] if warning else []
        problems += [Problem("page", "error", line) for line in page_report(connection)]
        if problems and problems[-1].kind == "page":
            problems += [Problem("lost_rows", "error", line) for line in lost_rows(connection)]
        checks = (_kinds, _identity, _references, _sequence, _facts, _unfinished, _texts)
        for check in checks:
            try:
                problems += check(connection, path)
            except (sqlite3.DatabaseError, StoreError, ValueError, TypeError) as error:
                what = check.__name__.strip("_")
                problems.append(
                    Problem("unreadable", "error", f"the check of {what} stopped: {error}")
                )
        return problems


def _list(names: Iterable[object], most: int = 5) -> str:
    """`a, b, c and 4 more`."""
    shown = [str(n) for n in names]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def _kinds(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """Every value is of the kind its column declares."""
    return [Problem("wrong_kind", "error", line) for line in misfits(connection)]


def _identity(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """An episode counts once, and an attempt number is used once."""
    problems = []
    twice = connection.execute(
        "SELECT key FROM episode WHERE counts=1 GROUP BY key HAVING count(*)>1"
    ).fetchall()
    if twice:
        text = f"{len(twice)} episodes count more than once"
        problems.append(Problem("counted_twice", "error", text, _list(r[0] for r in twice)))
    same = connection.execute(
        "SELECT key, attempt FROM episode GROUP BY key, attempt HAVING count(*)>1"
    ).fetchall()
    if same:
        text = f"{len(same)} attempt numbers are used more than once"
        problems.append(
            Problem("attempt_twice", "error", text, _list(f"{k} attempt {a}" for k, a in same))
        )
    if connection.execute("SELECT count(*) FROM episode WHERE counts=1 AND done=0").fetchone()[0]:
        problems.append(Problem("counted_unfinished", "error", "an unfinished attempt counts"))
    return problems


_DANGLING = (
    ("episode", "cell_id", "cell"),
    ("episode", "item_id", "item"),
    ("episode", "haystack_id", "haystack"),
    ("step", "episode_id", "episode"),
    ("verdict", "episode_id", "episode"),
    ("message", "step_id", "step"),
    ("cell", "arm_id", "arm"),
    ("evidence", "item_id", "item"),
)


def _references(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """Every row refers to a row that is there."""
    problems = []
    if connection.execute("SELECT count(*) FROM run").fetchone()[0] != 1:
        problems.append(Problem("no_run", "error", "the row that describes the run is missing"))
    for table, column, target in _DANGLING:
        n = connection.execute(
            f"SELECT count(*) FROM {table} t WHERE t.{column} IS NOT NULL AND NOT EXISTS"
            f" (SELECT 1 FROM {target} x WHERE x.id=t.{column})"
        ).fetchone()[0]
        if n:
            text = f"{n} rows of {table} refer to a missing {target}"
            problems.append(Problem("dangling", "error", text))
    return problems


def _sequence(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """Steps of an attempt are numbered without gaps, from 0 or 1."""
    gaps = connection.execute(
        "SELECT e.uid, s.lowest, s.highest, s.n FROM (SELECT episode_id, min(seq) lowest,"
        " max(seq) highest, count(*) n FROM step GROUP BY episode_id) s"
        " JOIN episode e ON e.id=s.episode_id"
        " WHERE s.lowest>1 OR s.highest-s.lowest+1<>s.n"
    ).fetchall()
    if not gaps:
        return []
    missing = sum(highest - min(lowest, 1) + 1 - n for _, lowest, highest, n in gaps)
    text = f"{len(gaps)} attempts have gaps in their steps, at least {missing} steps are missing"
    return [Problem("seq_gap", "error", text, _list(r[0] for r in gaps))]


def _facts(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """R of an ended attempt is the number of its steps that count as calls."""
    wrong = connection.execute(
        "SELECT e.uid, e.requested, count(s.id) FROM episode e LEFT JOIN step s"
        " ON s.episode_id=e.id AND s.counts_as_call=1 WHERE e.done=1 GROUP BY e.id"
        " HAVING count(s.id)<>e.requested"
    ).fetchall()
    if not wrong:
        return []
    text = f"{len(wrong)} attempts say another number of calls than their steps show"
    return [
        Problem("calls", "error", text, _list(f"{u}: {r} said, {n} shown" for u, r, n in wrong))
    ]


def _unfinished(connection: sqlite3.Connection, path: Path) -> list[Problem]:
    """A run that is over has ended all its attempts and counted what it planned."""
    if lease.holder(path) is not None:
        return []
    problems = []
    open_ = connection.execute("SELECT uid FROM episode WHERE done=0").fetchall()
    if open_:
        text = f"{len(open_)} attempts never ended: the process that ran them was stopped"
        problems.append(Problem("unfinished_attempt", "warning", text, _list(r[0] for r in open_)))
    run = connection.execute("SELECT state, planned FROM run").fetchone()
    if run is not None:
        state, planned = run
        done = connection.execute(
            "SELECT count(*) FROM episode WHERE counts=1 AND done=1"
        ).fetchone()[0]
        if state in (RunState.RUNNING, RunState.PAUSED):
            text = f"the run says it is {state}, but nobody writes it: {done} of {planned} episodes"
            problems.append(Problem("interrupted", "warning", text))
        elif done < planned:
            text = f"{done} of {planned} planned episodes are in the file ({state})"
            problems.append(Problem("incomplete", "warning", text))
        elif done > planned:
            text = f"{done} episodes count, but only {planned} were planned"
            problems.append(Problem("more_than_planned", "error", text))
    return problems


_PACKED = (
    ("session", "token"),
    ("passage", "ref"),
    ("haystack", "key"),
    ("message", "step_id"),
)


def _texts(connection: sqlite3.Connection, _: Path) -> list[Problem]:
    """Hits, haystacks and gold refer to texts that are there, and every packed text unpacks."""
    tokens = {r[0] for r in connection.execute("SELECT token FROM session").fetchall()}
    texts = {r[0] for r in connection.execute("SELECT ref FROM passage").fetchall()}
    own = {key.rsplit("#", 1)[0] for key in texts}
    missing: dict[str, None] = {}
    steps = 0
    for (blob,) in connection.execute("SELECT hits FROM step WHERE hits IS NOT NULL"):
        before = len(missing)
        for hit in codec.from_json(blob):
            known = hit[0] in tokens or hit[0] in own
            sources = hit[5] if len(hit) > 5 else ()
            if not known and (not sources or any(s not in tokens for s in sources)):
                missing[hit[0]] = None
            if len(hit) > 6 and codec.passage_key(hit[0], hit[6]) not in texts:
                missing[f"text of {hit[0]}"] = None
        steps += len(missing) > before
    problems = []
    if missing:
        text = (
            f"hits of {steps} steps or more point at {len(missing)} texts that are not in the file"
        )
        # A foreign harness need not give its texts; our own runs store every one.
        protocol = connection.execute("SELECT protocol FROM run").fetchone()
        severity = "warning" if protocol == ("recorded",) else "error"
        problems.append(Problem("missing_text", severity, text, _list(missing)))
    gold = connection.execute("SELECT DISTINCT session FROM evidence WHERE session IS NOT NULL")
    lost = [r[0] for r in gold.fetchall() if r[0] not in tokens]
    if lost and tokens:
        text = f"{len(lost)} gold sessions are not in the file"
        problems.append(Problem("missing_gold", "warning", text, _list(lost)))
    absent: dict[str, None] = {}
    for table, key in _PACKED:
        broken = []
        for name, packed in connection.execute(f"SELECT {key},z FROM {table}"):
            try:
                content = codec.unpack(packed)
                if table == "haystack":
                    positions = codec.from_json(content)
                    absent.update((p[0], None) for p in positions if p[0] not in tokens)
            except (StoreError, ValueError, TypeError):
                broken.append(name)
        if broken:
            text = f"{len(broken)} texts of {table} are damaged and lost"
            problems.append(Problem("lost_text", "error", text, _list(broken)))
    if absent and tokens:
        text = f"haystacks hold {len(absent)} sessions whose text is not in the file"
        problems.append(Problem("missing_session", "warning", text, _list(absent)))
    return problems
