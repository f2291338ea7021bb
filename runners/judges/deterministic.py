"""The deterministic judge: a stated gold is right, everything else wrong, and what it cannot read unknown.

It accepts what *states* the gold: the same words, numbers, dates, durations, list parts, option or
yes/no, whatever the wording around it. It does not understand paraphrase: a right answer in other
words is counted wrong. How often it errs, both ways, is measured in docs/metrics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memtui.model import Label
from runners.judges.abstention import abstains
from runners.judges.amounts import amount_verdict
from runners.judges.contract import Case, Verdict
from runners.judges.dates import DateSpan, parse_iso
from runners.judges.folding import word_set, words
from runners.judges.golds import asked, parts, variants
from runners.judges.lexer import STOP, Tok, content, lex, sentences
from runners.judges.matching import Span, find, find_content, informative
from runners.judges.objections import objection
from runners.judges.options import option_verdict
from runners.judges.polarity import echo, polarity

RUBRIC_TYPES = frozenset({"single-session-preference"})
"""Question types whose gold is a rubric for a reader, not an answer."""

_MAX_EXTRA_WORDS = 80
_MAX_END = 4_000
_DATE_FILLERS = STOP | word_set("since night week day date weekend late early")


class DeterministicJudge:
    """Judge by rules alone; the same case always gets the same verdict."""

    @property
    def id(self) -> str:
        """`deterministic-v1`: the number changes whenever a verdict could."""
        return "deterministic-v1"

    async def judge(self, case: Case) -> Verdict:
        """Judge one answer; `reason` names the rule that decided."""
        return decide(case)


def decide(case: Case) -> Verdict:
    """The verdict on one case, and the rule behind it.

    UNKNOWN only for a rubric (`rubric`) or a missing gold (`no_gold`).
    """
    answer = _ends((case.answer or "").strip())
    if not case.answerable:
        return _unanswerable(case, answer)
    if case.qtype in RUBRIC_TYPES:
        return Verdict(Label.UNKNOWN, "rubric")
    gold = (case.gold or "").strip()
    if not words(gold):
        return Verdict(Label.UNKNOWN, "no_gold")
    if not words(answer):
        return Verdict(Label.WRONG, "no_answer")
    if words(gold) == words(answer):
        return Verdict(Label.RIGHT, "exact")
    return _compare(case, gold, answer)


def _ends(answer: str) -> str:
    """A very long answer by its beginning and its end: nothing else of it can count."""
    if len(answer) <= 2 * _MAX_END:
        return answer
    return f"{answer[:_MAX_END]} … {answer[-_MAX_END:]}"


def _unanswerable(case: Case, answer: str) -> Verdict:
    if not words(answer):
        return Verdict(Label.WRONG, "no_answer")
    if case.gold and words(case.gold) == words(answer):
        return Verdict(Label.RIGHT, "exact")
    if case.tempting and _falls_for(case.tempting, answer):
        return Verdict(Label.WRONG, "tempting")
    if abstains(answer):
        return Verdict(Label.RIGHT, "abstains")
    return Verdict(Label.WRONG, "answered_unanswerable")


def _falls_for(tempting: str, answer: str) -> bool:
    """The tempting answer is stated in a sentence that does not itself decline."""
    if words(tempting) == words(answer):
        return True
    gold = lex(tempting)
    if polarity(tempting) and len(words(tempting)) == 1:
        return not abstains(answer) and polarity(answer) == polarity(tempting)
    for sentence in sentences(lex(answer)):
        plain = " ".join(t.text for t in sentence)
        if abstains(plain):
            continue
        if any(not objection(s, sentence, gold) for s in find(gold, sentence)):
            return True
    return False


def _compare(case: Case, gold: str, answer: str) -> Verdict:
    form = asked(case.question)
    lean = polarity(gold) if form.yes_no or words(gold)[0] in ("yes", "no", "likely") else None
    if lean in ("yes", "no") and not _is_option(case, gold):
        return _polar(case, lean, answer)
    declined = abstains(answer)
    if declined and not abstains(gold):
        return Verdict(Label.WRONG, "abstained")
    reasons: list[str] = []
    options = option_verdict(case.question, gold, answer)
    if options is not None:
        return Verdict(Label.RIGHT if options == "option" else Label.WRONG, options)
    body = _bounded(lex(answer), lex(gold))
    candidates = variants(gold, case.question)
    if form.measure:
        amount = amount_verdict(candidates, gold, case.question, body)
        if amount is not None:
            return Verdict(Label.RIGHT if amount == "amount" else Label.WRONG, amount)
    for variant in candidates:
        reason = _states(variant, case, body, ordered=form.ordered)
        if reason in ("contains", "date", "parts", "content", "order"):
            return Verdict(Label.RIGHT, reason)
        reasons.append(reason)
    if len(body) < len(lex(answer)) and all(r == "not_stated" for r in reasons):
        return Verdict(Label.WRONG, "too_long")
    return Verdict(Label.WRONG, next((r for r in reasons if r != "not_stated"), "not_stated"))


def _is_option(case: Case, gold: str) -> bool:
    return (
        asked(case.question).options is not None
        and len(words(gold)) > 1
        and words(gold)[0] not in ("yes", "no")
    )


def _polar(case: Case, lean: str, answer: str) -> Verdict:
    said = polarity(answer)
    if said is None and abstains(answer):
        return Verdict(Label.WRONG, "abstained")
    if said is None:
        said = echo(case.question, answer)
    if said is None:
        return Verdict(Label.WRONG, "no_polarity")
    if said == "both":
        return Verdict(Label.WRONG, "ambiguous_polarity")
    return (
        Verdict(Label.RIGHT, "polarity") if said == lean else Verdict(Label.WRONG, "other_polarity")
    )


def _bounded(answer: tuple[Tok, ...], gold: tuple[Tok, ...]) -> tuple[Tok, ...]:
    """The part of an answer that is read: all of it, or its first and last sentence when it runs on.

    A gold somewhere in a page of text was not given as the answer.
    """
    limit = _MAX_EXTRA_WORDS + 2 * sum(t.kind != "sep" for t in gold)
    if sum(t.kind != "sep" for t in answer) <= limit:
        return answer
    sents = sentences(answer)
    stop = Tok("sep", ".", ".", skip=True)
    out: list[Tok] = []
    for sentence in (sents[0], sents[-1]) if len(sents) > 1 else sents[:1]:
        if sum(t.kind != "sep" for t in sentence) <= limit:
            out += [*sentence, stop]
    return tuple(out)


def _states(variant: str, case: Case, answer: tuple[Tok, ...], *, ordered: bool) -> str:
    gold = lex(variant)
    day = _only_date(gold)
    if day is not None:
        return _dated(day, gold, _with_anchor(case, answer), variant)
    pieces = parts(variant)
    question = lex(case.question)
    if ordered and len(pieces) > 1:
        return _in_order(pieces, answer)
    objections: list[str] = []
    for span in find(gold, answer):
        against = objection(span, answer, gold, question)
        if not against and _enumerates(span, answer, len(pieces)):
            against = "enumeration"
        if not against:
            return "contains"
        objections.append(against)
    if len(pieces) > 1:
        return _all_parts(pieces, case, answer)
    if objections:
        return objections[0]
    need = informative(gold, question)
    if not need:
        return "not_stated"
    for sentence in sentences(answer):
        for span in find_content(need, sentence, slack=len(need) + 2):
            against = objection(span, sentence, gold, question)
            if not against and _enumerates(span, sentence, 1):
                against = "enumeration"
            if not against:
                return "content"
            objections.append(against)
    return objections[0] if objections else "not_stated"


def _only_date(gold: Sequence[Tok]) -> DateSpan | None:
    """The date, when a gold is a date and nothing else but fillers."""
    dates = [t for t in gold if t.kind == "date"]
    rest = [t for t in gold if t.kind not in ("date", "sep") and t.text not in _DATE_FILLERS]
    if len(dates) != 1 or rest:
        return None
    key = dates[0].key
    return key if isinstance(key, DateSpan) else None


def _with_anchor(case: Case, answer: tuple[Tok, ...]) -> tuple[Tok, ...]:
    anchor: date | None = parse_iso(case.question_date)
    if anchor is None:
        return answer
    return _bounded(lex(_ends(case.answer or ""), anchor), ())


def _dated(day: DateSpan, gold: Sequence[Tok], answer: Sequence[Tok], variant: str) -> str:
    spans = [i for i, t in enumerate(answer) if t.kind == "date"]
    if not spans:
        return "no_date"
    objections: list[str] = []
    distinct = {answer[i].key for i in spans}
    for i in spans:
        key = answer[i].key
        if not isinstance(key, DateSpan) or not key.states(day):
            continue
        against = objection(Span(i, i), answer, gold)
        if not against and len(distinct) > 3:
            against = "enumeration"
        if not against:
            return "date"
        objections.append(against)
    if objections:
        return objections[0]
    vaguer = any(isinstance(k := answer[i].key, DateSpan) and day.states(k) for i in spans)
    return "vaguer_date" if vaguer else "other_date"


def _all_parts(pieces: Sequence[tuple[Tok, ...]], case: Case, answer: tuple[Tok, ...]) -> str:
    """Every part of a list stated, in any order."""
    question = lex(case.question)
    for piece in pieces:
        if not _part_stated(piece, question, answer):
            return "part_missing"
    stated = len(parts(" ".join(t.text for t in answer)))
    return "enumeration" if stated > 2 * len(pieces) + 4 else "parts"


def _part_stated(piece: Sequence[Tok], question: Sequence[Tok], answer: Sequence[Tok]) -> bool:
    for span in find(piece, answer):
        if not objection(span, answer, piece, question):
            return True
    need = informative(piece, question) or content(piece)
    return any(
        not objection(s, answer, piece, question)
        for s in find_content(need, answer, slack=len(need) + 1, within_entry=True)
    )


def _in_order(pieces: Sequence[tuple[Tok, ...]], answer: Sequence[Tok]) -> str:
    """Every part stated, first mentions in the gold's order; parts are told apart by their own words."""
    counts: dict[object, int] = {}
    for piece in pieces:
        for key in {t.key for t in content(piece)}:
            counts[key] = counts.get(key, 0) + 1
    last = -1
    for piece in pieces:
        own = [t for t in content(piece) if counts[t.key] == 1 and t.kind != "ord"]
        if not own:
            continue
        at = [i for i, t in enumerate(answer) if any(same_key(g, t) for g in own)]
        found = sum(any(same_key(g, t) for t in answer) for g in own)
        if not at or found * 3 < len(own) * 2:
            return "part_missing"
        if at[0] <= last:
            return "other_order"
        last = at[0]
    return "order" if last >= 0 else "not_stated"


def same_key(a: Tok, b: Tok) -> bool:
    """Equal kind and key."""
    return a.kind == b.kind and a.key == b.key


def _enumerates(span: Span, answer: Sequence[Tok], wanted: int) -> bool:
    """The match is one entry of a long list of candidates: "jazz, rock, pop, blues, soul, funk, punk"."""
    left, right = span.first, span.last
    while left > 0 and not (
        answer[left - 1].kind == "sep" and answer[left - 1].key in (".", "!", "?", ";")
    ):
        left -= 1
    while right + 1 < len(answer) and not (
        answer[right + 1].kind == "sep" and answer[right + 1].key in (".", "!", "?", ";")
    ):
        right += 1
    window = answer[left : right + 1]
    commas = sum(t.kind == "sep" and t.key == "," for t in window)
    size = sum(t.kind != "sep" for t in window)
    return commas >= 2 * wanted + 3 and size <= 4 * (commas + 1)
