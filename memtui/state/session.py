"""An open run file: what was read of it last, and the one thread that reads.

Screens never touch the reader: they await `ask`, which runs in the reading thread, one question after
another, so a slow question never blocks a key press.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

from memtui.metrics.limits import is_context_arm
from memtui.query.budgets import cap_of
from memtui.state.episode_list import FactIndex
from memtui.state.file_order import FileOrders
from memtui.state.fold_facts import fold_facts
from memtui.state.freed_memory import give_back, keep_little
from memtui.state.overview import Folds
from memtui.state.run_header import Header
from memtui.state.settings import Settings, own_judge, settings_of_run
from memtui.state.tab import OverviewPlace
from memtui.store import lease
from memtui.store.blame import blaming
from memtui.store.connect import TIMEOUT
from memtui.store.drawn_pages import PageReader
from memtui.store.heartbeat import DAMAGED
from memtui.store.packed_facts import PackedFacts
from memtui.store.passing_ids import passing_ids
from memtui.store.reader import RunReader, open_run
from memtui.store.records import HeartbeatRow, Progress, RunRow
from memtui.store.side_file import Marks, SideFile
from memtui.store.tail import Changes
from memtui.store.workspace import LIVE, state_of

if TYPE_CHECKING:
    from memtui.query.subject import Environment

P = ParamSpec("P")
T = TypeVar("T")

LOG_LINES = 200


COUNT_SHARE = 100
"""Counting the progress may take one part in so many of the time."""
FOLDED_JUDGES = 2
"""Judges whose folds are kept: the chosen one, and the next so that it is there when asked for."""


@dataclass(slots=True)
class _Read:
    """What was read under one judge, and the transaction up to which it was."""

    facts: PackedFacts
    index: FactIndex
    rev: int


class Shared(NamedTuple):
    """What was read under the reader's choices, to count from it in another thread."""

    judge: str
    left_out: frozenset[str]
    facts: PackedFacts
    folds: Folds | None
    """None where a filter line chooses others."""


class RunSession:
    """A run file that is open in the app."""

    def __init__(self, path: Path, *, patience: float = TIMEOUT) -> None:
        """Open the file; StoreError (one line) when it cannot be used. `patience`: seconds it waits for a
        lock, here and not when something is asked."""
        self.path = path
        self._reader = open_run(path, patience=patience)
        self.pages: RunReader = PageReader(path)
        """A second connection, for the lines that come into view: never kept waiting by a long query."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memtui-read")
        self._read: dict[str, _Read] = {}
        """Of one judge at a time."""
        self._folds: dict[str, tuple[int, Folds]] = {}
        """All facts under a judge folded, and the transaction up to which they were read."""
        self._passing: tuple[object, set[int]] | None = None
        """What passes the filter line: the list, the rates and the question types ask for the same."""
        self.file_orders = FileOrders(self._reader)
        """For questions that run inside `ask`."""
        self._uncounted = False
        """Whether episodes changed since the progress was counted."""
        self._count_after = 0.0
        self._left_out: frozenset[str] = frozenset()
        self._resting = False
        self.overview_at: OverviewPlace | None = None
        """Where a link wants the overview to begin, until it has begun there."""
        self.header = self.read_header(self._reader)
        self._reader.patience = TIMEOUT
        run = self.header.run
        judge = own_judge(run.judge, self.header.judges)
        self.side_file = SideFile(path, run.uid)
        self._marks_stamp = self.side_file.stamp()
        self.marks: Marks = self.side_file.read()
        """What the reader added to the run, as it was read last."""
        self.settings: Settings = settings_of_run(
            run.budget, run.alpha, judge, run.mode, cap_of(self._reader, run)
        )

    # --- what the reader adds -------------------------------------------------------------------

    def mark(self, entries: Iterable[tuple[str, str, str]]) -> Path | None:
        """Keep (kind, target, value) entries in the side file, and say which file holds them; UserError
        where it cannot be written."""
        path = None
        for kind, target, value in entries:
            path = self.side_file.append(kind, target, value)
        self.read_marks()
        return path

    @property
    def alias(self) -> str:
        """The reader's name for the run; empty without one."""
        return self.marks.aliases.get("", "")

    @property
    def marks_are_stale(self) -> bool:
        """Whether somebody added to the side file since it was read."""
        return self.side_file.stamp() != self._marks_stamp

    def read_marks(self) -> bool:
        """Read the side file again; True where it holds something else than before."""
        before = self.marks
        # The stamp first: what is added meanwhile is read once more.
        self._marks_stamp = self.side_file.stamp()
        self.marks = self.side_file.read()
        return self.marks != before

    def leave_out(self) -> bool:
        """Leave out of every rate what the settings say; True where that is another set than before."""
        wanted = self.marks.bad_gold if self.settings.without_flagged else frozenset()
        if wanted == self._left_out:
            return False
        self._left_out = wanted
        for reader in self.readers:
            reader.leave_out(wanted)
        self.forget()
        # And what is read this moment once it is there: that was begun without these, or with them.
        self._thread.submit(self.forget)
        return True

    # --- questions ------------------------------------------------------------------------------

    async def ask(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a question in the reading thread and await its answer."""

        def answer() -> T:
            try:
                with blaming(self.path):
                    return question(*args, **kwargs)
            finally:
                if self._resting:
                    self._reader.release()

        return await asyncio.get_running_loop().run_in_executor(self._thread, answer)

    def interrupt(self) -> None:
        """End the query that is running: its answer is no longer wanted."""
        self._reader.interrupt()

    def rest(self, resting: bool = True) -> None:
        """Nobody looks at a run that has ended: hold its file only while a question is answered."""
        self._resting = resting and not self.header.live
        if self._resting:
            self._thread.submit(self._reader.release)  # after the question that is being answered
            self.pages.release()

    def close(self) -> None:
        """Let go of the file and the thread."""
        self._resting = True  # a question that is being answered may go on, and ask for more
        self._reader.interrupt()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._reader.close()
        self.pages.close()

    @property
    def readers(self) -> tuple[RunReader, RunReader]:
        """Both connections, for the tail to release when the run has ended."""
        return self._reader, self.pages

    @property
    def reader(self) -> RunReader:
        """The reader, for questions that run inside `ask`."""
        return self._reader

    # --- questions that keep what they read (call inside `ask`) ---------------------------------

    def read_ahead(self, settings: Settings) -> None:
        """Make ready what the key for the next judge will ask for; of its facts nothing is kept."""
        judge, rev = settings.with_next_judge(self.header.judges).judge, self._reader.rev()
        if judge == settings.judge or settings.filter or self._folds.get(judge, (-1,))[0] == rev:
            return
        mode = self.header.run.mode
        folds = self._keep_folds(judge, rev, fold_facts(self._reader.packed_facts(judge), mode))
        for group in folds.values():
            group.settle(mode)
        give_back()

    def read_header(self, reader: RunReader | None = None) -> Header:
        """Read the small things anew."""
        source = reader or self._reader
        run, heartbeat = source.run(), source.heartbeat()
        state, age = state_of(run.state, heartbeat, lease.holder(self.path) is not None)
        return Header(
            run=run,
            arms=tuple(source.arms()),
            cells=tuple(source.cells()),
            judges=tuple(source.judges()),
            progress=source.progress(),
            heartbeat=heartbeat,
            events=tuple(source.recent_events(LOG_LINES)),
            warning=self._warning(source, run, heartbeat),
            state=state,
            age=age,
        )

    def changed_header(self, changes: Changes) -> Header:
        """The header after changes: only what they touch is read."""
        old, source = self.header, self._reader
        if changes.replaced:
            return self.read_header()
        run = source.run() if changes.run else old.run
        heartbeat = source.heartbeat() if changes.heartbeat else old.heartbeat
        held = lease.holder(self.path) is not None
        state, age = state_of(run.state, heartbeat, held)
        return Header(
            run=run,
            arms=tuple(source.arms()) if changes.declared else old.arms,
            cells=tuple(source.cells()) if changes.declared else old.cells,
            judges=tuple(source.judges()) if changes.judged else old.judges,
            progress=self._counted(changes),
            heartbeat=heartbeat,
            events=tuple(source.recent_events(LOG_LINES)) if changes.events else old.events,
            warning=self._warning(source, run, heartbeat),
            state=state,
            age=age,
        )

    def _warning(self, source: RunReader, run: RunRow, heartbeat: HeartbeatRow | None) -> str:
        """What is wrong with the file though it can be read: of a newer version, or its heartbeat is damaged,
        until it is sound or the run has ended."""
        damaged = run.state in LIVE and heartbeat is not None and heartbeat.damaged
        return source.warning or (f"{self.path.name}: {DAMAGED}" if damaged else "")

    def _counted(self, changes: Changes) -> Progress:
        """The progress after changes. Counting goes over a whole index, so it may take its time only so often."""
        self._uncounted = self._uncounted or bool(changes.episodes)
        now = monotonic()
        if changes.run or (self._uncounted and now >= self._count_after):
            progress = self._reader.progress()
            self._uncounted = False
            self._count_after = now + COUNT_SHARE * (monotonic() - now)
            return progress
        return self.header.progress

    def aged_header(self) -> Header:
        """The header with the age of the heartbeat as of now; reads nothing but the lease."""
        old = self.header
        state, age = state_of(old.run.state, old.heartbeat, lease.holder(self.path) is not None)
        return replace(old, state=state, age=age)

    def forget(self) -> None:
        """Nothing that was read holds any more."""
        self._read.clear()
        self._folds.clear()
        self._passing = None
        self.file_orders.forget()

    def _under(self, judge: str) -> _Read:
        """What was read under a judge, brought up to date."""
        rev = self._reader.rev()  # asked first: what comes while we read is read once more
        found = self._read.get(judge)
        if found is None or not found.rev:
            keep_little()
            self._read.clear()  # let go of the old ones before the new ones are made
            facts = self._reader.packed_facts(judge)
            found = self._read[judge] = _Read(facts, FactIndex(facts, self.header.run.mode), rev)
            give_back()
        elif rev > found.rev:
            found.facts.put(self._reader.episode_facts(judge, found.rev))
            found.facts.about = self._reader.item_facts()
            found.facts.drop(self._reader.dropped_since(found.rev))
            found.rev = rev
        return found

    def facts(self, judge: str) -> PackedFacts:
        """All facts under a judge; after the first time only what changed is read."""
        return self._under(judge).facts

    def facts_of_cells(self, judge: str, cells: Collection[int]) -> PackedFacts:
        """Facts among which are all of these cells: what was read, else no more than these."""
        if judge in self._read:
            return self.facts(judge)
        return self._reader.packed_facts(judge, cells)

    def index(self, judge: str) -> FactIndex:
        """The facts under a judge as an episode list wants them."""
        return self._under(judge).index

    @property
    def context_arms(self) -> frozenset[str]:
        """Keys of the arms whose memory offers no tools."""
        return frozenset(arm.key for arm in self.header.arms if is_context_arm(arm.config))

    def passing(self, settings: Settings) -> set[int] | None:
        """Ids that pass the filter line at the reader's B; None without one. QueryError: not a filter."""
        if not settings.filter:
            if not self.settings.filter:
                self._passing = None
            return None
        from memtui.query.language import parse

        environment = self.environment(settings)
        asked = (settings.filter, environment, self._reader.rev())
        if self._passing is None or self._passing[0] != asked:
            conditions = parse(settings.filter).conditions(environment)
            facts = self.facts(settings.judge) if settings.judge in self._read else None
            found = passing_ids(self._reader, facts, conditions, settings.judge)
            self._passing = asked, found
        return self._passing[1]

    def environment(self, settings: Settings) -> Environment:
        """What a filter may depend on."""
        from memtui.query.subject import Environment

        return Environment(
            settings.budget,
            self.header.run.mode,
            settings.judge,
            self.context_arms,
            self.marks,
            self._left_out,
        )

    def folds(self, settings: Settings) -> Folds:
        """The facts that pass the filter line, folded for the overview."""
        mode = self.header.run.mode
        chosen = self.passing(settings)
        if chosen is not None:
            return fold_facts(self.facts(settings.judge), mode, chosen=chosen)
        rev, before = self._folds.get(settings.judge, (-1, {}))
        if not rev or rev != self._reader.rev():
            read = self._under(settings.judge)
            made = fold_facts(read.facts, mode)
            # A cell in which nothing happened keeps its fold, and what was worked out from it.
            kept = ((key, before.get(key)) for key in made)
            made.update((key, old) for key, old in kept if old is not None and old == made[key])
            before = self._keep_folds(settings.judge, read.rev, made)
        return before

    def shared(self, settings: Settings) -> Shared:
        """Facts and folds as they are now; nothing that is read later changes them."""
        left_out = self._left_out  # first: facts of a choice made meanwhile are not taken for these
        folds = None if settings.filter else self.folds(settings)
        facts = self.facts(settings.judge).only()
        return Shared(settings.judge, left_out, facts, folds)

    def kept_folds(self, settings: Settings) -> Folds | None:
        """The folds as they were read last; None where they were not, or a filter chooses others."""
        return None if settings.filter else self._folds.get(settings.judge, (0, None))[1]

    def _keep_folds(self, judge: str, rev: int, folds: Folds) -> Folds:
        self._folds.pop(judge, None)
        while len(self._folds) >= FOLDED_JUDGES:
            del self._folds[next(iter(self._folds))]
        self._folds[judge] = rev, folds
        return folds

    def ladder_folds(self, settings: Settings) -> Folds | None:
        """The same over the questions that every rung has; None where no rung lacks one."""
        missing = self._reader.unfilled_items()
        if not missing:
            return None
        facts, passing = self.facts(settings.judge), self.passing(settings)
        chosen = {
            episode
            for episode, item in zip(facts.ids, facts.item_ids, strict=True)
            if item not in missing and (passing is None or episode in passing)
        }
        return fold_facts(facts, self.header.run.mode, chosen=chosen)
