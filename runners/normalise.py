"""Text made comparable, for "does this text contain that answer?".

Lower case, punctuation deleted, the words a, an, the dropped, white space collapsed: the `norm` of
MemoryAgentBench (github.com/HUST-AI-HYZ/MemoryAgentBench, SQuAD style), with typographic quotes and
dashes treated as punctuation too, because chat text is full of them.
"""

from __future__ import annotations

import re
import string
import unicodedata

_DELETE = string.punctuation + "“”‘’„‟‚‛«»…¿¡·•" + "\u200b\u200c\u200d\ufeff"
_TABLE = str.maketrans("–—―‐‑‒−", " " * 7, _DELETE)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalise(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces; compatible forms unified (NFKC)."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_ARTICLE.sub(" ", plain.lower().translate(_TABLE)).split())
