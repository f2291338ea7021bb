"""Noticing, and refusing, every connection that a piece of code tries to make."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


class NetworkRefused(ConnectionRefusedError):
    """A connection was tried where none is allowed."""


@contextmanager
def no_network() -> Iterator[list[str]]:
    """Refuse connections and name look-ups of this process inside the block; yields what was tried.

    The loopback counts too: a system that talks to its own server does so past the metered door.
    Local sockets (AF_UNIX) and pairs, which event loops use, are free. Code that does not go through
    Python's socket module, and child processes, are not seen.
    """
    tried: list[str] = []

    def refuse(what: str) -> NetworkRefused:
        tried.append(what)
        return NetworkRefused(f"{what}: no network beyond the door")

    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex

    def connect(self: socket.socket, address: Any) -> None:
        if self.family is not socket.AF_UNIX:
            raise refuse(f"connect {address}")
        real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if self.family is not socket.AF_UNIX:
            raise refuse(f"connect {address}")
        return real_connect_ex(self, address)

    def look_up(host: Any, *rest: Any, **more: Any) -> Any:
        raise refuse(f"look up {host}")

    with (
        mock.patch.object(socket.socket, "connect", connect),
        mock.patch.object(socket.socket, "connect_ex", connect_ex),
        mock.patch.object(socket, "getaddrinfo", look_up),
        mock.patch.object(socket, "gethostbyname", look_up),
    ):
        yield tried
