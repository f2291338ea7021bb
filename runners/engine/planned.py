"""What the engine needs of a protocol: items, episodes, histories. `ScalePlan` is the first to give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from memtui.model import EpisodeId, Item
from memtui.store.events import HaystackEvent, SessionEvent
from runners.memory.contract import Haystack, SessionText


class Planned(Protocol):
    """One episode of a plan; `id.attempt` is 1, the engine counts further attempts."""

    @property
    def id(self) -> EpisodeId: ...
    @property
    def arm(self) -> str: ...
    @property
    def item(self) -> str: ...
    @property
    def haystack(self) -> str: ...
    @property
    def scale(self) -> float: ...
    @property
    def ladder_seed(self) -> int: ...


class Built(Protocol):
    """One history, for the run file and for a memory system."""

    @property
    def event(self) -> HaystackEvent: ...
    @property
    def haystack(self) -> Haystack: ...
    @property
    def texts(self) -> Mapping[str, SessionText]: ...


class Plan(Protocol):
    """A plan: the same configuration gives the same one, byte for byte."""

    @property
    def planned(self) -> int:
        """Number of episodes."""

    def items(self) -> tuple[Item, ...]:
        """The items asked, with gold and opaque evidence."""

    def episodes(self) -> Iterator[Planned]:
        """Every episode, in the order in which to run them."""

    def haystack(self, item: str, scale: float, ladder_seed: int) -> Built:
        """The history of an item at a scale."""

    def session_events(self, built: Any) -> Iterator[SessionEvent]:
        """The sessions of a history for the run file; `built` comes from `haystack`."""

    def unavailable(self) -> tuple[HaystackEvent, ...]:
        """Histories that the data cannot give, with the reason."""

    def caveats(self) -> tuple[str, ...]:
        """What a reader of the results must know about the histories, one line each."""
