"""Sessions and questions of the synthetic set before they have ids, and what may be used once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import TypeVar

from memtui.model import Turn
from runners.datasets.contract import SourceEvidence, SourceItem
from runners.datasets.synthetic_dialogue import Topic, fill
from runners.datasets.synthetic_kinds import Kind, Thing, Wording, article

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Draft:
    """A session before it has an id."""

    turns: tuple[Turn, ...]
    date: datetime
    pool: str
    evidence_for: list[str] = field(default_factory=list)
    tags: tuple[str, ...] = ()
    remarks: tuple[int, ...] = ()
    """The turns that say something about a question: its evidence, or what comes close."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A fact a question is about: what its evidence states and what near misses come close to."""

    kind: Kind
    thing: Thing
    person: str = ""

    def phrase(self, line: str, *, value: str = "", who: str = "", spoken: str = "") -> str:
        """`line` about this fact; `spoken` is another word for the thing, where one is wanted."""
        thing = spoken or self.thing.name
        words = {"thing": thing, "a": article(thing), "value": value, "who": who}
        said = line.format(**words, person=self.person)
        return said[:1].upper() + said[1:]


@dataclass(frozen=True, slots=True)
class DraftItem:
    """A question before its sessions have ids."""

    key: str
    question: str
    gold: str
    qtype: str
    kind: str
    asked: datetime
    evidence: tuple[tuple[Draft, int | None], ...]
    mentions: tuple[Mention, ...]
    crowd: str
    """How many sessions come close to this question: `low`, `mid`, `high`."""
    answerable: bool = True

    def source(self, names: Mapping[int, str]) -> SourceItem:
        """The item under its sessions' ids; `names` is keyed by the identity of a draft."""
        ids = [names[id(draft)] for draft, _ in self.evidence]
        alias = self.answerable and any(mention.thing.alias for mention in self.mentions)
        return SourceItem(
            key=self.key,
            question=self.question,
            gold=self.gold,
            gold_raw=self.gold,
            qtype=self.qtype,
            cluster=self.key,
            answerable=self.answerable,
            question_date=self.asked.isoformat(timespec="minutes"),
            evidence=tuple(
                SourceEvidence(name if turn is None else f"{name}:{turn}", name, turn)
                for name, (_, turn) in zip(ids, self.evidence, strict=True)
            ),
            own=tuple(dict.fromkeys(ids)),
            meta={"kind": self.kind, "crowd": self.crowd, "alias": alias},
        )


class Supply:
    """Things, values and people that may be used once. A gold is never used as somebody's decoy."""

    def __init__(self, rng: Random, wording: Wording, topics: Mapping[str, Topic]) -> None:
        self._rng = rng
        people = list(wording.people)
        rng.shuffle(people)
        self._acquaintances, self._bystanders = people[:6], people[6:]
        self._kin = wording.kin
        self._things = {kind.name: _shuffled(rng, kind.things) for kind in wording.kinds.values()}
        self._golds = {
            kind.name: _shuffled(rng, kind.values[: -(-len(kind.values) // 2)])
            for kind in wording.kinds.values()
        }
        self._towns = _shuffled(rng, topics[wording.kinds["place"].topic].things)
        self._pairs = list(wording.joint.pairs)

    def mention(self, kind: Kind, *, plain: bool = False) -> Mention:
        """A fact no other question is about; `plain` never has another word for its thing."""
        things = self._things[kind.name]
        if kind.name == "city":
            return Mention(kind, Thing(""), self._acquaintances.pop())
        usable = [thing for thing in things if not (plain and thing.alias)]
        thing = usable[-1]
        things.remove(thing)
        person = ""
        if kind.name == "place":
            person = self._towns.pop()
        elif kind.name == "title":
            person = self._acquaintances.pop()
        return Mention(kind, thing, person)

    def pair(self) -> tuple[str, str]:
        """Two animals of one sort: singular and plural."""
        return self._pairs.pop()

    def gold(self, kind: Kind) -> str:
        """A value no other fact has."""
        return self._golds[kind.name].pop()

    def decoy(self, kind: Kind) -> str:
        """A value that is nobody's gold."""
        return self._rng.choice(kind.values[-(len(kind.values) // 2) :])

    def who(self) -> str:
        """Somebody no question is about, as the start of a sentence."""
        kin = self._rng.choice(self._kin)
        return fill(kin.replace("{person}", self._rng.choice(self._bystanders)), "")


def _shuffled(rng: Random, values: tuple[T, ...]) -> list[T]:
    pool = list(values)
    rng.shuffle(pool)
    return pool
