"""Fetching official data-set files once, by hash: source, revision, bytes and sha256 are written down.

Only the standard library, one address per file, a short timeout. A file that is pinned and does not
have its digest is refused and nothing is kept; where a digest is only reported by others, a mismatch
is shown and recorded beside the file. Offline, the manual way is told in one line.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.errors import UserError
from runners.datasets import locomo, longmemeval
from runners.models.folders import data_folder

TIMEOUT = 10.0
"""Seconds without an answer or a byte before a source counts as out of reach."""
_PIECE = 1 << 20

_LONGMEMEVAL = (
    "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/"
    "98d7416c24c778c2fee6e6f3006e7a073259d48f/"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One official file."""

    name: str
    file: str
    url: str
    revision: str
    size: int
    sha256: str
    pinned: bool
    """True: another digest is refused. False: the digest is as others report it."""
    licence: str
    title: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """What fetching did."""

    path: Path
    sha256: str
    size: int
    matches: bool
    was_there: bool
    note: str = ""


def _longmemeval(name: str, file: str, title: str) -> Source:
    """A file of the cleaned LongMemEval release."""
    size, digest = longmemeval.REPORTED[file]
    return Source(
        name=name,
        file=file,
        url=_LONGMEMEVAL + file,
        revision="98d7416c24c778c2fee6e6f3006e7a073259d48f",
        size=size,
        sha256=digest,
        pinned=False,
        licence="MIT",
        title=title,
    )


SOURCES = {
    source.name: source
    for source in (
        Source(
            name="locomo",
            file="locomo10.json",
            url=(
                "https://raw.githubusercontent.com/snap-research/locomo/"
                "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json"
            ),
            revision="3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376",
            size=locomo.BYTES,
            sha256=locomo.SHA256,
            pinned=True,
            licence="CC BY-NC 4.0",
            title="LoCoMo: 10 conversations, 1,986 questions",
        ),
        _longmemeval("longmemeval", "longmemeval_oracle.json", "LongMemEval, evidence only"),
        _longmemeval("longmemeval-s", "longmemeval_s_cleaned.json", "LongMemEval S, ~50 sessions"),
        _longmemeval("longmemeval-m", "longmemeval_m_cleaned.json", "LongMemEval M, ~500 sessions"),
    )
}


def source_of(name: str) -> Source:
    """The source called `name`; UserError for an unknown one."""
    if name not in SOURCES:
        raise UserError(f"there is no official source {name!r}; known: {', '.join(SOURCES)}")
    return SOURCES[name]


def place_of(source: Source, folder: Path | None = None) -> Path:
    """Where the file is, or would be, kept."""
    return (folder if folder is not None else data_folder() / "data") / source.file


def get(
    source: Source,
    *,
    folder: Path | None = None,
    timeout: float = TIMEOUT,
    report: Callable[[str], None] = lambda line: None,
) -> Fetched:
    """Fetches a file, or checks the one that is there.

    Raises UserError when the source is out of reach (with the manual way), when the file is pinned
    and the bytes are others (nothing is kept), or when it cannot be written. `report` gets one line
    per step.
    """
    target = place_of(source, folder)
    if target.is_file():
        with target.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return _judge(source, target, digest, target.stat().st_size, was_there=True)
    report(f"{source.name}: {source.size:,} bytes from {source.url}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part_name = tempfile.mkstemp(prefix=f".{source.file}.", dir=target.parent)
    except OSError as problem:
        raise UserError(f"{target.parent}: cannot be written: {problem.strerror}") from None
    part = Path(part_name)
    try:
        digest, size = _download(source, handle, timeout)
        done = _judge(source, part, digest, size, was_there=False)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    record = target.with_name(target.name + ".source.json")
    told = {
        "source": source.url,
        "revision": source.revision,
        "bytes": size,
        "sha256": digest,
        "expected_sha256": source.sha256,
        "matches": done.matches,
        "licence": source.licence,
    }
    record.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return Fetched(target, digest, size, done.matches, False, done.note)


def _download(source: Source, handle: int, timeout: float) -> tuple[str, int]:
    """Streams the address into an open file; returns digest and size."""
    digest, size = hashlib.sha256(), 0
    with os.fdopen(handle, "wb") as out:
        for piece in _pieces(source, timeout):
            digest.update(piece)
            size += len(piece)
            if source.pinned and size > source.size:
                break
            try:
                out.write(piece)
            except OSError as problem:
                raise UserError(f"{source.file}: cannot be written: {problem.strerror}") from None
    return digest.hexdigest(), size


def _pieces(source: Source, timeout: float) -> Iterator[bytes]:
    """What the source sends; every way it can fail is one line with the manual way."""
    manual = f"fetch {source.url} by hand and give its path instead"
    try:
        request = urllib.request.Request(source.url, headers={"User-Agent": "memtui"})
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            announced = reply.headers.get("Content-Length")
            got = 0
            while piece := reply.read(_PIECE):
                got += len(piece)
                yield piece
    except urllib.error.HTTPError as problem:
        raise UserError(f"{source.name}: the source answers {problem.code}; {manual}") from None
    except (OSError, ValueError, http.client.HTTPException) as problem:
        reason = getattr(problem, "reason", None) or problem or type(problem).__name__
        raise UserError(f"{source.name}: the source is out of reach ({reason}); {manual}") from None
    if announced is not None and announced.isdigit() and got < int(announced):
        raise UserError(f"{source.name}: the source stopped after {got:,} bytes; {manual}")


def _judge(source: Source, path: Path, digest: str, size: int, *, was_there: bool) -> Fetched:
    """Compares with what is written down; a pinned file that differs is refused."""
    if digest == source.sha256:
        return Fetched(path, digest, size, True, was_there)
    differs = (
        f"{size:,} bytes, sha256 {digest}; expected {source.size:,} bytes, sha256 {source.sha256}"
    )
    if source.pinned:
        kept = f"{path} is left as it is" if was_there else "nothing is kept"
        raise UserError(f"{source.name}: not the official file: {differs}; {kept}")
    return Fetched(
        path, digest, size, False, was_there, f"differs from the reported file: {differs}"
    )
