"""The parts of the compare screen: who is compared with whom, over what, and the table by scale."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path

from rich.text import Text

from memtui.metrics.paired import CLUSTERED, PairedDifference
from memtui.report.comparison import ComparedScale, Comparison, Side, setting
from memtui.report.paired_episodes import EpisodePair, PairCounts
from memtui.store.records import EpisodeRow
from memtui.views.columns import Column, Placed, heading, place, row
from memtui.views.difference import forest, forest_axis, p_value, signed
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, count, percent, plural, points, scale
from memtui.views.outcome import outcome_style
from memtui.views.sentences import sentence
from memtui.views.styled import styled
from memtui.views.text_door import clean_line
from memtui.views.title import ALIAS_WIDEST
from memtui.views.wrapping import wrap

ALL = -1
"""Id of the row of all scales together."""
FOREST = 21


def table_columns(width: int) -> list[Placed]:
    """The columns of the table by scale for a width."""
    return place(
        (
            Column("scale", "scale", 5, "right"),
            Column("n", "pairs", 5, "right"),
            Column("a", "A %", 3, "right"),
            Column("b", "B %", 3, "right"),
            Column("difference", "B-A", 6, "right"),
            Column("interval", "95 %", 12, keep=5),
            Column("forest", forest_axis(FOREST), FOREST, keep=9),
            Column("both", "both", 4, "right", keep=2),
            Column("only_a", "◂ A", 4, "right"),
            Column("only_b", "B ▸", 4, "right"),
            Column("neither", "neither", 7, "right", keep=3),
            Column("p", "p", 5, "right", keep=4),
            Column("holm", "Holm", 5, "right", keep=8),
            Column("left", "left out", 8, "right", keep=7),
        ),
        width - 2,
    )


class ScaleSource:
    """The table by scale as rows: all scales together first, then each; the id is its place."""

    def __init__(self, found: Comparison, look: Look) -> None:
        self.found = found
        self._look = look
        self._ids = [ALL, *range(len(found.rows))] if len(found.rows) > 1 else [0]

    def ids(self) -> list[int]:
        return self._ids

    def row_key(self, index: int) -> Hashable | None:
        return None

    def row(self, index: int, width: int) -> Text:
        number = self._ids[index]
        if number == ALL:
            left_out = sum(one.left_out for one in self.found.rows)
            cells = self._cells("all", self.found.total, self.found.counts, None, left_out)
        else:
            one = self.found.rows[number]
            cells = self._cells(scale(one.scale), one.found, one.counts, one.adjusted, one.left_out)
        return row(table_columns(width), cells, margin=1)

    def _cells(
        self,
        label: str,
        one: PairedDifference,
        counted: PairCounts,
        adjusted: float | None,
        left_out: int,
    ) -> dict[str, Text | str]:
        look, interval = self._look, one.interval
        low = None if interval is None else interval.low
        high = None if interval is None else interval.high
        sure = low is not None and high is not None and (low > 0 or high < 0)
        cells: dict[str, Text | str] = {
            "scale": label,
            "n": str(counted.n),
            "a": percent(one.mean_a),
            "b": percent(one.mean_b),
            "difference": styled(signed(one.difference), look.strong if sure else ""),
            "interval": styled(interval_text(low, high), look.muted),
            "forest": forest(one.difference, low, high, FOREST, look),
            "both": styled(str(counted.both), look.muted),
            "only_a": styled(str(counted.only_a), look.accent),
            "only_b": styled(str(counted.only_b), look.fresh),
            "neither": styled(str(counted.neither), look.muted),
            "p": styled(p_value(one.p_value), look.muted),
            "holm": styled(p_value(adjusted), look.muted),
            "left": styled(str(left_out), look.missing if left_out else look.muted),
        }
        return cells


def interval_text(low: float | None, high: float | None) -> str:
    """``-27 to -5`` in points; ``–`` where there is none."""
    if low is None or high is None:
        return UNKNOWN
    return f"{points(low)} to {points(high)}"


def table_heading(width: int, look: Look) -> Text:
    """Titles of the table by scale."""
    return Text(" ", end="") + heading(table_columns(width), look.muted)


def side_lines(
    a: tuple[Path, str], b: tuple[Path, str], found: Comparison | None, width: int, look: Look
) -> list[Text]:
    """Who is compared with whom; files are named where they differ, and what the reader calls them."""
    lines = []
    aliases = ("", "") if found is None else (_alias(found.a), _alias(found.b))
    names = max(len(clean_line(arm)) for _, arm in (a, b))
    for letter, (path, arm), alias, style in (
        ("A", a, aliases[0], look.accent), ("B", b, aliases[1], look.fresh),
    ):  # fmt: skip
        text = styled(f" {letter}  ", style)
        text.append(clean_line(arm, width=max(12, width // 2)), look.strong)
        if a[0] != b[0]:
            text.append(" " * max(0, names - len(clean_line(arm))))
            if alias:
                text.append(f"   {alias}", style)
            room = width - text.cell_len - 3
            if room >= 8:
                text.append(f"   {clean_line(str(path), width=room)}", look.muted)
        lines.append(text)
    if found is not None:
        lines[0] = _beside(lines[0], _passed("Pass@", found, found.total.mean_a), width, look)
        lines[1] = _beside(lines[1], _passed("Pass@", found, found.total.mean_b), width, look)
    return lines


def _alias(side: Side) -> str:
    """The reader's name for the run of a side; empty without one."""
    return clean_line(side.source.marks.aliases.get("", ""), width=ALIAS_WIDEST)


def _passed(word: str, found: Comparison, value: float | None) -> str:
    return f"{word}{found.budget} {percent(value)} %"


def _beside(line: Text, words: str, width: int, look: Look) -> Text:
    gap = width - line.cell_len - len(words) - 1
    if gap >= 3:
        line.append(" " * gap)
        line.append(words, look.muted)
    return line


def pairing_lines(found: Comparison, width: int, most: int, look: Look) -> list[Text]:
    """Over what the two are compared, and plainly what is not."""
    rows = found.rows
    questions = max((row.pairs.common for row in rows), default=0)
    uneven = [row for row in rows if not row.pairs.equal]
    dropped = sum(row.pairs.dropped for row in rows)
    parts = [
        Text.assemble(
            (str(found.counts.n), look.strong),
            (f" pairs of {questions} questions at {len(rows)} scales" if len(rows) > 1
             else f" pairs of {questions} questions", look.muted),
            end="",
        ),
        Text.assemble((f"{found.total.clusters} histories", look.muted), end=""),
    ]  # fmt: skip
    parts += [
        styled(f"only {side} has {', '.join(map(scale, scales))}", look.missing)
        for side, scales in zip("AB", found.only_scales, strict=True)
        if scales
    ]
    if found.averaged:
        parts.append(styled("rates and p: each question once, averaged", look.muted))
    if any(one.test == CLUSTERED for one in (found.total, *(row.found for row in rows))):
        parts.append(styled("p: clustered t", look.muted))
    if dropped:
        parts.append(styled(f"{plural(dropped, 'question')} excluded or open", look.missing))
    if not uneven:
        parts.append(styled("both asked the same questions", look.muted))
    lines = flow(parts, width)
    if uneven:
        lines += _sets(uneven, width, max(1, min(2, most - len(lines))), look)
    for note in found.caveats:
        if (room := min(2, most - len(lines))) < 1:
            break
        said = wrap(clean_line(note), width - 2)
        if len(said) > room:
            said = [*said[: room - 1], sentence(" ".join(said[room - 1 :]), width - 2)]
        lines += [styled(f" {part}", look.budget) for part in said]
    return lines[:most]


def _sets(uneven: Sequence[ComparedScale], width: int, most: int, look: Look) -> list[Text]:
    """Where the two were asked different questions: at how many scales, and as many of them as fit whole."""
    said = [
        f"{scale(row.scale)}: {row.pairs.common} in common, {row.pairs.only_a} only A, "
        f"{row.pairs.only_b} only B"
        for row in uneven
    ]
    lines: list[Text] = []
    for shown in range(len(said), -1, -1):
        facts = (f"the sets differ at {plural(len(said), 'scale')}", *said[:shown])
        lines = flow([styled(fact, look.budget) for fact in facts], width)
        if len(lines) <= most:
            break
    return lines[:most]


def settings_lines(found: Comparison, width: int, most: int, look: Look) -> list[Text]:
    """What differs between the two configurations, as much of it as fits."""
    if not found.differences or most < 1:
        return []
    parts: list[Text] = [styled("they differ in", look.muted)]
    for name, a, b in found.differences:
        if name.endswith("sha256"):
            continue  # says nothing to a reader; memtui compare prints it
        short = name.removeprefix("arm.").replace(".config.", ".")
        text = styled(f"{clean_line(short, width=40)} ", look.muted)
        text.append(clean_line(setting(a), width=18), look.accent)
        text.append(" | ", look.faint)
        text.append(clean_line(setting(b), width=18), look.fresh)
        parts.append(text)
    return flow(parts, width)[:most]


def chosen_pairs(found: Comparison, row: int | None, *, everything: bool) -> Sequence[int]:
    """Places of the pairs to list: of one scale or all, flips only or everything."""
    wanted = None if row is None or row == ALL else found.rows[row].scale
    return [
        place
        for place, pair in enumerate(found.episodes)
        if (row is None or row == ALL or pair.a.scale == wanted)
        and (everything or pair.flip in ("only_a", "only_b"))
    ]


def pair_facts(
    pair: EpisodePair,
    left: EpisodeRow | None,
    right: EpisodeRow | None,
    any_row: EpisodeRow,
    width: int,
    look: Look,
) -> list[Text]:
    """Question, gold and both answers of a pair, in two lines."""
    question = styled(" Q  ", look.muted)
    question.append(clean_line(any_row.question, width=width - 6), look.strong)
    answers = styled(" gold ", look.muted)
    third = max(8, (width - 20) // 3)
    gold = UNKNOWN if any_row.gold is None else any_row.gold
    answers.append(clean_line(gold, width=third), look.gold)
    for letter, line, asked, style in (
        ("A", left, pair.a, look.accent), ("B", right, pair.b, look.fresh),
    ):  # fmt: skip
        answers.append(f"   {letter} ", style)
        answer = UNKNOWN if line is None or line.answer is None else line.answer
        answers.append(clean_line(answer, width=third), outcome_style(asked.outcome, look))
    answers.truncate(width, overflow="ellipsis")
    return [question, answers]


def list_summary(
    found: Comparison,
    pairs: Sequence[EpisodePair],
    row: int | None,
    *,
    everything: bool,
    look: Look,
) -> Text:
    """How many pairs the list holds, of which scale, and who passed them."""
    where = "" if row in (None, ALL) else f" at {scale(found.rows[row or 0].scale)}"
    text = styled(f" {count(len(pairs))}", look.strong)
    text.append(f" {'pairs' if everything else 'flips'}{where}", look.muted)
    text.append(f"   passed by A only {sum(p.flip == 'only_a' for p in pairs)}", look.accent)
    text.append(f"   by B only {sum(p.flip == 'only_b' for p in pairs)}", look.fresh)
    still_open = sum(p.flip == "open" for p in pairs)
    if still_open:
        text.append(f"   {still_open} excluded or open", look.missing)
    return text


def pair_of_question(pairs: Sequence[EpisodePair], line: EpisodeRow) -> EpisodePair | None:
    """The pair of a line's question, at its scale if there is one; None where it is not listed."""
    same = [pair for pair in pairs if pair.a.item == line.item]
    return next((pair for pair in same if pair.a.scale == line.scale), same[0] if same else None)
