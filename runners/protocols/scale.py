"""Scale-conditioned evaluation: from a data set and arms to items, histories and episodes.

arXiv 2605.07313: the same question over histories with a growing number of irrelevant sessions. A plan
is a function of data set, options and salt alone: the same configuration gives the same plan, byte for
byte (`ScalePlan.digest`). Histories are built lazily, one question at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtui.errors import UserError
from memtui.metrics.scales import OWN, scale_conditions, scale_label
from memtui.model import EpisodeId, Evidence, EvidenceStatus, Item
from memtui.store.events import HaystackEvent, SessionEvent
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem
from runners.memory.contract import Haystack, Position, SessionText
from runners.protocols import dating
from runners.protocols.caveats import caveats
from runners.protocols.ladder import Filler, Ladder, Rung
from runners.protocols.pool import SessionPool
from runners.protocols.selection import select
from runners.sessions import TOKENIZER, opaque_token


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """What a scale experiment varies and fixes; part of the configuration that resume hashes."""

    scales: tuple[float, ...] = (0.0, 100.0, 200.0, 300.0, 400.0)
    """N_irr per rung; `memtui.metrics.scales.OWN` is the item's own history."""
    ladder_seeds: tuple[int, ...] = (1,)
    date_policy: str = dating.BALANCED
    gold_check: bool = True
    """Leave out fillers that contain the gold answer, and count them."""
    allow_missing_rungs: bool = False
    pools: tuple[str, ...] | None = None
    """Filler pools to draw from; None: those of the data set."""
    repeats: int = 1
    subset: str = "all"
    """`all`, `answerable` or `unanswerable` items."""
    types: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    flag: str | None = None
    """Keep only items with this flag, e.g. `span_answerable`."""
    limit: int | None = None
    """Items to ask, stratified by question type."""
    select_seed: int = 1


@dataclass(frozen=True, slots=True)
class EpisodeSpec:
    """One episode to run. `id.attempt` is 1; the engine counts further attempts."""

    id: EpisodeId
    arm: str
    item: str
    haystack: str
    """Key of the haystack, opaque like everything an agent or memory system may see."""
    scale: float
    ladder_seed: int
    repeat: int


@dataclass(frozen=True, slots=True)
class BuiltHaystack:
    """One history, for the run file (`event`) and for a memory system (`haystack`, `texts`)."""

    event: HaystackEvent
    haystack: Haystack
    texts: Mapping[str, SessionText]
    """Session texts by content hash; reads through to the data set, so hold only what you use."""


class ScalePlan:
    """The plan of a scale experiment.

    `arms` are arm keys; `salt` makes the opaque names of this run. Raises UserError when a rung cannot
    be filled for a question and `allow_missing_rungs` is off; otherwise such rungs are in
    `unavailable()` and their episodes are not planned.
    """

    def __init__(
        self,
        dataset: DataSet,
        arms: Sequence[str],
        options: ScaleOptions | None = None,
        *,
        salt: str,
    ) -> None:
        self.dataset = dataset
        self.arms = tuple(arms)
        self.options = options or ScaleOptions()
        self.salt = salt
        _check(self.options)
        self.scales = tuple(sorted(set(self.options.scales)))
        self.pool = SessionPool(dataset)
        self._sources = select(
            dataset.items,
            subset=self.options.subset,
            types=self.options.types,
            keys=self.options.keys,
            flag=self.options.flag,
            limit=self.options.limit,
            seed=self.options.select_seed,
        )
        if not self._sources:
            raise UserError(f"{dataset.name}: no item is left to ask with these filters")
        self._by_key = {source.key: source for source in self._sources}
        self._ladders = {
            seed: Ladder(
                self.pool,
                seed=seed,
                date_policy=self.options.date_policy,
                gold_check=self.options.gold_check,
                pools=self.options.pools,
            )
            for seed in self.options.ladder_seeds
        }
        self._top = max((int(scale) for scale in self.scales if scale != OWN), default=0)
        self._tokens: dict[str, str] = {}
        self._drawn: tuple[tuple[str, int], tuple[Filler, ...]] | None = None
        self._have = {
            (source.key, seed): len(ladder.draw(source, self._top)) if self._top else 0
            for source in self._sources
            for seed, ladder in self._ladders.items()
        }
        self._refuse_missing()

    def items(self) -> tuple[Item, ...]:
        """The items asked, in plan order, with gold and opaque evidence (scorer's side)."""
        return tuple(map(self._item, self._sources))

    def item_keys(self) -> tuple[str, ...]:
        """Keys of the items asked, in plan order."""
        return tuple(self._by_key)

    def episodes(self) -> Iterator[EpisodeSpec]:
        """Every episode, in the order in which to run them.

        By repeat, ladder seed, item, then scale and arm: after the first item every cell has an
        episode, and the arms over one history follow each other.
        """
        for repeat in range(self.options.repeats):
            for seed in self._ladders:
                for source in self._sources:
                    for scale in self.scales:
                        if not self.available(source.key, scale, seed):
                            continue
                        haystack = self._key(source.key, scale, seed)
                        conditions = scale_conditions(scale, seed)
                        for arm in self.arms:
                            yield EpisodeSpec(
                                EpisodeId(arm, source.key, conditions, repeat, 1),
                                arm,
                                source.key,
                                haystack,
                                scale,
                                seed,
                                repeat,
                            )

    @property
    def planned(self) -> int:
        """Number of episodes."""
        rungs = sum(
            self.available(source.key, scale, seed)
            for source in self._sources
            for scale in self.scales
            for seed in self._ladders
        )
        return rungs * len(self.arms) * self.options.repeats

    def available(self, item: str, scale: float, ladder_seed: int) -> bool:
        """Whether the pool can fill this rung for this item."""
        if scale == OWN:
            return bool(self._by_key[item].own)
        return self._have[item, ladder_seed] >= scale

    def haystack(self, item: str, scale: float, ladder_seed: int) -> BuiltHaystack:
        """The history of an item at a scale; cheap to ask again while working on the same item.

        An unavailable rung has no positions and `event.available` False.
        """
        source = self._by_key[item]
        key = self._key(item, scale, ladder_seed)
        if not self.available(item, scale, ladder_seed):
            event = self._event(
                key, source, scale, ladder_seed, Rung((), 0), self._lack(source, scale, ladder_seed)
            )
            return BuiltHaystack(event, Haystack(key, ()), SessionTexts(self.pool, ()))
        rung = self.rung(item, scale, ladder_seed)
        event = self._event(key, source, scale, ladder_seed, rung, None)
        positions = tuple(
            Position(self.token(place.session.sha), place.session.sha, place.date)
            for place in rung.places
        )
        texts = SessionTexts(self.pool, tuple(place.session.sha for place in rung.places))
        return BuiltHaystack(event, Haystack(key, positions), texts)

    def rung(self, item: str, scale: float, ladder_seed: int) -> Rung:
        """The history of an item at a scale with the data set's own ids (scorer's side)."""
        source, ladder = self._by_key[item], self._ladders[ladder_seed]
        if scale == OWN:
            return ladder.own_rung(source)
        if self._drawn is None or self._drawn[0] != (item, ladder_seed):
            self._drawn = (item, ladder_seed), ladder.draw(source, self._top)
        return ladder.rung(source, self._drawn[1][: int(scale)])

    def token(self, sha: str) -> str:
        """The opaque name of a session content in this run."""
        token = self._tokens.get(sha)
        if token is None:
            token = self._tokens[sha] = opaque_token(self.salt, sha)
        return token

    def session_events(self, built: BuiltHaystack) -> Iterator[SessionEvent]:
        """The sessions of a history for the run file; each token needs to be emitted once."""
        for position in built.haystack.positions:
            session = self.pool.by_sha[position.sha]
            yield SessionEvent(
                token=position.token,
                sha=position.sha,
                turns=self.pool.turns(position.sha),
                tokens=session.tokens,
                source=self.pool.source_id(position.sha),
                date=session.date,
            )

    def unavailable(self) -> tuple[HaystackEvent, ...]:
        """Rungs that the pool cannot fill, with the reason in `note`."""
        return tuple(
            self.haystack(source.key, scale, seed).event
            for source in self._sources
            for seed in self._ladders
            for scale in self.scales
            if not self.available(source.key, scale, seed)
        )

    def caveats(self) -> tuple[str, ...]:
        """What a reader of the results must know about the ladder, one line each."""
        return caveats(self._sources, self.pool, self._top, len(self._ladders))

    def digest(self) -> str:
        """sha256 hex over items, histories (tokens, dates, roles) and episodes, in plan order."""
        state = hashlib.sha256()
        for source in self._sources:
            for seed in self._ladders:
                for scale in self.scales:
                    event = self.haystack(source.key, scale, seed).event
                    state.update(repr((event.key, source.key, event.positions)).encode())
        for spec in self.episodes():
            state.update(repr((spec.id.key, spec.haystack)).encode())
        return state.hexdigest()

    def _item(self, source: SourceItem) -> Item:
        """A data-set item with opaque evidence."""
        return Item(
            key=source.key,
            question=source.question,
            gold=source.gold,
            qtype=source.qtype,
            cluster=source.cluster,
            answerable=source.answerable,
            question_date=source.question_date,
            evidence=tuple(map(self._evidence, source.evidence)),
            gold_raw=source.gold_raw,
            tempting=source.tempting,
            flags=source.flags,
            meta=dict(source.meta),
        )

    def _evidence(self, gold: SourceEvidence) -> Evidence:
        """A gold reference under the opaque name; one that names no session dangles."""
        sha = None if gold.session_id is None else self.pool.sha_of.get(gold.session_id)
        if sha is None or gold.status is EvidenceStatus.DANGLING:
            return Evidence(gold.raw, None, None, EvidenceStatus.DANGLING)
        return Evidence(gold.raw, self.token(sha), gold.turn, gold.status)

    def _key(self, item: str, scale: float, seed: int) -> str:
        """Key of a history: opaque, because memory systems see it and item keys may say `_abs`."""
        text = f"{self.salt}\n{item}\n{scale_label(scale)}\n{seed}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _event(
        self, key: str, source: SourceItem, scale: float, seed: int, rung: Rung, lack: str | None
    ) -> HaystackEvent:
        """The history as the run file keeps it."""
        notes = [lack] if lack else []
        if not lack and rung.redated and self.options.date_policy == dating.NATURAL:
            notes.append(f"{rung.redated} of {rung.n_irrelevant} fillers carry drawn dates")
        if not lack and not any(place.role == "evidence" for place in rung.places):
            notes.append("holds no evidence session: the data set names none that exists")
        return HaystackEvent(
            key=key,
            item=source.key,
            scale=scale,
            ladder_seed=seed,
            date_policy=dating.NATURAL if scale == OWN else self.options.date_policy,
            positions=tuple(
                (self.token(place.session.sha), place.date, place.role) for place in rung.places
            ),
            tokens=rung.tokens,
            tokenizer=TOKENIZER,
            n_irrelevant=rung.n_irrelevant,
            borrowed=rung.borrowed,
            contaminated=rung.contaminated,
            pools=rung.pools,
            evidence_age=rung.evidence_age,
            available=lack is None,
            note="; ".join(notes),
        )

    def _lack(self, source: SourceItem, scale: float, seed: int) -> str:
        """Why a rung is not available."""
        if scale == OWN:
            return "the data set gives this item no history of its own"
        return f"the pool has {self._have[source.key, seed]} irrelevant sessions for this question"

    def _refuse_missing(self) -> None:
        """Fails with what the pool can give, unless missing rungs are allowed."""
        if self.options.allow_missing_rungs:
            return
        for scale in reversed(self.scales):
            lacking = [
                (self._have[source.key, seed], source.key)
                for source in self._sources
                for seed in self._ladders
                if not self.available(source.key, scale, seed)
            ]
            if not lacking:
                continue
            items = len({key for _, key in lacking})
            what = f"rung {scale_label(scale)} cannot be filled for {items} of {len(self._sources)} items"
            if scale == OWN:
                why = f"{self.dataset.name} gives them no history of their own"
            else:
                have, key = min(lacking)
                why = f"the pool gives {have} irrelevant sessions at least (item {key})"
            raise UserError(
                f"{what}: {why}; lower the scales, add a pool, or set allow_missing_rungs"
            )


class SessionTexts(Mapping[str, SessionText]):
    """The texts of one history by content hash, read from the data set when asked for."""

    def __init__(self, pool: SessionPool, shas: tuple[str, ...]) -> None:
        self._pool = pool
        self._shas = dict.fromkeys(shas)

    def __getitem__(self, sha: str) -> SessionText:
        if sha not in self._shas:
            raise KeyError(sha)
        return SessionText(sha, self._pool.turns(sha))

    def __iter__(self) -> Iterator[str]:
        return iter(self._shas)

    def __len__(self) -> int:
        return len(self._shas)


def _check(options: ScaleOptions) -> None:
    """Refuses options that name no experiment."""
    if not options.scales:
        raise UserError("no scale is given")
    for scale in options.scales:
        if scale != OWN and (scale < 0 or not float(scale).is_integer()):
            raise UserError(f"scale {scale!r}: must be `own` or a whole number from 0 up")
    if not options.ladder_seeds or len(set(options.ladder_seeds)) != len(options.ladder_seeds):
        raise UserError(f"ladder seeds {options.ladder_seeds}: give at least one, each once")
    if options.repeats < 1:
        raise UserError(f"repeats {options.repeats}: must be at least 1")
