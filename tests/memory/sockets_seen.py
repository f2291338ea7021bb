"""What other processes are connected to, native code included: their sockets, as Linux shows them.

An audit hook sees what goes through Python's socket module of its own process. A model server in C++, a
graph database or a child of a package does not: here the sockets that a process holds are looked at, a few
hundred times a second.
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from runners.memory.child_processes import descendants

TABLES = ("tcp", "tcp6", "udp", "udp6")
PERIOD_S = 0.003


def addresses_of(pids: Iterable[int]) -> set[str]:
    """Local and remote addresses of the internet sockets that the processes hold now, as `tcp 127.0.0.1`."""
    held: set[str] = set()
    for pid in pids:
        try:
            links = [str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()]
        except OSError:
            continue  # it ended meanwhile
        held |= {link[8:-1] for link in links if link.startswith("socket:[")}
    found: set[str] = set()
    for table in TABLES if held else ():
        try:
            lines = Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            # proc_net_tcp(5): local and remote address are the second and third field, the inode the tenth.
            fields = line.split()
            if fields[9] in held:
                found |= {f"{table} {_address(one)}" for one in fields[1:3] if one[-4:] != "0000"}
    return found


def _address(field: str) -> str:
    """`0100007F:1F90` is 127.0.0.1: 32-bit words in the order of this machine (little-endian)."""
    digits = bytes.fromhex(field.partition(":")[0])
    words = [digits[at : at + 4][::-1] for at in range(0, len(digits), 4)]
    address = ipaddress.ip_address(b"".join(words))
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def beyond(addresses: Iterable[str]) -> list[str]:
    """Those that are not this machine alone."""
    return sorted(
        one for one in addresses if not ipaddress.ip_address(one.split(" ")[1]).is_loopback
    )


class SocketWatch:
    """Looks at the sockets of some processes while its block runs; `seen` is all that there was."""

    def __init__(self, pids: Callable[[], Iterable[int]] | None = None) -> None:
        self.seen: set[str] = set()
        self.looks = 0
        self._pids = pids or (lambda: [pid for pid, _ in descendants()])
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while True:
            self.seen |= addresses_of(self._pids())
            self.looks += 1
            if self._over.wait(PERIOD_S):
                return

    def __enter__(self) -> SocketWatch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
