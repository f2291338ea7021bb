"""Replies kept by the content of their request, so that a run can be repeated without a model.

A file of JSON lines, appended to as replies come (`.gz`: the same, compressed, to ship and read). Keys
are `ModelRequest.digest()`: model, messages, tools, settings and the repeat index. Requests are not
kept, replies are.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from io import BufferedWriter
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from memtui.errors import UserError
from memtui.model import Usage
from runners.models.chat import ModelReply, ModelRequest, ToolRequest
from runners.models.meter import FREE
from runners.models.model_errors import ErrorKind, ModelAccessError, ModelError

FORMAT = 1
_HEADER = "memtui_recordings"
_FIRST_LINE = json.dumps({_HEADER: FORMAT}).encode() + b"\n"
_LOST_AFTER = 3
"""Requests without a recording, and none with one, after which a replay is given up."""

SETTLED = frozenset({ErrorKind.CONTEXT_OVERFLOW, ErrorKind.FILTERED, ErrorKind.BAD_REQUEST})
"""Failures that say something about the request itself: asked again, they would come again."""


class CacheMode(StrEnum):
    """What is done with recordings."""

    OFF = "off"
    RECORD = "record"
    """Known replies are used, new ones are kept."""
    READ = "read"
    """Known replies are used, new ones are not kept."""
    REPLAY = "replay"
    """Known replies are used and no model is asked: a request without one fails."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A reply, or a settled failure, as it was recorded."""

    reply: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None


class Recordings:
    """The recordings of one run. `hits` and `misses` count what was looked for."""

    def __init__(self, path: Path, mode: CacheMode) -> None:
        if mode is CacheMode.RECORD and path.suffix == ".gz":
            raise UserError(
                f"{path}: replies are recorded as plain lines; compress them afterwards"
            )
        self.path = path
        self.mode = mode
        self.hits = 0
        self.misses = 0
        self.damaged: tuple[int, ...] = ()
        """Lines (from 1) that are no whole recording: what they held is not known."""
        self._known: dict[str, Recording] = {}
        self._vectors: dict[str, str] = {}
        self._used: set[str] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._file: BufferedWriter | None = None
        self._whole_lines = True
        self._begun = 0
        """Bytes of the first line that are there."""
        self._load()

    def __len__(self) -> int:
        return len(self._known)

    def _load(self) -> None:
        """Read what is there; UserError for a file that is none of ours, or is needed and missing."""
        try:
            raw = self.path.read_bytes()
            if self.path.suffix == ".gz":
                raw = gzip.decompress(raw)
        except FileNotFoundError:
            if self.mode in (CacheMode.READ, CacheMode.REPLAY):
                raise UserError(
                    f"there are no recordings {self.path} to {self.mode.value}"
                ) from None
            return
        except (EOFError, zlib.error) as error:
            raise UserError(
                f"the recordings {self.path} are cut off or damaged ({error}): fetch the file again,"
                " or unpack what is left of it with gzip -dc and record what is missing"
            ) from None
        except OSError as error:
            raise UserError(f"cannot read the recordings {self.path}: {error}") from None
        lines = raw.split(b"\n")
        self._whole_lines = not lines[-1]
        head = _parsed(lines[0])
        if _FIRST_LINE.startswith(raw) and raw != _FIRST_LINE:
            # Nothing yet, or a first line that a full disk cut: recording goes on from there.
            self._begun = len(raw)
            if self.mode is CacheMode.REPLAY:
                raise UserError(f"there are no recordings in {self.path} to replay")
            return
        if head is None or head.get(_HEADER) != FORMAT:
            raise UserError(f"{self.path} is not a file of recordings of format {FORMAT}")
        self._begun = len(_FIRST_LINE)
        damaged: list[int] = []
        for number, line in enumerate(lines[1:], start=2):
            # A line that a killed process left half-written is a reply that is asked for again.
            row = _parsed(line)
            if row is not None and row.get(_HEADER) == FORMAT:
                continue  # two files were put one after the other
            if row is None or not _is_whole(row):
                damaged += [number] if line.strip() else []
                continue
            if isinstance(row.get("vector"), str):
                self._vectors[row["key"]] = row["vector"]
            else:
                self._known[row["key"]] = Recording(row.get("reply") or {}, row.get("error"))
        self.damaged = tuple(damaged)
        if self.mode is CacheMode.REPLAY and not self._known and not self._vectors:
            raise UserError(f"there are no recordings in {self.path} to replay")

    @property
    def damage(self) -> str:
        """What is wrong with the file and what becomes of it, in words; empty where all is whole."""
        if not self.damaged:
            return ""
        first, more = self.damaged[0], len(self.damaged) - 1
        lines = f"line {first} and {more} more are" if more else f"line {first} is"
        lost = (
            "what it held cannot be replayed, unless it was recorded again"
            if self.mode is CacheMode.REPLAY
            else "what it held is asked for again"
        )
        return f"recordings {self.path.name}: {lines} cut off or damaged; {lost}"

    def turn(self, key: str) -> asyncio.Lock:
        """Held while a request is looked up or asked: two at once would both be paid for."""
        lock = self._turns.get(key)
        if lock is None:
            lock = self._turns[key] = asyncio.Lock()
        return lock

    def find(self, key: str, request: ModelRequest) -> ModelReply | None:
        """The recorded reply, None where the model is to be asked.

        Raises the recorded failure, or in a replay `ModelError` for what was never recorded;
        `ModelAccessError` when the recordings are of another run altogether.
        """
        known = self._known.get(key)
        if known is None:
            self.misses += 1
            if self.mode is CacheMode.REPLAY:
                raise self._lost(request)
            return None
        self.hits += 1
        if known.error is not None:
            raise ModelError(
                ErrorKind(known.error["kind"]),
                known.error["text"],
                model=request.model,
                attempts=known.error["attempts"],
            )
        reply = _reply(known.reply, request)
        # A replay tells again what the recorded run paid; elsewhere a known reply is free.
        first = self.mode is CacheMode.REPLAY and key not in self._used
        self._used.add(key)
        return replace(reply, paid=reply.usage if first else FREE)

    def _lost(self, request: ModelRequest) -> Exception:
        what = f"no recording of this {request.phase} request in {self.path.name}"
        if not self.hits and self.misses >= _LOST_AFTER:
            return ModelAccessError(
                f"{what}, nor of any before it: the recordings are of another configuration",
                kind=ErrorKind.NOT_RECORDED,
            )
        if self.damaged:
            what += f", whose line {self.damaged[0]} is cut off or damaged"
        return ModelError(ErrorKind.NOT_RECORDED, what, model=request.model)

    def keep(self, key: str, request: ModelRequest, reply: ModelReply) -> None:
        """Record a reply, where this mode does."""
        self._append(key, request, {"reply": _row(reply)})

    def keep_failure(self, key: str, request: ModelRequest, error: ModelError) -> None:
        """Record a settled failure; others are the provider's and are asked again."""
        if error.kind in SETTLED:
            text = str(error).removeprefix(f"{request.model}: ")
            row = {"kind": error.kind.value, "text": text, "attempts": error.attempts}
            self._append(key, request, {"error": row})

    def _append(self, key: str, request: ModelRequest, row: dict[str, Any]) -> None:
        if self.mode is not CacheMode.RECORD:
            return
        self._known[key] = Recording(row.get("reply") or {}, row.get("error"))
        self._write({"key": key, "model": request.model, "phase": request.phase, **row})

    def _write(self, line: dict[str, Any]) -> None:
        out = self._open()
        try:
            out.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            out.flush()
        except OSError as error:
            raise UserError(
                f"the recordings {self.path} can no longer be written: {error}", exit_code=3
            ) from error

    @property
    def vectors(self) -> int:
        """How many vectors there are."""
        return len(self._vectors)

    def vector(self, key: str) -> str | None:
        """A recorded vector, as it was written."""
        return self._vectors.get(key)

    def keep_vector(self, key: str, raw: str) -> None:
        """Record a vector, once."""
        if self.mode is CacheMode.RECORD and key not in self._vectors:
            self._vectors[key] = raw
            self._write({"key": key, "vector": raw})

    def _open(self) -> BufferedWriter:
        if self._file is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab")
            except OSError as error:
                raise UserError(f"cannot write the recordings {self.path}: {error}") from error
            if self._begun < len(_FIRST_LINE):
                if self._file.tell() == self._begun:  # else another run has begun it
                    self._file.write(_FIRST_LINE[self._begun :])
                self._begun = len(_FIRST_LINE)
            elif not self._whole_lines:
                self._file.write(b"\n")
        return self._file

    def close(self) -> None:
        """Close the file; recording again opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _is_whole(row: Mapping[str, Any]) -> bool:
    """Whether it holds what it was found by, and something that was found."""
    found = isinstance(row.get("vector"), str) or any(
        isinstance(row.get(name), dict) for name in ("reply", "error")
    )
    return found and isinstance(row.get("key"), str)


def _row(reply: ModelReply) -> dict[str, Any]:
    """A reply as JSON values, without what is empty or unknown."""
    usage = {k: v for k, v in asdict(reply.usage).items() if v is not None}
    row: dict[str, Any] = {
        "text": reply.text,
        "finish": reply.finish,
        "tool_calls": [[c.name, c.arguments, c.id] for c in reply.tool_calls],
        "reasoning": reply.reasoning,
        "model": reply.model,
        "alternatives": [list(pair) for pair in reply.alternatives],
        "effective": dict(reply.effective),
        "usage": usage,
        "wall_ms": round(reply.wall_ms, 1),
    }
    return {k: v for k, v in row.items() if v not in (None, "", [], {})}


def _reply(row: Mapping[str, Any], request: ModelRequest) -> ModelReply:
    usage = Usage(**row.get("usage", {}))
    return ModelReply(
        text=row.get("text"),
        finish=row.get("finish"),
        tool_calls=tuple(ToolRequest(n, a, i) for n, a, i in row.get("tool_calls", ())),
        reasoning=row.get("reasoning", ""),
        model=row.get("model", request.model),
        usage=usage,
        attempts=usage.attempts,
        wall_ms=0.0,
        requested=request.settings(),
        effective=row.get("effective", {}),
        alternatives=tuple((str(t), float(p)) for t, p in row.get("alternatives", ())),
    )
