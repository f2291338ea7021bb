"""What a gold asks for: its accepted variants, its parts, its key amount, and the question's form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from runners.judges.folding import fold, stem, word_set
from runners.judges.lexer import STOP, Tok, content, lex, sentences
from runners.judges.quantities import as_quantity, unit_dimension

_MEASURE = re.compile(
    r"\bhow (?:many|much|long|old|often|far|tall|big|heavy|fast|frequently)\b"
    r"|\bwhat (?:time|age|percent\w*|size|speed|distance|was the amount|is the amount)\b"
    r"|\b(?:number|amount|average|total|ratio|percentage|score|record|discount|increase|difference) (?:of|in|cost|time|distance|number|age|amount)\b"
)
_ORDER = re.compile(
    r"\border of\b|\bin (?:the )?(?:chronological )?order\b|earliest to (?:the )?latest|first to last"
    r"|\bfirst, second\b"
)
_AUX = word_set(
    "is are was were am be do does did has have had can could will would should may might must"
)
_MARKERS = word_set(
    "total totaling altogether therefore thus so overall combined answer sum now currently finally leaves leaving equals makes making"
)
_TAIL_REASON = re.compile(
    r"^(?P<head>.{2,}?)[,;]?\s+(?:since|because|as (?:she|he|they|it|the))\b.*$",
    re.I | re.S,
)
_BY_AUTHOR = re.compile(
    r"^(?P<title>(?:['\"]|[A-Z](?!n? ))[^,;]*?)\s+by\s+(?P<name>[A-Z].*)$", re.S
)
_ACCEPTABLE = re.compile(
    r"^(?P<alt>[^.]+?)\s*(?:\([^)]*\)\s*)?(?:is|are) also acceptable\.?$", re.I
)
_RANGE = re.compile(
    r"answers? ranging from (?P<a>.+?) to (?P<b>.+?) (?:is|are) also acceptable", re.I
)
_PAREN = re.compile(r"\s*\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Asked:
    """The form of a question."""

    measure: bool
    """Asks for an amount, a time or a frequency."""
    unit: str | None
    """The unit of measure it names ("how many *weeks*")."""
    counted: tuple[str, ...]
    """Stems of what "how many" counts ("Korean restaurants")."""
    ordered: bool
    """Asks for an order: the parts of the gold may not be shuffled."""
    why: bool
    options: tuple[str, str] | None
    """The two options of an either-or question."""
    yes_no: bool
    """Can be answered with yes or no."""
    several: bool
    """Asks more than one thing: one amount does not answer it."""


@lru_cache(maxsize=8_192)
def asked(question: str) -> Asked:
    """Read the form of a question from its wording."""
    q = fold(question).strip()
    unit = None
    m = re.search(r"\bhow (?:many|much)((?: [\w'-]+){1,4})", q)
    if m:
        unit = next((w for w in m.group(1).split() if unit_dimension(w)), None)
    elif re.search(r"\bhow old\b|\bwhat age\b", q):
        unit = "years"
    return Asked(
        measure=bool(_MEASURE.search(q)),
        unit=unit,
        counted=_counted(q),
        ordered=bool(_ORDER.search(q)),
        why=bool(re.search(r"\bwhy\b|\bwhat (?:was the )?(?:reason|motivat)", q)),
        options=_options(q),
        yes_no=_yes_no(q),
        several=len(re.findall(r"\bhow (?:many|much|long|old|often)\b", q)) > 1,
    )


def _counted(question: str) -> tuple[str, ...]:
    """The noun phrase after "how many", up to the verb; empty for units of measure."""
    m = re.search(r"\bhow many ((?:[\w'-]+ ?)+)", question)
    if m is None:
        return ()
    noun: list[str] = []
    for word in m.group(1).split():
        if word in _AUX or word in STOP:
            break
        noun.append(word)
    if any(unit_dimension(w) for w in noun):
        return ()
    return tuple(stem(w) for w in noun[:4])


def _yes_no(question: str) -> bool:
    """Does a clause of the question begin with an auxiliary verb, or does it ask for yes or no?"""
    clauses = re.split(r"[,.;:!?]\s*", question)
    starts = {c.split(" ", 1)[0] for c in clauses if c}
    return bool(starts & _AUX) or "yes or no" in question


def _options(question: str) -> tuple[str, str] | None:
    """The options of "…, A or B?"; None when the question offers none, or more than two."""
    last = re.split(r"[.?!]\s+(?=\w)", question.rstrip("?! "))[-1]
    if last.count(" or ") != 1 or " or not" in last:
        return None
    left, right = last.split(" or ")
    pieces = left.split(", ")
    if len(pieces) > 2 and re.search(r"\bwho\b|\bamong\b", question):
        return None
    right = right.split(",")[0]
    if len(pieces) > 1:
        left = pieces[-1]
    else:  # no comma: the option is about as long as the other one
        if left.split(" ", 1)[0] not in (*_AUX, "which", "who", "what"):
            return None
        size = len([w for w in right.split() if w not in STOP])
        told = [w for w in left.split() if w not in STOP]
        left = " ".join(told[-max(1, size) :])
    return (left, right) if left and right else None


def variants(gold: str, question: str) -> list[str]:
    """The texts that state the gold, the whole gold first.

    Dropped, one at a time: remarks in parentheses, the explanation after `;`, `since` or `because`
    (unless the question asks why), an author after a title. Added: alternatives the gold itself
    allows (`(or 31:20)`, `6 days … is also acceptable`).
    """
    out = [gold]
    form = asked(question)
    text = gold.strip()
    first = text
    pieces = re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])", text)
    if len(pieces) > 1:
        alternatives = [a for p in pieces[1:] if (a := _acceptable(p))]
        if alternatives:
            first = pieces[0]
            out += [first, *alternatives]
        elif form.measure:
            out.append(pieces[0])
    for inner in _PAREN.findall(text):
        if inner.lower().startswith("or "):
            out.append(inner[3:])
        elif re.fullmatch(r"[A-Z]{2,6}", inner):
            out.append(inner)
    bare = _PAREN.sub("", first).strip()
    if bare and bare != first:
        out.append(bare)
    if not form.why:
        for candidate in (bare or first,):
            if ";" in candidate:
                out.append(candidate.split(";")[0])
            m = _TAIL_REASON.match(candidate)
            if m and len(m["head"].split()) <= 8:
                out.append(m["head"])
    m = _BY_AUTHOR.match(bare or first)
    if (
        m
        and re.match(r"\s*(?:what|which)\b", fold(question))
        and "who" not in fold(question).split()
    ):
        out.append(m["title"])
    return list(dict.fromkeys(v.strip() for v in out if v.strip()))


def _acceptable(sentence: str) -> str | None:
    m = _ACCEPTABLE.match(sentence.strip())
    return m["alt"] if m and "ranging" not in m["alt"].lower() else None


def allowed_range(gold: str) -> tuple[Tok, Tok] | None:
    """The two ends of "Answers ranging from A to B are also acceptable"."""
    m = _RANGE.search(gold)
    if m is None:
        return None
    a, b = lex(m["a"]), lex(m["b"])
    return (a[0], b[0]) if a and b and a[0].kind == b[0].kind == "qty" else None


@lru_cache(maxsize=8_192)
def parts(text: str) -> tuple[tuple[Tok, ...], ...]:
    """Cut a gold into the things it lists; one part when it is no list."""
    out: list[list[Tok]] = [[]]
    toks = lex(text)
    for i, t in enumerate(toks):
        breaks = (t.kind == "sep" and t.key in (",", ";", "/", "&", ":")) or (
            t.kind == "word" and t.text in ("and", "then", "finally", "lastly", "followed")
        )
        # "7.", "2)" number an entry
        numbering = (
            t.kind == "num"
            and i + 1 < len(toks)
            and toks[i + 1].key in (")", ".")
            and i + 2 < len(toks)
        )
        ends = t.kind == "sep" and t.key in (".", "!", "?")
        if breaks or numbering or ends:
            out.append([])
        else:
            out[-1].append(t)
    return tuple(tuple(p) for p in out if content(p))


def key_amount(variant: str, question: str) -> tuple[Tok, str] | None:
    """The amount a gold states: its token and its modifier (`over`, `under`, …); None unless just one.

    Read from the first sentence; numbers that the question already gave do not count, and a
    conclusion ("so a total of …") beats what leads to it.
    """
    sents = sentences(lex(variant))
    if not sents:
        return None
    form = asked(question)
    if form.several:
        return None
    sent = _before_details(sents[0])
    given = {t.key for t in lex(question) if t.kind in ("num", "qty")}
    idx = [i for i, t in enumerate(sent) if t.kind in ("num", "qty", "time", "freq")]
    fresh = [i for i in idx if sent[i].key not in given] or idx
    if not fresh:
        return None
    mark = last_marker(sent)
    if mark is not None and any(i > mark for i in fresh):
        chosen = next(i for i in fresh if i > mark)
    elif len({sent[i].key for i in fresh}) == 1:
        chosen = fresh[0]
    else:
        return None
    tok = sent[chosen]
    if tok.kind == "num" and form.unit is not None and isinstance(tok.key, float):
        amount = as_quantity(tok.key, form.unit)
        if amount is not None:
            tok = Tok("qty", amount, tok.text)
    return tok, modifier(sent, chosen)


def _before_details(sent: list[Tok]) -> list[Tok]:
    """ "seven cousins: three from …": what follows a colon spells the amount out."""
    for i, t in enumerate(sent):
        if t.kind == "sep" and t.key == ":" and any(x.kind in ("num", "qty") for x in sent[:i]):
            return sent[:i]
    return sent


def last_marker(sent: list[Tok]) -> int | None:
    """Position of the last word that announces a conclusion (`total`, `so`, `now` …), or of `=`."""
    found = [i for i, t in enumerate(sent) if t.text in _MARKERS or t.key == "="]
    return found[-1] if found else None


def modifier(sent: list[Tok], i: int) -> str:
    """`over`, `under`, `at_least`, `at_most` when such a word stands before position `i`, else ``."""
    before = [
        t.text for t in sent[max(0, i - 4) : i] if t.kind != "sep" and t.text not in ("a", "the")
    ]
    tail = " ".join(before[-3:])
    if tail.endswith(("am up to", "is up to", "are up to", "was up to", "were up to")):
        return ""
    for name, phrases in (
        ("at_most", ("no more than", "at most", "up to", "not more than")),
        ("at_least", ("at least", "no less than", "no fewer than", "minimum of")),
        ("over", ("over", "more than", "above", "longer than", "greater than", "exceeding")),
        ("under", ("under", "less than", "fewer than", "below", "shorter than")),
    ):
        if any(tail == p or tail.endswith(" " + p) for p in phrases):
            return name
    return ""
