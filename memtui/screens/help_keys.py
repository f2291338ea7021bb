"""The keys as the help tells them: those that belong together side by side, in more words than a binding has."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.screens.keys import Key, first_of

Row = tuple[tuple[str, ...], str]
"""Ids of bindings whose keys stand side by side, and what they do together."""

ROWS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "everywhere",
        (
            (
                (
                    "app.runs",
                    "app.overview",
                    "app.episodes",
                    "app.trajectory",
                    "app.ladder",
                    "app.compare",
                ),
                "Runs Overview Episodes Trajectory Ladder Compare",
            ),
            (("list.open", "app.back"), "go in, go back to where you were"),
            (("app.budget-down", "app.budget-up"), "budget B down, up"),
            (("app.alpha-down", "app.alpha-up"), "alpha down, up"),
            (("app.judge",), "next judge"),
            (("app.mark",), "mark an arm or a run; the second mark compares"),
            (("app.annotate",), "bookmark, note, flag bad gold (screens 3 to 5)"),
            (("app.flagged",), "flagged questions out of every rate, back in"),
            (("app.copy",), "copy what is selected"),
            (("app.pager",), "open it in the pager"),
            (("app.export",), "export what is on screen: text, SVG, CSV, JSON"),
            (("app.pause",), "pause the live view, go on"),
            (("app.palette",), "palette: all of it by name; arms, files, views"),
            (("app.shell",), "to the shell; fg comes back"),
            (("app.help", "app.quit"), "this help, quit"),
        ),
    ),
    (
        "lists",
        (
            (("list.down", "list.up", "list.top", "list.bottom"), "down, up, top, bottom"),
            (("list.page-down", "list.page-up"), "a page"),
        ),
    ),
    (
        "runs",
        (
            (("runs.start",), "start a run: choose a configuration, see its plan"),
            (("runs.stop",), "stop the run; again: end it at once"),
            (("runs.resume",), "continue an interrupted run"),
            (("runs.annotate",), "alias and note, kept beside the run"),
            (("runs.path",), "show and copy its full path"),
            (("runs.sort", "runs.sort-turn"), "sort by the next column, turn round"),
            (("runs.find",), "find by name, note, data set or state"),
            (("runs.match", "runs.match-back"), "next, previous match"),
            (("runs.flagged",), "flagged questions out of the rates, back in"),
            (("runs.again",), "look at the folder again"),
        ),
    ),
    (
        "overview",
        (
            (("heat.left", "heat.right"), "cell at a smaller, larger scale"),
            (("heat.open",), "its episodes"),
            (
                ("overview.measure", "overview.measure-back"),
                "pass, covered, exhausted, wrong, abstained",
            ),
            (("overview.tab-back", "overview.tab"), "previous, next tab"),
            (("overview.plot", "overview.plot-keep"), "one large plot, keep this arm in it"),
            (("overview.order",), "order of the arms"),
        ),
    ),
    (
        "episodes",
        (
            (
                ("episodes.exhausted", "episodes.wrong", "episodes.excluded"),
                "exhausted, wrong, excluded; again: all",
            ),
            (("episodes.all",), "all: filters off; facets stay, Esc closes them"),
            (
                ("episodes.sort", "episodes.reverse"),
                "sort by the next underlined title, turn round",
            ),
            (
                ("episodes.filter",),
                "filter; Tab completes or lists the fields, Enter keeps it, Esc undoes it",
            ),
            (
                ("episodes.match", "episodes.match-back"),
                "next, previous match; 0 keeps them",
            ),
            (("episodes.facets",), "facets, counted: Enter filters by it, again: not"),
            (("episodes.views",), "saved views of the list"),
        ),
    ),
    (
        "trajectory",
        (
            (("trajectory.previous", "trajectory.next"), "step back, on"),
            (
                ("trajectory.previous-episode", "trajectory.next-episode"),
                "episode back, on, within the filter",
            ),
            (
                ("question.scale-down", "question.scale-up"),
                "the same question at a smaller, larger scale",
            ),
            (
                ("question.arm-back", "question.arm"),
                "the same question on the previous, next arm",
            ),
            (
                ("trajectory.change", "trajectory.change-back"),
                "next, previous call that changed coverage",
            ),
            (("trajectory.decision",), "the decision: reasoning, raw reply, messages, cuts"),
            (("trajectory.request",), "the call: raw request, ranks of the evidence, cost"),
            (("trajectory.judge",), "what the judges said, raw"),
            (("trajectory.pane", "trajectory.pane-back"), "next, previous pane"),
            (("trajectory.zoom",), "zoom the pane, and back"),
            (
                ("trajectory.find", "trajectory.match", "trajectory.match-back"),
                "find in the hits or the text, next, previous",
            ),
        ),
    ),
    (
        "ladder",
        (
            (("ladder.left", "ladder.right"), "cell at a smaller, larger scale"),
            (("ladder.open",), "its trajectory"),
            (("ladder.flip", "ladder.flip-back"), "next, previous flip, on through the questions"),
            (
                ("ladder.previous-question", "ladder.next-question"),
                "question back, on, within the filter",
            ),
            (
                ("ladder.find", "ladder.match", "ladder.match-back"),
                "find a question, next, previous",
            ),
            (("question.scale-down", "question.scale-up"), "smaller, larger scale"),
            (("question.arm-back", "question.arm"), "previous, next arm"),
            (("ladder.variant",), "one seed and repeat after another, all"),
        ),
    ),
    (
        "compare",
        (
            (("compare.pane", "compare.pane-back"), "the scales, the pairs"),
            (("compare.scale-down", "compare.scale-up"), "smaller, larger scale"),
            (
                ("compare.arm-back", "compare.arm"),
                "another arm as B; of two files, on both sides",
            ),
            (
                ("compare.find", "compare.match", "compare.match-back"),
                "find a question, next, previous",
            ),
            (("compare.all",), "all pairs, or flips only"),
            (("compare.swap",), "swap A and B"),
            (("compare.histories",), "pair questions over unequal histories too"),
            (("compare.again",), "read the files again"),
        ),
    ),
    (
        "replay",
        (
            (("replay.pause",), "pause the replay, go on"),
            (("replay.slower", "replay.faster"), "slower, faster: 1 to 600 times its pace"),
            (("replay.back", "replay.on"), "back, on by 5 %"),
            (("replay.measure", "replay.measure-back"), "next, previous measure"),
        ),
    ),
    (
        "side by side",
        (
            (("pair.a", "pair.b"), "side A, side B: Enter opens its trajectory"),
            (("pair.previous", "pair.next"), "pair back, on"),
            (("pair.difference", "pair.difference-back"), "next, previous difference"),
            (("pair.pane", "pair.pane-back"), "the calls, the hits"),
        ),
    ),
)
"""What is worth more words than the binding has; whatever has no row here gets one of its own."""
TITLES = {"pair": "side by side"}


def key_rows(keys: Iterable[Key]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles, and under each (keys, what they do): every key that works is among them."""
    by_title: dict[str, dict[str, Key]] = {}
    for key in keys:
        by_title.setdefault(TITLES.get(key.scope, key.scope), {})[key.id] = key
    known = {name: key for found in by_title.values() for name, key in found.items()}
    told = {name for _, rows in ROWS for ids, _ in rows for name in ids}
    rows_of = dict(ROWS)
    made = []
    for title in dict.fromkeys([*rows_of, *by_title]):
        lines = []
        for ids, what in rows_of.get(title, ()):
            signs = [first_of(known[name].keys) for name in ids if name in known]
            if signs:
                lines.append((" ".join(signs), what))
        lines += [
            (first_of(key.keys), key.what)
            for name, key in by_title.get(title, {}).items()
            if name not in told
        ]
        made.append((title, lines))
    return made
