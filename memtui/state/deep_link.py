"""A view as a command line, and back: which file, screen and episode, at which B, alpha, judge, filter."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.errors import UserError, did_you_mean
from memtui.query.budgets import budget_at
from memtui.query.naming import at_arm_and_scale, one_arm
from memtui.state.compare_marks import Mark
from memtui.state.session import RunSession
from memtui.state.start import SCREENS
from memtui.state.tab import Measure, OverviewPlace, Tab
from memtui.store.reader import open_run


def choose(
    session: RunSession,
    *,
    budget: int | None = None,
    alpha: float | None = None,
    judge: str | None = None,
    filter_text: str | None = None,
    flagged: str | None = None,
) -> None:
    """Set the reader's choices of an open file; UserError for one that the file cannot answer."""
    settings, run = session.settings, session.header.run
    if budget is not None:
        budget_at(session.reader, run, budget)
        settings = replace(settings, budget=budget)
    if alpha is not None:
        if not 0 < alpha <= 1:
            raise UserError(f"--alpha is a rate above 0, at most 1; got {alpha:g}")
        settings = replace(settings, alpha=alpha)
    if judge is not None:
        if judge not in session.header.judges:
            hint = did_you_mean(judge, session.header.judges)
            raise UserError(f"no verdict of judge {judge!r} in {session.path}; {hint}")
        settings = replace(settings, judge=judge)
    if filter_text:
        from memtui.query.language import parse

        parse(filter_text)
        settings = replace(settings, filter=filter_text.strip())
    session.settings = replace(settings, without_flagged=flagged == "exclude")
    session.leave_out()


def episode_of(session: RunSession, name: str) -> int:
    """The id of an episode by its key (the latest attempt), its uid, or its number."""
    reader = session.pages
    rows = reader.query("SELECT id FROM episode WHERE key=? ORDER BY counts, attempt", (name,))
    if rows:
        return int(rows[-1][0])
    found = reader.episode_id(name)
    if found is None and name.isdigit():
        found = int(name) if reader.episode(int(name)) is not None else None
    if found is None:
        raise UserError(
            f"no episode {name!r} in {session.path}; `memtui failures` lists their keys"
        )
    return found


def question_of(session: RunSession, name: str) -> int:
    """The id of a question by its key."""
    rows = session.pages.query("SELECT id FROM item WHERE key=?", (name,))
    if not rows:
        raise UserError(f"no question has the key {name!r} in {session.path}")
    return int(rows[0][0])


def episode_at(
    session: RunSession, question: int, arm: str | None, scale: str | None
) -> int | None:
    """The first episode of a question on an arm that contains `arm`, at a scale; None without one."""
    conditions, values = at_arm_and_scale(arm, scale)
    conditions.append("e.item_id=?")
    values.append(question)
    found = session.pages.episode_ids(" AND ".join(conditions), values, "e.id")
    return found[0] if found else None


def marks_of(
    session: RunSession, arms: Sequence[str] | None, other: Path | None
) -> tuple[Mark, Mark]:
    """The two sides to compare: two arms of the file, or this file and another one."""
    second = session.path if other is None else other
    if arms is None:
        if other is None:
            raise UserError(
                "compare what? name two arms with --arms A B, or another file with --with"
            )
        return Mark(session.path), Mark(second)
    return (
        Mark(
            session.path, one_arm([arm.key for arm in session.header.arms], arms[0], session.path)
        ),
        Mark(second, one_arm(_arms_of(session, second), arms[1], second)),
    )


def begin_overview(
    session: RunSession, tab: str | None, measure: str | None, plot: Sequence[str] | None
) -> None:
    """Let the overview begin at a tab, a measure and a plot of the arms that contain each of `plot`;
    UserError for a text that no arm contains, or several."""
    if tab is None and measure is None and plot is None:
        return
    keys = [arm.key for arm in session.header.arms]
    arms = None if plot is None else tuple(one_arm(keys, name, session.path) for name in plot)
    session.overview_at = OverviewPlace(
        Tab.RELIABILITY if tab is None else Tab(tab), Measure(measure or Measure.PASS), arms
    )


def _arms_of(session: RunSession, path: Path) -> list[str]:
    if path == session.path:
        return [arm.key for arm in session.header.arms]
    with open_run(path) as reader:
        return [arm.key for arm in reader.arms()]


def link(
    session: RunSession,
    screen: str,
    episode_key: str | None = None,
    *,
    sides: tuple[tuple[Path, str], tuple[Path, str]] | None = None,
    path: Path | None = None,
    step: int | None = None,
    tab: Tab | None = None,
    plot: Sequence[str] | None = None,
    measure: Measure = Measure.PASS,
) -> str:
    """The command that opens this view again, from whatever folder; `sides`: (file, arm) of A and of B on the compare
    screen; `path`: of another file than the open one; `step`: where the trajectory begins; `tab` of the
    overview; `plot`: the arms of the large plot; `measure`: what both show."""
    settings, run = session.settings, session.header.run
    if path is None:
        path = session.path if sides is None else sides[0][0]
    words = ["memtui", str(path.absolute())]
    if screen in SCREENS and screen != "overview":
        words += ["--screen", screen]
    if episode_key is not None:
        words += ["--episode", episode_key]
    if step is not None:
        words += ["--step", str(step)]
    if sides is not None:
        if sides[1][0] != path:
            words += ["--with", str(sides[1][0].absolute())]
        words += ["--arms", sides[0][1], sides[1][1]]
    if tab is not None and tab is not Tab.RELIABILITY:
        words += ["--tab", tab.value]
    if measure is not Measure.PASS:
        words += ["--measure", measure.value]
    if plot is not None:
        words += ["--plot", *plot]
    if settings.budget != run.budget:
        words += ["--budget", str(settings.budget)]
    if settings.alpha != run.alpha:
        words += ["--alpha", f"{settings.alpha:g}"]
    if settings.judge != run.judge:
        words += ["--judge", settings.judge]
    if settings.filter:
        words += ["--filter", settings.filter]
    if settings.without_flagged:
        words += ["--flagged", settings.flagged]
    return shlex.join(words)
