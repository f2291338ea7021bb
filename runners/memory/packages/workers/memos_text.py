"""MemOS (MemoryOS on the index), plain text memory: one extraction call per batch, cosine search.

Every message carries its date the way the package's own reader writes it. Its files, logs and users
are kept in the state folder.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from typing import Any


class Memory:
    """One haystack's items, in one folder."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.memory = opened(settings)
        self.numbers: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self.scores: dict[str, float] = {}
        self.watch()

    def watch(self) -> None:
        """Keep the scores of a search, which the package's result leaves out."""
        search = self.memory.vector_db.search

        def scored(*args: Any, **keywords: Any) -> Any:
            found = search(*args, **keywords)
            self.scores = {one.id: one.score for one in found}
            return found

        self.memory.vector_db.search = scored

    def add(self, source: int, messages: list[dict[str, str]], date: str | None) -> str:
        """Extract and store; returns why nothing could be read, or nothing.

        The package raises where a reply is not of its form; a conversation goes on after that.
        """
        stamp = f"[{date}]: " if date else ""
        dated = [{"role": m["role"], "content": f"{stamp}{m['content']}"} for m in messages]
        try:
            items = self.memory.extract(dated)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            return f"{type(error).__name__}: {error}"[:300]
        if items:
            self.memory.add(items)
        for item in items:
            self.numbers[item.id] = len(self.numbers)
            self.sources[item.id] = source
        return ""

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The k nearest items and more: which of several equal ones the store leaves out is chance.

        Whoever asked sorts equal scores by age and cuts.
        """
        return [
            {
                "number": self.numbers[item.id],
                "text": item.memory,
                "score": self.scores[item.id],
                "sources": [self.sources[item.id]],
            }
            for item in self.memory.search(query, top_k=2 * k + 20)
        ]

    def copy(self, settings: dict[str, Any]) -> Memory:
        """The same items in another folder."""
        self.close()
        shutil.copytree(self.settings["folder"], settings["folder"], dirs_exist_ok=True)
        self.memory = opened(self.settings)
        self.watch()
        new = Memory(settings)
        new.numbers, new.sources = dict(self.numbers), dict(self.sources)
        return new

    def close(self) -> None:
        """Give the folder's lock back."""
        self.memory.vector_db.client.close()


def opened(settings: dict[str, Any]) -> Any:
    """The package's memory over a folder, with every model it may ask behind one address."""
    configs = import_module("memos.configs.memory")
    model = {
        "backend": "openai",
        "config": {
            "model_name_or_path": settings["chat_model"],
            "api_key": settings["key"],
            "api_base": settings["base_url"],
            "temperature": 0.0,
            "max_tokens": settings["max_tokens"],
        },
    }
    embedder = {
        "backend": "universal_api",
        "config": {
            "provider": "openai",
            "model_name_or_path": settings["embed_model"],
            "api_key": settings["key"],
            "base_url": settings["base_url"],
            "embedding_dims": settings["dimensions"],
        },
    }
    vectors = {
        "backend": "qdrant",
        "config": {
            "collection_name": "memory",
            "vector_dimension": settings["dimensions"],
            "distance_metric": "cosine",
            "path": f"{settings['folder']}/qdrant",
        },
    }
    config = configs.MemoryConfigFactory(
        backend="general_text",
        config={"extractor_llm": model, "embedder": embedder, "vector_db": vectors},
    )
    memory: Any = import_module("memos.memories.factory").MemoryFactory.from_config(config)
    # The server behind the address has tried as often as the run allows.
    for part in (memory.extractor_llm, memory.embedder):
        part.client = part.client.with_options(max_retries=0)
    return memory


def main() -> None:
    """Import the package and serve."""
    worker = import_module("json_lines")
    replies = worker.begin()
    import_module("memos.memories.factory")
    worker.serve(replies, "MemoryOS", Memory)


if __name__ == "__main__":
    main()
