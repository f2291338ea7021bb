"""How values are packed into a column: JSON by orjson, large texts compressed by zlib.

Hits are one blob per call, an array per hit: `[ref, score, shown, first, last, sources, text key]`,
trailing nothing cut away. A hit's own text is kept once in `passage` under `ref#<hash of the text>`; the
blob holds the hash.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from memtui.model import Hit, Turn, Usage
from memtui.store.errors import StoreError

LEVEL = 4
"""zlib level: on chat sessions 1.8 % larger than level 6 (ratio 2.79) for 0.74 of its CPU."""
LARGEST = 256 * 1024 * 1024
"""Largest text that is unpacked, in bytes: a damaged or hostile blob must not eat the memory."""

_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
_EMPTY_USAGE = Usage()


def to_json(value: object) -> bytes:
    """JSON bytes; raises TypeError for what JSON cannot hold (never a silent `repr`)."""
    return orjson.dumps(value, option=_OPTIONS)


def to_text(value: object) -> str:
    """JSON as text, for columns a person may read with the sqlite3 shell."""
    if not value and isinstance(value, (dict, list, tuple)):
        return "{}" if isinstance(value, dict) else "[]"
    return orjson.dumps(value, option=_OPTIONS).decode()


def from_json(data: bytes | str) -> Any:
    """Inverse of `to_json`; StoreError when damaged."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise StoreError(f"a value in the run file is damaged ({error})") from None


def pack(data: bytes) -> bytes:
    """Compress; releases the interpreter lock while it works."""
    return zlib.compress(data, LEVEL)


def unpack(data: bytes) -> bytes:
    """Decompress; StoreError when damaged or larger than `LARGEST`."""
    unpacker = zlib.decompressobj()
    try:
        out = unpacker.decompress(data, LARGEST)
    except zlib.error as error:
        raise StoreError(f"a compressed text in the run file is damaged ({error})") from None
    if not unpacker.eof:
        raise StoreError("a compressed text in the run file is cut short or far too large")
    return out


def pack_json(value: object) -> bytes:
    """Compressed JSON."""
    return pack(to_json(value))


def unpack_json(data: bytes) -> Any:
    """Inverse of `pack_json`."""
    return from_json(unpack(data))


def text_hash(text: str) -> str:
    """Short content hash (16 hex digits) that names a text among those of one `ref`."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def passage_key(ref: str, digest: str) -> str:
    """Key of a text in `passage`."""
    return f"{ref}#{digest}"


def encode_hits(hits: Sequence[Hit]) -> tuple[bytes | None, dict[str, str]]:
    """The blob of a call's hits and the texts it refers to (passage key -> text)."""
    if not hits:
        return None, {}
    rows: list[list[object]] = []
    texts: dict[str, str] = {}
    for hit in hits:
        if hit.text is not None:
            digest = text_hash(hit.text)
            texts[passage_key(hit.ref, digest)] = hit.text
            rows.append(
                [hit.ref, hit.score, int(hit.shown), hit.first, hit.last, hit.sources, digest]
            )
        elif hit.sources:
            rows.append([hit.ref, hit.score, int(hit.shown), hit.first, hit.last, hit.sources])
        elif hit.first is not None or hit.last is not None:
            rows.append([hit.ref, hit.score, int(hit.shown), hit.first, hit.last])
        else:
            rows.append([hit.ref, hit.score, int(hit.shown)])
    return orjson.dumps(rows, option=_OPTIONS), texts


def hit_text_keys(blob: bytes | None) -> list[str]:
    """Passage keys a blob refers to."""
    return [] if not blob else [passage_key(h[0], h[6]) for h in from_json(blob) if len(h) > 6]


def decode_hits(blob: bytes | None, texts: Mapping[str, str] | None = None) -> tuple[Hit, ...]:
    """Inverse of `encode_hits`; `texts` maps passage keys to texts (absent: `text` stays None)."""
    if not blob:
        return ()
    hits = []
    for row in from_json(blob):
        row += [None] * (7 - len(row))
        ref, score, shown, first, last, sources, digest = row
        text = None
        if digest is not None and texts is not None:
            text = texts.get(passage_key(ref, digest))
        hits.append(Hit(ref, score, bool(shown), first, last, tuple(sources or ()), text))
    return tuple(hits)


def usage_text(usage: Usage | None) -> str | None:
    """Usage as JSON without its unknown fields; None stays None (NULL)."""
    if usage is None:
        return None
    if usage == _EMPTY_USAGE:
        return "{}"
    found = {
        name: value
        for name in ("prompt", "cached", "completion", "reasoning", "cost")
        if (value := getattr(usage, name)) is not None
    }
    found["calls"] = usage.calls
    found["attempts"] = usage.attempts
    return to_text(found)


def usage_from(text: str | None) -> Usage | None:
    """Inverse of `usage_text`; fields a newer version added are left out."""
    if text is None:
        return None
    known = Usage.__dataclass_fields__
    return Usage(**{k: v for k, v in from_json(text).items() if k in known})


def turns_json(turns: Iterable[Turn]) -> bytes:
    """Turns of a session as JSON: `[role, text]` or `[role, text, caption]` each."""
    return to_json([[t.role, t.text, t.caption] if t.caption else [t.role, t.text] for t in turns])


def unpack_turns(data: bytes) -> tuple[Turn, ...]:
    """Inverse of `turns_json`, packed."""
    return tuple(Turn(*row) for row in unpack_json(data))
