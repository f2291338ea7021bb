"""mem0ai 2.x: one ADD-only extraction call per batch of messages, cosine search.

The package dates what it reads with today; its own prompt takes an observation date, which is given
the session's. Keyword search (fastembed) and entity boosts (spaCy's model) want downloads and are
off: search is by vectors only.
"""

from __future__ import annotations

import logging
import shutil
from contextvars import ContextVar
from importlib import import_module
from typing import Any

USER = "u"
DATE: ContextVar[str] = ContextVar("DATE", default="unknown")
"""Of the session that is being read."""
PROBLEMS: ContextVar[list[str] | None] = ContextVar("PROBLEMS", default=None)
"""Replies of the model that the package could not read: it logs them and goes on."""


def config(settings: dict[str, Any]) -> dict[str, Any]:
    """The package's own configuration; everything lies in the view's folder."""
    folder = settings["folder"]
    server = {"openai_base_url": settings["base_url"], "api_key": settings["key"]}
    return {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": f"{folder}/qdrant",
                "on_disk": True,
                "embedding_model_dims": settings["dimensions"],
                "collection_name": "memory",
            },
        },
        "llm": {
            "provider": "openai",
            "config": {
                "model": settings["chat_model"],
                "temperature": 0,
                "max_tokens": settings["max_tokens"],
                **server,
            },
        },
        "embedder": {
            "provider": "openai",
            "config": {
                "model": settings["embed_model"],
                "embedding_dims": settings["dimensions"],
                **server,
            },
        },
        "history_db_path": f"{folder}/history.db",
    }


def more(k: int) -> int:
    """More than are wanted: which of several equal ones the store leaves out is chance.

    Whoever asked sorts equal scores by age and cuts.
    """
    return 2 * k + 20


def opened(settings: dict[str, Any]) -> Any:
    """The package's memory over a folder."""
    memory: Any = import_module("mem0").Memory.from_config(config(settings))
    # The server behind the address has tried as often as the run allows.
    for part in (memory.llm, memory.embedding_model):
        part.client = part.client.with_options(max_retries=0)
    return memory


class Memory:
    """One haystack's memories, in one folder."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.memory = opened(settings)
        self.numbers: dict[str, int] = {}
        self.sources: dict[str, list[int]] = {}

    def add(self, source: int, messages: list[dict[str, str]], date: str | None) -> str:
        """Extract and store; returns why nothing could be read, or nothing."""
        problems: list[str] = []
        PROBLEMS.set(problems)
        DATE.set(date[:10] if date else "unknown")
        found = self.memory.add(messages, user_id=USER, metadata={"source": source}, infer=True)
        for one in found.get("results", []):
            self.note(one["id"], one.get("event"), source)
        return problems[-1] if problems else ""

    def note(self, memory: str, event: str | None, source: int) -> None:
        """Keep where a memory comes from: an update is made from what it was and from what came."""
        if event == "DELETE":
            self.sources.pop(memory, None)
        elif event in ("ADD", "UPDATE"):
            self.numbers.setdefault(memory, len(self.numbers))
            self.sources[memory] = sorted({*self.sources.get(memory, []), source})

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The k nearest memories. The floor is the lowest there may be: its default is 0.1."""
        return self.hits(
            self.memory.search(query, filters={"user_id": USER}, top_k=more(k), threshold=0.0)
        )

    def hits(self, found: dict[str, Any]) -> list[dict[str, Any]]:
        """What the package found, with the numbers of its memories and of their batches."""
        return [
            {
                "number": self.numbers[one["id"]],
                "text": one["memory"],
                "score": one["score"],
                "sources": self.sources[one["id"]],
            }
            for one in found["results"]
            if one["id"] in self.sources
        ]

    def copy(self, settings: dict[str, Any]) -> Memory:
        """The same memories in another folder."""
        self.close()
        shutil.copytree(self.settings["folder"], settings["folder"], dirs_exist_ok=True)
        self.memory = opened(self.settings)
        new = type(self)(settings)
        new.numbers = dict(self.numbers)
        new.sources = {key: list(value) for key, value in self.sources.items()}
        return new

    def close(self) -> None:
        """Give the folder's lock back."""
        self.memory.close()
        self.memory.vector_store.client.close()


class Unread(logging.Handler):
    """Hands the package's complaints about a reply to whoever adds at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        problems = PROBLEMS.get()
        if problems is not None:
            problems.append(record.getMessage()[:300])


def main() -> None:
    """Import the package and serve."""
    worker = import_module("json_lines")
    replies = worker.begin()
    package: Any = import_module("mem0.memory.main")
    prompt = package.generate_additive_extraction_prompt

    def dated(*args: Any, **keywords: Any) -> Any:
        return prompt(*args, **{**keywords, "current_date": DATE.get(), "timestamp": DATE.get()})

    package.generate_additive_extraction_prompt = dated
    package.logger.addHandler(Unread(logging.ERROR))
    worker.serve(replies, "mem0ai", Memory)


if __name__ == "__main__":
    main()
