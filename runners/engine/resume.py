"""Continue a run, or say why not: a changed configuration is refused with what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from memtui.model import EndReason
from memtui.store.migrate import look, require_writable
from memtui.store.reader import RunReader

AGAIN = frozenset({EndReason.PROVIDER_ERROR.value})
"""Ends that are not the agent's: such an episode is asked again when the run is continued."""
LINES = 12
"""Changed settings that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an existing run file says."""

    uid: str
    config_hash: str
    effective: Mapping[str, Any]
    finished: frozenset[str]
    """Keys of the episodes that are done and need not run again."""
    failed: int
    """Episodes that ended by a provider failure and are asked again."""


def earlier(path: Path) -> Earlier | None:
    """The run in `path`; None where there is no file, or none was written to it yet."""
    found = look(path)
    if found.blank:
        return None
    require_writable(path, found)
    with RunReader(path) as reader:
        if not reader.query("SELECT 1 FROM run"):
            return None
        run = reader.run()
        counted = reader.counted()
    finished = frozenset(key for key, reason in counted.items() if reason not in AGAIN)
    return Earlier(
        uid=run.uid,
        config_hash=run.config_hash,
        effective=run.config.get("effective", {}),
        finished=finished,
        failed=len(counted) - len(finished),
    )


def require_same(path: Path, found: Earlier, effective: Mapping[str, Any], hash: str) -> None:
    """UserError listing what changed when the run in `path` had other settings."""
    if found.config_hash == hash:
        return
    changes = list(differences(found.effective, effective))
    lines = changes[:LINES] or ["(no setting that is on record)"]
    if len(changes) > LINES:
        lines.append(f"and {len(changes) - LINES} more")
    raise UserError(
        f"{path} holds a run with other settings, and results of two settings are not mixed; "
        "--new starts another file. Changed:",
        details=lines,
    )


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str = ""
) -> Iterator[str]:
    """`budget.calls: 2 -> 3` for each setting that differs, in alphabetical order."""
    for key in sorted({*before, *after}):
        where = f"{path}.{key}" if path else key
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, where)
        elif _plain(old) != _plain(new):
            if where.startswith("code."):
                what = "is new" if old is _ABSENT else "is gone" if new is _ABSENT else "changed"
                yield f"code of record: {key} {what}"
            else:
                yield f"{where}: {_said(old)} -> {_said(new)}"


class _Absent:
    def __repr__(self) -> str:
        return "(not set)"


_ABSENT = _Absent()


def _plain(value: object) -> object:
    """Tuples and lists are one thing to JSON."""
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _said(value: object) -> str:
    text = repr(list(value)) if isinstance(value, tuple) else repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def numbered(path: Path) -> Path:
    """The first of `NAME-2.memtui`, `NAME-3.memtui`, … that does not exist; `path` if it is free."""
    if not path.exists():
        return path
    number = 2
    while (other := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return other
