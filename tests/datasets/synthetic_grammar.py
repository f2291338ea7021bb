"""Facts parsed back from the text of the synthetic set: a second, independent reading of it.

Nothing here comes from the generator: the sentences are described once more, as patterns, and golds are
worked out from what they match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

SLOTS = {
    "<a>": "an?",
    "<t>": r"(?P<t>[\w' -]+?)",
    "<s>": r"(?P<s>[\w' -]+?)",
    "<p>": r"(?P<p>[A-Z][\w' -]+?)",
    "<v>": r"(?P<v>[A-Z][\w' ]+?)",
    "<w>": r"(?P<v>(?:the )?[\w' ]+?)",
    "<$>": r"(?P<v>\$\d+)",
    "<n>": r"(?P<v>\d+)",
    "<min>": r"(?P<v>\d+ minutes)",
    "<clock>": r"(?P<v>\d+:\d\d [ap]m)",
    "<pace>": r"(?P<v>\d+:\d\d)",
    "<when>": r"(?P<v>yesterday|\w+ days ago|last \w+)",
}

STATED = {
    "shop": "I finally got my <t> at <v>, it|My <t> came from <v>, in case|"
    "The <t> I use was from <v>, a tip|At <v> they sold me the <t> I had",
    "price": "My <t> set me back <$>, which|I spent <$> on my <t> and|"
    "It took <$> to get my <t>, more|They wanted <$> for the <t>, so",
    "petname": "We settled on <v> for our <t> after|<v>, my <t>, has been|One of my <t> answers to <v>, at|"
    "The other of my <t> is called <v> and|The children call our <t> <v>, and|Our <t> goes by <v> these|"
    "One out of my two <t> listens to <v>.|We named the second of my <t> <v>, after",
    "giver": "The <t> was a birthday present from <v>, who|<v> surprised me with the <t> when|"
    "I have the <t> thanks to <v>, a farewell|<v> left me the <t> before",
    "paint": "I went with <w> for the <t>, two|The <t> is <w> now, and|My <t> got a coat of <w> in the end|"
    "In the end the <t> turned out <w>, and",
    "start": "My <t> begins at <clock>, so|I have to be at my <t> by <clock> sharp|"
    "The <t> I joined kicks off at <clock>.|<clock> is when my <t> gets",
    "ride": "Getting to <t> is <min> door|I need <min> to reach <t> when|"
    "The trip to <t> costs me <min> each|From my door to <t> I count <min>.",
    "title": '<p> told me I have to try the <t> "<v>".|<p> will not stop praising "<v>", <a> <t> that|'
    '<p> insists that I should look at the <t> "<v>".|"<v>" is the <t> that <p> pressed',
    "count": "I put <n> <t> into the ground|There are <n> <t> of mine",
    "city": "<p> has settled in <v> and|<p> moved to <v> in spring|<p> found a flat in <v> and|"
    "These days <p> works and sleeps in <v>.",
    "brand": "I bought a used <v>, and this <t> has|My <t> is an old <v>, still|"
    "What I have is a <v>, and as <a> <t> it|A <v> is the <t> I",
    "place": "In <p>, the <t> I would send you to is <w>, a short|For <a> <t> in <p>, try <w>; it|"
    "My tip for <p> is <w>, <a> <t> that locals|When you are in <p>, ask for <w>; no <t> is",
    "minutes": "Give the <t> <min> on the|For the <t>, <min> in a hot|"
    "I recommend <min> of baking for the <t>.|The <t> should come out after <min>.",
    "method": "There is a simple approach to <t> known as the <v> method|For <t>, the <v> method would|"
    "what people call the <v> technique when it comes to <t>.|The <v> technique was made for <t>.",
    "weekday": "My <t> is on <v> evenings this|They moved my <t> to <v> evenings|"
    "We meet for <t> every <v> this|Our <t> was shifted to <v> for",
    "best": "I finished the <t> in <pace>, my fastest|New personal record today, <pace> for the <t>!|"
    "My watch showed <pace> after the <t>, which|did the <t> in <pace> this",
    "progress": "I have got through <n> chapters of <t> so|I am up to <n> chapters of <t> now|"
    "I have done <n> lessons of <t>.|That makes <n> lessons of <t> done",
    "keep": "I keep my <t> in <w>, where|My <t> has moved to <w>, out|If you need my <t>, it sits in <w>.|"
    "Since the clear-out my <t> is in <w>.",
    "fee": "I pay <$> a month for my <t>.|From now on it is <$> a month for my <t>.|"
    "They charge <$> monthly for my <t>.|They now charge <$> monthly for my <t>.",
    "event": "I visited the <t> <when>, and|We made it to the <t> <when>, after|I went to the <t> <when> and|"
    "The <t> was on my list for years, and <when> I",
}

ASKED = {
    "total": "How much did I pay in total for my <t> and my <s>?|What did my <t> and my <s> cost together?|"
    "What was the price of my <t> and my <s> combined?|how much money went into my <t> and my <s>?",
    "bridge": "person who gave me the <t> live|friend who gave me the <t> live|whoever gave me the <t> live|"
    "from whom I have the <t>?",
    "names": "names of my two <t>?|How are my two <t> called?",
    "order": "visit first, the <t> or the <s>?|Did I visit the <t> or the <s> first?|"
    "Was I at the <t> or at the <s> first?|go to earlier, the <t> or the <s>?",
    "between": "my visit to the <t> and my visit to the <s>?|my trip to the <t> and my trip to the <s>?",
    "shop": "Where did I buy my <t>?|store did I buy my <t> from?|which shop is my <t>?|did my <t> come from?",
    "fee": "monthly fee for my <t>?|pay per month for my <t>?|every month for my <t>?|What does my <t> come to",
    "price": "How much did I pay for my <t>?|What did my <t> cost?|What was the price of my <t>?|"
    "did I spend on my <t>?",
    "petname": "name of my <t>?|did I name my <t>?|How is my <t> called?|do we call our <t>?",
    "giver": "Who gave me the <t>?|Who did I get the <t> from?|From whom do I have the <t>?|kind to give me the <t>?",
    "paint": "did I paint the <t>?|did I choose for the <t>?|color is my <t> painted?|shade did the <t> get?",
    "start": "time does my <t> start?|When does my <t> begin?|At which hour does my <t> begin?",
    "ride": "take me to get to <t>?|need to reach <t>?",
    "title": "Which <t> did <p> recommend to me?|What is the <t> that <p> recommended|"
    "What <t> was suggested to me by <p>?|Which <t> did <p> tell me about?",
    "count": "How many <t> did I plant?|What number of <t> did I set?",
    "city": "Which city does <p> live in?|In what city is <p> at home?",
    "brand": "What brand is my <t>?|Which make is my <t>?",
    "place": "Which <t> did you recommend in <p>?|name of the <t> in <p> that you|What <t> in <p> was your tip|"
    "Which <t> in <p> did you mention",
    "minutes": "tell me to bake the <t>?|did you say the <t> should|how long should the <t> stay",
    "method": "method did you suggest for <t>?|method you suggested for <t>?|technique for <t> did you|"
    "technique did you describe for <t>?",
    "weekday": "day of the week is my <t>?|On which day is my <t> now|weekday does my <t> meet|is it now for my <t>?",
    "best": "best time for the <t>?|best time in the <t>?|my record for the <t>?|fast am I on the <t> at",
    "progress": "chapters of <t> have I|lessons of <t> have I",
    "keep": "Where do I keep my <t>?|Where is my <t> now|what spot is my <t> stored|look for my <t> today",
    "event": "When did I visit the <t>?|what date did I visit the <t>?|When was I at the <t>?|day did I go to the <t>?",
}

ALIASES = {
    "floor lamp": "standing lamp",
    "leather armchair": "big armchair",
    "laundry basket": "washing basket",
    "bread knife": "loaf knife",
    "cast iron skillet": "heavy iron pan",
    "gray parrot": "talking parrot",
    "rescue greyhound": "rescue dog",
    "record player": "turntable",
    "barometer": "weather glass",
    "garden shed": "tool shed",
    "spare room": "guest room",
    "choir rehearsal": "choir practice",
    "the allotment": "my vegetable plot",
    "strawberry plants": "berry plants",
    "touring bike": "travel bike",
    "apple strudel": "apple pastry",
    "remembering faces": "remembering people",
    "book club": "book circle",
    "hill mile": "uphill mile",
    "travel documents": "travel papers",
    "parking space": "parking spot",
    "aquarium": "sea life center",
    "tidal island": "causeway island",
    "step ladder": "folding ladder",
    "shop vacuum": "dust vacuum",
    "garden cart": "hand cart",
    "brown calf": "brown cow",
    "brass lamp": "brass lantern",
    "chicken coop": "hen coop",
    "brass band practice": "horn practice",
    "the rehearsal barn": "the practice barn",
    "onion sets": "little onions",
    "wood stove": "wood burner",
    "onion focaccia": "onion bread",
    "breathing exercises": "breath training",
    "gospel choir": "gospel singing",
    "castle stairs": "tower stairs",
    "fuse box key": "fuse key",
    "coworking desk": "shared desk",
    "bird reserve": "bird sanctuary",
    "water gardens": "water park",
}
"""Two words for one thing: what a person would know."""

WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
NUMBERS = {"two": 2, "three": 3, "four": 4}
MONTHS = "January February March April May June July August September October November December"


def _compile(patterns: str) -> tuple[re.Pattern[str], ...]:
    """Patterns between bars: literal text but for the slots."""
    return tuple(
        re.compile(
            "".join(SLOTS.get(part) or re.escape(part) for part in re.split(r"(<[^>]+>)", line))
        )
        for line in patterns.split("|")
    )


_STATED = {kind: _compile(patterns) for kind, patterns in STATED.items()}
_ASKED = {kind: _compile(patterns) for kind, patterns in ASKED.items()}


@dataclass(frozen=True)
class Fact:
    """A statement: what it is about, its value, and when it was made."""

    kind: str
    thing: str
    person: str
    value: str
    told: date


def asked(question: str) -> tuple[str, str, str, str]:
    """Kind, thing, second thing and person of a question."""
    for kind, patterns in _ASKED.items():
        for pattern in patterns:
            if match := pattern.search(question):
                found = match.groupdict()
                return kind, found.get("t") or "", found.get("s") or "", found.get("p") or ""
    raise AssertionError(f"no pattern knows the question {question!r}")


def facts(text: str, told: date) -> Iterator[Fact]:
    """The facts stated in a turn."""
    for kind, patterns in _STATED.items():
        for pattern in patterns:
            for match in pattern.finditer(text):
                found = match.groupdict()
                yield Fact(kind, found.get("t") or "", found.get("p") or "", found["v"], told)


def derive(question: str, known: Iterable[Fact]) -> str | None:
    """The gold of a question from all facts of a haystack; None when nothing was stated.

    Of several values of a fact that changes the newest counts; of any other fact there must be one.
    """
    kind, thing, second, person = asked(question)
    known = list(known)
    if kind == "total":
        prices = [_only(known, "price", name) for name in (thing, second)]
        return f"${sum(int(price[1:]) for price in prices)}"
    if kind == "bridge":
        return _only(known, "city", "", _only(known, "giver", thing))
    if kind == "names":
        stated = {f.value for f in known if f.kind == "petname" and f.thing == thing}
        assert len(stated) == 2, (question, stated)
        return " and ".join(sorted(stated))
    if kind in ("order", "between"):
        days = {name: _visit(known, name) for name in (thing, second)}
        if kind == "order":
            return f"the {min(days, key=lambda name: days[name])}"
        return f"{abs((days[thing] - days[second]).days)} days"
    if kind == "event":
        day = _visit(known, thing)
        return f"{day.day} {MONTHS.split()[day.month - 1]} {day.year}"
    if kind in ("weekday", "best", "progress", "keep", "fee"):
        stated_facts = _about(known, kind, thing, person)
        return max(stated_facts, key=lambda fact: fact.told).value if stated_facts else None
    if not _about(known, kind, thing, person):
        return None
    return _only(known, kind, thing, person)


def _about(known: list[Fact], kind: str, thing: str, person: str = "") -> list[Fact]:
    names = {thing, ALIASES.get(thing, thing)}
    return [f for f in known if f.kind == kind and f.thing in names and f.person == person]


def _only(known: list[Fact], kind: str, thing: str, person: str = "") -> str:
    values = {fact.value for fact in _about(known, kind, thing, person)}
    assert len(values) == 1, (kind, thing, person, values)
    return values.pop()


def _visit(known: list[Fact], thing: str) -> date:
    days = {_day(fact) for fact in _about(known, "event", thing)}
    assert len(days) == 1, (thing, days)
    return days.pop()


def _day(fact: Fact) -> date:
    if fact.value == "yesterday":
        return fact.told - timedelta(days=1)
    if fact.value.endswith(" days ago"):
        return fact.told - timedelta(days=NUMBERS[fact.value.split()[0]])
    wanted = WEEKDAYS.index(fact.value.removeprefix("last ").lower())
    day = fact.told - timedelta(days=1)
    while day.weekday() != wanted:
        day -= timedelta(days=1)
    return day
