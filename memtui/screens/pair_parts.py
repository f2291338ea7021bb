"""The parts of the side-by-side view: head, aligned rows, hits of a row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from memtui.metrics.explain import why_it_ended
from memtui.metrics.similarity import terms
from memtui.model import Ending
from memtui.query.subject import signature_of
from memtui.report.paired_episodes import Asked, EpisodePair
from memtui.screens.hit_rows import READ_AROUND, preview_of
from memtui.screens.session_texts import SessionTexts
from memtui.screens.trajectory_parts import ANSWER, step_words
from memtui.state.alignment import AlignedRow, HitRow, Sameness, compare_hits
from memtui.state.episode_standing import ending_with, outcome_of
from memtui.state.trajectory import HitView, Stop, Trajectory, query_words
from memtui.views.columns import aligned
from memtui.views.coverage import coverage_ratio
from memtui.views.difference import ONLY_A, ONLY_B, OTHER_QUERY, OTHER_RESULT, SAME
from memtui.views.look import Look
from memtui.views.marks import hit_marks
from memtui.views.numbers import UNKNOWN, scale
from memtui.views.outcome import outcome_style, outcome_word
from memtui.views.sentences import sentence
from memtui.views.session_text import word_pattern
from memtui.views.strip import call_strip, call_style
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.wrapping import wrap

SIGNS = {
    Sameness.EQUAL: SAME,
    Sameness.DIFFERENT: OTHER_QUERY,
    Sameness.ONLY_A: ONLY_A,
    Sameness.ONLY_B: ONLY_B,
}
MIDDLE = 3
"""Cells between the two sides."""


@dataclass(frozen=True, slots=True)
class PairView:
    """Two trajectories with their aligned rows."""

    pair: EpisodePair
    both: tuple[Trajectory, Trajectory]
    rows: tuple[AlignedRow, ...]
    sides: tuple[tuple[Path, str], tuple[Path, str]]
    budget: int
    judge: str
    modes: tuple[str, str]
    context: tuple[bool, bool]

    def stops(self, row: AlignedRow) -> tuple[Stop | None, Stop | None]:
        """The stops of a row."""
        left = None if row.a is None else self.both[0].stops[row.a]
        right = None if row.b is None else self.both[1].stops[row.b]
        return left, right

    def differs(self, row: AlignedRow) -> bool:
        """Whether query, hits or coverage of a row differ."""
        left, right = self.stops(row)
        if row.sameness is not Sameness.EQUAL or left is None or right is None:
            return True
        if left.step.text != right.step.text and left.step.kind == "answer":
            return True
        return (left.after, [hit.hit.ref for hit in left.hits]) != (
            right.after,
            [hit.hit.ref for hit in right.hits],
        )

    def first_difference(self) -> int:
        """Index of the first row of calls in which the two differ; 0 where none does."""
        for number, row in enumerate(self.rows):
            if self.differs(row) and any(
                stop is not None and stop.hits for stop in self.stops(row)
            ):
                return number
        return 0

    def next_difference(self, index: int, by: int) -> int | None:
        """The next (1) or previous (-1) such row."""
        at = index + by
        while 0 <= at < len(self.rows):
            if self.differs(self.rows[at]):
                return at
            at += by
        return None


def halves(width: int) -> tuple[int, int]:
    """Cells of the left and of the right side."""
    room = max(10, width - MIDDLE - 2)
    return room // 2, room - room // 2


def beside(left: Text, middle: Text | str, right: Text, width: int) -> Text:
    """Two sides as one line of `width` cells."""
    first, second = halves(width)
    line = Text(" ", end="", no_wrap=True)
    line.append_text(aligned(left, first, "left"))
    line.append(" ")
    line.append_text(middle if isinstance(middle, Text) else Text(middle, end=""))
    line.append(" ")
    line.append_text(aligned(right, second, "left"))
    return line


# --- head ---------------------------------------------------------------------------------------


def pair_head(view: PairView, chosen: int, width: int, rows: int, look: Look) -> list[Text]:
    """Question and gold; then each side: who, strip and outcome, answer, why it ended."""
    item = view.both[0].detail.item
    lines = []
    told = wrap(clean_line(item.question, width=3 * width), width - 6)
    if len(told) > (most := 2 if rows >= 30 else 1):
        told = [*told[: most - 1], sentence(" ".join(told[most - 1 :]), width - 6)]
    for number, part in enumerate(told):
        question = styled("    " if number else " Q  ", look.muted)
        question.append(part, look.strong)
        lines.append(question)
    gold = styled(" gold ", look.muted)
    gold.append(
        clean_line(UNKNOWN if item.gold is None else item.gold, width=width - 30), look.gold
    )
    gold.append(f"   {clean_line(item.key, width=18)}", look.muted)
    lines.append(gold)
    if rows >= 24:
        lines.append(Text(end=""))
    rule = Text("│", style=look.faint, end="")
    parts = [_side(view, number, number == chosen, rows, look, halves(width)) for number in (0, 1)]
    most = max(map(len, parts))
    for side in parts:
        side += [Text(end="") for _ in range(most - len(side))]
    lines += [beside(a, rule.copy(), b, width) for a, b in zip(*parts, strict=True)]
    return lines


def _side(
    view: PairView, number: int, chosen: bool, rows: int, look: Look, widths: tuple[int, int]
) -> list[Text]:
    found, width = view.both[number], widths[number]
    row = found.detail.row
    asked: Asked = (view.pair.a, view.pair.b)[number]
    ending = ending_of_side(view, number)
    letter = "AB"[number]
    name = styled(f" {letter} " if chosen else f"{letter}  ", look.chip if chosen else look.muted)
    name.append(" " if chosen else "")
    name.append(clean_line(row.arm, width=max(8, width - 12)), look.strong)
    name.append(f"  {scale(asked.scale)}", look.muted)
    signs = row.strip or "".join(stop.glyph for stop in found.stops if stop.is_call)
    strip = call_strip(signs, view.budget, ending, look, width=max(9, width // 3))
    strip.append("  ")
    strip.append_text(outcome_word(ending.outcome, look))
    if row.answerable:
        strip.append("  evidence ", look.muted)
        strip.append_text(coverage_ratio(row.gold_found, row.gold_total, look))
    answer = styled("answer ", look.muted)
    said = UNKNOWN if row.answer is None else row.answer
    answer.append(clean_line(said, width=max(8, width - 8)), outcome_style(ending.outcome, look))
    lines = [name, strip, answer]
    most = 5 if rows >= 30 else 4 if rows >= 24 else 0
    if most:
        why = why_it_ended(
            signature_of(row, view.judge), row.gold_found, view.budget, view.modes[number],
            context=view.context[number],
        )  # fmt: skip
        told = wrap(clean_line(why), width)
        if len(told) > most:
            told = [*told[: most - 1], sentence(" ".join(told[most - 1 :]), width)]
        lines += [styled(part, look.muted) for part in told]
    return lines


def ending_of_side(view: PairView, number: int) -> Ending:
    """How one side ended at the reader's B and judge."""
    row = view.both[number].detail.row
    what = outcome_of(row, view.judge, view.budget, view.modes[number])
    return ending_with(what, row, view.judge)


# --- aligned rows -------------------------------------------------------------------------------


class AlignedSource:
    """Aligned steps as rows; the id of a row is its place."""

    def __init__(self, view: PairView, look: Look) -> None:
        self._view, self._look = view, look
        self._ids = list(range(len(view.rows)))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        row, look = self._view.rows[index], self._look
        left, right = self._view.stops(row)
        first, second = halves(width)
        differs = self._view.differs(row)
        shown = SIGNS[row.sameness]
        if row.sameness is Sameness.EQUAL and differs:
            shown = OTHER_RESULT
        sign = styled(shown, look.budget if differs else look.muted)
        return beside(
            self._step(left, right, row.sameness, first),
            sign,
            self._step(right, left, row.sameness, second),
            width,
        )

    def _step(self, stop: Stop | None, other: Stop | None, same: Sameness, width: int) -> Text:
        look = self._look
        text = Text(end="", no_wrap=True)
        if stop is None:
            return text
        if stop.is_call:
            text.append(f"{stop.call_no:>2} ", look.muted)
            text.append(f"{stop.glyph or '·'} ", call_style(stop.glyph, look))
        else:
            text.append("   ")
            text.append(f"{ANSWER} ", look.accent)
        tail = f" +{stop.after - stop.before}" if stop.after > stop.before else ""
        words = step_words(stop)
        if stop.step.kind == "answer":
            words = f"answer: {stop.step.text}" if stop.step.text else words
        start = len(text)
        shown = clean_line(words, width=max(4, width - text.cell_len - len(tail)))
        text.append(shown, look.muted if same is Sameness.EQUAL else "")
        if same is Sameness.DIFFERENT and other is not None:
            light_own_words(text, shown, start, other.step.query or "", look)
        if tail:
            text.append(" " * max(0, width - text.cell_len - len(tail)))
            text.append(tail, look.gold)
        return text


def light_own_words(text: Text, shown: str, start: int, other: str, look: Look) -> None:
    """Underline the words of a query that the other query does not have."""
    pattern = word_pattern(terms(shown) - terms(other))
    if pattern is not None:
        for match in pattern.finditer(shown):
            text.stylize(look.query_word, start + match.start(), start + match.end())


# --- hits ---------------------------------------------------------------------------------------


def hits_heading(view: PairView, row: AlignedRow | None, width: int, look: Look) -> list[Text]:
    """What each side's step of the row brought."""
    if row is None:
        return []
    left, right = view.stops(row)
    one, other = halves(width)
    first, second = _brought(left, one, look), _brought(right, other, look)
    rows = compare_hits([one.hit for one in _hits(left)], [one.hit for one in _hits(right)])
    common = sum(hit.in_both_a for hit in rows)
    line = beside(first, styled(" ", look.muted), second, width)
    if left is None or right is None or not (left.hits or right.hits):
        return [line]
    total = len(_hits(left)) + len(_hits(right)) - common
    summary = styled(f" on both sides {common} of {total} blocks", look.muted)
    if row.sameness is Sameness.DIFFERENT:
        summary.append("   the queries differ", look.budget)
    return [line, summary]


def _hits(stop: Stop | None) -> Sequence[HitView]:
    return () if stop is None else stop.hits


def _brought(stop: Stop | None, width: int, look: Look) -> Text:
    if stop is None:
        return styled("no step here", look.muted)
    text = Text(end="", no_wrap=True)
    text.append(f"call {stop.call_no}" if stop.is_call else stop.step.kind, look.accent)
    if stop.hits:
        many = len(stop.hits)
        text.append(f"  {many} hit{'s'[: many != 1]}", look.muted)
        ranks = sorted(rank for _, rank in stop.step.gold_ranks)
        if ranks:
            said = ", ".join(map(str, ranks[:4]))
            far = text.cell_len + len(f"  ★ at rank {said}") > width
            text.append(f"  ★ {said}" if far else f"  ★ at rank {said}", look.gold)
        else:
            text.append("  no evidence", look.muted)
    return text


class HitRowSource:
    """Hits of both sides rank by rank; what only one side has is lit."""

    def __init__(
        self,
        view: PairView,
        row: AlignedRow | None,
        texts: tuple[SessionTexts, SessionTexts],
        look: Look,
    ) -> None:
        self._view, self._texts, self._look = view, texts, look
        self._stops: tuple[Stop | None, Stop | None] = (
            (None, None) if row is None else view.stops(row)
        )
        self._rows: list[HitRow] = compare_hits(
            [one.hit for one in _hits(self._stops[0])], [one.hit for one in _hits(self._stops[1])]
        )
        self._ids = list(range(len(self._rows)))

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return index

    def row(self, index: int, width: int) -> Text:
        row = self._rows[index]
        first, second = halves(width)
        middle = styled("│", self._look.faint)
        return beside(
            self._hit(0, index, shared=row.in_both_a, width=first),
            middle,
            self._hit(1, index, shared=row.in_both_b, width=second),
            width,
        )

    def _hit(self, side: int, index: int, *, shared: bool, width: int) -> Text:
        look, stop = self._look, self._stops[side]
        text = Text(end="", no_wrap=True)
        if stop is None or index >= len(stop.hits):
            return text
        view, found = stop.hits[index], self._view.both[side]
        near = stop.hits[max(0, index - READ_AROUND) : index + READ_AROUND]
        session = self._texts[side].get(view.sessions[0], [one.sessions[0] for one in near])
        text.append(f"{view.rank:>2} ", look.muted)
        text.append_text(hit_marks(gold=view.gold, new=view.new, shown=view.hit.shown, look=look))
        text.append(" " if shared else SIGNS[(Sameness.ONLY_A, Sameness.ONLY_B)[side]], look.budget)
        if width >= 32:
            date = (found.date_of(view.sessions[0], session) or UNKNOWN)[:10]
            text.append(f" {date:<10}", look.muted)
        text.append(" ")
        words = word_pattern(query_words(stop.step.query or found.detail.item.question))
        preview = clean_line(
            preview_of(view, session, found, words), width=max(4, width - text.cell_len)
        )
        text.append(preview, look.gold if view.gold else look.muted if shared else "")
        return text
