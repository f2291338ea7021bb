"""WordPiece as BERT's uncased models use it, read from a `tokenizer.json`, without a tokenizer package.

The three steps are those of the BERT release (Devlin et al. 2018; github.com/google-research/bert,
tokenization.py): clean and lower-case the text and strip accents; split at white space, punctuation
and Chinese characters; cut each word greedily into the longest pieces of the vocabulary.
"""

from __future__ import annotations

import json
import unicodedata
from functools import lru_cache
from pathlib import Path

from memtui.errors import UserError

LONGEST_WORD = 100
"""A longer word becomes one unknown piece, as in the original."""


@lru_cache(maxsize=8192)
def _normal(char: str) -> str:
    """What one character contributes to the normalised text, padded where it stands alone."""
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char).startswith("C"):
        return ""
    if char.isspace():
        return " "
    code = ord(char)
    if (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2B73F
        or 0x2B740 <= code <= 0x2B81F
        or 0x2B920 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    ):
        return f" {char} "
    return char


@lru_cache(maxsize=8192)
def _is_punctuation(char: str) -> bool:
    """All ASCII that is neither letter, digit nor space, and Unicode's punctuation."""
    if char.isascii():
        return char.isprintable() and not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P")


def normalize(text: str) -> str:
    """The text cleaned, with Chinese characters set apart, accents stripped, in lower case."""
    cleaned = "".join(map(_normal, text))
    if not cleaned.isascii():
        decomposed = unicodedata.normalize("NFD", cleaned)
        # Letter by letter, as the original: Python's own lower() knows the final sigma.
        return "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")
    return cleaned.lower()


class WordPiece:
    """A vocabulary of word pieces; `pieces` gives their ids without [CLS] and [SEP]."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._words: dict[str, tuple[int, ...]] = {}
        self.unknown = vocabulary["[UNK]"]
        self.start = vocabulary["[CLS]"]
        self.end = vocabulary["[SEP]"]

    @classmethod
    def from_file(cls, path: Path) -> WordPiece:
        """Read a `tokenizer.json`; UserError if it is not one of a WordPiece model."""
        try:
            vocabulary = json.loads(path.read_text("utf-8"))["model"]["vocab"]
            return cls(vocabulary)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path} is not the tokenizer of a WordPiece model: {error}") from error

    def pieces(self, text: str) -> list[int]:
        """Ids of the text's word pieces. Special tokens written out in the text are plain text."""
        ids: list[int] = []
        for chunk in normalize(text).split():
            known = self._words.get(chunk)
            if known is None:
                known = tuple(p for word in _split(chunk) for p in self._cut(word))
                # Bounded, because text of many kinds goes through one instance.
                if len(self._words) < 200_000:
                    self._words[chunk] = known
            ids.extend(known)
        return ids

    def _cut(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self.unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                found = self._vocabulary.get(prefix + word[start:end])
                if found is not None:
                    pieces.append(found)
                    start = end
                    break
            else:
                return [self.unknown]
        return pieces


def _split(chunk: str) -> list[str]:
    """A run without white space, cut at punctuation, which stands alone."""
    if chunk.isalnum():
        return [chunk]
    parts: list[str] = []
    word = ""
    for char in chunk:
        if _is_punctuation(char):
            if word:
                parts.append(word)
            parts.append(char)
            word = ""
        else:
            word += char
    if word:
        parts.append(word)
    return parts
