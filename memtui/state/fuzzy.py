"""Finding a name by a few letters of it, in linear time whatever the name is."""

from __future__ import annotations

WORD_START, INSIDE, SCATTERED = 4.0, 3.0, 1.0


def found_at(query: str, name: str) -> tuple[float, list[int]]:
    """(score, places of the letters found); every word of the query must be there, in any order.

    A word counts most at the start of a word of the name, less inside one, least as letters in order.
    0 where a word is not found. Short names come before long ones.
    """
    low = name.lower()
    if len(low) != len(name):  # some letter has a longer small form: places would be off
        low = name
    score, places = 0.0, list[int]()
    for word in query.lower().split():
        worth, at = _word(word, low)
        if not worth:
            return 0.0, []
        score += worth * len(word)
        places += at
    return score / (1 + len(name) / 500), sorted(set(places))


def _word(word: str, name: str) -> tuple[float, list[int]]:
    at = name.find(word)
    first = at
    while at > 0 and name[at - 1].isalnum():
        at = name.find(word, at + 1)
    if at >= 0:
        return WORD_START, [*range(at, at + len(word))]
    if first >= 0:
        return INSIDE, [*range(first, first + len(word))]
    places = []
    here = -1
    for letter in word:
        here = name.find(letter, here + 1)
        if here < 0:
            return 0.0, []
        places.append(here)
    return SCATTERED, places
