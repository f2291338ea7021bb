"""Every distinct session of a data set, with what a ladder must know about it and no more."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memtui.errors import UserError
from memtui.model import EvidenceStatus, Turn
from runners.datasets.contract import DataSet, SourceItem, SourceSession
from runners.normalise import normalise
from runners.sessions import count_tokens, render_session

NORMALISED_LIMIT = 64_000_000
"""Characters of normalised text kept for the gold-string check before the cache starts again."""


@dataclass(frozen=True, slots=True)
class PoolSession:
    """One distinct session content, without its text."""

    sha: str
    id: str
    """The smallest of the ids under which the content occurs: the key of the seeded order. Pool and
    date are that session's, so that the order of a file does not matter."""
    pool: str
    date: str | None
    evidence_for: frozenset[str]
    tags: frozenset[str]
    tokens: int
    empty: bool


class SessionPool:
    """The sessions of a data set by content.

    One pass over the sessions reads each text for its length; the texts themselves stay where the
    data set keeps them, in memory or on disk.
    """

    def __init__(self, dataset: DataSet) -> None:
        self.dataset = dataset
        self.by_sha: dict[str, PoolSession] = {}
        self.sha_of: dict[str, str] = {}
        self._source: dict[str, str] = {}
        self._date: dict[str, str | None] = {}
        self._normalised: dict[str, str] = {}
        self._characters = 0
        for key, session in dataset.sessions.items():
            self.sha_of[key] = session.sha
            self._date[key] = session.date
            known = self.by_sha.get(session.sha)
            if known is None or session.id < known.id:
                self._source[session.sha] = key
            self.by_sha[session.sha] = _merged(known, session)

    def turns(self, sha: str) -> tuple[Turn, ...]:
        """The turns of a session content."""
        return self.dataset.sessions[self._source[sha]].turns

    def source_id(self, sha: str) -> str:
        """The data set's own id of the content: the smallest where it has several."""
        return self._source[sha]

    def contains(self, sha: str, normalised: str) -> bool:
        """Whether the session's normalised text contains an (already normalised) answer.

        As whole words: `hats` does not stand in "that's", nor `quit` in "quite".
        The text is what was said and shown: names of speakers stand before every turn of theirs and
        would make each of their sessions contain an answer such as `John`.
        """
        text = self._normalised.get(sha)
        if text is None:
            if self._characters > NORMALISED_LIMIT:
                self._normalised.clear()
                self._characters = 0
            said = "\n".join(f"{turn.text}\n{turn.caption}" for turn in self.turns(sha))
            text = self._normalised[sha] = f" {normalise(said)} "
            self._characters += len(text)
        return f" {normalised} " in text

    def evidence(self, item: SourceItem) -> tuple[PoolSession, ...]:
        """The item's evidence sessions that exist, each once, in the data set's order."""
        found: dict[str, PoolSession] = {}
        for gold in item.evidence:
            if gold.session_id is None or gold.status is EvidenceStatus.DANGLING:
                continue
            sha = self.sha_of.get(gold.session_id)
            if sha is not None:
                found.setdefault(sha, self.by_sha[sha])
        return tuple(found.values())

    def own(self, item: SourceItem) -> dict[str, str | None]:
        """The item's own history: content hash to its date there, in the data set's order.

        A session that the data set repeats is there once, at its first place.
        """
        dates = item.own_dates or (None,) * len(item.own)
        found: dict[str, str | None] = {}
        for key, date in zip(item.own, dates, strict=True):
            sha = self.sha_of.get(key)
            if sha is not None and sha not in found:
                found[sha] = date if item.own_dates else self._date[key]
        return found

    def tiers(self, pools: tuple[str, ...] | None = None) -> tuple[frozenset[str], ...]:
        """The pools in drawing order, as sets of pools that are mixed; `pools` restricts them."""
        known = self.dataset.tiers or tuple((name,) for name in self.dataset.pools)
        if pools is None:
            return tuple(frozenset(tier) for tier in known)
        names = {name for tier in known for name in tier} | {
            session.pool for session in self.by_sha.values()
        }
        for name in pools:
            if name not in names:
                raise UserError(
                    f"pool {name!r}: {self.dataset.name} has {', '.join(sorted(names)) or 'none'}"
                )
        inside = [frozenset(name for name in tier if name in pools) for tier in known]
        extra = [frozenset((name,)) for name in pools if not any(name in tier for tier in known)]
        return tuple(tier for tier in [*inside, *extra] if tier)


def _merged(known: PoolSession | None, session: SourceSession) -> PoolSession:
    """A content with one more session that has it; its text is read the first time only."""
    if known is None:
        return PoolSession(
            sha=session.sha,
            id=session.id,
            pool=session.pool,
            date=session.date,
            evidence_for=session.evidence_for,
            tags=frozenset(session.tags),
            tokens=count_tokens(render_session(session.turns)),
            empty=not any(t.text.strip() or t.caption.strip() for t in session.turns),
        )
    first = session.id < known.id
    return replace(
        known,
        id=session.id if first else known.id,
        pool=session.pool if first else known.pool,
        date=session.date if first else known.date,
        evidence_for=known.evidence_for | session.evidence_for,
        tags=known.tags | frozenset(session.tags),
    )
