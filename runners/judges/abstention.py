"""Does an answer say that the question cannot be answered, or does it answer all the same?"""

from __future__ import annotations

import re

from runners.judges.folding import fold

_HOW = r"(?:(?:explicitly|specifically|clearly|directly|actually|ever|yet|really|currently|been) )*"
_TOLD = (
    r"(?:mention(?:ed)?|stated?|specif(?:y|ied)|provided?|discuss(?:ed)?|share[d]?|sa(?:y|id)|tell|told"
    r"|talk(?:ed)? about|indicated?|given|give|recorded?|known|available|included?|contain(?:ed)?|cover(?:ed)?"
    r"|reveal(?:ed)?|brought up|come up|came up|appear(?:ed)?)"
)
_MATTER = (
    r"(?:information|info|mention|records?|evidence|details?|data|indication|reference|memory|memories"
    r"|answer|context)"
)
_ABSTAINS = re.compile(
    r"\b(?:"
    rf"(?:no|not enough|not sufficient|not any|insufficient|without (?:any|enough)) (?:relevant |specific |such |enough |further )?{_MATTER}"
    rf"|(?:not|never) {_HOW}{_TOLD}"
    rf"|(?:do|does|did) not {_HOW}(?:have|contain|hold|include|provide) (?:any |enough |that |the |this |such |sufficient |specific )*{_MATTER}"
    rf"|(?:i|we) (?:do|did) not {_HOW}(?:know|recall|remember|see|find)\b"
    r"|(?:can|could) not (?:be )?(?:determined?|answer(?:ed)?|find|found|tell|say|know|recall|locate|identify|infer|confirm)"
    r"|(?:unable|not able|impossible|not possible|no way) to (?:determine|answer|find|tell|say|know|recall|identify|confirm)"
    rf"|{_MATTER} (?:provided )?(?:is|was) (?:not enough|insufficient|missing|lacking|incomplete|not (?:there|available))"
    r"|unanswerable|not answerable|unspecified|(?:i am|i'm|i'm|im|am) (?:not sure|unsure)|not sure|unsure"
    r"|(?:i have )?no idea|not applicable|(?:is|was|remains) (?:unknown|unclear)"
    r"|nothing (?:is |was |in |about )(?:mentioned|said|the|our|your|that|this)"
    r"|have not (?:started|attended|visited|had|met|been|owned|bought|gone|done) .{0,30}(?:yet|before|according)"
    rf"|none of (?:the|your|our|these) .{{0,25}}{_TOLD}"
    r")"
)
_SHORT = re.compile(
    r"^\W*(?:none|unknown|n/?a|nothing|no answer|null|unclear|unsure|i don't know|idk|abstain)\W*$"
)
_GUESS = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|possibly|presumably"
    r"|i (?:would )?(?:guess|say|assume|think|believe|bet)|my (?:best )?guess|best guess"
    r"|might (?:be|have)|may (?:be|have)|could (?:be|have been)|seems? (?:to|like)|appears? to"
    r"|it (?:was|is|would be)|the answer (?:is|was)|i would estimate|estimate)\b"
)
_OPENING_GUESS = re.compile(
    r"(?:i (?:would )?(?:guess|say|assume|think|believe)|my (?:best )?guess|probably|perhaps|maybe|most likely)\b"
)
_TURN = re.compile(r"\b(?:but|however|although|though|still|nevertheless|that said)\b")
_READ = 4_000
_CONTRACTED = ((r"\bcan't\b|\bcannot\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"))


def abstains(answer: str) -> bool:
    """True when the answer declines to answer and does not go on to guess.

    "The information is not enough; you mentioned baseball, not football" abstains. "I am not sure, but
    it was probably Paris" answers. Only the first 4,000 characters are read.
    """
    text = fold(answer[:_READ]).strip()
    if not text:
        return False
    if _SHORT.match(text):
        return True
    for pattern, plain in _CONTRACTED:
        text = re.sub(pattern, plain, text)
    return bool(_ABSTAINS.search(text)) and not guesses(text)


def guesses(text: str) -> bool:
    """After saying that it cannot know, does the (folded) text offer an answer all the same?"""
    for m in _TURN.finditer(text):
        rest = re.split(r"[.;!?]", text[m.end() :], maxsplit=1)[0]
        if _GUESS.search(rest) and not _ABSTAINS.search(rest):
            return True
    return any(
        _OPENING_GUESS.match(sentence) and not _ABSTAINS.search(sentence)
        for sentence in re.split(r"(?<=[.!?;])\s+", text)[1:]
    )
