"""Finding memory systems by name: our own, and those of other packages (entry points `memtui.memory`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtui.errors import UserError
from runners.memory.contract import MemorySystem, SystemInfo
from runners.memory.needs import missing
from runners.plug_ins import Catalogue, options_of

OWN = {
    "bm25": "runners.memory.flat.bm25:BM25",
    "dense": "runners.memory.flat.dense:Dense",
    "hybrid": "runners.memory.flat.hybrid:Hybrid",
    "openclaw": "runners.memory.flat.openclaw:OpenClaw",
    "memos-text": "runners.memory.flat.memos_text:MemosText",
    "mem0-v1": "runners.memory.planar.mem0_v1:Mem0V1",
    "mem0-v2": "runners.memory.planar.mem0_v2:Mem0V2",
    "memos-tree": "runners.memory.planar.memos_tree:MemosTree",
    "hipporag2": "runners.memory.hierarchical.hipporag2:HippoRAG2",
    "licomemory": "runners.memory.hierarchical.licomemory:LiCoMemory",
    "full-history": "runners.memory.context.full_history:FullHistory",
    "rolling-window": "runners.memory.context.rolling_window:RollingWindow",
}
"""Name -> `module:factory`; imported only when asked for."""

PACKAGES = {
    "pkg:mem0-2": "runners.memory.packages.systems:mem0_2",
    "pkg:mem0-1": "runners.memory.packages.systems:mem0_1",
    "pkg:memos-text": "runners.memory.packages.systems:memos_text",
    "pkg:graphiti": "runners.memory.packages.systems:graphiti",
}
"""Published packages, each in an environment that `memtui systems install NAME` makes."""

_SYSTEMS = Catalogue("memory system", "memtui.memory", OWN | PACKAGES)

Factory = Callable[..., MemorySystem]
"""Called with the options as keyword arguments; every option has a default."""


@dataclass(frozen=True, slots=True)
class SystemStatus:
    """One system as `memtui systems` lists it."""

    name: str
    interface: str
    """Interface class, or `unknown` where the system cannot even be loaded."""
    state: str
    """`ready`; `installable`: something it needs is absent and `advice` says how to get it;
    `missing`: it cannot be loaded at all."""
    needs: tuple[str, ...]
    """Everything it declares to need, present or not."""
    advice: str = ""
    source: str = "memtui"
    """The package it comes from."""


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return _SYSTEMS.names()


def factory(name: str) -> Factory:
    """The factory of a system; UserError for an unknown name or one that cannot be loaded."""
    return _SYSTEMS.factory(name)


def build(name: str, options: Mapping[str, Any] | None = None) -> MemorySystem:
    """A system with its configuration fixed.

    UserError for an unknown name, an unknown option (with the nearest known one) or a value that the
    system refuses. Weights and packages it needs may still be absent: see `missing`.
    """
    make = factory(name)
    given = dict(options or {})
    _SYSTEMS.check_options(name, given, options_of(make))
    system: MemorySystem = _SYSTEMS.call(name, make, given)
    return system


def missing_needs(info: SystemInfo) -> tuple[str, ...]:
    """For each thing the system needs and that is absent, one line saying how to get it."""
    return tuple(line for need in info.needs if (line := missing(need)) is not None)


def available() -> list[SystemStatus]:
    """Every known system and whether it can run here; a faulty plug-in is listed, never raised."""
    statuses = []
    plug_ins = _SYSTEMS.plug_ins()
    for name in names():
        source = "memtui"
        if name in plug_ins:
            distribution = plug_ins[name].dist
            source = distribution.name if distribution else plug_ins[name].value
        try:
            info = build(name).info
        except UserError as error:
            statuses.append(SystemStatus(name, "unknown", "missing", (), str(error), source))
            continue
        lines = missing_needs(info)
        state = "installable" if lines else "ready"
        statuses.append(
            SystemStatus(name, info.interface, state, info.needs, "; ".join(lines), source)
        )
    return statuses
