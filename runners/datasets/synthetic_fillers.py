"""The irrelevant sessions of the synthetic set, many of which come close to a question.

Near misses are of three sorts: a conversation about the very thing a question is about, somebody
else's value of the same attribute, and a remark of the user's that shares words but states nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from runners.datasets.synthetic_dialogue import Remark, Topic, write_session
from runners.datasets.synthetic_drafts import Draft, DraftItem, Mention
from runners.datasets.synthetic_items import FIRST_DAY, LAST_DAY, POOL, ItemWriter, moment

CROWD = {"low": (0, 2, 1), "mid": (2, 5, 2), "high": (7, 11, 4)}
"""Near misses per question: conversations, others' values, asides."""


def write_fillers(items: Sequence[DraftItem], writer: ItemWriter, number: int) -> list[Draft]:
    """`number` sessions (8 to 16 turns, about 200 to 600 tokens) that answer no question."""
    rng, topics = writer.rng, writer.topics
    subjects: list[tuple[Topic, str]] = []
    remarks: list[Remark] = []
    for item in items:
        for mention in item.mentions:
            _near(item, mention, writer, subjects, remarks)
    rng.shuffle(remarks)
    remarks = remarks[: 2 * number]
    rng.shuffle(subjects)
    subjects = subjects[: number * 2 // 3]
    while len(subjects) < number:
        topic = rng.choice(list(topics.values()))
        subjects.append((topic, rng.choice(topic.things)))
    rng.shuffle(subjects)
    drafts = []
    for place, (topic, thing) in enumerate(subjects):
        # Two remarks at most: the first `number` remarks each get a session, the rest double up.
        written = write_session(rng, topic, writer.glue, thing, remarks[place::number])
        day = FIRST_DAY + timedelta(days=rng.randint(0, (LAST_DAY - FIRST_DAY).days))
        drafts.append(Draft(written.turns, moment(rng, day), POOL, remarks=written.places))
    return drafts


def _near(
    item: DraftItem,
    mention: Mention,
    writer: ItemWriter,
    subjects: list[tuple[Topic, str]],
    remarks: list[Remark],
) -> None:
    kind, rng, supply = mention.kind, writer.rng, writer.supply
    talks, others, asides = CROWD[item.crowd]
    topic = writer.topics.get(kind.topic)
    if topic is None:
        asides += talks
    else:
        thing = mention.thing.name
        subjects += [(topic, mention.person if kind.name == "place" else thing)] * talks
    for _ in range(others):
        line = rng.choice(kind.other)
        value, who = supply.decoy(kind), supply.who()
        remarks.append(Remark(mention.phrase(line, value=value, who=who)))
    remarks += [Remark(mention.phrase(rng.choice(kind.aside))) for _ in range(asides)]
