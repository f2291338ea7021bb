"""What a screen shows, as CSV and JSON: made by the code of its headless twin, so that figures agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from memtui.errors import UserError
from memtui.report.as_json import to_json
from memtui.report.csv_door import Value, to_csv
from memtui.state.settings import Settings
from memtui.state.tab import Tab

if TYPE_CHECKING:
    from memtui.report.model import Report
    from memtui.state.run_list import RunLine
    from memtui.store.reader import RunReader


@dataclass(frozen=True, slots=True)
class Data:
    """The data of a screen. Nothing is read before one of the two is called, in a thread of its own."""

    json: Callable[[], str]
    csv: Callable[[], str]
    row: str
    """What a row of the CSV is."""


def _blaming(make: Callable[[], str], *paths: Path) -> Callable[[], str]:
    """The same; UserError where what keeps it from being made is a file that contradicts itself."""

    def made() -> str:
        from memtui.store.blame import blaming

        with blaming(*paths):
            return make()

    return made


def overview_data(path: Path, settings: Settings, tab: Tab | None = None) -> Data:
    """As `memtui report --tab` at the reader's B, alpha, judge and filter."""

    def as_json() -> str:
        from memtui.report.as_json import report_document

        return to_json(report_document(_report(path, settings, tab)))

    def as_csv() -> str:
        from memtui.report.tab_csv import tab_csv

        return tab_csv(_report(path, settings, tab), tab)

    row = "cell and phase" if tab is Tab.COST else "cell"
    return Data(_blaming(as_json, path), _blaming(as_csv, path), row)


def moment_data(path: Path, settings: Settings, moment: float) -> Data:
    """As `memtui report --until`, so many seconds into the run."""

    def as_json() -> str:
        from memtui.report.as_json import report_document

        return to_json(report_document(_report_until(path, settings, moment)))

    def as_csv() -> str:
        from memtui.report.tab_csv import tab_csv

        return tab_csv(_report_until(path, settings, moment), Tab.RELIABILITY)

    return Data(_blaming(as_json, path), _blaming(as_csv, path), "cell")


def report_of_moment(path: Path, settings: Settings, moment: float) -> str:
    """What `memtui report --until` prints at the reader's choices; not for the thread that draws."""
    from memtui.report.plain import report_text

    def made() -> str:
        return report_text(_report_until(path, settings, moment), Tab.RELIABILITY)

    return _blaming(made, path)()


def _report_until(path: Path, settings: Settings, moment: float) -> Report:
    from memtui.report.until import report_until
    from memtui.store.reader import open_run

    with open_run(path) as reader:
        return report_until(
            reader, settings.budget, settings.alpha, _judge(reader, settings), None,
            settings.filter, moment=moment, flagged=settings.flagged,
        )  # fmt: skip


def _judge(reader: RunReader, settings: Settings) -> str | None:
    """The reader's judge, where the file has verdicts of it."""
    return settings.judge if settings.judge in reader.judges() else None


def whole_report(path: Path, settings: Settings, tab: Tab | None = None) -> str:
    """What `memtui report` prints at the reader's choices, or one tab of it; takes a while: not for the
    thread that draws."""
    from memtui.report.plain import report_text

    return _blaming(lambda: report_text(_report(path, settings, tab), tab), path)()


def _report(path: Path, settings: Settings, tab: Tab | None) -> Report:
    from memtui.report.build import build_report
    from memtui.store.reader import open_run

    with open_run(path) as reader:
        return build_report(
            reader, settings.budget, settings.alpha, _judge(reader, settings), None,
            settings.filter, flagged=settings.flagged, tokens=tab is Tab.STOPPING,
        )  # fmt: skip


def episodes_data(path: Path, settings: Settings, ids: Sequence[int]) -> Data:
    """As `memtui failures`, but of the rows on screen in their order, whatever became of them."""

    def found() -> Any:
        from memtui.report.failures import list_episodes
        from memtui.report.source import ReportSource
        from memtui.store.reader import open_run

        with open_run(path) as reader:
            source = ReportSource(reader, settings.judge, settings.filter, flagged=settings.flagged)
            return list_episodes(source, ids, settings.budget)

    def as_json() -> str:
        from memtui.report.failures import failures_document

        return to_json(failures_document(found()))

    def as_csv() -> str:
        from memtui.report.failures import failures_csv

        return failures_csv(found())

    return Data(_blaming(as_json, path), _blaming(as_csv, path), "episode")


def episode_data(sides: Sequence[tuple[Path, int]], budget: int, judge: str) -> Data:
    """As `memtui show`, of one episode, or of several in a list; `sides`: (file, episode id) each."""

    def documents() -> list[dict[str, Any]]:
        from memtui.metrics.limits import is_context_arm
        from memtui.report.episode import EpisodeReport, episode_document
        from memtui.store.reader import open_run

        made = []
        for path, number in sides:
            with open_run(path) as reader:
                detail = reader.episode(number)
                if detail is None:
                    raise UserError(f"this episode is no longer in {path}")
                context = any(
                    arm.key == detail.row.arm and is_context_arm(arm.config)
                    for arm in reader.arms()
                )
                made.append(
                    episode_document(EpisodeReport(reader, detail, budget, judge, context=context))
                )
        return made

    def as_json() -> str:
        made = documents()
        return to_json(made[0] if len(made) == 1 else made)

    def as_csv() -> str:
        return records_csv(
            {"arm": one["arm"], "episode": one["uid"], **step}
            for one in documents()
            for step in one["steps"]
        )

    paths = [path for path, _ in sides]
    return Data(_blaming(as_json, *paths), _blaming(as_csv, *paths), "step")


def ladder_data(path: Path, settings: Settings, item: int) -> Data:
    """As `memtui ladder` of one question (its id)."""

    def document() -> dict[str, Any]:
        from memtui.report.ladder import build_ladder_report, ladder_document
        from memtui.report.source import ReportSource
        from memtui.store.reader import open_run

        with open_run(path) as reader:
            source = ReportSource(reader, settings.judge, settings.filter, flagged=settings.flagged)
            return ladder_document(build_ladder_report(source, item, settings.budget))

    def as_csv() -> str:
        return records_csv(
            {name: value for name, value in line.items() if name != "cells"} | cell
            for line in document()["lines"]
            for cell in line["cells"]
            if cell is not None
        )

    return Data(_blaming(lambda: to_json(document()), path), _blaming(as_csv, path), "episode")


def comparison_data(found: Any) -> Data:
    """As `memtui compare`, of a `Comparison` that has been made."""

    def as_json() -> str:
        from memtui.report.comparison_text import comparison_document

        return to_json(comparison_document(found))

    def as_csv() -> str:
        from memtui.report.comparison_text import comparison_csv

        return comparison_csv(found)

    return Data(as_json, as_csv, "scale")


def runs_data(folder: Path, lines: Sequence[RunLine]) -> Data:
    """As `memtui ls` of a folder, in the order of the lines."""

    def document() -> dict[str, Any]:
        from memtui.report.run_list import runs_document

        return runs_document(folder, lines)

    return Data(lambda: to_json(document()), lambda: records_csv(document()["runs"]), "run file")


def records_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """One row per record, a column for every name that occurs; lists and objects as JSON text."""
    kept = [*records]
    header = [*dict.fromkeys(name for record in kept for name in record)]
    return to_csv(header, ([_value(record.get(name)) for name in header] for record in kept))


def _value(value: Any) -> Value:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str | int | float):
        return value
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
