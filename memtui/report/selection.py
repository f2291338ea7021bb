"""The episodes a report is about, with everything about them that no budget changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property

from memtui.metrics.alarm import Alarm
from memtui.metrics.histogram import Fold, Profile, fold, fold_profiles, merge
from memtui.metrics.outcome import standing
from memtui.report.alarms import abnormal_ends
from memtui.report.costs import Ledger
from memtui.report.judging import Judging
from memtui.state.fold_facts import fold_facts
from memtui.store.packed_facts import FactValues
from memtui.store.records import CellRow, EpisodeFact

Results = dict[Hashable, list[tuple[int, bool]]]
"""{cluster: [(R, right) of each counted episode]} of one cell."""


class Selection:
    """Facts that passed the filter; what is asked for is worked out once and kept."""

    def __init__(
        self,
        facts: Collection[EpisodeFact],
        mode: str,
        cells: Mapping[int, CellRow],
        config: Mapping[str, object],
        histories: Callable[[], Mapping[int, int | None]] | None,
        unavailable: frozenset[int],
    ) -> None:
        """`histories` gives {episode: haystack} where a cell asks over several ladder seeds, else None;
        `unavailable` names items that some rung could not be filled for."""
        self.facts = facts
        self.mode = mode
        self._cells = cells
        self._config = config
        self._histories = histories
        self._unavailable = unavailable
        self.ledger: Ledger | None = None
        """What the episodes spent, once it was read."""
        self.tokens_after: dict[int, tuple[int, int, int]] | None = None
        self.ranks: dict[int, Counter[str]] = {}
        """By cell: what was spent once the evidence was complete; None until it was read."""
        self.judging: Judging | None = None
        """Verdicts of all judges, once they were read."""

    @cached_property
    def folds(self) -> dict[Hashable, Fold]:
        """Folds by (cell, answerable)."""
        return self._fold(self.facts)

    @cached_property
    def answerable(self) -> Fold:
        """All answerable items of all cells together."""
        return merge([one for key, one in self.folds.items() if isinstance(key, tuple) and key[1]])

    @cached_property
    def clean_folds(self) -> dict[Hashable, Fold]:
        """Folds of the items without a known defect; empty where no item has one."""
        if not any(fact.flagged for fact in self.facts):
            return {}
        return self._fold([fact for fact in self.facts if not fact.flagged])

    @cached_property
    def ladder_facts(self) -> Collection[EpisodeFact]:
        """Facts of the questions that every rung has."""
        missing = self._unavailable
        if not missing:
            return self.facts
        return [fact for fact in self.facts if fact.item_id not in missing]

    @cached_property
    def ladder_folds(self) -> dict[Hashable, Fold]:
        """Folds of the questions that every rung has."""
        return self._fold(self.ladder_facts) if self._unavailable else self.folds

    @cached_property
    def ladder_items(self) -> int | None:
        """How many questions every rung has; None where that is all of them."""
        if not self._unavailable:
            return None
        return len({fact.item_id for fact in self.ladder_facts if fact.answerable})

    @cached_property
    def questions(self) -> Mapping[Hashable, Counter[Profile]]:
        """By (cell, answerable): how the repeats of each question over one history ended.

        Empty where no question was repeated.
        """
        facts = self.facts
        if len({fact.repeat for fact in facts}) < 2:
            return {}
        items = {fact.item_id for fact in facts}
        clusters = {fact.cluster for fact in facts}
        if self._histories is None and len(items) == len(clusters):
            # One question, one history, one cluster: the same groups as for the intervals, unless those
            # were let go of (`Fold.settle`), which the thread that shares them may do this moment.
            found = {key: group.profiles for key, group in self.folds.items()}
            if all(found[key] for key, group in self.folds.items() if group.clustered):
                return found
        histories = {} if self._histories is None else self._histories()
        return fold_profiles(
            facts,
            [(fact.cell_id, fact.answerable) for fact in facts],
            [(fact.item_id, histories.get(fact.id)) for fact in facts],
            self.mode,
        )

    @cached_property
    def answerable_items(self) -> frozenset[int]:
        """Ids of the answerable items asked."""
        return frozenset(fact.item_id for fact in self.facts if fact.answerable)

    @cached_property
    def flagged_items(self) -> frozenset[int]:
        """Ids of the answerable items with a known defect."""
        return frozenset(f.item_id for f in self.facts if f.flagged and f.answerable)

    @cached_property
    def alarms(self) -> tuple[Alarm, ...]:
        """Alarms for an abnormal mix of ends."""
        return abnormal_ends(self.folds, self._cells, self._config, self.mode)

    @cached_property
    def cluster_results(self) -> dict[int, Results]:
        """Per cell, over answerable items."""
        return self._results(self.facts)

    @cached_property
    def ladder_results(self) -> dict[int, Results]:
        """The same over the questions that every rung has."""
        return self._results(self.ladder_facts) if self._unavailable else self.cluster_results

    def fold_by(self, values: Sequence[str]) -> dict[Hashable, Fold]:
        """Folds by (cell, answerable, value) for the parallel sequence `values`."""
        keys = [
            (fact.cell_id, fact.answerable, value)
            for fact, value in zip(self.facts, values, strict=True)
        ]
        clusters = [fact.cluster for fact in self.facts]
        return fold(self.facts, keys, clusters, self.mode, [fact.item_id for fact in self.facts])

    def _fold(self, facts: Collection[EpisodeFact]) -> dict[Hashable, Fold]:
        if isinstance(facts, FactValues):
            return fold_facts(facts.packed, self.mode)  # once per course, not once per episode
        keys = [(fact.cell_id, fact.answerable) for fact in facts]
        clusters = [fact.cluster for fact in facts]
        return fold(facts, keys, clusters, self.mode, [fact.item_id for fact in facts])

    def _results(self, facts: Collection[EpisodeFact]) -> dict[int, Results]:
        found: dict[int, Results] = {}
        for fact in facts:
            held = standing(fact.end_reason, fact.label, fact.done, self.mode)
            if held.counted and fact.answerable:
                rows = found.setdefault(fact.cell_id, {}).setdefault(fact.cluster, [])
                rows.append((fact.requested, held.right))
        return found
