"""Write the table of keys into docs/keys-and-themes.md, from the bindings themselves.

    python docs/make_keys.py

Everything between `<!-- keys -->` and `<!-- end of keys -->` is made here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memtui.app import MemtuiApp
from memtui.screens.keys import DIALOGS, all_keys, dialog_keys, shown

PAGE = Path(__file__).resolve().with_name("keys-and-themes.md")
REGION = re.compile(r"(<!-- keys -->\n).*?(<!-- end of keys -->)", re.DOTALL)
SCOPES = {
    "everywhere": "Everywhere",
    "lists": "Lists and texts",
    "pair": "Compare, side by side",
    "dialogs": "Dialogs",
    **{scope: f"Dialog: {scope}" for scope, _ in DIALOGS[1:]},
}


def filled(page: str) -> str:
    """The page with the table made anew."""
    return REGION.sub(lambda found: found[1] + "\n".join(table()) + "\n" + found[2], page)


def table() -> Iterator[str]:
    """One table per scope: id, key as the configuration writes it, what it does."""
    scope = ""
    for key in [*all_keys(MemtuiApp), *dialog_keys()]:
        if key.scope != scope:
            scope = key.scope
            yield from ("", f"### {SCOPES.get(scope, scope.capitalize())}", "")
            yield from ("| id | keys | |", "|---|---|---|")
        keys = " ".join(f"`{shown(one)}`" for one in key.keys).replace("|", r"\|")
        yield f"| `{key.id}` | {keys} | {key.what} |"
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
