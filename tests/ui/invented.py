"""Invented people, sessions and questions for the fixture runs of the screens."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from memtui.model import Evidence, Item, Turn

NAMES = ("Mira", "Tomas", "Ilse", "Jonas", "Nadia", "Pavel", "Rosa", "Emil", "Greta", "Bruno")
MONTHS = ("January", "March", "May", "June", "September", "November")

TEMPLATES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "single-session",
        "Which town did {n} move to in {m}?",
        "The boxes are finally unpacked. We moved to {v} in {m}, two streets from the river.",
        ("Trieste", "Ghent", "Bergen", "Porto", "Graz", "Lucca"),
    ),
    (
        "single-session",
        "What is the name of {n}'s new dog?",
        "She is eight weeks old and has already eaten one shoe. We call her {v}.",
        ("Biscuit", "Olive", "Juno", "Pepper", "Tinder", "Moss"),
    ),
    (
        "temporal",
        "When did {n} hand in the thesis on rivers?",
        "I handed in the thesis on rivers on {v}, four days before the deadline.",
        ("12 May", "3 June", "28 March", "17 September", "9 November", "21 January"),
    ),
    (
        "knowledge-update",
        "How many plants does {n} keep on the balcony now?",
        "Count again: with the two tomato pots there are {v} plants on the balcony now.",
        ("nine", "eleven", "fourteen", "seven", "twenty", "five"),
    ),
    (
        "preference",
        "Which tea does {n} drink in the evening?",
        "No more black tea after six. In the evening I only drink {v} these days.",
        ("rooibos", "lemon verbena", "fennel", "mint", "chamomile", "linden"),
    ),
)
SMALL_TALK = (
    "The tram was late again, so I read a whole chapter standing up.",
    "We tried the new bakery on the corner. The rye was good, the rolls were not.",
    "My sister called about the summer house; the roof needs work before autumn.",
    "I have been sleeping better since I stopped looking at the phone in bed.",
    "The choir rehearsal moved to Thursday, which clashes with pottery.",
    "It rained through the whole picnic, but nobody wanted to leave first.",
    "I still have not answered the letter from the insurance.",
    "The neighbours are repainting the stairs in a colour nobody voted for.",
    "We cooked for eleven people and still had soup for three days.",
    "The exhibition about bridges was smaller than the poster made us believe.",
)
REPLIES = (
    "That sounds like a full week. What would make the next one easier?",
    "Good to hear. Shall I note it down for later?",
    "I can put together a short list if that helps.",
    "Take your time. We can come back to it tomorrow.",
)


@dataclass(frozen=True, slots=True)
class InventedSession:
    """A session with its token and date."""

    token: str
    turns: tuple[Turn, ...]
    date: str


def token_of(text: str) -> str:
    """Twelve hex digits, as the run's opaque session tokens are."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def filler(number: int) -> InventedSession:
    """A session of small talk that answers nothing."""
    rng = random.Random(f"filler {number}")
    turns: list[Turn] = []
    for _ in range(rng.randint(2, 5)):
        turns.append(Turn("user", " ".join(rng.sample(SMALL_TALK, rng.randint(1, 3)))))
        turns.append(Turn("assistant", rng.choice(REPLIES)))
    date = f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}T{rng.randint(8, 21):02d}:15:00"
    return InventedSession(token_of(f"filler {number}"), tuple(turns), date)


def question(number: int) -> tuple[Item, tuple[InventedSession, ...]]:
    """A question with one or two evidence sessions; every sixth one cannot be answered."""
    rng = random.Random(f"question {number}")
    qtype, ask, tell, values = TEMPLATES[number % len(TEMPLATES)]
    name, month, value = rng.choice(NAMES), rng.choice(MONTHS), rng.choice(values)
    sessions: list[InventedSession] = []
    evidence: list[Evidence] = []
    answerable = number % 6 != 5
    for part in range(1 if number % 3 else 2):
        small = filler(10_000 + 10 * number + part)
        turn = 2 * rng.randint(0, len(small.turns) // 2 - 1)
        turns = list(small.turns)
        said = tell.format(n=name, m=month, v=value)
        if part:
            said = f"By the way, {name} told me the same: {said}"
        turns[turn] = Turn("user", f"{rng.choice(SMALL_TALK)} {said}")
        session = InventedSession(token_of(f"evidence {number} {part}"), tuple(turns), small.date)
        sessions.append(session)
        if answerable:
            evidence.append(Evidence(f"D{part + 1}:{turn + 1}", session.token, turn))
    item = Item(
        key=f"q{number:03d}",
        question=ask.format(n=name, m=month),
        gold=value if answerable else "This was never mentioned.",
        qtype=qtype,
        cluster=f"person-{number % 8}",
        answerable=answerable,
        question_date="2024-12-30T09:00:00",
        evidence=tuple(evidence),
        gold_raw=value,
    )
    return item, tuple(sessions)
