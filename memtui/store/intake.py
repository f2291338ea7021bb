"""The emitter's side of the writer: checks an event, takes secrets out, and makes operations of it.

Everything that can be wrong with an event is found here, in the call that emits it, so that the emitter
and nobody else hears of it. What the writer's thread receives can be written as it stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from memtui.store import rows
from memtui.store.columns import Shape
from memtui.store.errors import StoreError
from memtui.store.events import (
    ArmEvent,
    EpisodeFinished,
    EpisodeStarted,
    Event,
    HaystackEvent,
    HeartbeatEvent,
    ItemEvent,
    LedgerEvent,
    LogEvent,
    RunEvent,
    RunStateEvent,
    SessionEvent,
    StepEvent,
    VerdictEvent,
)
from memtui.store.ids import Attempt, Ids, seqs_of
from memtui.store.secrets import SecretFilter
from memtui.store.transaction import Insert, Operation, Step, Update

E = TypeVar("E")
_HITS = 11
"""Column of a step's hits in `rows.step_values`."""
_UNSTORABLE = (TypeError, ValueError, AttributeError, RecursionError)

_RUN = Shape("run", "uid", "created_at", but=("state", "note"))
_NOTE, _PLANNED = Shape("run", "state", "note"), Shape("run", "planned", "planned")
_ARM = Shape("arm", "key", "note")
_CELL = Shape("cell", "id", "scale")
_ITEM, _EVIDENCE = Shape("item", "key", "meta"), Shape("evidence", "ord", "status")
_SESSION = Shape("session", "token", "z")
_HAYSTACK = Shape("haystack", "key", "z")
_STARTED = Shape("episode", "id", "attempt", but=("rev",))
_ENDED = Shape("episode", "counts", "finished_at", but=("done", "started_at"))
_STEP = Shape("step", "seq", "data")
_VERDICT = Shape("verdict", "judge", "at")
_LEDGER = Shape("ledger", "owner", "wall_ms")
_HEARTBEAT = Shape("heartbeat", "at", "snapshot")
_LOG = Shape("event", "at", "data")

_FLIP = "UPDATE episode SET rev=?1, counts=0 WHERE key=?2 AND counts=1"
_FINISH = """UPDATE episode SET rev=?1, done=1, counts=?2, end_reason=?3, requested=?4, executed=?5,
 first_hit=?6, t_star=?7, gold_total=?8, gold_found=?9, redundant=?10, zero_yield=?11, strip=?12,
 forced=?13, abstained=?14, prompt_tokens=?15, completion_tokens=?16, cached_tokens=?17, cost=?18,
 wall_ms=?19, answer=?20, answer_raw=?21, error=?22, coverage=?23, views=?24, usage=?25,
 finished_at=?26 WHERE id=?27"""
_RESUME = "UPDATE run SET rev=?1, state='running', finished_at=NULL, planned=?2"
_ORPHANS = """UPDATE episode SET rev=?1, done=1, counts=0, end_reason='interrupted',
 error='the process that ran it ended',
 requested=(SELECT count(*) FROM step WHERE episode_id=episode.id AND counts_as_call=1),
 executed=(SELECT count(*) FROM step WHERE episode_id=episode.id AND counts_as_call=1
           AND status NOT IN ('refused','invalid_args','unknown_tool'))
 WHERE done=0"""
_STATE = """UPDATE run SET rev=?1, state=?2, note=?3, planned=coalesce(?5, planned),
 finished_at=CASE WHEN ?2 IN ('finished','interrupted') THEN ?4 END"""


class Intake:
    """Turns events into operations; safe to call from several threads."""

    def __init__(
        self,
        ids: Ids,
        secrets: SecretFilter,
        send: Callable[[list[Operation]], None],
        stored_seqs: Callable[[int], list[int]],
    ) -> None:
        self._ids = ids
        self._secrets = secrets
        self._send = send
        self._stored_seqs = stored_seqs
        self._lock = threading.Lock()
        self._next = {
            "cell": max(ids.cells.values(), default=0),
            "arm": max(ids.arms.values(), default=0),
            "item": max(ids.items.values(), default=0),
            "haystack": max(ids.haystacks.values(), default=0),
            "episode": max((a.id for a in ids.attempts.values()), default=0),
        }

    def put(self, event: Event) -> None:
        """Check and queue one event; StoreError when it cannot be stored."""
        if type(event) is StepEvent:
            self._step(event)
            return
        with self._lock:
            self._send(self._others(event))

    def _encode(
        self,
        event: E,
        encode: Callable[[E], tuple[rows.Row, ...]],
        shape: Shape,
        others: Shape | None = None,
    ) -> tuple[rows.Row, ...]:
        """Rows of an event without secrets: scrubbed only when a quick look finds it necessary.

        The first row is of `shape`, the further ones are of `others`.
        """

        def shaped(event: E) -> tuple[rows.Row, ...]:
            found = tuple(map(rows.plain, encode(event)))
            shape.check(found[0])
            if others is not None:
                for row in found[1:]:
                    others.check(row)
            return found

        try:
            found = shaped(event)
            if not self._secrets.suspicious(rows.probe_all(found)):
                return found
        except _UNSTORABLE:
            pass  # often lone surrogates or huge integers: scrubbing makes them storable
        try:
            found = shaped(self._secrets.scrub(event))
            rows.probe_all(found)
        except _UNSTORABLE as error:
            raise StoreError(f"{type(event).__name__} cannot be stored: {error}") from None
        return found

    def _step(self, event: StepEvent) -> None:
        attempt = self._ids.attempts.get(event.episode)
        if attempt is None:
            raise StoreError(f"step {event.seq} belongs to an episode that never started")
        note: list[Operation] = []
        try:
            values, texts, messages = rows.step_values(event)
            values = rows.plain(values)
            _STEP.check(values)
            clean = not self._secrets.suspicious(self._step_text(event, values, texts, messages))
        except UnicodeEncodeError:
            clean = False
            note = self._escaped(attempt, event)
        except _UNSTORABLE as error:
            clean = False
            if "surrogate" in str(error):
                note = self._escaped(attempt, event)
        if not clean:
            try:
                values, texts, messages = rows.step_values(self._secrets.scrub(event))
                values = rows.plain(values)
                _STEP.check(values)
                rows.probe(values)
            except _UNSTORABLE as error:
                raise StoreError(f"step {event.seq} cannot be stored: {error}") from None
        if not 0 <= event.seq < 1_000_000:
            raise StoreError(f"step {event.seq}: its number is out of range")
        seqs, bit = seqs_of(self._stored_seqs, attempt), 1 << event.seq
        if seqs & bit:
            raise StoreError(f"step {event.seq} of this episode was already written")
        attempt.seqs = seqs | bit
        operations: list[Operation] = [Step((attempt.id, *values), messages)]
        for key, text in texts.items():
            if key not in self._ids.passages:
                self._ids.passages.add(key)
                operations.append(Insert("passage", (key, text.encode())))
        self._send(operations + note)

    def _step_text(
        self, event: StepEvent, values: rows.Row, texts: dict[str, str], messages: bytes | None
    ) -> str:
        """What of a step may hold a secret; hits that only name declared sessions may not."""
        sessions = self._ids.sessions
        hits = None
        for hit in event.hits:
            if hit.ref not in sessions or hit.sources:
                hits = values[_HITS]
                break
        assert hits is None or isinstance(hits, bytes)
        more = [text.encode() for text in texts.values()] if texts else ()
        return rows.probe(values, messages, hits, *more)

    def _escaped(self, attempt: Attempt, event: StepEvent) -> list[Operation]:
        if attempt.escaped:
            return []
        attempt.escaped = True
        text = (
            f"step {event.seq} of {attempt.key} holds lone surrogates, which UTF-8 cannot hold: each is"
            " kept as its escape (\\udc80)"
        )
        note = LogEvent(event.at, "warning", "surrogates_escaped", text, {"episode": event.episode})
        return [Insert("event", rows.log_values(self._secrets.scrub(note)))]

    def _others(self, event: Event) -> list[Operation]:
        if isinstance(event, RunEvent):
            return self._run(event)
        if self._ids.run_uid is None:
            raise StoreError("the first event of a run file must be its RunEvent")
        if isinstance(event, EpisodeStarted):
            return self._started(event)
        if isinstance(event, EpisodeFinished):
            return self._finished(event)
        if isinstance(event, VerdictEvent):
            (values,) = self._encode(event, lambda e: (rows.verdict_values(e),), _VERDICT)
            return [Insert("verdict", (self._attempt(event.episode).id, *values))]
        if isinstance(event, LedgerEvent):
            return [
                Insert("ledger", *self._encode(event, lambda e: (rows.ledger_values(e),), _LEDGER))
            ]
        if isinstance(event, HeartbeatEvent):
            return [
                Insert(
                    "heartbeat",
                    *self._encode(event, lambda e: (rows.heartbeat_values(e),), _HEARTBEAT),
                )
            ]
        if isinstance(event, LogEvent):
            return [Insert("event", *self._encode(event, lambda e: (rows.log_values(e),), _LOG))]
        if isinstance(event, RunStateEvent):
            clean = self._secrets.scrub(event)
            _require(_NOTE, (str(clean.state), clean.note))
            if clean.planned is not None:
                _require(_PLANNED, (clean.planned,))
            return [
                Update(_STATE, (str(clean.state), clean.note, rows.utc(clean.at), clean.planned))
            ]
        return self._declared(event)

    def _declared(self, event: Event) -> list[Operation]:
        """What episodes refer to by key: arms, items, sessions, haystacks."""
        ids = self._ids
        if isinstance(event, ArmEvent):
            (row,) = self._encode(event, lambda e: (rows.arm_values(e),), _ARM)
            if ids.known("arm", event.key, row):
                return []
            ids.arms[event.key] = number = self._number("arm")
            return [Insert("arm", (number, *row))]
        if isinstance(event, ItemEvent):
            key = event.item.key
            row, *evidence = self._encode(
                event.item,
                lambda i: (rows.item_values(i), *rows.evidence_values(i)),
                _ITEM,
                _EVIDENCE,
            )
            if ids.known("item", key, (*row, *evidence)):
                return []
            ids.items[key] = number = self._number("item")
            gold: list[Operation] = [Insert("evidence", (number, *one)) for one in evidence]
            return [Insert("item", (number, *row)), *gold]
        if isinstance(event, SessionEvent):
            before = ids.sessions.get(event.token)
            if before == event.sha:
                return []
            if before is not None:
                raise StoreError(f"session {event.token} is already in the file with other content")
            (row,) = self._encode(event, lambda e: (rows.session_values(e),), _SESSION)
            ids.sessions[event.token] = event.sha
            return [Insert("session", row)]
        if isinstance(event, HaystackEvent):
            item = ids.items.get(event.item)
            if item is None:
                raise StoreError(f"haystack {event.key!r} is of an undeclared item {event.item!r}")
            (row,) = self._encode(event, lambda e: (rows.haystack_values(e, item),), _HAYSTACK)
            if ids.known("haystack", event.key, row[:-1]):
                return []
            ids.haystacks[event.key] = number = self._number("haystack")
            return [Insert("haystack", (number, *row))]
        raise StoreError(f"{type(event).__name__} is not an event of a run file")

    def _run(self, event: RunEvent) -> list[Operation]:
        ids = self._ids
        (row,) = self._encode(event, lambda e: (rows.run_values(e),), _RUN)
        if ids.run_uid is None:
            ids.run_uid, ids.config_hash = event.uid, event.config_hash
            return [Insert("run", row)]
        if ids.run_uid != event.uid:
            raise StoreError(
                f"the file already holds run {ids.run_uid}; a run file holds one run: write"
                f" {event.uid} to another file"
            )
        if ids.config_hash != event.config_hash:
            raise StoreError(
                f"run {event.uid} was started with another configuration (hash {ids.config_hash},"
                f" now {event.config_hash}): its episodes cannot be mixed"
            )
        for attempt in ids.attempts.values():
            attempt.done = True
        return [Update(_RESUME, (event.planned,)), Update(_ORPHANS, ())]

    def _started(self, event: EpisodeStarted) -> list[Operation]:
        ids = self._ids
        event = self._secrets.scrub(event)
        arm, item = ids.arms.get(event.id.arm), ids.items.get(event.id.item)
        haystack = None if event.haystack is None else ids.haystacks.get(event.haystack)
        if arm is None:
            raise StoreError(f"an episode of an undeclared arm {event.id.arm!r}")
        if item is None:
            raise StoreError(f"an episode of an undeclared item {event.id.item!r}")
        if event.haystack is not None and haystack is None:
            raise StoreError(f"an episode over an undeclared haystack {event.haystack!r}")
        if event.uid in ids.attempts:
            raise StoreError(f"episode {event.uid} was already started")
        at = rows.utc(event.at, "the start of an episode")
        known = (0, event.uid, event.id.key, 0, item, haystack)
        _require(_STARTED, (*known, event.id.repeat, event.id.attempt))
        _require(_CELL, (0, arm, event.id.conditions, event.scale))
        ids.number(event.id.key, event.id.attempt)
        operations: list[Operation] = []
        # The ladder seed makes replicates of a cell, not cells of their own.
        conditions = "|".join(
            c for c in event.id.conditions.split("|") if not c.startswith("seed=")
        )
        cell = ids.cells.get((arm, conditions))
        if cell is None:
            cell = ids.cells[(arm, conditions)] = self._number("cell")
            operations.append(Insert("cell", (cell, arm, conditions, event.scale)))
        number = self._number("episode")
        ids.attempts[event.uid] = Attempt(number, event.id.key)
        row = (number, event.uid, event.id.key, cell, item, haystack, event.id.repeat)
        return [*operations, Insert("episode", (*row, event.id.attempt, at))]

    def _finished(self, event: EpisodeFinished) -> list[Operation]:
        attempt = self._attempt(event.episode)
        if attempt.key != event.id.key:
            raise StoreError(f"episode {event.episode} is {attempt.key}, not {event.id.key}")
        if attempt.done:
            raise StoreError(f"episode {event.episode} ({attempt.key}) already ended")
        (row,) = self._encode(event, lambda e: (rows.finished_values(e),), _ENDED)
        attempt.done = True
        flip: list[Operation] = [Update(_FLIP, (attempt.key,))] if event.counts else []
        return [*flip, Update(_FINISH, (*row, attempt.id))]

    def _attempt(self, uid: str) -> Attempt:
        attempt = self._ids.attempts.get(uid)
        if attempt is None:
            raise StoreError(f"episode {uid} never started")
        return attempt

    def _number(self, table: str) -> int:
        self._next[table] += 1
        return self._next[table]


def _require(shape: Shape, row: rows.Row) -> None:
    """StoreError when the row does not fit its table."""
    try:
        shape.check(row)
    except ValueError as error:
        raise StoreError(f"{shape.table} cannot be stored: {error}") from None
