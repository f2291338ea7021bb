"""Text to comparable words: case, accents, quotes, contractions and plural endings are levelled."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "′": "'", "`": "'", "“": '"', "”": '"', "„": '"'}
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))

_RAW = re.compile(
    r"(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+(?:\.\d+)?)"
    r"|(?P<w>[^\W\d_]+(?:'[^\W\d_]+)*)"
    r"|(?P<p>[^\w\s]|_)",
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_ACRONYM = re.compile(r"\b(?:[a-z]\.){2,}(?:[a-z]\b)?")

_CONTRACTIONS = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "ain't": ("is", "not"),
    "let's": ("let",),
}


@dataclass(frozen=True, slots=True)
class Raw:
    """One raw token: a word, a number as written, or a punctuation mark."""

    text: str
    kind: str
    """`w`, `n` or `p`."""
    glued: bool
    """No space between this token and the one before it."""


def word_set(words: str) -> frozenset[str]:
    """A set of words written as one line of text."""
    return frozenset(words.split())


def fold(text: str) -> str:
    """Level case, width, accents, quotes, dashes and invisible characters."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).translate(_DASHES).casefold()
    out: list[str] = []
    for ch in unicodedata.normalize("NFD", text):
        category = unicodedata.category(ch)
        if category in ("Mn", "Cf", "So", "Sk"):  # accents, zero-width characters, emoji
            continue
        out.append(ch)
    folded = unicodedata.normalize("NFC", "".join(out))
    return _ACRONYM.sub(lambda m: m.group().replace(".", ""), folded)


def raw_tokens(folded: str) -> list[Raw]:
    """Cut folded text into words, numbers and punctuation; CJK characters are one token each."""
    out: list[Raw] = []
    end = -1
    for m in _RAW.finditer(folded):
        glued = m.start() == end
        end = m.end()
        kind = m.lastgroup or "p"
        piece = m.group()
        if kind != "w":
            out.append(Raw(piece, kind, glued))
            continue
        if _CJK.search(piece):
            out.extend(Raw(ch, "w", glued or i > 0) for i, ch in enumerate(piece))
            continue
        for i, word in enumerate(_words(piece)):
            out.append(Raw(word, "w", glued and i == 0))
    return out


def _words(piece: str) -> tuple[str, ...]:
    if piece in _CONTRACTIONS:
        return _CONTRACTIONS[piece]
    if "'" not in piece:
        return (piece,)
    if piece.endswith("n't"):
        return (piece[:-3], "not")
    head, _, tail = piece.partition("'")
    if tail in ("s", "re", "ve", "ll", "d", "m", "t"):
        return (head,)
    return tuple(p for p in piece.split("'") if p)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Light stem: plural and third-person endings, `-ing` and `-ed` of longer words.

    Deliberately weaker than Porter (1980): it must not merge words of different meaning, since a
    merge can turn a wrong answer into a right one.
    """
    w = word
    if len(w) > 3 and w.endswith("ies"):
        w = w[:-3] + "y"
    elif len(w) > 4 and w.endswith(("ches", "shes", "sses", "xes", "zes")):
        w = w[:-2]
    elif len(w) > 3 and w.endswith("s") and not w.endswith(("ss", "us", "is")):
        w = w[:-1]
    for suffix in ("ing", "ed"):
        root = w[: -len(suffix)]
        if w.endswith(suffix) and len(root) >= 4:
            if root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root.removesuffix("e")
    return w.removesuffix("e") if len(w) > 4 else w


@lru_cache(maxsize=4_096)
def words(text: str) -> tuple[str, ...]:
    """All folded words and numbers of a text, unstemmed, without punctuation."""
    return tuple(t.text for t in raw_tokens(fold(text)) if t.kind != "p")
