"""A piece of text with its style held as a span.

A style given to `Text(...)` itself would go on to whatever is appended later, and rich drops it when the
text has no span at all.
"""

from __future__ import annotations

from rich.style import Style
from rich.text import Text


def styled(words: str, style: Style | str = "") -> Text:
    """Our own or already clean words in a style, ready to be appended to."""
    text = Text(words, end="", no_wrap=True)
    text.stylize(style)
    return text
