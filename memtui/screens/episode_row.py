"""One line of the episode list: outcome, arm, scale, strip, coverage, calls, question."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from memtui.model import Ending, Label, Outcome
from memtui.state.deep_link import link
from memtui.state.episode_standing import ending_with, outcome_of
from memtui.state.session import RunSession
from memtui.state.told_apart import Apart
from memtui.store.records import EpisodeRow
from memtui.views.columns import Cell, Column
from memtui.views.coverage import coverage_bar
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, compact, duration, money, ratio, scale
from memtui.views.outcome import outcome_words
from memtui.views.strip import PADDED_BUDGET, call_strip
from memtui.views.styled import styled
from memtui.views.text_door import clean_line


def ending_of(row: EpisodeRow, session: RunSession) -> Ending:
    """How an episode ended at the reader's B and judge."""
    settings, mode = session.settings, session.header.run.mode
    what = outcome_of(row, settings.judge, settings.budget, mode)
    return ending_with(what, row, settings.judge)


def strip_of_row(
    row: EpisodeRow, session: RunSession, look: Look, *, width: int | None = None
) -> Text:
    """The strip of a line at the reader's B."""
    budget = session.settings.budget
    return call_strip(row.strip, budget, ending_of(row, session), look, width=width)


def strip_width(budget: int) -> int:
    """Cells of the strip column: room for a few calls beyond the budget and the closing signs."""
    return max(9, min(budget, PADDED_BUDGET) + 8)


NARROW, ROOMY, WIDE = 74, 100, 150
"""Columns below which the arm is shortened; from which nothing gives way to a mark; from which arm and type
are written out."""
WIDEST_ARM = 22
"""Cells of the arm column: the widest with which it still stands beside the question at 80 columns."""


def columns(
    budget: int, longest_arm: int = 16, apart: Apart | None = None, width: int = 80
) -> list[Column]:
    """The columns of the list; the question is last and takes what is left. `apart`: of a run that has
    something to be told apart; `width`: of the list."""
    taken = 0 if apart is None or width >= ROOMY else apart.width
    # What tells rows apart stands beside the arm at 80 columns: both give way to it.
    widest, question = (WIDEST_ARM + 2 - taken, 16) if taken else (WIDEST_ARM, 20)
    if width < NARROW:
        widest -= 6
    elif width >= WIDE:
        widest, question = 28, 16
    return [
        # The strip ends with the outcome: where both cannot be, the arm is worth more than the word.
        Column("outcome", "outcome", 11, keep=2),
        Column("strip", "calls", strip_width(budget)),
        Column("coverage", "evid.", 5, keep=3),
        Column("requested", "R", 2, "right", keep=5),
        Column("t_star", "t*", 2, "right", keep=6),
        Column("overshoot", "+t*", 3, "right", keep=7),
        Column("left", "left", 4, "right", keep=8),
        Column("redundant", "red.", 4, "right", keep=9),
        Column("arm", "arm", max(6, min(longest_arm, widest)), keep=1),
        Column("scale", "scale", 5, "right"),
        *(
            [Column("apart", apart.heading, apart.width)]
            if apart is not None and apart.heading
            else []
        ),
        Column("type", "type", 24 if width >= WIDE else 16, keep=10),
        Column("tokens", "tokens", 6, "right", keep=12),
        Column("cost", "cost", 8, "right", keep=13),
        Column("time", "time", 7, "right", keep=11),
        Column("gold", "gold", 12, keep=14, grow=1),
        Column("answer", "answer", 16, keep=4, grow=1),
        Column("question", "question", question, grow=4),
    ]


def row_cells(
    row: EpisodeRow, session: RunSession, look: Look, apart: Apart | None = None
) -> dict[str, Cell]:
    """The cells of a line."""
    ending = ending_of(row, session)
    budget = session.settings.budget
    tokens = row.prompt_tokens
    if tokens is not None and row.completion_tokens is not None:
        tokens += row.completion_tokens
    return {
        "outcome": outcome_words(ending.outcome, look),
        "strip": call_strip(row.strip, budget, ending, look, width=strip_width(budget)),
        "coverage": _coverage(row, look),
        **_calls(row, budget, look),
        "arm": row.arm,
        "scale": (scale(row.scale), look.muted),
        "apart": ("" if apart is None else apart.mark(row.key, row.repeat), look.muted),
        "type": (row.qtype, look.muted),
        "tokens": (compact(tokens), look.muted),
        "cost": (money(row.cost), look.muted),
        "time": (duration(row.wall_ms), look.muted),
        "gold": styled(clean_line(row.gold or UNKNOWN, width=60), look.gold),
        "answer": styled(clean_line(row.answer or UNKNOWN, width=60), _answer_style(ending, look)),
        "question": row.question,
    }


def _calls(row: EpisodeRow, budget: int, look: Look) -> dict[str, Cell]:
    """R, t*, calls after it, calls of the budget left, calls that brought nothing new; `–` unknown."""
    if not row.done:
        return {"requested": (str(row.requested), look.muted)}
    known = row.gold_total is not None and row.answerable
    t_star = row.t_star if known else None
    beyond = None if t_star is None else row.requested - t_star
    left = budget - row.requested
    return {
        "requested": (str(row.requested), look.budget if left < 0 else look.muted),
        "t_star": (UNKNOWN if t_star is None else str(t_star), look.muted),
        "overshoot": (UNKNOWN if beyond is None else str(beyond), look.muted),
        "left": (str(max(left, 0)), look.muted if left > 0 else look.faint),
        "redundant": (str(row.redundant), look.muted),
    }


def _coverage(row: EpisodeRow, look: Look) -> Text:
    if not row.done and row.answerable:
        return Text("")
    return coverage_bar(row.gold_found, row.gold_total if row.answerable else None, 5, look)


def evidence_words(row: EpisodeRow) -> tuple[str, str]:
    """The evidence in view and t*; both n/a for questions without an answer."""
    found = ratio(row.gold_found, row.gold_total)
    return found, UNKNOWN if row.t_star is None else str(row.t_star)


def _answer_style(ending: Ending, look: Look) -> Style:
    if ending.label is Label.RIGHT:
        return look.good
    return look.bad if ending.label is Label.WRONG else look.muted


def closing_words(row: EpisodeRow, session: RunSession) -> str:
    """The outcome in words with what stands beside it: `exhausted, though right`."""
    ending = ending_of(row, session)
    if ending.outcome is Outcome.EXHAUSTED:
        if not ending.answered:
            return "exhausted, no answer"
        return f"exhausted, {'though right' if ending.label is Label.RIGHT else 'and wrong'}"
    if ending.outcome is Outcome.WRONG and not ending.answered:
        return "no answer"
    return {
        Outcome.PASS: "pass",
        Outcome.WRONG: "wrong",
        Outcome.EXCLUDED: "excluded",
        Outcome.PENDING: "running",
    }[ending.outcome]


def episode_text(
    row: EpisodeRow, session: RunSession, screen: str = "trajectory", *, step: int | None = None
) -> str:
    """An episode as plain text to take elsewhere: identity, question, gold, answer, how it ended."""
    return "\n".join(
        (
            f"episode  {row.key}",
            f"question {row.question}",
            f"gold     {row.gold if row.gold is not None else '-'}",
            f"answer   {row.answer if row.answer is not None else '-'}",
            f"outcome  {closing_words(row, session)} at B = {session.settings.budget}"
            f" (R = {row.requested}), judge {session.settings.judge}",
            f"open     {link(session, screen, row.key, step=step)}",
        )
    )
