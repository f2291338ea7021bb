"""Does an answer say that the question cannot be answered, or does it answer all the same?"""

from __future__ import annotations

import re

from runners.judges.folding import fold

_ABSTAINS = re.compile(
    r"\b(?:"
    r"no (?:information|info|mention|record|records|evidence|details?|data|indication|reference|memory|memories|answer|relevant)"
    r"|not (?:enough|sufficient|any) (?:information|info|details?|data|evidence|context)"
    r"|(?:is|was|are|were|been|be|it's|just|simply)? ?not (?:explicitly |specifically |clearly |directly )?(?:mentioned|stated|specified|provided|discussed|available|recorded|given|known|answerable|possible to (?:say|tell|determine|answer))"
    r"|(?:isn't|wasn't|aren't|weren't|hasn't been|haven't been|has not been|have not been|never|hadn't) (?:explicitly |specifically |clearly |directly |been )?(?:mentioned|stated|specified|provided|discussed|available|recorded|given|known|talked about|brought up|mention|said|told|shared)"
    r"|(?:did not|didn't|do not|don't|does not|doesn't|have not|haven't|has not|hasn't|had not|hadn't|never) (?:actually |explicitly |specifically |ever |yet )?(?:mention|mentioned|say|said|state|stated|specify|specified|tell|told|talk|talked|discuss|discussed|provide|provided|share|shared|include|included|contain|contains|indicate|reveal|give|given|cover|appear)"
    r"|(?:do not|don't|does not|doesn't|did not|didn't) (?:actually |currently |really )?(?:have|know|recall|remember|see|find)(?: that| any| enough| a| the| of| what| when| where| who| how| which| if| whether|\b)"
    r"|(?:cannot|can't|can not|could not|couldn't|unable to|not able to|impossible to|not possible to|no way to) (?:be )?(?:determine|determined|answer|answered|find|found|tell|say|know|recall|locate|identify|infer|confirm|provide)"
    r"|insufficient (?:information|data|evidence|context|details?)"
    r"|information (?:provided )?(?:is|was) (?:not enough|insufficient|missing|lacking|incomplete)"
    r"|unanswerable|unknown|unspecified|not sure|unsure|i have no idea|no idea|n/a|not applicable|unclear"
    r"|nothing (?:is|was|in|about|indicates|suggests|mentions)"
    r"|(?:have|has|had)(?:n't| not) (?:started|attended|visited|had|met|been|owned|bought|gone|done) (?:.{0,30})(?:yet|before|according)"
    r"|none (?:of (?:the|your|our|these) (?:.{0,25})(?:mention|mentions|say|says|contain|contains))"
    r")"
)
_SHORT = re.compile(
    r"^\W*(?:none|unknown|n/?a|nothing|no answer|null|not mentioned|i don't know|idk|abstain)\W*$"
)
_GUESS = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|possibly|presumably|i(?:'d| would)? (?:guess|say|assume|think|believe|bet)"
    r"|my (?:best )?guess|best guess|might (?:be|have)|may (?:be|have)|could (?:be|have been)|seems? (?:to|like)"
    r"|appears? to|it (?:was|is|would be)|the answer (?:is|was)|i would estimate|estimate)\b"
)
_TURN = re.compile(
    r"[;,.]\s*(?:but|however|though|although|still|nevertheless|that said|yet)\b|\bbut\b|\bhowever\b"
)


def abstains(answer: str) -> bool:
    """True when the answer declines to answer and does not go on to guess.

    "The information is not enough; you mentioned baseball, not football" abstains. "I am not sure, but
    it was probably Paris" answers.
    """
    text = fold(answer).strip()
    if not text:
        return False
    if _SHORT.match(text):
        return True
    if not _ABSTAINS.search(text):
        return False
    return not guesses(text)


def guesses(text: str) -> bool:
    """After saying that it cannot know, does the (folded) text offer an answer all the same?"""
    for m in _TURN.finditer(text):
        rest = re.split(r"[.;!?]", text[m.end() :], maxsplit=1)[0]
        if _GUESS.search(rest) and not _ABSTAINS.search(rest):
            return True
    for sentence in re.split(r"(?<=[.!?;])\s+", text)[1:]:
        if re.match(
            r"(?:i(?:'d| would)? (?:guess|say|assume|think|believe)|my (?:best )?guess|probably|perhaps|maybe|most likely)\b",
            sentence,
        ) and not _ABSTAINS.search(sentence):
            return True
    return False
