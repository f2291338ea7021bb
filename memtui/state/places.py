"""Where a reader left a run: kept per run in the state folder, so that opening it again goes on from there.

One small file for all runs, replaced as a whole. It is keyed by the run's uid, so a renamed or moved file
is still known. Everything in it is outside text: whatever does not fit any more is passed over.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import orjson

from memtui.query.errors import QueryError
from memtui.state.configuration import Configuration
from memtui.state.session import RunSession
from memtui.state.settings import ArmOrder, Quick, Settings, SortKey, own_judge
from memtui.state.start import SCREENS
from memtui.store.records import CellRow
from memtui.store.side_file import state_folder

MOST_RUNS = 200
"""Runs that are remembered; the one left longest ago goes first."""
LARGEST = 2_000_000
"""Bytes of the file that are read."""
LONGEST = 4_000
"""Characters of a word that are kept; a longer filter is not remembered."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a run. Empty words and None: as the run file opens."""

    screen: str = "overview"
    episode: str = ""
    """Key of the episode at hand."""
    item: str = ""
    """Key of its question, by which another episode is found where this one is gone."""
    arm: str = ""
    scale: float | None = None
    cell: tuple[str, str, float | None] | None = None
    """(arm, conditions, scale) the list is restricted to."""
    budget: int | None = None
    alpha: float | None = None
    judge: str = ""
    filter: str = ""
    quick: str = ""
    sort: str = ""
    reversed: bool = False
    arm_order: str = ""
    without_flagged: bool = False
    sides: tuple[tuple[str, str], tuple[str, str]] | None = None
    """(file, arm) of A and B on the compare screen."""
    words: dict[str, str] = field(default_factory=dict)
    """What a screen keeps for itself, such as its tab, under `screen.name`."""


class Places:
    """The places of all runs."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = state_folder() / "places.json" if path is None else path
        self.problem = ""
        """One line on what is wrong with the file; empty when it is sound."""

    def of(self, uid: str) -> Place | None:
        """Where this run was left; None where it is not known."""
        return _place(self._read().get(uid))

    def keep(self, uid: str, place: Place) -> str:
        """Remember a place, and say what went wrong in one line; empty where nothing did."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                known = self._read()
                known.pop(uid, None)
                known[uid] = _short(asdict(place))
                kept = dict([*known.items()][-MOST_RUNS:])
                self._write({"format": FORMAT, "runs": kept})
        except OSError as error:
            return f"the place was not kept: {self.path}: {(error.strerror or str(error)).lower()}"
        return ""

    def _read(self) -> dict[str, Any]:
        try:
            with self.path.open("rb") as file:
                found = orjson.loads(file.read(LARGEST))
        except FileNotFoundError:
            return {}
        except (OSError, orjson.JSONDecodeError):
            found = None
        runs = found.get("runs") if isinstance(found, dict) else None
        if not isinstance(runs, dict):
            self.problem = f"{self.path} cannot be read; last places are not known"
            return {}
        return runs

    def _write(self, document: dict[str, Any]) -> None:
        import tempfile  # for the end: the first frame does not wait for it

        descriptor, name = tempfile.mkstemp(prefix=".places-", dir=self.path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(orjson.dumps(document))
            Path(name).replace(self.path)
        finally:
            with contextlib.suppress(OSError):
                Path(name).unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Two windows that close at once both keep their place."""
        descriptor = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _short(found: dict[str, Any]) -> dict[str, Any]:
    """Without what is as it is anyway, and without words that are too long to keep."""
    return {
        name: value
        for name, value in found.items()
        if value not in (None, "", False, {}) and len(repr(value)) <= LONGEST
    }


def _place(found: Any) -> Place | None:
    """A place from what was kept, field by field; what has another form is left out."""
    if not isinstance(found, dict):
        return None
    kept: dict[str, Any] = {}
    for name, right in _FORMS.items():
        value = found.get(name)
        if value is not None and right(value):
            kept[name] = value
    if "cell" in kept:
        kept["cell"] = tuple(kept["cell"])
    if "sides" in kept:
        kept["sides"] = tuple((one[0], one[1]) for one in kept["sides"])
    if kept.get("screen", "overview") not in SCREENS:
        del kept["screen"]
    return Place(**kept)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_cell(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    arm, conditions, scale = value
    return (
        isinstance(arm, str)
        and isinstance(conditions, str)
        and (scale is None or _is_number(scale))
    )


def _is_sides(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(
            isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one)
            for one in value
        )
    )


def _is_words(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_FORMS = {one.name: _is_text for one in fields(Place)} | {
    "scale": _is_number,
    "cell": _is_cell,
    "budget": _is_count,
    "alpha": lambda value: _is_number(value) and 0 < value <= 1,
    "reversed": lambda value: isinstance(value, bool),
    "without_flagged": lambda value: isinstance(value, bool),
    "sides": _is_sides,
    "words": _is_words,
}


# --- choices ------------------------------------------------------------------------------------


def own_choices(session: RunSession, configuration: Configuration | None) -> Settings:
    """B, alpha and judge of the run, or those that the configuration has in their stead."""
    run, judges = session.header.run, session.header.judges
    judge = own_judge(run.judge, judges)
    alpha = run.alpha
    if configuration is not None:
        alpha = configuration.alpha or alpha
        judge = configuration.judge if configuration.judge in judges else judge
    return replace(session.settings, budget=run.budget, alpha=alpha, judge=judge)


def with_choices(place: Place, session: RunSession, opened_with: Settings) -> Place:
    """The place with the reader's choices, as far as they differ from those the file was opened with."""
    now = session.settings
    cell = next((one for one in session.header.cells if one.id == now.cell), None)
    return replace(
        place,
        budget=None if now.budget == opened_with.budget else now.budget,
        alpha=None if now.alpha == opened_with.alpha else now.alpha,
        judge="" if now.judge == opened_with.judge else now.judge,
        filter=now.filter,
        quick="" if now.quick is Quick.ALL else now.quick.value,
        sort="" if now.sort is SortKey.NEWEST else now.sort.value,
        reversed=now.reversed,
        arm_order="" if now.arm_order is ArmOrder.DECLARED else now.arm_order.value,
        without_flagged=now.without_flagged,
        cell=None if cell is None else (cell.arm, cell.conditions, cell.scale),
    )


def choices_at(place: Place, session: RunSession) -> tuple[Settings, list[str]]:
    """The reader's choices at a place, and what of it is no longer there, in words."""
    now, said = session.settings, list[str]()
    if place.budget is not None:
        budget = min(place.budget, now.largest_budget)
        if budget != place.budget:
            said.append(f"B {place.budget} is beyond what this run knows: B {budget}")
        now = replace(now, budget=budget)
    if place.alpha is not None:
        now = replace(now, alpha=place.alpha)
    if place.judge:
        if place.judge in session.header.judges:
            now = replace(now, judge=place.judge)
        else:
            said.append(f"judge {place.judge} gave no verdict here: {now.judge}")
    if place.filter:
        from memtui.query.language import parse

        try:
            parse(place.filter)
            now = replace(now, filter=place.filter)
        except QueryError:
            said.append("the filter cannot be understood any more: none")
    cell = None
    if place.cell is not None:
        cell = _nearest_cell(place.cell, session.header.cells)
        if cell is None:
            said.append(f"no cell of {place.cell[0]} is there any more: all cells")
        elif (cell.arm, cell.conditions, cell.scale) != place.cell:
            said.append(f"the cell is gone: {cell.arm} at the nearest scale")
    now = replace(
        now,
        cell=None if cell is None else cell.id,
        quick=_member(Quick, place.quick, Quick.ALL),
        sort=_member(SortKey, place.sort, SortKey.NEWEST),
        arm_order=_member(ArmOrder, place.arm_order, ArmOrder.DECLARED),
        reversed=place.reversed,
        without_flagged=place.without_flagged,
    )
    return now, said


def _member(kind: Any, value: str, otherwise: Any) -> Any:
    return kind(value) if value in [one.value for one in kind] else otherwise


def _nearest_cell(
    wanted: tuple[str, str, float | None], cells: tuple[CellRow, ...]
) -> CellRow | None:
    """This cell, else the one of the same arm and the nearest scale."""
    arm, conditions, scale = wanted
    of_arm = [cell for cell in cells if cell.arm == arm]
    if not of_arm:
        return None

    def distance(cell: CellRow) -> tuple[bool, float, bool]:
        near = 0.0 if cell.scale is None or scale is None else abs(cell.scale - scale)
        return (cell.scale is None) != (scale is None), near, cell.conditions != conditions

    return min(of_arm, key=distance)


# --- the episode --------------------------------------------------------------------------------


def episode_at(place: Place, session: RunSession) -> tuple[int | None, str]:
    """The episode of a place, else the nearest one of its question: on its arm, then at its scale.

    The second value says what was taken in its stead; both None and a word where nothing is left.
    """
    pages = session.pages
    if not place.episode:
        return None, ""
    rows = pages.query(
        "SELECT id FROM episode WHERE key=? ORDER BY counts, attempt", (place.episode,)
    )
    if rows:
        return int(rows[-1][0]), ""
    ids = pages.episode_ids("i.key=?", (place.item,), "e.id") if place.item else []
    found = pages.episode_rows(ids)
    if not found:
        return None, "the episode is no longer in the file"

    def distance(number: int) -> tuple[bool, float]:
        row = found[number]
        far = row.scale is None or place.scale is None
        return row.arm != place.arm, 0.0 if far else abs((row.scale or 0) - (place.scale or 0))

    return min(found, key=distance), "the episode is gone: the nearest one of its question"
