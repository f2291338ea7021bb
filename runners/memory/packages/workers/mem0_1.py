"""mem0ai 1.x, of the papers: facts are extracted, then ADD, UPDATE, DELETE or NONE is decided for each.

The package dates its prompt with the day it was imported on; it is given the session's. A memory that
is updated keeps every batch it was made from, which the package itself forgets.
"""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import Any

TODAY = re.compile(r"(?<=Today's date is )\d{4}-\d\d-\d\d")


def main() -> None:
    """Import the package and serve."""
    worker = import_module("json_lines")
    replies = worker.begin()
    newer: Any = import_module("mem0_2")
    package: Any = import_module("mem0.memory.main")
    prompts = package.get_fact_retrieval_messages

    def dated(*args: Any, **keywords: Any) -> Any:
        system, user = prompts(*args, **keywords)
        return TODAY.sub(newer.DATE.get(), system), user

    def search(self: Any, query: str, k: int) -> list[dict[str, Any]]:
        limit = newer.more(k)
        found = self.memory.search(query, user_id=newer.USER, limit=limit, rerank=False)
        hits: list[dict[str, Any]] = self.hits(found)
        return hits

    package.get_fact_retrieval_messages = dated
    package.logger.addHandler(newer.Unread(logging.ERROR))
    # Only searching is spelt otherwise than in 2.x.
    worker.serve(replies, "mem0ai", type("Memory", (newer.Memory,), {"search": search}))


if __name__ == "__main__":
    main()
