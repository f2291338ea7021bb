"""The ladder: nested, seeded, paired histories around the evidence of a question.

The evidence sessions of a question stay, and rung N adds the first N irrelevant sessions of one seeded
order of the pool. So histories are nested, rungs are paired, and the order survives a growing pool and
another Python. The scale-conditioned evaluation this serves (arXiv 2605.07313) documents neither
nesting nor sampling, placement or dates: these are choices, told in docs/adding-a-benchmark.md.

Everything here is the scorer's side; `runners/protocols/scale.py` hands out opaque tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from memtui.errors import UserError
from runners.datasets.contract import SourceItem
from runners.normalise import normalise
from runners.protocols import dating
from runners.protocols.pool import PoolSession, SessionPool

SHORTEST_GOLD = 4
"""Characters a normalised gold answer needs before fillers are searched for it."""


@dataclass(frozen=True, slots=True)
class Filler:
    """An irrelevant session drawn for a question, at its place in the ladder's order."""

    session: PoolSession
    order: str
    """The hash that gives this place; it also breaks ties of dates."""
    own: bool
    """From the question's own history rather than from a general pool."""
    borrowed: bool
    """Evidence for another question."""
    contaminated: int
    """Sessions left out up to here because their text contains the gold answer."""


@dataclass(frozen=True, slots=True)
class Place:
    """One session at its place in a history."""

    session: PoolSession
    date: str | None
    role: str
    """`evidence`, `filler`, `own` or `borrowed`."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One history of a question, oldest session first."""

    places: tuple[Place, ...]
    n_irrelevant: int
    borrowed: int = 0
    contaminated: int = 0
    redated: int = 0
    """Fillers whose date is drawn rather than the data set's."""
    pools: dict[str, int] = field(default_factory=dict)
    """Fillers by where they come from: `own`, or the name of a pool."""
    evidence_age: float | None = None
    """Mean over the evidence of the share of fillers that stand before it, 0 oldest .. 1 newest."""

    @property
    def tokens(self) -> int:
        """Tokens of all sessions (`runners.sessions.TOKENIZER`)."""
        return sum(place.session.tokens for place in self.places)


class Ladder:
    """Draws fillers and builds rungs for the items of one data set with one seed."""

    def __init__(
        self,
        pool: SessionPool,
        *,
        seed: int,
        date_policy: str = dating.BALANCED,
        gold_check: bool = True,
        pools: tuple[str, ...] | None = None,
    ) -> None:
        if date_policy not in dating.POLICIES:
            raise UserError(
                f"date policy {date_policy!r} is not known: use {' or '.join(dating.POLICIES)}"
            )
        self.pool = pool
        self.seed = seed
        self.date_policy = date_policy
        self.gold_check = gold_check
        self._ages: dict[str, float] = {}
        tiers = pool.tiers(pools)
        drawable = [session for session in pool.by_sha.values() if not session.empty]
        self._general = [
            tuple(
                tuple(s for s in drawable if s.pool in tier and bool(s.evidence_for) is borrowed)
                for borrowed in (False, True)
            )
            for tier in tiers
        ]

    def draw(self, item: SourceItem, count: int) -> tuple[Filler, ...]:
        """The first `count` fillers in the item's order; fewer when the pool has no more.

        Left out are the item's evidence by id and by content (also what only some annotation calls its
        evidence), empty sessions, repeated contents,
        sessions that share an attribute with the question (`meta["attributes"]`, where the data set
        knows them) and, with `gold_check`, those whose normalised text contains the normalised gold.
        """
        taken = {session.sha for session in self.pool.evidence(item)}
        attributes = frozenset(map(str, item.meta.get("attributes", ())))
        gold = gold_string(item) if self.gold_check else None
        fillers: list[Filler] = []
        contaminated = 0
        if count <= 0:
            return ()
        for own, group in self._groups(item):
            ordered = sorted(((self.order(item.key, s.id), s) for s in group), key=lambda p: p[0])
            for order, session in ordered:
                if session.sha in taken or item.key in session.evidence_for:
                    continue
                if not attributes.isdisjoint(session.tags):
                    continue
                taken.add(session.sha)
                if gold is not None and self.pool.contains(session.sha, gold):
                    contaminated += 1
                    continue
                borrowed = bool(session.evidence_for - {item.key})
                fillers.append(Filler(session, order, own, borrowed, contaminated))
                if len(fillers) == count:
                    return tuple(fillers)
        return tuple(fillers)

    def order(self, question: str, session: str) -> str:
        """Place of a session in a question's order: sha256 hex of seed, question and session id."""
        text = f"{self.seed}\n{question}\n{session}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _age(self, session: str) -> float:
        """Age of a session as a filler, the same for every question: u(seed, session) in [0, 1)."""
        age = self._ages.get(session)
        if age is None:
            age = self._ages[session] = dating.unit(self.seed, "age", session)
        return age

    def rung(self, item: SourceItem, fillers: tuple[Filler, ...]) -> Rung:
        """The history of the item's evidence and these fillers (a prefix of `draw`)."""
        own_dates = self.pool.own(item)
        evidence = self.pool.evidence(item)
        dated = [own_dates.get(s.sha, s.date) for s in evidence]
        timeline, natural = self._timeline(item, dated, own_dates)
        rows: list[tuple[int, str, Place]] = []
        for session, date in zip(evidence, dated, strict=True):
            minute = dating.minute_of(date)
            when = timeline.pivot if minute is None else minute
            rows.append((when, self.order(item.key, session.id), Place(session, date, "evidence")))
        redated = 0
        for filler in fillers:
            session = filler.session
            date = own_dates.get(session.sha) if natural else None
            minute = dating.minute_of(date)
            if minute is None:
                redated += 1
                minute = timeline.minute(self._age(session.id))
                date = dating.iso(minute) if timeline.dated else None
            role = "borrowed" if filler.borrowed else "own" if filler.own else "filler"
            rows.append((minute, filler.order, Place(session, date, role)))
        rows.sort(key=lambda row: row[:2])
        places = tuple(place for _, _, place in rows)
        pools: dict[str, int] = {}
        for filler in fillers:
            name = "own" if filler.own else filler.session.pool
            pools[name] = pools.get(name, 0) + 1
        return Rung(
            places=places,
            n_irrelevant=len(fillers),
            borrowed=sum(filler.borrowed for filler in fillers),
            contaminated=fillers[-1].contaminated if fillers else 0,
            redated=redated,
            pools=pools,
            evidence_age=evidence_age(places),
        )

    def own_rung(self, item: SourceItem) -> Rung:
        """The item's own history as the data set gives it: its sessions, its dates, sorted by them.

        Nothing is drawn and nothing left out, so neither the seed nor the date policy matters.
        """
        evidence = {session.sha for session in self.pool.evidence(item)}
        rows: list[tuple[int, int, Place]] = []
        last = 0
        for index, (sha, date) in enumerate(self.pool.own(item).items()):
            session = self.pool.by_sha[sha]
            if session.empty:
                continue
            minute = dating.minute_of(date)
            # an undated session stays behind the one it follows in the data set
            last = last if minute is None else minute
            role = "evidence" if sha in evidence else "own"
            rows.append((last, index, Place(session, date, role)))
        rows.sort(key=lambda row: row[:2])
        places = tuple(place for _, _, place in rows)
        fillers = [place for place in places if place.role == "own"]
        return Rung(
            places=places,
            n_irrelevant=len(fillers),
            borrowed=sum(bool(place.session.evidence_for - {item.key}) for place in fillers),
            pools={"own": len(fillers)},
            evidence_age=evidence_age(places),
        )

    def _groups(self, item: SourceItem) -> Iterator[tuple[bool, tuple[PoolSession, ...]]]:
        """(from the own history?, sessions) in drawing order; later groups are made only if needed."""
        own = [self.pool.by_sha[sha] for sha in self.pool.own(item)]
        mine = [
            tuple(s for s in own if not s.empty and bool(s.evidence_for - {item.key}) is borrowed)
            for borrowed in (False, True)
        ]
        if self.pool.dataset.own_first:
            yield True, mine[0]
            yield True, mine[1]
            for tier in self._general:
                yield False, tier[0]
                yield False, tier[1]
            return
        for borrowed in (0, 1):
            yield True, mine[borrowed]
            for tier in self._general:
                yield False, tier[borrowed]

    def _timeline(
        self, item: SourceItem, evidence: list[str | None], own: dict[str, str | None]
    ) -> tuple[dating.Timeline, bool]:
        """The time frame of the item, and whether own sessions keep their dates in it."""
        known = [minute for date in evidence if (minute := dating.minute_of(date)) is not None]
        history = [m for date in own.values() if (m := dating.minute_of(date)) is not None]
        asked = dating.minute_of(item.question_date)
        frame = dating.balanced_timeline(
            self.seed, item.key, known, asked, max(history, default=None)
        )
        if self.date_policy == dating.BALANCED:
            return frame, False
        fillers = [] if len(history) <= len(known) else history
        return dating.natural_timeline(fillers, asked, frame), True


def gold_string(item: SourceItem) -> str | None:
    """The normalised gold to look for in fillers; None where the check does not apply.

    It applies to answerable items whose gold is text of at least `SHORTEST_GOLD` characters: a number
    such as 2 occurs everywhere and says nothing.
    """
    if not item.answerable or not isinstance(item.gold_raw, str) or item.gold is None:
        return None
    gold = normalise(item.gold)
    return gold if len(gold) >= SHORTEST_GOLD else None


def evidence_age(places: tuple[Place, ...]) -> float | None:
    """Mean share of irrelevant sessions that stand before an evidence session; None without both."""
    before, shares = 0, []
    total = sum(place.role != "evidence" for place in places)
    for place in places:
        if place.role == "evidence":
            shares.append(before)
        else:
            before += 1
    if not shares or not total:
        return None
    return sum(shares) / (len(shares) * total)
