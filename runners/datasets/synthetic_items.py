"""The questions of the synthetic set: which facts they need, the sessions that state them, the gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from random import Random

from runners.datasets.synthetic_dialogue import Glue, Remark, Topic, write_session
from runners.datasets.synthetic_drafts import Draft, DraftItem, Mention, Supply
from runners.datasets.synthetic_kinds import Kind, Thing, Wish, Wording

POOL = "everyday"
EVIDENCE_POOL = "evidence"
CONTRADICTIONS = "contradictions"

SINGLE = {
    "single-session-user": {
        "shop": 2,
        "price": 2,
        "petname": 2,
        "giver": 1,
        "paint": 2,
        "start": 2,
        "ride": 1,
        "title": 2,
        "count": 1,
        "city": 1,
        "brand": 2,
    },
    "single-session-assistant": {"place": 3, "minutes": 3, "method": 3},
    "knowledge-update": {"weekday": 2, "best": 2, "progress": 2, "keep": 2, "fee": 2},
    "temporal-reasoning": {"event": 6},
}
"""Questions over one fact, by type and kind."""
ABSENT = ("shop", "price", "petname", "start", "fee")
"""Kinds of the questions nobody can answer: the user never said it, others did about themselves."""
CROWDS = ("low",) * 8 + ("mid",) * 7 + ("high",) * 5
"""How crowded a question is, in these proportions."""

FIRST_DAY, LAST_DAY = date(2023, 6, 1), date(2024, 5, 10)
"""Sessions fall between these days; every question is asked after the last."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAYS_BACK = {"yesterday": 1, "two days ago": 2, "three days ago": 3, "four days ago": 4}

Found = tuple[Draft, int | None]


class ItemWriter:
    """Writes the questions of a split, their evidence, and sessions that would contradict it."""

    def __init__(
        self, rng: Random, wording: Wording, topics: Mapping[str, Topic], glue: Glue
    ) -> None:
        self.rng, self.wording, self.topics, self.glue = rng, wording, topics, glue
        self.supply = Supply(rng, wording, topics)
        self.evidence: list[Draft] = []
        self.contradictions: list[Draft] = []
        self._crowds: list[str] = []
        self._key = ""

    def write(self) -> tuple[DraftItem, ...]:
        """All questions, their types mixed in a seeded order."""
        kinds = self.wording.kinds
        plans: list[Callable[[], DraftItem]] = [
            partial(self._single, qtype, kinds[name])
            for qtype, numbers in SINGLE.items()
            for name, times in numbers.items()
            for _ in range(times)
        ]
        plans += [partial(self._wish, wish) for wish in self.wording.wishes]
        plans += [self._order] * 3 + [self._between] * 2
        plans += [self._bridge] * 4 + [self._total] * 3 + [self._names] * 2
        self.rng.shuffle(plans)
        # Questions nobody can answer are planned first: they need things without another word.
        absent = [self._absent(kinds[name]) for name in ABSENT]
        items = []
        for number, plan in enumerate(plans, len(absent) + 1):
            self._key = f"syn-q{number:02}"
            items.append(plan())
        return (*absent, *items)

    # Questions over one fact

    def _single(self, qtype: str, kind: Kind) -> DraftItem:
        mention = self.supply.mention(kind)
        question = self._ask(kind.ask, mention)
        if kind.name == "event":
            draft, turn, day = self._visit(mention)
            return self._item(qtype, kind.name, question, day_text(day), [(draft, turn)], [mention])
        gold = self.supply.gold(kind)
        if not kind.new:
            evidence = [self._state(mention, kind.say, gold, self._day())]
        else:
            older, gold = self._change(kind, gold)
            first = self._day(last=LAST_DAY - timedelta(days=60))
            evidence = [
                self._state(mention, kind.say, older, first),
                self._state(mention, kind.new, gold, self._day(first + timedelta(days=30))),
            ]
        if kind.speaker == "user":
            self._contradict(mention, evidence[-1][0])
        return self._item(qtype, kind.name, question, gold, evidence, [mention])

    def _change(self, kind: Kind, value: str) -> tuple[str, str]:
        """An older and a newer value of a fact that changes."""
        values = [value, self.supply.gold(kind)]
        if kind.trend:
            values.sort(
                key=lambda text: [int(part) for part in text.split(":")],
                reverse=kind.trend == "falls",
            )
        return values[0], values[1]

    def _wish(self, wish: Wish) -> DraftItem:
        topic = self.topics[wish.topic]
        found = self._session(topic, self.rng.choice(topic.things), Remark(wish.say), self._day())
        qtype = "single-session-preference"
        return self._item(qtype, "wish", wish.ask, wish.rubric, [found], [])

    def _absent(self, kind: Kind) -> DraftItem:
        """The user talked about the thing and never said this; other people did, of their own."""
        mention = self.supply.mention(kind, plain=True)
        self._key = f"syn-q{ABSENT.index(kind.name) + 1:02}"
        aside = Remark(mention.phrase(self.rng.choice(kind.aside)))
        topic = self.topics[kind.topic]
        draft, _ = self._session(topic, mention.thing.name, aside, self._day())
        return self._item(
            "single-session-user",
            kind.name,
            self._ask(kind.ask, mention),
            f"Not mentioned: the user talked about the {mention.thing.name}, but never said this.",
            [(draft, None)],
            [mention],
            answerable=False,
        )

    # Questions over two facts

    def _visits(self) -> list[tuple[Mention, Draft, int | None, date]]:
        kind = self.wording.kinds["event"]
        pair = [self.supply.mention(kind), self.supply.mention(kind)]
        first = self._day(last=LAST_DAY - timedelta(days=60))
        second = self._day(first + timedelta(days=9), first + timedelta(days=55))
        days = [first, second]
        self.rng.shuffle(days)
        return [
            (mention, *self._visit(mention, day)) for mention, day in zip(pair, days, strict=True)
        ]

    def _order(self) -> DraftItem:
        visits = self._visits()
        earlier = min(visits, key=lambda visit: visit[3])[0]
        return self._of_visits(
            "order", self.wording.joint.order, visits, f"the {earlier.thing.name}"
        )

    def _between(self) -> DraftItem:
        visits = self._visits()
        days = abs((visits[0][3] - visits[1][3]).days)
        return self._of_visits("between", self.wording.joint.between, visits, f"{days} days")

    def _of_visits(
        self,
        name: str,
        asks: Sequence[str],
        visits: Sequence[tuple[Mention, Draft, int | None, date]],
        gold: str,
    ) -> DraftItem:
        mentions = [visit[0] for visit in visits]
        question = self._ask(asks, mentions[0], mentions[1])
        evidence = [(draft, turn) for _, draft, turn, _ in visits]
        return self._item("temporal-reasoning", name, question, gold, evidence, mentions)

    def _bridge(self) -> DraftItem:
        giver, city = self.wording.kinds["giver"], self.wording.kinds["city"]
        gift = self.supply.mention(giver)
        person, town = self.supply.gold(giver), self.supply.gold(city)
        home = Mention(city, Thing(""), person)
        evidence = [
            self._state(gift, giver.say, person, self._day()),
            self._state(home, city.say, town, self._day()),
        ]
        question = self._ask(self.wording.joint.bridge, gift)
        return self._item("multi-session", "bridge", question, town, evidence, [gift, home])

    def _total(self) -> DraftItem:
        kind = self.wording.kinds["price"]
        pair = [self.supply.mention(kind), self.supply.mention(kind)]
        prices = [self.supply.gold(kind), self.supply.gold(kind)]
        evidence = [
            self._state(mention, kind.say, price, self._day())
            for mention, price in zip(pair, prices, strict=True)
        ]
        question = self._ask(self.wording.joint.total, pair[0], pair[1])
        gold = f"${sum(int(price.strip('$')) for price in prices)}"
        return self._item("multi-session", "total", question, gold, evidence, pair)

    def _names(self) -> DraftItem:
        kind, joint = self.wording.kinds["petname"], self.wording.joint
        singular, plural = self.supply.pair()
        mention, both = Mention(kind, Thing(singular)), Mention(kind, Thing(plural))
        names = [self.supply.gold(kind), self.supply.gold(kind)]
        evidence = [
            self._state(both, [line], name, self._day())
            for line, name in zip(joint.pair_say, names, strict=True)
        ]
        question = self._ask(joint.names, both)
        gold = f"{names[0]} and {names[1]}"
        return self._item("multi-session", "names", question, gold, evidence, [mention])

    # Sessions

    def _visit(self, mention: Mention, day: date | None = None) -> tuple[Draft, int | None, date]:
        """A session that tells of a visit by a relative date, and the day of the visit."""
        when = self.rng.choice(mention.kind.values)
        told = day or self._day()
        draft, turn = self._state(mention, mention.kind.say, when, told)
        return draft, turn, visited(when, told)

    def _state(self, mention: Mention, lines: Sequence[str], value: str, day: date) -> Found:
        """A session that states a fact in passing, and the turn that does."""
        kind, rng = mention.kind, self.rng
        spoken = mention.thing.alias or mention.thing.name
        remark = Remark(mention.phrase(rng.choice(lines), value=value, spoken=spoken), kind.speaker)
        topic = self.topics.get(kind.topic)
        if kind.speaker == "assistant" and topic is not None:
            # An answer has to be about what was asked.
            return self._session(topic, mention.person or spoken, remark, day)
        if topic is None or rng.random() < 0.5:
            topic = rng.choice(list(self.topics.values()))
        return self._session(topic, rng.choice(topic.things), remark, day)

    def _session(self, topic: Topic, thing: str, remark: Remark, day: date) -> Found:
        written = write_session(self.rng, topic, self.glue, thing, [remark])
        draft = Draft(
            written.turns, self._moment(day), EVIDENCE_POOL, [self._key], remarks=written.places
        )
        self.evidence.append(draft)
        return draft, written.places[0]

    def _contradict(self, mention: Mention, told: Draft) -> None:
        """A later session in which the user says something else than the gold."""
        kind, rng = mention.kind, self.rng
        line = mention.phrase(
            rng.choice(kind.new or kind.say),
            value=self.supply.decoy(kind),
            spoken=mention.thing.alias or mention.thing.name,
        )
        topic = rng.choice(list(self.topics.values()))
        written = write_session(rng, topic, self.glue, rng.choice(topic.things), [Remark(line)])
        later = self._moment(self._day(told.date.date() + timedelta(days=1)))
        tags = (f"contradicts:{self._key}",)
        draft = Draft(written.turns, later, CONTRADICTIONS, tags=tags, remarks=written.places)
        self.contradictions.append(draft)

    # Small parts

    def _item(
        self,
        qtype: str,
        kind: str,
        question: str,
        gold: str,
        evidence: Sequence[Found],
        mentions: Sequence[Mention],
        *,
        answerable: bool = True,
    ) -> DraftItem:
        if not self._crowds:
            self._crowds = list(CROWDS)
            self.rng.shuffle(self._crowds)
        asked = self._moment(LAST_DAY + timedelta(days=self.rng.randint(5, 40)))
        return DraftItem(
            key=self._key,
            question=question,
            gold=gold,
            qtype=qtype,
            kind=kind,
            asked=asked,
            evidence=tuple(evidence),
            mentions=tuple(mentions),
            crowd=self._crowds.pop(),
            answerable=answerable,
        )

    def _ask(self, lines: Sequence[str], mention: Mention, second: Mention | None = None) -> str:
        line = self.rng.choice(lines)
        if second is not None:
            line = line.replace("{second}", second.thing.name)
        return mention.phrase(line)

    def _moment(self, day: date) -> datetime:
        return moment(self.rng, day)

    def _day(self, first: date = FIRST_DAY, last: date = LAST_DAY) -> date:
        return first + timedelta(days=self.rng.randint(0, max((last - first).days, 0)))


def visited(when: str, told: date) -> date:
    """The day a relative date means, told on `told`; `last Monday` is the latest Monday before."""
    back = DAYS_BACK.get(when)
    if back is None:
        back = (told.weekday() - WEEKDAYS.index(when.removeprefix("last "))) % 7 or 7
    return told - timedelta(days=back)


def day_text(day: date) -> str:
    """A date as golds have it: `14 March 2024`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def moment(rng: Random, day: date) -> datetime:
    """Some time of the day, local, to the minute."""
    return datetime.combine(day, time(rng.randint(7, 22), rng.randint(0, 59)))
