"""`memtui serve [PATH]`: the app in a browser on this machine, through textual-serve."""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import shlex
import socket
import sys
from pathlib import Path

from memtui.cli.open import add_path
from memtui.errors import UserError, how_to_add
from memtui.state.configuration import THEMES

HELP = "open the app in a browser on this machine"
PORT = 8000
LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_path(parser)
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes a free one"
    )
    parser.add_argument(
        "--host", default=LOOPBACK, metavar="ADDRESS", help=f"address to listen at ({LOOPBACK})"
    )
    parser.add_argument(
        "--anyone",
        action="store_true",
        help="allow a --host that other machines reach: whoever reaches it reads the runs, starts and"
        " stops them and writes files, as you can",
    )
    parser.add_argument("--theme", choices=THEMES, help="colours of the app")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; every window is an app of its own, and ends with it."""
    path: Path = args.path
    if not path.exists():
        raise UserError(f"no file or folder at {path}", exit_code=3)
    if not _is_loopback(args.host) and not args.anyone:
        raise UserError(
            f"{args.host} can be reached from other machines, and whoever reaches it can do all that you can"
            f" (there is no password): use {LOOPBACK} and an SSH tunnel, or add --anyone"
        )
    if not 0 <= args.port <= 65_535:
        raise UserError(f"--port is 0 to 65535; got {args.port}")
    if path.is_file():
        from memtui.store.reader import open_run

        open_run(path).close()  # what is wrong with it is said here, not in the browser
    if importlib.util.find_spec("textual_serve") is None:
        raise UserError(f"textual-serve is not installed: {how_to_add('serve')}")
    from memtui.cli.web_server import WebServer

    host, port = args.host, _free_port(args.host, args.port)
    words = [sys.executable, "-m", "memtui", str(path.absolute())]
    if args.theme:
        words += ["--theme", args.theme]
    WebServer(shlex.join(words), host, port, title=f"memtui {path.name}").serve()
    return 0


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _free_port(host: str, port: int) -> int:
    """The port, or a free one for 0; UserError where it cannot be listened at."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(address)
            return int(one.getsockname()[1])
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(
            f"cannot listen at {host}:{port}: {reason}; --port 0 takes a free port"
        ) from None
