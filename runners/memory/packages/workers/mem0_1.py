"""mem0ai 1.x, of the papers: facts are extracted, then ADD, UPDATE, DELETE or NONE is decided for each.

The package dates its prompt with the day it was imported on; it is given the session's. A memory that
is updated keeps every batch it was made from, which the package itself forgets.
"""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runners.memory.packages.workers import mem0_2 as base
else:
    import mem0_2 as base

TODAY = re.compile(r"(?<=Today's date is )\d{4}-\d\d-\d\d")


class Memory(base.Memory):
    """One haystack's memories, in one folder."""

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The k nearest memories."""
        limit = base.more(k)
        return self.hits(self.memory.search(query, user_id=base.USER, limit=limit, rerank=False))


def main() -> None:
    """Import the package and serve."""
    worker = import_module("json_lines")
    replies = worker.begin()
    package: Any = import_module("mem0.memory.main")
    prompts = package.get_fact_retrieval_messages

    def dated(*args: Any, **keywords: Any) -> Any:
        system, user = prompts(*args, **keywords)
        return TODAY.sub(base.DATE.get(), system), user

    package.get_fact_retrieval_messages = dated
    package.logger.addHandler(base.Unread(logging.ERROR))
    worker.serve(replies, "mem0ai", Memory)


if __name__ == "__main__":
    main()
