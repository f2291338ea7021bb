"""One row of a LongMemEval file, read without judging it: what loader and lint both start from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets.dates import ReadDate, read_date
from runners.datasets.files import read_lines
from runners.datasets.json_stream import JsonList

ABSTENTION = "_abs"
NEEDED = ("question_id", "question", "haystack_session_ids", "haystack_dates", "haystack_sessions")


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its history, as the file has it."""

    key: str
    qtype: str
    question: str
    answer: Any
    has_answer_text: bool
    date: ReadDate
    date_raw: Any
    ids: tuple[str, ...]
    dates: tuple[ReadDate, ...]
    dates_raw: tuple[Any, ...]
    sessions: tuple[tuple[dict[str, Any], ...], ...]
    official: tuple[str, ...] | None
    """`answer_session_ids`; None where this copy does not know them."""
    flagged: dict[int, tuple[int, ...]]
    """Session index -> turns that carry `has_answer: true`."""
    flags_known: bool
    """Whether any turn has the key at all."""
    dropped: tuple[str, ...]
    """Ids of empty sessions that this copy says it dropped."""

    @property
    def abstention(self) -> bool:
        """Unanswerable by the official rule: `_abs` in the id."""
        return ABSTENTION in self.key

    @property
    def synthetic(self) -> bool:
        """Session ids made up from the question's id: they match no other file."""
        return any(session.startswith(f"{self.key}__by_date_") for session in self.ids)

    @property
    def everything_is_evidence(self) -> bool:
        """An oracle row with made-up ids: its sessions are the evidence, one for one."""
        return (
            self.synthetic
            and self.official is not None
            and bool(self.ids)
            and len(self.official) == len(self.ids)
            and not set(self.official) & set(self.ids)
        )

    def evidence_indices(self) -> dict[str, tuple[int, ...]]:
        """Official evidence id -> indices of its sessions in this history (none: it dangles)."""
        if self.official is None:
            return {}
        if self.everything_is_evidence:
            return {session: (index,) for index, session in enumerate(self.ids)}
        places: dict[str, list[int]] = {}
        for index, session in enumerate(self.ids):
            places.setdefault(session, []).append(index)
        return {gold: tuple(places.get(gold, ())) for gold in dict.fromkeys(self.official)}

    def evidence_known(self) -> bool:
        """Whether this copy says which sessions are evidence."""
        return self.official is not None and not (self.synthetic and not self.official)


def rows_of(path: Path) -> tuple[Iterator[Any], JsonList | None]:
    """The raw entries of a JSON list or of JSON lines, streamed; the list also knows its digest."""
    try:
        with path.open("rb") as stream:
            start = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as problem:
        raise UserError(f"{path}: cannot be read: {problem.strerror}", exit_code=3) from None
    if start.startswith(b"["):
        entries = JsonList(path)
        return iter(entries), entries
    return _lines(path), None


def read_row(raw: Any, path: Path, number: int) -> Row:
    """A row; raises UserError naming the question when it cannot be used."""
    if not isinstance(raw, dict) or any(key not in raw for key in NEEDED):
        lacking = [key for key in NEEDED if not isinstance(raw, dict) or key not in raw]
        raise UserError(
            f"{path}: row {number}: not LongMemEval: no {', '.join(lacking)}", exit_code=3
        )
    key = str(raw["question_id"])
    ids, dates, sessions = (raw[name] for name in NEEDED[2:])
    if not (isinstance(ids, list) and isinstance(dates, list) and isinstance(sessions, list)):
        raise UserError(
            f"{path}: question {key!r}: ids, dates and sessions must be lists", exit_code=3
        )
    if not len(ids) == len(dates) == len(sessions):
        raise UserError(
            f"{path}: question {key!r}: {len(ids)} session ids, {len(dates)} dates and "
            f"{len(sessions)} sessions: the lists must have one length",
            exit_code=3,
        )
    turns = tuple(
        tuple(turn for turn in session if isinstance(turn, dict))
        if isinstance(session, list)
        else ()
        for session in sessions
    )
    official = raw.get("answer_session_ids")
    dropped = raw.get("_empty_sessions_dropped")
    flagged = {
        index: marked
        for index, session in enumerate(turns)
        if (marked := tuple(at for at, turn in enumerate(session) if turn.get("has_answer")))
    }
    return Row(
        key=key,
        qtype=str(raw.get("question_type") or "unknown"),
        question=raw["question"]
        if isinstance(raw["question"], str)
        else str(raw["question"] or ""),
        answer=raw.get("answer"),
        has_answer_text="answer" in raw,
        date=read_date(raw.get("question_date")),
        date_raw=raw.get("question_date"),
        ids=tuple(map(str, ids)),
        dates=tuple(map(read_date, dates)),
        dates_raw=tuple(dates),
        sessions=turns,
        official=tuple(map(str, official)) if isinstance(official, list) else None,
        flagged=flagged,
        flags_known=any("has_answer" in turn for session in turns for turn in session),
        dropped=tuple(map(str, dropped)) if isinstance(dropped, list) else (),
    )


def _lines(path: Path) -> Iterator[Any]:
    """The values of a JSONL file; a bad line is an error that names it."""
    for line in read_lines(path):
        if line.problem:
            raise UserError(f"{path}: line {line.number}: {line.problem}", exit_code=3)
        yield line.value
