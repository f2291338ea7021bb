"""How the lexical systems cut text into words."""

from __future__ import annotations

import re
import unicodedata

_CJK = (
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7af"  # Hangul syllables
    "\U00020000-\U0003134f"  # Han, supplementary planes
)
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")


def words(text: str) -> list[str]:
    """Words of `text` in order, lower-cased; never raises, and no character has a special meaning.

    A word is a run of letters and digits; everything else separates (`don't` gives `don`, `t`;
    `20.04` gives `20`, `04`). Chinese, Japanese and Korean write without spaces between words, so
    there every character is a word. Text outside ASCII is NFKC-normalised and case-folded first.
    No stop words and no stemming: what common words weigh is left to their idf.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
