"""Text as the extractive agents read it: turns, sentences, stems. Cached by content, bounded."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

_SPEAKER = re.compile(r"^(user|assistant|system|[A-Z][\w'’.-]{0,24}(?: [A-Z][\w'’.-]{0,24})?): ")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")
_NOT_AN_END = re.compile(r"(?:^|\s)(?:\d{1,2}|Dr|Mr|Mrs|Ms|St|vs|etc|e\.g|i\.e|approx|No)\.$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
MAX_SENTENCE = 1_200
"""Characters after which a sentence is cut: a pasted document must not count as one sentence."""

_FORMS = """
buy: bought; pay: paid; spend: spent; give: gave given gives; get: got gotten gets; go: went gone goes
take: took taken takes; tell: told tells; say: said says; make: made makes; find: found; meet: met
run: ran; come: came; leave: left; live: lives lived living; begin: began begun; read: reads
keep: kept; sell: sold; see: saw seen; think: thought; teach: taught; send: sent; bring: brought
choose: chose chosen; know: known knew; grow: grew grown; eat: ate eaten; drive: drove driven
write: wrote written; win: won; lose: lost; build: built; catch: caught; feel: felt; fly: flew
child: children; person: people persons; woman: women; man: men; life: lives; foot: feet; mouse: mice
colour: colours; color: colors; lead: led; hold: held; wear: wore worn; ride: rode ridden; swim: swam
"""
_IRREGULAR = {
    form: base.strip()
    for line in _FORMS.strip().splitlines()
    for entry in line.split(";")
    for base, _, forms in [entry.partition(":")]
    for form in forms.split()
}
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A light stem of a lower-case word: plural, -ing, -ed and a final e go, known verbs are mapped."""
    word = word.replace("’", "'").removesuffix("'s").replace("'", "")
    word = _IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 5 and word.endswith("ing"):
        word = _DOUBLED.sub(r"\1", word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _DOUBLED.sub(r"\1", word[:-2])
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as text."""
    return frozenset(text.split())


def words(text: str) -> list[str]:
    """The words of `text` as they stand, in order."""
    return _WORD.findall(text)


def stems(text: str) -> list[str]:
    """The stems of `text`, in order."""
    return [stem(word) for word in _WORD.findall(text.lower())]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, who says it (lower case; empty when unmarked) and in which turn of the block."""

    text: str
    speaker: str
    turn: int


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A block's sentences in order, and where each stem stands."""

    sentences: tuple[Sentence, ...]
    postings: dict[str, tuple[int, ...]]
    """Indices into `sentences` by stem."""
    plain: frozenset[str]
    """Words that occur in lower case: a capitalised one of them is no name."""


def parse(text: str) -> ParsedBlock:
    """Cut a block into sentences; never raises, whatever the text."""
    sentences: list[Sentence] = []
    speaker, turn = "", 0
    for line in text.split("\n"):
        match = _SPEAKER.match(line)
        if match is not None:
            turn += 1
            speaker = match[1].lower()
            line = line[match.end() :]
        sentences += [Sentence(piece, speaker, turn) for piece in _pieces(line)]
    places: dict[str, list[int]] = {}
    plain: set[str] = set()
    for index, sentence in enumerate(sentences):
        found = _WORD.findall(sentence.text)
        plain.update(word for word in found if word.islower())
        for key in {stem(word.lower()) for word in found}:
            places.setdefault(key, []).append(index)
    postings = {key: tuple(where) for key, where in places.items()}
    return ParsedBlock(tuple(sentences), postings, frozenset(plain))


def _pieces(line: str) -> list[str]:
    pieces: list[str] = []
    held = ""
    for piece in _SENTENCE_END.split(line):
        joined = f"{held} {piece}".strip()
        if _NOT_AN_END.search(joined) and len(joined) < MAX_SENTENCE:
            held = joined
            continue
        held = ""
        pieces += [joined[i : i + MAX_SENTENCE] for i in range(0, len(joined), MAX_SENTENCE)]
    if held:
        pieces.append(held)
    return pieces


class BlockCache:
    """Parsed blocks by their text, the least recently used dropped first.

    Bounded by the characters of the texts it holds, since blocks may be a line or a whole history.
    """

    def __init__(self, characters: int = 8_000_000) -> None:
        self._limit = characters
        self._held = 0
        self._blocks: OrderedDict[str, ParsedBlock] = OrderedDict()

    def __len__(self) -> int:
        """Blocks held."""
        return len(self._blocks)

    def get(self, text: str) -> ParsedBlock:
        """The parsed block, from the cache where it is there."""
        block = self._blocks.get(text)
        if block is not None:
            self._blocks.move_to_end(text)
            return block
        block = parse(text)
        self._blocks[text] = block
        self._held += len(text)
        while self._held > self._limit and len(self._blocks) > 1:
            old, _ = self._blocks.popitem(last=False)
            self._held -= len(old)
        return block
