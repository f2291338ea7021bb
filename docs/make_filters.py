"""Write the table of fields into docs/metrics.md, "Filters", from the filter language itself.

    python docs/make_filters.py

Everything between `<!-- fields -->` and `<!-- end of fields -->` is made here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memtui.query.manual import meanings

PAGE = Path(__file__).resolve().with_name("metrics.md")
REGION = re.compile(r"(<!-- fields -->\n).*?(<!-- end of fields -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with the table made anew."""
    return REGION.sub(lambda found: found[1] + "\n".join(table()) + "\n" + found[2], page)


def table() -> Iterator[str]:
    """One row per field, in the order of the language."""
    yield from ("", "| field | is |", "|---|---|")
    for name, meaning in meanings():
        yield f"| `{name}` | {meaning.replace('*', chr(92) + '*').replace('|', chr(92) + '|')} |"
    yield ""


def main() -> int:
    """Write the page; says whether anything changed."""
    before = PAGE.read_text(encoding="utf-8")
    after = filled(before)
    PAGE.write_text(after, encoding="utf-8")
    print(f"{PAGE.name}: {'as it was' if before == after else 'written'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
