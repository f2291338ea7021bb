"""What a question asks for, read from its wording alone: the sort of answer, and the words that count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from runners.agents.span_text import stem, word_set, words

MONEY, NUMBER, DURATION, CLOCK, PACE = "money", "number", "duration", "clock", "pace"
DATE, WEEKDAY, COLOR, PERSON, PLACE = "date", "weekday", "color", "person", "place"
CITY, NAME, TITLE, CHOICE, OPEN = "city", "name", "title", "choice", "open"

STOP = word_set(
    """
    a an the and or but if of in on at to for from by with about as into than then so that this these
    those there here it its is are was were be been being am do does did done have has had having
    i me my mine we us our you your he him his she her they them their what which who whom whose when
    where why how much many long can could would should will shall may might must not no yes any some
    one ones ever already still just also too very really currently now today please remind tell
    know think person friend people somebody someone thing different kind type sort time times day days
    date week weeks month months year years hour hours minute minutes number amount total together
    combined according name names called first last earlier later before after between recently most
    recent previous previously s t re ve ll d m don didn wasn up out off over get got
    """
)
_ALIKE = """
bought got ordered picked purchased came from buy purchase order get pick come shop store sold sell
paid cost set back spent charge pay price spend fee charged wanted worth money
named called name call answers listens goes
present gift gave surprised give receive received thanks left from
starts begins kicks off begin start open opens gets going
lives moved settled live home found works relocated move
recommend recommended try suggest suggested tip mentioned told mention describe known
paint painted color colour shade coat went chose
visited went made visit go trip been there saw
planted put plant set into ground
keep sits moved lives kept stored store put lies hide spot
finished read done through complete finish got
work works job employed employer
studied graduated degree major study
fastest record best quickest fast personal
bake baked baking oven cook roast
takes getting need reach count costs
monthly month
"""
_SYNONYMS: dict[str, tuple[str, ...]] = {}
for _line in _ALIKE.strip().splitlines():
    _group = _line.split()
    for _word in _group:
        _others = [other for other in _group if stem(other) != stem(_word)]
        _SYNONYMS[stem(_word)] = tuple(dict.fromkeys((*_SYNONYMS.get(stem(_word), ()), *_others)))

_UNIT = r"(?:second|minute|hour|day|week|month|year)s?"
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (PACE, r"\b(?:best|record|fastest|personal best|finish(?:ing)?) time\b|\bhow fast\b"),
        (PACE, r"\bmy (?:current )?record (?:for|in|on)\b"),
        (DURATION, rf"\bhow (?:long|much time)\b|\bhow many {_UNIT}\b"),
        (MONEY, r"\bhow much (?:money|did .*\b(?:pay|spend|cost|earn)|do(?:es)? .*\b(?:pay|cost))"),
        (MONEY, r"\b(?:price|cost|fee|rent|salary|charged|come to monthly)\b"),
        (NUMBER, r"\bhow (?:many|much|old|often)\b|\b(?:what|which) number\b"),
        (
            CLOCK,
            r"\b(?:what|which) (?:time|hour)\b|\bwhen does .*\b(?:start|begin|open|close|leave)",
        ),
        (WEEKDAY, r"\b(?:weekday|day of the week)\b|\bwhich day\b"),
        (DATE, r"\bwhen\b|\bwhat (?:date|day)\b|\b(?:which|on what) (?:date|day)\b"),
        (COLOR, r"\bcolou?rs?\b|\b(?:what|which) shade\b"),
        (
            CITY,
            r"\b(?:what|which) (?:city|town|country|state|village)\b|\bwhere\b.*\b(?:live|from)\b",
        ),
        (CITY, r"\bwhere is .*\bat home\b"),
        (PERSON, r"\bwho(?:m|se)?\b"),
        (PLACE, r"\bwhere\b|\b(?:what|which) (?:place|spot|shop|store|room)\b"),
        (NAME, r"\bnames?\b|\bcalled\b|\bcall\b|\b(?:what|which) (?:brand|make)\b"),
        (TITLE, r"\bwhich\b|\bwhat (?:is|was) the \w+ (?:that|which|\w+ed)\b"),
        (
            TITLE,
            r"\bwhat (?!(?:did|do|does|is|was|are|were|has|have|had|ca|could|would|should|will|kind|type|sort)\b)\w+",
        ),
    )
)
_HEADS = {
    COLOR: "color colour shade",
    CITY: "city town country state village live home",
    NAME: "name call brand make",
    MONEY: "price cost fee money monthly",
    PACE: "best record fast",
    PERSON: "kind",
}
_HEAD_STEMS = {kind: frozenset(map(stem, text.split())) for kind, text in _HEADS.items()}
_CHOICE = re.compile(
    r"\b(?:which|what|who|did|was|were|do|does|have)\b.*?[,:]?\s*"
    r"(?:\b(?:the|my|a|an|at the|at) )?(?P<a>[\w'’ -]{2,90}?) or "
    r"(?:(?:at |to |in )?(?:the|my|a|an) )?(?P<b>[\w'’ -]{2,90}?)(?: (?:first|earlier|last|later))?[?.]?$",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:first|earlier|earliest|before|last|later|latest|(?:more|most) recently)\b", re.I
)
_LATER = re.compile(r"\b(?:last|later|latest|more recently|most recently)\b", re.I)
_OLD = re.compile(
    r"\b(?:used to|previous|previously|initial|initially|originally|former|old)\b", re.I
)
_TO_ASSISTANT = re.compile(
    r"\b(?:did you|you (?:said|told|gave|suggest|recommend|mention|provid|describ|list|refer|bring|brought)\w*"
    r"|your (?:tip|advice|suggestion|recommendation)|according to you|our (?:previous|last) (?:chat|conversation))",
    re.I,
)
_KIN = re.compile(
    r"\b(?:my|our|his|her|their) (?:\w+ )?(?:sister|brother|cousin|aunt|uncle|niece|nephew|mother|father"
    r"|mom|mum|dad|parents?|grand\w+|son|daughter|kids?|wife|husband|partner|friends?|neighbou?rs?"
    r"|colleagues?|co-?workers?|boss|flatmate|roommate|landlord|classmate|teacher|doctor)\b",
    re.I,
)
_MINE = re.compile(r"\b(?:i|me|my|mine|we|our|us)\b", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart. `terms` are stems of content words, in order, without repeats."""

    text: str
    kind: str
    terms: tuple[str, ...]
    keywords: tuple[str, ...]
    """The words behind `terms` as they stand in the question."""
    alike: tuple[tuple[str, ...], ...]
    """Words that a statement may use instead, per term, likely ones first."""
    heads: frozenset[str]
    """Terms that only name the sort of answer: a statement of it seldom repeats them."""
    names: frozenset[str]
    """Stems of capitalised words inside the question."""
    unit: str = ""
    """The unit of a duration that is named, singular."""
    options: tuple[str, ...] = ()
    """The two sides of a question of choice."""
    latest: bool = True
    """Of several values, is the newest one wanted?"""
    mine: bool = True
    """Is it about the user, and not about somebody named?"""
    others: bool = False
    """Does it ask about somebody else by relation?"""
    to_assistant: bool = False
    """Does it ask for what the assistant said?"""

    @property
    def bits(self) -> int:
        """Number of terms: a set of matched terms is a mask of this many bits."""
        return len(self.terms)


@lru_cache(maxsize=4_096)
def understand(text: str) -> Question:
    """Take a question apart; any text is accepted."""
    lowered = text.lower().replace("’", "'")
    kind = next((kind for kind, pattern in _RULES if pattern.search(lowered)), OPEN)
    options: tuple[str, ...] = ()
    choice = _CHOICE.search(text.strip())
    if choice is not None and _ORDER.search(text):
        kind = CHOICE
        options = (_side(choice["a"]), _side(choice["b"]))
    found = words(text)
    terms: dict[str, str] = {}
    for word in found:
        key = stem(word.lower())
        if word.lower() not in STOP:
            terms.setdefault(key, word)
    if not terms:
        terms = {stem(word.lower()): word for word in found}
    names = frozenset(
        stem(word.lower()) for word in found[1:] if word[:1].isupper() and word.lower() != "i"
    )
    mine = bool(_MINE.search(text))
    return Question(
        text=text,
        kind=kind,
        terms=tuple(terms),
        keywords=tuple(terms.values()),
        alike=tuple(_SYNONYMS.get(key, ()) for key in terms),
        heads=_HEAD_STEMS.get(kind, frozenset()),
        names=names,
        unit=unit[1]
        if (unit := re.search(r"\bhow many (minute|hour|day|week|month|year)", lowered))
        else "",
        options=options,
        latest=not _OLD.search(text) if kind != CHOICE else bool(_LATER.search(text)),
        mine=mine,
        others=bool(_KIN.search(text)),
        to_assistant=bool(_TO_ASSISTANT.search(text)),
    )


def _side(text: str) -> str:
    side = text.strip(" ,:")
    for start in (", ", ": ", " the ", " my "):
        side = side.rpartition(start)[2] or side
    return re.sub(r"^(?:the|my|a|an) ", "", side.strip(), flags=re.I)
