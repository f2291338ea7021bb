"""A run file read once, ready to be reported at any B: facts, folds, and what stands around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial

from memtui.errors import UserError, did_you_mean
from memtui.metrics.facts import DEFAULT_VIEW, LEVELS, REACHES
from memtui.metrics.ladder_bootstrap import Counts
from memtui.metrics.limits import is_context_arm
from memtui.query.budgets import cap_of
from memtui.query.language import conditional_on, parse
from memtui.query.subject import Environment
from memtui.report.model import Rung
from memtui.report.selection import Results, Selection
from memtui.state.settings import own_judge
from memtui.store import codec, lease
from memtui.store.packed_facts import FactValues
from memtui.store.reader import DECLARED_SUBSETS, RunReader
from memtui.store.records import ArmRow, CellRow, EpisodeFact, Progress
from memtui.store.side_file import SideFile
from memtui.store.workspace import state_of

EXCLUDE = "exclude"
"""Of the questions whose gold a reader flagged: out of every rate."""
BY = ("question_type", "cluster", "subset")
"""What a report can be grouped by."""
VIEWS = tuple(f"{level}/{reach}" for level in LEVELS for reach in REACHES)
"""Views of coverage, the default first."""


def choose_judge(reader: RunReader, wanted: str | None, default: str) -> tuple[str, list[str]]:
    """The judge to report and all judges of the file; UserError for one that gave no verdict.

    Verdicts of several judges are never pooled.
    """
    judges = reader.judges()
    if wanted is None:
        return own_judge(default, judges), judges
    if wanted not in judges:
        raise UserError(
            f"no verdict of judge {wanted!r} in {reader.path}; {did_you_mean(wanted, judges)}"
        )
    return wanted, judges


def seen_from(reader: RunReader, facts: Collection[EpisodeFact], view: str) -> list[EpisodeFact]:
    """The facts with the coverage of another view; n/a where an episode has none of it."""
    if view not in VIEWS:
        raise UserError(f"coverage has no view {view!r}; {did_you_mean(view, VIEWS)}")
    rows = reader.query(
        "SELECT id,json_extract(views,?) FROM episode WHERE json_valid(views)", (f'$."{view}"',)
    )
    read = {number: codec.from_json(found) for number, found in rows if found is not None}
    seen = {number: found for number, found in read.items() if len(found) == 4}
    nothing = (None, None, None, None)
    replaced = []
    for fact in facts:
        first_hit, t_star, total, found = seen.get(fact.id, nothing)
        replaced.append(
            fact._replace(first_hit=first_hit, t_star=t_star, gold_total=total, gold_found=found)
        )
    return replaced


def histories(reader: RunReader) -> Mapping[int, int | None]:
    """{episode: haystack}."""
    return dict(reader.query("SELECT id,haystack_id FROM episode"))


class ReportSource:
    """Facts of a run file under one judge, filter and view of coverage; serves every budget."""

    def __init__(
        self,
        reader: RunReader,
        judge: str | None = None,
        filter_text: str = "",
        coverage: str = DEFAULT_VIEW,
        read: Callable[[str], Collection[EpisodeFact]] | None = None,
        flagged: str | None = None,
    ) -> None:
        """`coverage` is one of `VIEWS`; a filter on coverage always means the default view. `read` gives the
        facts under a judge, where not those of the reader are meant. `flagged`: `exclude` leaves
        the questions whose gold a reader flagged out of every rate."""
        self.reader = reader
        self.run = reader.run()
        self.marks = SideFile(reader.path, self.run.uid).read()
        self.left_out = self.marks.bad_gold if flagged == EXCLUDE else frozenset()
        reader.leave_out(self.left_out)
        self.judge, self.judges = choose_judge(reader, judge, self.run.judge)
        self.filter_text = filter_text.strip()
        self._filter = parse(self.filter_text) if self.filter_text else None
        self.conditional = conditional_on(self.filter_text)
        """What the filter chooses episodes by, of what they did: rates are conditional on it."""
        self.arms: list[ArmRow] = reader.arms()
        self.cells: dict[int, CellRow] = {cell.id: cell for cell in reader.cells()}
        self.context_arms = frozenset(arm.key for arm in self.arms if is_context_arm(arm.config))
        self.coverage = coverage
        self.facts: Collection[EpisodeFact] = (read or reader.episode_facts)(self.judge)
        if coverage != DEFAULT_VIEW:
            self.facts = seen_from(reader, self.facts, coverage)
        self.qtypes = reader.qtypes()
        self.clusters = reader.clusters()

    def keep_arms(self, arms: Collection[str]) -> None:
        """Let go of the facts of all other arms."""
        cells = frozenset(cell.id for cell in self.cells.values() if cell.arm in arms)
        if isinstance(self.facts, FactValues):
            self.facts = self.facts.packed.of_cells(cells)
        else:
            self.facts = [fact for fact in self.facts if fact.cell_id in cells]

    @property
    def mode(self) -> str:
        """`post_hoc` or `hard`."""
        return self.run.mode

    @cached_property
    def call_cap(self) -> int | None:
        """Where R is censored (see `cap_of`)."""
        return cap_of(self.reader, self.run)

    def environment(self, budget: int) -> Environment:
        """What a filter may depend on."""
        return Environment(
            budget, self.mode, self.judge, self.context_arms, self.marks, self.left_out
        )

    def selected(self, budget: int) -> Selection:
        """The facts that pass the filter at B; the whole file, kept for every B, without one."""
        if self._filter is None:
            return self._everything
        where, params = self._filter.where(self.environment(budget))
        wanted = set(self.reader.episode_ids(where, params, judge=self.judge))
        if isinstance(self.facts, FactValues):
            return self._selection(self.facts.packed.only(wanted).values())
        return self._selection([fact for fact in self.facts if fact.id in wanted])

    @cached_property
    def _everything(self) -> Selection:
        return self._selection(self.facts)

    def _selection(self, facts: Collection[EpisodeFact]) -> Selection:
        return Selection(
            facts,
            self.mode,
            self.cells,
            self.run.config,
            # Not a method: a selection that knew its source would keep both until garbage is looked for.
            partial(histories, self.reader)
            if max((r.seeds for r in self.rungs), default=0) > 1
            else None,
            self.unavailable_items,
        )

    @cached_property
    def progress(self) -> Progress:
        """How far the run was when it was read."""
        return self.reader.progress()

    @cached_property
    def state(self) -> str:
        """The state of the run, `interrupted` where nobody writes it any more."""
        held = lease.holder(self.reader.path) is not None
        return state_of(self.run.state, self.reader.heartbeat(), held)[0]

    @cached_property
    def item_flags(self) -> dict[int, tuple[str, ...]]:
        """Flags of the items that have some."""
        rows = self.reader.query("SELECT id,flags FROM item WHERE flags<>'[]'")
        return {item: tuple(codec.from_json(flags)) for item, flags in rows}

    @cached_property
    def unavailable_items(self) -> frozenset[int]:
        """Items that some rung of the ladder could not be filled for: outside paired comparisons."""
        return self.reader.unfilled_items()

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """The histories of each scale."""
        rows = self.reader.query(
            "SELECT scale,count(*),sum(available=0),count(DISTINCT ladder_seed),"
            " avg(CASE WHEN available THEN tokens END),max(tokenizer),"
            " avg(CASE WHEN available THEN n_sessions END),"
            " min(CASE WHEN available THEN n_sessions END),"
            " avg(CASE WHEN available THEN evidence_age END),"
            " sum(borrowed),sum(contaminated),group_concat(DISTINCT date_policy)"
            " FROM haystack GROUP BY scale ORDER BY scale"
        )
        return tuple(Rung(*row) for row in rows)

    def group_values(self, by: str, facts: Collection[EpisodeFact]) -> list[str]:
        """The value of each fact for what the report is grouped by."""
        if by == "question_type":
            return [self.qtypes[fact.qtype] for fact in facts]
        if by == "cluster":
            return [self.clusters[fact.cluster] for fact in facts]
        if by == "subset":
            named = {
                item: "+".join(sorted(DECLARED_SUBSETS.intersection(flags))) or "other"
                for item, flags in self.item_flags.items()
            }
            return [named.get(fact.item_id, "other") for fact in facts]
        raise UserError(f"cannot report by {by!r}; {did_you_mean(by, BY)}")


def passes(results: Results, budget: int) -> Counts:
    """{cluster: (passes at B, episodes)} of one cell."""
    return {
        cluster: (sum(1 for requested, right in rows if right and requested <= budget), len(rows))
        for cluster, rows in results.items()
    }
