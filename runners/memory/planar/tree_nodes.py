"""The nodes of MemOS's tree: memories and the summaries above them, in buckets of limited size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from runners.memory.memos_items import LONG_TERM, USER, Item
from runners.memory.provenance import Source, merged
from runners.memory.vectors import Vectors

WORKING = "WorkingMemory"
FACT, CONCEPT, TOPIC = "fact", "concept", "topic"
LEVELS = (TOPIC, CONCEPT, FACT)


@dataclass(slots=True)
class Node:
    """One memory. Parents have `children` (PARENT edges) and the union of their sources."""

    number: int
    """Order of creation: the id, and the age."""
    key: str
    value: str
    tags: tuple[str, ...]
    sources: tuple[Source, ...]
    row: Vectors
    level: str = FACT
    children: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The id under which a hit shows it."""
        return f"{self.level}-{self.number + 1}"


@dataclass(slots=True)
class Tree:
    """The buckets of one haystack, each ordered from the oldest node on.

    A bucket over its size loses its oldest nodes. What is in working memory is also in its own bucket,
    for as long as it is not evicted there.
    """

    sizes: dict[str, int]
    buckets: dict[str, dict[int, Node]] = field(
        default_factory=lambda: {WORKING: {}, LONG_TERM: {}, USER: {}}
    )
    evicted: int = 0
    """Nodes that fell out of long-term or user memory."""
    repeated: int = 0
    """Values that were there already: their sources were joined."""
    created: int = 0
    _by_value: dict[tuple[str, str], Node] = field(default_factory=dict)

    def add(self, item: Item, origin: Source, row: Vectors) -> None:
        """Store an item in the bucket of its type and in working memory."""
        known = self._by_value.get((item.memory_type, item.value))
        if known is not None:
            known.sources = merged(known.sources, (origin,))
            self.repeated += 1
            return
        node = Node(self.created, item.key, item.value, item.tags, (origin,), row)
        self.created += 1
        self._by_value[item.memory_type, item.value] = node
        for scope in (item.memory_type, WORKING):
            bucket = self.buckets[scope]
            bucket[node.number] = node
            if len(bucket) > self.sizes[scope]:
                oldest = bucket.pop(next(iter(bucket)))
                if scope != WORKING:
                    self.evicted += 1
                    del self._by_value[scope, oldest.value]

    def add_parent(
        self, scope: str, level: str, key: str, value: str, tags: Sequence[str],
        children: Sequence[Node], row: Vectors,
    ) -> Node:  # fmt: skip
        """Store a summary above some nodes of a bucket."""
        node = Node(
            self.created, key, value, tuple(tags), merged(*(child.sources for child in children)),
            row, level, tuple(child.number for child in children),
        )  # fmt: skip
        self.created += 1
        self.buckets[scope][node.number] = node
        return node

    def nodes(self, scope: str) -> list[Node]:
        """The nodes of a bucket, oldest first."""
        return list(self.buckets[scope].values())

    def __len__(self) -> int:
        """Distinct nodes over all buckets."""
        return len({number for bucket in self.buckets.values() for number in bucket})
