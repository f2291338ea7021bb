"""The server of `memtui serve`: textual-serve, for pages of its own only, and with nothing from elsewhere.

A page of any other site can open connections to loopback, too. Therefore the name that the browser asked
for must be this server's, and a WebSocket must come from a page of it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve import server
from textual_serve.app_service import AppService
from textual_serve.server import Server

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

ELSEWHERE = re.compile(r"<link\b[^>]*\bhref=\"https?://(?!127\.0\.0\.1|localhost)[^>]*>", re.DOTALL)
"""Style sheets of other servers (a font): the page does without, and asks nobody but this machine."""
KEYS = """<script>
  const waiting = setInterval(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys) { keys.focus(); clearInterval(waiting); }
  }, 50);
</script>
</body>"""
"""Gives the app the keys as soon as it is there: without it the page wants a click first."""
WILDCARDS = ("0.0.0.0", "::")
PATIENCE = 10.0
"""Seconds that the apps may take to end."""


class Window(AppService):
    """The app of one window."""

    async def run(self) -> None:
        """Drive it until it has ended: a process that is left to the interpreter's end is looked for in an event
        loop that is closed by then, which ends in a traceback."""
        await super().run()
        if self._process is not None:
            await self._process.wait()
            await asyncio.sleep(0.05)  # its pipes are closed in turns of their own


vars(server)["AppService"] = Window  # this is where it takes the class of its apps from


class WebServer(Server):
    """Serves one app per window."""

    def __init__(self, command: str, host: str, port: int, *, title: str) -> None:
        shown = f"[{host}]" if ":" in host else host
        super().__init__(
            command, host=host, port=port, title=title, public_url=f"http://{shown}:{port}"
        )
        self._windows: set[asyncio.Task[object]] = set()

    def initialize_logging(self) -> None:
        """Warnings and errors only: requests are nobody's news."""
        logging.basicConfig(level=logging.WARNING, format="memtui serve: %(message)s")

    def allowed(self, request: web.Request) -> bool:
        """Whether a request is for this server, and not from a page of another."""
        names = {self.host, "localhost", "127.0.0.1", "::1"}
        host = urlsplit(f"//{request.host}")
        ours = self.host in WILDCARDS or (host.hostname in names and host.port == self.port)
        origin = request.headers.get("Origin")
        if not ours or origin is None:
            return ours
        page = urlsplit(origin)
        if self.host in WILDCARDS:
            return page.netloc == request.host
        return page.scheme == "http" and page.hostname in names and page.port == self.port

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()

        @web.middleware
        async def only_ours(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                ours = self.allowed(request)
            except ValueError:  # a host or origin that is no address
                ours = False
            if not ours:
                raise web.HTTPForbidden(text="memtui serve answers its own pages only\n")
            answer = await handler(request)
            if request.path == "/" and isinstance(answer, web.Response) and answer.text:
                answer.text = ELSEWHERE.sub("", answer.text).replace("</body>", KEYS)
            return answer

        app.middlewares.append(only_ours)
        return app

    def serve(self, debug: bool = False) -> None:
        """Serve until SIGINT or SIGTERM, and say where once connections are taken."""
        self.initialize_logging()
        loop = asyncio.new_event_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.request_exit)
        web.run_app(
            self._make_app(), host=self.host, port=self.port, loop=loop, handle_signals=False,
            print=self._announce,
        )  # fmt: skip

    def _announce(self, *_: object) -> None:
        sys.stdout.write(f"memtui is at {self.public_url} (Ctrl-C ends it)\n")
        sys.stdout.flush()

    async def on_startup(self, app: web.Application) -> None:
        """Nothing to say before anybody can connect."""

    async def on_shutdown(self, app: web.Application) -> None:
        """End the windows: their apps keep their places and are gone before the server is."""
        for window in self._windows:
            window.cancel()
        if self._windows:
            await asyncio.wait(self._windows, timeout=PATIENCE)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Drive one window, and remember it for the end."""
        window = asyncio.current_task()
        assert window is not None
        self._windows.add(window)
        try:
            return await super().handle_websocket(request)
        finally:
            self._windows.discard(window)
