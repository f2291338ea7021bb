"""A view as a command line, and back: which file, screen and episode, at which B, alpha, judge, filter."""

from __future__ import annotations

import difflib
import shlex
from dataclasses import replace

from memtui.errors import UserError
from memtui.metrics.limits import call_cap
from memtui.metrics.outcome import check_budget
from memtui.state.session import RunSession

SCREENS = ("overview", "episodes", "trajectory")


def choose(
    session: RunSession,
    *,
    budget: int | None = None,
    alpha: float | None = None,
    judge: str | None = None,
    filter_text: str | None = None,
) -> None:
    """Set the reader's choices of an open file; UserError for one that the file cannot answer."""
    settings, run = session.settings, session.header.run
    if budget is not None:
        check_budget(budget, run.mode, run.budget, call_cap(run.config))
        settings = replace(settings, budget=budget)
    if alpha is not None:
        if not 0 < alpha <= 1:
            raise UserError(f"--alpha is a rate above 0, at most 1; got {alpha:g}")
        settings = replace(settings, alpha=alpha)
    if judge is not None:
        if judge not in session.header.judges:
            known = session.header.judges
            close = difflib.get_close_matches(judge, known, n=1)
            hint = (
                f"did you mean {close[0]}?"
                if close
                else f"judges here: {', '.join(known) or 'none'}"
            )
            raise UserError(f"no verdict of judge {judge!r} in {session.path}; {hint}")
        settings = replace(settings, judge=judge)
    if filter_text:
        from memtui.query.language import parse

        parse(filter_text)
        settings = replace(settings, filter=filter_text.strip())
    session.settings = settings


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


def link(session: RunSession, screen: str, episode_key: str | None = None) -> str:
    """The command that opens this view again."""
    settings, run = session.settings, session.header.run
    words = ["memtui", str(session.path)]
    if screen in SCREENS and screen != "overview":
        words += ["--screen", screen]
    if episode_key is not None:
        words += ["--episode", episode_key]
    if settings.budget != run.budget:
        words += ["--budget", str(settings.budget)]
    if settings.alpha != run.alpha:
        words += ["--alpha", f"{settings.alpha:g}"]
    if settings.judge != run.judge:
        words += ["--judge", settings.judge]
    if settings.filter:
        words += ["--filter", settings.filter]
    return shlex.join(words)
