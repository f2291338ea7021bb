"""Follows the open file in a thread of its own: ten looks a second, a word only when something changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from memtui.errors import UserError
from memtui.store.reader import RunReader
from memtui.store.tail import Changes, Tail

PERIOD = 0.1
"""Seconds between two looks: a look without news costs some ten microseconds."""

RETRY = 1.0
"""Seconds between two tries to open a file that could not be read."""

News = Changes | UserError


def merged(first: Changes | None, second: Changes) -> Changes:
    """Two answers as one: what a reader who was away in between needs to know."""
    if first is None:
        return second
    return replace(
        second,
        episodes=tuple(dict.fromkeys((*first.episodes, *second.episodes))),
        judged=tuple(dict.fromkeys((*first.judged, *second.judged))),
        stepped=tuple(dict.fromkeys((*first.stepped, *second.stepped))),
        run=first.run or second.run,
        heartbeat=first.heartbeat or second.heartbeat,
        events=first.events or second.events,
        declared=first.declared or second.declared,
        replaced=first.replaced or second.replaced,
        gone=second.gone or (first.gone and not second.replaced),
    )


class Watcher:
    """Calls `tell` from its thread with every change, and with an error when the file cannot be read."""

    def __init__(
        self,
        path: Path,
        readers: Sequence[RunReader],
        tell: Callable[[News], None],
        period: float = PERIOD,
    ) -> None:
        self._path, self._readers, self._tell, self._period = path, readers, tell, period
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memtui-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns when the thread has let go of the file."""
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)

    def _watch(self) -> None:
        """Look until stopped; where the file cannot be read, say so once and try again more slowly."""
        trouble = ""
        while not self._stop.is_set():
            tail: Tail | None = None
            try:
                tail = Tail(self._path, self._readers)
                if trouble:
                    trouble = ""
                    self._tell(Changes(0, "", replaced=True))
                while not self._stop.wait(self._period):
                    changes = tail.poll()
                    if changes is not None and not self._stop.is_set():
                        self._tell(changes)
            except UserError as error:
                if str(error) != trouble and not self._stop.is_set():
                    trouble = str(error)
                    self._tell(error)
            finally:
                if tail is not None:
                    tail.close()
            self._stop.wait(RETRY)
