"""Reading a run file, live or finished: whole answers, nothing held open between them.

Read-only and brief: a read transaction that stays open would keep the write-ahead log from being folded
in. Any thread may call; one call runs at a time, and `interrupt()` ends it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui.store import codec, episode_queries, item_queries
from memtui.store.connect import TIMEOUT
from memtui.store.connection import ReadConnection
from memtui.store.episode_queries import decoded
from memtui.store.errors import StoreError, Trouble
from memtui.store.heartbeat import heartbeat_of
from memtui.store.packed_facts import ItemFacts, PackedFacts
from memtui.store.records import (
    ArmRow,
    CellRow,
    EpisodeDetail,
    EpisodeFact,
    EpisodeRow,
    EventRow,
    HaystackDetail,
    HeartbeatRow,
    ItemRow,
    Progress,
    RunRow,
    SessionRow,
    StepRow,
    VerdictRow,
)

DECLARED_SUBSETS = frozenset({"span_answerable"})
"""Item flags that name a subset and not a defect."""


def open_run(path: Path | str, *, patience: float = TIMEOUT) -> RunReader:
    """Open a run file to read; `patience`: seconds it waits for a lock.

    StoreError (exit code 3), one line: missing, empty, a folder, not SQLite, of another program,
    damaged, holding no run yet, or live in a folder that cannot be written. A file of a newer version
    opens with `warning` set as long as everything known is in it.
    """
    reader = RunReader(Path(path), patience=patience)
    try:
        reader.run()
    except BaseException:
        reader.close()
        raise
    return reader


class RunReader(ReadConnection):
    """All questions the screens and reports put to a run file."""

    def __init__(self, path: Path, *, patience: float = TIMEOUT) -> None:
        super().__init__(path, patience)
        self._items: dict[int, ItemFacts] = {}
        self._clusters: dict[str, int] = {}
        self._qtypes: dict[str, int] = {}
        self._left_out: frozenset[str] = frozenset()

    def release(self) -> None:
        """Let go of the file; the next question opens it again.

        Called when a run has ended, so that its writer can fold the log in and leave WAL mode.
        """
        with self._lock:
            super().release()
            # Another file may stand under the name by then; packed facts may still hold the old dict.
            self._items, self._clusters, self._qtypes = {}, {}, {}

    close = release

    def __enter__(self) -> RunReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the run ---------------------------------------------------------------------------------

    def run(self) -> RunRow:
        """The run; StoreError when none was written yet."""
        found = self.query(
            "SELECT rev,uid,name,protocol,config,config_hash,mode,budget,alpha,judge,planned,scales,"
            "dataset,versions,seeds,state,note,created_at,finished_at FROM run"
        )
        if not found:
            raise StoreError(f"{self.path} holds no run yet", trouble=Trouble.EMPTY)
        row = list(found[0])
        for column in (4, 12, 13, 14):
            row[column] = codec.from_json(row[column])
        row[11] = tuple(codec.from_json(row[11]))
        return RunRow(*row)

    def rev(self) -> int:
        """The newest transaction: what `since_rev` of a later question may start from."""
        found: int = self.query(
            "SELECT max(coalesce((SELECT max(rev) FROM episode),0),"
            "coalesce((SELECT max(rev) FROM verdict),0),coalesce((SELECT rev FROM run),0))"
        )[0][0]
        return found

    def arms(self) -> list[ArmRow]:
        """Arms in the order in which they were declared."""
        rows = self.query(
            "SELECT id,key,agent,memory,config,form,provenance,note FROM arm ORDER BY id"
        )
        return [ArmRow(*decoded(r, {4: codec.from_json})) for r in rows]

    def cells(self) -> list[CellRow]:
        """Cells, by arm and scale."""
        rows = self.query(
            "SELECT c.id,c.arm_id,a.key,c.conditions,c.scale FROM cell c JOIN arm a ON a.id=c.arm_id"
            " ORDER BY c.arm_id, c.scale, c.conditions"
        )
        return [CellRow(*r) for r in rows]

    def judges(self) -> list[str]:
        """Ids of the judges that gave at least one verdict."""
        rows = self.query(episode_queries.JUDGES)
        return [r[0] for r in rows]

    def progress(self) -> Progress:
        """Counts of episodes, from the index."""
        planned = self.query("SELECT planned FROM run")
        counts = {
            (c, d): n
            for c, d, n in self.query(
                "SELECT counts,done,count(*) FROM episode GROUP BY counts,done"
            )
        }
        return Progress(
            planned=planned[0][0] if planned else 0,
            done=counts.get((1, 1), 0),
            running=counts.get((0, 0), 0) + counts.get((1, 0), 0),
            attempts=sum(counts.values()),
            not_counted=counts.get((0, 1), 0),
        )

    def heartbeat(self) -> HeartbeatRow | None:
        """The last heartbeat, None when there never was one."""
        found = self.query("SELECT at,pid,host,snapshot FROM heartbeat")
        return heartbeat_of(found[0]) if found else None

    def events(self, after_id: int = 0, limit: int = 1000) -> list[EventRow]:
        """The oldest `limit` log lines after `after_id`."""
        rows = self.query(
            "SELECT id,at,level,kind,text,data FROM event WHERE id>? ORDER BY id LIMIT ?",
            (after_id, limit),
        )
        return [EventRow(*decoded(r, {5: codec.from_json})) for r in rows]

    def recent_events(self, limit: int = 100) -> list[EventRow]:
        """The newest `limit` log lines, oldest first."""
        rows = self.query(
            "SELECT id,at,level,kind,text,data FROM event ORDER BY id DESC LIMIT ?", (limit,)
        )
        return [EventRow(*decoded(r, {5: codec.from_json})) for r in reversed(rows)]

    # -- items, sessions, haystacks --------------------------------------------------------------

    def items(self) -> list[ItemRow]:
        """All items with their evidence, in the order in which they were declared."""
        return item_queries.items(self)

    def item(self, item_id: int) -> ItemRow | None:
        """One item."""
        return item_queries.item(self, item_id)

    def items_with(self, words: str) -> list[int]:
        """Ids of the items whose key or question contains the words, in any case of plain letters."""
        return item_queries.with_words(self, words)

    def clusters(self) -> list[str]:
        """Names of clusters; `EpisodeFact.cluster` is an index into it."""
        self._refresh_items()
        return list(self._clusters)

    def qtypes(self) -> list[str]:
        """Names of question types; `EpisodeFact.qtype` is an index into it."""
        self._refresh_items()
        return list(self._qtypes)

    def item_facts(self) -> Mapping[int, ItemFacts]:
        """Per item id: cluster, qtype, answerable, flagged; grows while the run declares items."""
        return self._refresh_items()

    def _refresh_items(self) -> dict[int, ItemFacts]:
        """Per item: cluster, qtype, answerable, flagged. Numbered by first appearance, so stable."""
        with self._lock:
            last = max(self._items, default=0)
            rows = self.query(
                "SELECT id,cluster,qtype,answerable,flags FROM item WHERE id>? ORDER BY id", (last,)
            )
            for item, cluster, qtype, answerable, flags in rows:
                defects = flags != "[]" and not DECLARED_SUBSETS.issuperset(codec.from_json(flags))
                self._items[item] = (
                    self._clusters.setdefault(cluster, len(self._clusters)),
                    self._qtypes.setdefault(qtype, len(self._qtypes)),
                    answerable,
                    int(defects),
                )
            return self._items

    def sessions(self, tokens: Sequence[str]) -> dict[str, SessionRow]:
        """Several sessions at once; tokens that the file does not hold are absent."""
        rows = self.query(
            "SELECT id,token,sha,source,date,tokens,z FROM session WHERE token IN"
            " (SELECT value FROM json_each(?))",
            (codec.to_text(list(tokens)),),
        )
        return {r[1]: SessionRow(*decoded(r, {6: codec.unpack_turns})) for r in rows}

    def haystack(self, haystack_id: int) -> HaystackDetail | None:
        """A haystack with its positions."""
        return item_queries.haystack(self, haystack_id)

    def unfilled_items(self) -> frozenset[int]:
        """Ids of items that some rung of the ladder could not be filled for: outside paired comparisons."""
        rows = self.query("SELECT DISTINCT item_id FROM haystack WHERE available=0 AND scale>=0")
        return frozenset(row[0] for row in rows)

    # -- episodes --------------------------------------------------------------------------------

    def episode_facts(self, judge: str, since_rev: int = 0) -> list[EpisodeFact]:
        """Facts of every counted or running episode, in no order, with the latest verdict of `judge`.

        `since_rev` keeps those that changed, or were judged, in a later transaction. An attempt that
        stopped counting appears in no answer: `dropped_since` names it.
        """
        found = episode_queries.facts(self, judge, self._refresh_items, since_rev)
        return episode_queries.without(self, found, self._left_out)

    def packed_facts(self, judge: str, cells: Collection[int] | None = None) -> PackedFacts:
        """All that `episode_facts` gives, packed: what a screen keeps while the file is open.

        `cells`: only of these cells (ids).
        """
        return episode_queries.packed(self, judge, self._refresh_items, self._left_out, cells)

    def leave_out(self, items: Collection[str]) -> None:
        """Leave questions (their keys) out of every rate: facts and lines read from now on end in `FLAGGED`."""
        self._left_out = frozenset(items)

    @property
    def left_out(self) -> frozenset[str]:
        """Keys of the questions that are left out of every rate."""
        return self._left_out

    def dropped_since(self, since_rev: int) -> list[int]:
        """Ids of attempts that ended without counting, or lost their count, after `since_rev`."""
        rows = self.query(
            "SELECT id FROM episode WHERE rev>? AND counts=0 AND done=1", (since_rev,)
        )
        return [r[0] for r in rows]

    def episode_ids(
        self,
        where_sql: str = "",
        params: Sequence[object] = (),
        order_sql: str = "",
        judge: str = "",
    ) -> list[int]:
        """Ids of counted or running episodes that satisfy a condition, in an order.

        `where_sql` and `order_sql` may use the aliases e (episode), c (cell), a (arm), i (item),
        h (haystack) and v (the latest verdict of `judge`); values go into `params`, never into the text.
        """
        return episode_queries.ids(self, where_sql, params, order_sql, judge)

    def newest_ids(self) -> array[int]:
        """Ids of all counted or running episodes, the newest first; read from the index alone."""
        found = self.query("SELECT json_group_array(id) FROM episode WHERE counts=1 OR done=0")
        ids: list[int] = codec.from_json(found[0][0])
        ids.sort(reverse=True)
        return array("q", ids)

    def episode_rows(self, ids: Sequence[int]) -> dict[int, EpisodeRow]:
        """List lines of the given episodes, previews cut; unknown ids are absent."""
        found = episode_queries.rows(self, ids, episode_queries.PREVIEW)
        return episode_queries.rows_without(found, self._left_out)

    def episode(self, episode_id: int) -> EpisodeDetail | None:
        """Everything about one attempt but its steps."""
        return episode_queries.detail_without(
            episode_queries.detail(self, episode_id), self._left_out
        )

    def episode_id(self, uid: str) -> int | None:
        """Id of an attempt by its uid."""
        rows = self.query("SELECT id FROM episode WHERE uid=?", (uid,))
        return rows[0][0] if rows else None

    def counted(self) -> dict[str, str]:
        """Episode key -> end reason of its counted attempt: what a resume need not run again."""
        return dict(self.query("SELECT key,end_reason FROM episode WHERE counts=1 AND done=1"))

    def steps(self, episode_id: int) -> list[StepRow]:
        """Steps of an attempt by seq."""
        return episode_queries.steps(self, episode_id)

    def messages(self, step_id: int) -> list[dict[str, Any]]:
        """The messages a step added to the conversation; empty when it stored none."""
        rows = self.query("SELECT z FROM message WHERE step_id=?", (step_id,))
        return codec.unpack_json(rows[0][0]) if rows else []

    def verdicts(self, episode_id: int) -> tuple[VerdictRow, ...]:
        """All verdicts on an attempt, oldest first."""
        return episode_queries.verdicts(self, episode_id)
