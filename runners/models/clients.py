"""Which client makes an attempt: models on this machine (`local/…`) or any provider over litellm."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from runners.models.chat import ChatClient, ChatReply, ModelRequest
from runners.models.local_server import LocalServer, local_model
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.prices import LOCAL_PREFIX
from runners.models.settings import ModelSettings, Price


class Clients:
    """Routes by the model's name. Local models are served while the first request waits for them."""

    def __init__(self, remote: ChatClient | None = None) -> None:
        self._remote = remote
        self._servers: dict[str, LocalServer] = {}
        self._starting = asyncio.Lock()

    def _provider(self) -> ChatClient:
        if self._remote is None:
            from runners.models.litellm_client import LiteLLMClient

            self._remote = LiteLLMClient()
        return self._remote

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        """Make one attempt; UserError where a local model cannot be served."""
        if not request.model.startswith(LOCAL_PREFIX):
            return await self._provider().chat(request, settings)
        server = await self._server(request.model, settings)
        try:
            reply = await self._provider().chat(
                replace(request, model=f"openai/{server.model.name}"),
                replace(settings, api_base=server.url, api_key_env=None),
            )
        except ModelError as error:
            if error.kind in (ErrorKind.CONNECTION, ErrorKind.SERVER):
                # If it has died, the next attempt has to know.
                await server.ended(within=1.0)
            raise ModelError(
                error.kind,
                str(error).removeprefix(f"{error.model}: "),
                model=request.model,
                status=error.status,
                retry_after=error.retry_after,
            ) from error
        return replace(reply, model=request.model)

    async def _server(self, model: str, settings: ModelSettings) -> LocalServer:
        async with self._starting:
            server = self._servers.get(model)
            if server is not None and server.running:
                return server
            if server is not None:
                # It crashed, or was killed: the attempt that met that is tried again.
                await server.close()
            server = LocalServer(local_model(model, settings.threads, settings.context))
            await server.start()
            self._servers[model] = server
            return server

    def price(self, model: str) -> Price | None:
        """The price that the provider's client knows."""
        known = getattr(self._remote, "price", None)
        found: Price | None = known(model) if known is not None else None
        return found

    async def close(self) -> None:
        """Close connections, and end the servers that were started."""
        if self._remote is not None:
            await self._remote.close()
        servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            await server.close()
