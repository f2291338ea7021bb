"""How the synthetic set writes a session: an everyday conversation, with a remark dropped in passing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from memtui.model import Turn
from runners.datasets.synthetic_kinds import article

MIN_PAIRS, MAX_PAIRS = 4, 8
"""A session has 8 to 16 turns: user and assistant in alternation."""
TURN_TIPS = ((1, 45), (2, 40), (3, 15))
"""How many pieces of advice an assistant turn holds, with weights."""


def _marked(text: str, marks: str) -> dict[str, tuple[str, ...]]:
    """Lines of `text` by their leading mark."""
    found: dict[str, list[str]] = {mark: [] for mark in marks}
    for line in filter(None, map(str.strip, text.splitlines())):
        found[line[0]].append(line[2:].strip())
    return {mark: tuple(lines) for mark, lines in found.items()}


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject of conversation. All lines may use `{thing}`, one of `things` or a kind's thing."""

    name: str
    things: tuple[str, ...]
    openers: tuple[str, ...]
    asks: tuple[str, ...]
    tips: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def parse(cls, name: str, things: str, text: str) -> Topic:
        """Read a topic: `!` opens a conversation, `?` asks on, `-` is advice, `~` is small talk."""
        lines = _marked(text, "!?-~")
        entries = tuple(entry.strip() for entry in things.split(";"))
        return cls(name, entries, lines["!"], lines["?"], lines["-"], lines["~"])


@dataclass(frozen=True, slots=True)
class Glue:
    """What people say around a subject, whatever it is."""

    greetings: tuple[str, ...]
    thanks: tuple[str, ...]
    turns_aside: tuple[str, ...]
    leads: tuple[str, ...]
    tips: tuple[str, ...]
    endings: tuple[str, ...]
    farewells: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Glue:
        """Read glue: `!` greeting, `?` acknowledgement, `>` change of subject, `+` lead-in of an
        answer, `-` advice for anything, `=` ending, `.` farewell."""
        lines = _marked(text, "!?>+-=.")
        return cls(*(lines[mark] for mark in "!?>+-=."))


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that must appear in a session, and who says it."""

    text: str
    speaker: str = "user"


@dataclass(frozen=True, slots=True)
class Written:
    """A session and the turn index of each of its remarks, in the order given."""

    turns: tuple[Turn, ...]
    places: tuple[int, ...]


def fill(line: str, thing: str) -> str:
    """A topic line about `thing`, its first letter a capital."""
    said = line.replace("a {thing}", article(thing)).replace("{thing}", thing)
    return said[:1].upper() + said[1:]


class _Deck:
    """Lines in random order; dealt again from the start only when all have been used."""

    def __init__(self, rng: Random, lines: Sequence[str]) -> None:
        self._rng = rng
        self._lines = list(lines)
        self._left: list[str] = []

    def draw(self) -> str:
        if not self._left:
            self._left = self._lines[:]
            self._rng.shuffle(self._left)
        return self._left.pop()


def write_session(
    rng: Random, topic: Topic, glue: Glue, thing: str, remarks: Sequence[Remark] = ()
) -> Written:
    """A conversation about `thing` that holds every remark, each in a turn of its own.

    8 to 16 turns, about 200 to 600 tokens (characters / 4). A remark of the user comes after a turn
    of phrase that changes the subject; one of the assistant is part of an answer.
    """
    talk = _Talk(rng, topic, glue, thing)
    pairs = rng.randint(MIN_PAIRS, MAX_PAIRS)
    slots = sorted(rng.sample(range(1, pairs - 1), len(remarks)))
    by_pair = dict(zip(slots, remarks, strict=True))
    turns: list[Turn] = []
    places: list[int] = []
    for pair in range(pairs):
        remark = by_pair.get(pair)
        said = told = None
        if remark is not None and remark.speaker == "user":
            said = remark.text
            places.append(len(turns))
        elif remark is not None:
            told = remark.text
            places.append(len(turns) + 1)
        last = pair == pairs - 1
        turns.append(Turn("user", talk.opening() if pair == 0 else talk.question(said, last)))
        turns.append(Turn("assistant", talk.answer(told, last)))
    return Written(tuple(turns), tuple(places))


class _Talk:
    """One conversation being written: what has been said is not said again while there is more."""

    def __init__(self, rng: Random, topic: Topic, glue: Glue, thing: str) -> None:
        self._rng, self._topic, self._glue, self._thing = rng, topic, glue, thing
        self._asks, self._notes = _Deck(rng, topic.asks), _Deck(rng, topic.notes)
        self._tips, self._common = _Deck(rng, topic.tips), _Deck(rng, glue.tips)

    def opening(self) -> str:
        """The user's first turn."""
        opener = fill(self._rng.choice(self._topic.openers), self._thing)
        if self._rng.random() < 0.5:
            return f"{self._rng.choice(self._glue.greetings)} {opener}"
        return opener

    def question(self, said: str | None, last: bool) -> str:
        """A later turn of the user, with the remark `said` in it."""
        rng = self._rng
        if last and rng.random() < 0.6:
            return rng.choice(self._glue.endings)
        parts = [rng.choice(self._glue.thanks)] if rng.random() < 0.5 else []
        if said is not None:
            parts += [rng.choice(self._glue.turns_aside), said]
        elif rng.random() < 0.35:
            parts.append(fill(self._notes.draw(), self._thing))
        return " ".join([*parts, fill(self._asks.draw(), self._thing)])

    def answer(self, told: str | None, last: bool) -> str:
        """A turn of the assistant, with the remark `told` in it."""
        rng = self._rng
        if last and rng.random() < 0.5:
            return fill(rng.choice(self._glue.farewells), self._thing)
        counts, weights = zip(*TURN_TIPS, strict=True)
        advice = [
            fill((self._common if rng.random() < 0.25 else self._tips).draw(), self._thing)
            for _ in range(rng.choices(counts, weights)[0])
        ]
        if told is not None:
            advice.insert(rng.randint(0, len(advice)), told)
        parts = [rng.choice(self._glue.leads)] if rng.random() < 0.6 else []
        if len(advice) >= 3 and rng.random() < 0.4:
            advice = [f"{number}. {line}" for number, line in enumerate(advice, 1)]
        return " ".join([*parts, *advice])
