"""graphiti-core: a temporal knowledge graph of entities and facts, over an embedded Kuzu database.

A batch of messages is one episode. Search is the package's hybrid of full text and cosine over facts,
fused by reciprocal rank. The Kuzu driver of 0.31 needs three things done for it: the attribute that
`group_id` is compared with, full-text indices, and smaller address ranges than 8 TB per database.
"""

from __future__ import annotations

import shutil
import warnings
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

GROUP = "g"
POOL_BYTES = 256 << 20
DATABASE_BYTES = 4 << 30
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""An episode must have a date; a session without one gets this."""


class Memory:
    """One haystack's graph, in one folder."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.graphiti: Any = None
        self.numbers: dict[str, int] = {}
        self.episodes: dict[str, int] = {}
        self.no_reply: Any = import_module("graphiti_core.llm_client.errors").EmptyResponseError

    async def start(self) -> None:
        """Open the graph and make its full-text indices where there are none."""
        fresh = not self.episodes
        driver = import_module("graphiti_core.driver.kuzu_driver").KuzuDriver(
            db=f"{self.settings['folder']}/graph"
        )
        driver._database = GROUP
        self.graphiti = graphiti_over(driver, self.settings)
        await self.graphiti.build_indices_and_constraints()
        if fresh:
            queries = import_module("graphiti_core.graph_queries")
            provider = import_module("graphiti_core.driver.driver").GraphProvider.KUZU
            for query in queries.get_fulltext_indices(provider):
                await driver.execute_query(query)

    async def add(self, source: int, messages: list[dict[str, str]], date: str | None) -> str:
        """Add the messages as one episode; returns why nothing could be read, or nothing.

        The package raises where a reply is not of its form; a conversation goes on after that.
        """
        try:
            found = await self.graphiti.add_episode(
                name=str(source),
                episode_body="\n".join(f"{m['role']}: {m['content']}" for m in messages),
                source_description="conversation",
                reference_time=instant(date),
                source=import_module("graphiti_core.nodes").EpisodeType.message,
                group_id=GROUP,
            )
        except (ValueError, KeyError, IndexError, TypeError, self.no_reply) as error:
            return f"{type(error).__name__}: {error}"[:300]
        self.episodes[found.episode.uuid] = source
        for edge in found.edges:
            self.numbers.setdefault(edge.uuid, len(self.numbers))
        return ""

    async def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The k best facts with the time in which they held."""
        recipes = import_module("graphiti_core.search.search_config_recipes")
        config = recipes.EDGE_HYBRID_SEARCH_RRF.model_copy(update={"limit": k})
        found = await self.graphiti.search_(query, config=config, group_ids=[GROUP])
        return [
            {
                "number": self.numbers.setdefault(edge.uuid, len(self.numbers)),
                "text": f"{edge.fact}{held(edge.valid_at, edge.invalid_at)}",
                "score": score,
                "sources": sorted({self.episodes[e] for e in edge.episodes if e in self.episodes}),
            }
            for edge, score in zip(found.edges, found.edge_reranker_scores, strict=True)
        ]

    async def copy(self, settings: dict[str, Any]) -> Memory:
        """The same graph in another folder."""
        await self.close()
        shutil.copytree(self.settings["folder"], settings["folder"], dirs_exist_ok=True)
        new = Memory(settings)
        new.numbers, new.episodes = dict(self.numbers), dict(self.episodes)
        await self.start()
        await new.start()
        return new

    async def close(self) -> None:
        """Give the files back."""
        driver, self.graphiti = self.graphiti.driver, None
        driver.client.close()
        driver.db.close()


def graphiti_over(driver: Any, settings: dict[str, Any]) -> Any:
    """The package with every model it may ask behind one address."""
    openai = import_module("openai").AsyncOpenAI(
        # The server behind the address has tried as often as the run allows.
        api_key=settings["key"],
        base_url=settings["base_url"],
        max_retries=0,
    )
    clients = import_module("graphiti_core.llm_client.openai_generic_client")
    llm = import_module("graphiti_core.llm_client.config").LLMConfig(
        api_key=settings["key"],
        model=settings["chat_model"],
        small_model=settings["chat_model"],
        base_url=settings["base_url"],
        temperature=0.0,
    )
    embedders = import_module("graphiti_core.embedder.openai")
    embedding = embedders.OpenAIEmbedderConfig(
        embedding_model=settings["embed_model"], embedding_dim=settings["dimensions"]
    )
    rerankers = import_module("graphiti_core.cross_encoder.openai_reranker_client")
    return import_module("graphiti_core").Graphiti(
        graph_driver=driver,
        llm_client=clients.OpenAIGenericClient(
            config=llm, client=openai, max_tokens=settings["max_tokens"]
        ),
        embedder=embedders.OpenAIEmbedder(embedding, client=openai),
        cross_encoder=rerankers.OpenAIRerankerClient(config=llm, client=openai),
        max_coroutines=1,
    )


def instant(date: str | None) -> datetime:
    """A session's date as the package wants it."""
    return datetime.fromisoformat(date).replace(tzinfo=UTC) if date else UNDATED


def held(since: datetime | None, until: datetime | None) -> str:
    """The time in which a fact held, in words; nothing where nothing is known."""
    if since is None and until is None:
        return ""
    return f" ({since.date() if since else '?'} to {until.date() if until else 'now'})"


async def opened(settings: dict[str, Any]) -> Memory:
    """An empty graph."""
    memory = Memory(settings)
    await memory.start()
    return memory


def main() -> None:
    """Import the package and serve."""
    worker = import_module("json_lines")
    replies = worker.begin()
    warnings.simplefilter("ignore", DeprecationWarning)
    kuzu: Any = import_module("kuzu")
    database = kuzu.Database

    def small(path: str) -> Any:
        return database(path, buffer_pool_size=POOL_BYTES, max_db_size=DATABASE_BYTES)

    kuzu.Database = small
    llm: Any = import_module("graphiti_core.llm_client.client")
    # The same reply comes to the same question: waiting for minutes between attempts is no use.
    llm.LLMClient._generate_response_with_retry.retry.wait = import_module("tenacity").wait_none()
    worker.serve(replies, "graphiti-core", opened)


if __name__ == "__main__":
    main()
