"""One question over scales and arms: flips, variants, neighbours, ranks and what moved above the evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.metrics.scales import OWN
from memtui.model import Hit, Outcome, Turn
from memtui.state.displacement import (
    Displacement,
    Moved,
    NoDisplacement,
    best_ranks,
    displacement,
    moved_texts,
    snippet,
    unit_ranks,
)
from memtui.state.ladder import (
    ENDED,
    Change,
    Ladder,
    LadderData,
    Variant,
    across_arms,
    along_scales,
    build_ladder,
    may_flip,
    read_ladder,
)
from memtui.store.reader import RunReader
from memtui.views.ladder import rank_text
from tests.report.generated_run import RunFile
from tests.state.ladder_rows import cells_of

ARMS = ("bm25/search-once", "dense/until-confident")
JUDGE = "deterministic-1"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    """q0 on two arms at three scales: bm25 loses it at 100 and regains it at 200; dense in two repeats."""
    run = RunFile(tmp_path_factory.mktemp("ladder") / "run.memtui")
    for key in ("q0", "q1"):
        run.item(key)
    labels = {0.0: "right", 100.0: "wrong", 200.0: "right"}
    calls = {
        0.0: [["e-q0", "f1"]],
        100.0: [["f2", "f1", "e-q0"], ["f3", "e-q0"]],
        200.0: [["f2", "f4", "f1"]],
    }
    for scale, label in labels.items():
        run.add(ARMS[0], "q0", scale, calls[scale], label, queries=["Who is it?", "else"])
        for repeat in (0, 1):
            run.add(ARMS[1], "q0", scale, [["e-q0"]] * 3, "right", repeat=repeat)
    run.add(ARMS[0], "q1", 0.0, [["e-q1"]], "right")
    return RunReader(run.write())


def data_of(reader: RunReader, item: int = 1) -> LadderData:
    found = read_ladder(reader, item)
    assert found is not None
    return found


def ladder_of(reader: RunReader, budget: int = 2, **more: object) -> Ladder:
    return build_ladder(
        data_of(reader), ARMS, (0.0, 100.0, 200.0, 400.0), budget=budget, mode="post_hoc",
        judge=JUDGE, **more,  # type: ignore[arg-type]  # one of the optional choices
    )  # fmt: skip


def test_flips_are_marked_where_they_happen(reader: RunReader) -> None:
    ladder = ladder_of(reader)
    assert ladder.scales == (0.0, 100.0, 200.0, 400.0)
    first = ladder.lines[0]
    assert [cell.change if cell else None for cell in first.cells] == [
        Change.NONE,
        Change.LOST,
        Change.REGAINED,
        None,
    ]
    assert first.first_loss == 100.0
    assert ladder.passing == ((1, 3), (0, 3), (1, 3), (0, 0))


def test_the_budget_moves_the_flips(reader: RunReader) -> None:
    generous = ladder_of(reader, budget=3)
    assert all(cell.outcome is Outcome.PASS for cell in generous.lines[1].cells if cell)
    assert generous.passing[0] == (3, 3)


def test_repeats_are_lines_of_their_own_and_one_can_be_chosen(reader: RunReader) -> None:
    ladder = ladder_of(reader)
    assert [(line.arm, line.variant.repeat) for line in ladder.lines] == [
        (ARMS[0], 0),
        (ARMS[1], 0),
        (ARMS[1], 1),
    ]
    assert ladder.variants == (Variant(1, 0), Variant(1, 1))
    chosen = ladder_of(reader, variant=Variant(1, 1))
    assert [line.arm for line in chosen.lines] == [ARMS[1]]
    assert chosen.variants == ladder.variants


def test_arms_outside_the_filter_go_and_single_cells_stay_marked(reader: RunReader) -> None:
    ladder = ladder_of(reader)
    one = ladder.lines[0].cells[1]
    assert one is not None
    filtered = ladder_of(reader, passing={one.row.id})
    assert [line.arm for line in filtered.lines] == [ARMS[0]]
    assert [cell.inside for cell in filtered.lines[0].cells if cell] == [False, True, False]


def test_next_flip_goes_line_by_line_both_ways(reader: RunReader) -> None:
    ladder = ladder_of(reader)
    assert ladder.next_change(0, 0, 1) == (0, 1)
    assert ladder.next_change(0, 1, 1) == (0, 2)
    assert ladder.next_change(0, 2, 1) is None
    assert ladder.next_change(2, 3, -1) == (0, 2)


def test_questions_that_may_flip_are_found_from_facts_alone(reader: RunReader) -> None:
    cells = {cell.id: cell for cell in reader.cells()}
    facts = reader.episode_facts(JUDGE)
    assert may_flip(facts, cells, 2, "post_hoc") == {1}
    assert may_flip(facts, cells, 0, "post_hoc") == set()


def test_neighbours_along_scales_and_across_arms(reader: RunReader) -> None:
    data, ladder = data_of(reader), ladder_of(reader)
    line = [cell.row.id for cell in ladder.lines[2].cells if cell]
    assert along_scales(data, line[0], 1) == line[1]
    assert along_scales(data, line[0], -1) is None and along_scales(data, line[2], 1) is None
    bm25 = ladder.lines[0].cells[1]
    assert bm25 is not None
    there = across_arms(data, bm25.row.id, 1, ARMS)
    other = ladder.lines[1].cells[1]
    assert other is not None and there == other.row.id
    assert across_arms(data, there, -1, ARMS) == bm25.row.id
    assert across_arms(data, there, 1, ARMS) is None
    # repeat 1 has no bm25 twin: the one there is stands in, and the way back is the same repeat
    assert across_arms(data, line[1], -1, ARMS) == bm25.row.id
    assert along_scales(data, 10_000, 1) is None


def test_what_moved_above_the_evidence(reader: RunReader) -> None:
    data, line = data_of(reader), ladder_of(reader).lines[0]
    steps = [reader.steps(cell.row.id) for cell in line.cells if cell]
    ranks = [unit_ranks(one).get("e-q0") for one in steps]
    assert [None if one is None else (one.call, one.rank) for one in ranks] == [
        (1, 1),
        (1, 3),
        None,
    ]
    first = displacement(steps[0], steps[1], data.item)
    assert isinstance(first, Displacement) and first.worse
    assert first.evidence == (("e-q0", 1, 3),) and (first.call_below, first.call_here) == (1, 1)
    assert [(one.token, one.rank, one.before) for one in first.moved] == [
        ("f2", 1, None),
        ("f1", 2, 2),
    ]
    second = displacement(steps[1], steps[2], data.item)
    assert isinstance(second, Displacement)
    # f2 and f1 stood above it before: only f4 is new among what now stands in its place
    assert [one.token for one in second.moved] == ["f4"]
    assert second.evidence == (("e-q0", 3, None),)
    texts = moved_texts(reader, line.cells[1].row.haystack_id if line.cells[1] else None, first)
    assert texts["f2"][1] == "text of f2" and texts["f2"][0].source == "f2"
    assert moved_texts(reader, None, None) == {}


def test_a_session_in_several_blocks_stands_where_its_first_one_does(reader: RunReader) -> None:
    data, line = data_of(reader), ladder_of(reader).lines[0]
    steps = [reader.steps(cell.row.id) for cell in line.cells if cell]
    twice = [
        [replace(step, gold_ranks=(*step.gold_ranks, ("e-q0", 11))) for step in one]
        for one in steps[:2]
    ]
    assert displacement(twice[0], twice[1], data.item) == displacement(
        steps[0], steps[1], data.item
    )


def test_evidence_that_never_came_back_has_its_recorded_place(reader: RunReader) -> None:
    line = ladder_of(reader).lines[0]
    cell = line.cells[2]
    assert cell is not None
    steps = reader.steps(cell.row.id)
    assert unit_ranks(steps, ["e-q0"]) == {}
    ranked = [
        replace(step, data={"ranked": 200, "gold_session_ranks": {"e-q0": 37}}) for step in steps
    ]
    found = unit_ranks(ranked, ["e-q0:4", "other"])
    assert (found["e-q0:4"].session_rank, found["e-q0:4"].ranked) == (37, 200)
    assert found["e-q0:4"].rank is None and found["other"].session_rank is None
    assert rank_text(None, None, session_rank=37, ranked=200) == "(37)"
    assert rank_text(None, None, ranked=200) == "(>200)" and rank_text(None, None) == "none"
    assert rank_text(2, 5, shown=False) == "#5@2✂"


def test_another_query_says_nothing(reader: RunReader) -> None:
    data, line = data_of(reader), ladder_of(reader).lines[0]
    cell = line.cells[0]
    assert cell is not None
    steps = reader.steps(cell.row.id)
    other = ladder_of(reader).lines[1].cells[1]
    assert other is not None
    found = displacement(steps, reader.steps(other.row.id), data.item)
    assert isinstance(found, NoDisplacement)
    assert (found.reason, found.query_below, found.query_here) == (
        "queries differ",
        "Who is it?",
        "query 1",
    )
    assert found.queries_differ
    nothing = displacement([], [], data.item)
    assert isinstance(nothing, NoDisplacement) and "no query" in nothing.reason
    assert not nothing.queries_differ


def test_the_snippet_is_the_turn_that_shares_most_words() -> None:
    turns = [Turn("user", "hello"), Turn("user", "x " * 60 + "the storage unit costs $93 a month")]
    moved = Moved("t", None, None, None, 1, None)
    found = snippet(turns, moved, "How much is the storage unit?")
    assert found.startswith("…") and "storage unit costs" in found and len(found) < 120
    assert snippet(turns, Moved("t", 0, 0, None, 1, None), "storage") == "hello"
    assert snippet(turns, Moved("t", 0, 0, "summary", 1, None), "storage") == "summary"
    assert snippet([], moved, "storage") == ""


@given(st.lists(st.sampled_from([*ENDED, Outcome.EXCLUDED, Outcome.PENDING, None]), max_size=8))
def test_a_flip_is_a_change_of_passing_between_ended_neighbours(
    outcomes: list[Outcome | None],
) -> None:
    cells = cells_of(outcomes)
    before: Outcome | None = None
    for what, cell in zip(outcomes, cells, strict=True):
        assert (cell is None) == (what is None)
        if cell is None or what not in ENDED:
            assert cell is None or cell.change is Change.NONE
            continue
        flipped = before is not None and (before is Outcome.PASS) != (what is Outcome.PASS)
        assert (cell.change is not Change.NONE) == flipped
        if flipped:
            assert (cell.change is Change.LOST) == (before is Outcome.PASS)
        before = what


def test_a_questions_own_history_is_no_rung() -> None:
    cells = cells_of([Outcome.WRONG, Outcome.PASS, Outcome.WRONG], first=OWN)
    assert [cell.change if cell else None for cell in cells] == [
        Change.NONE,
        Change.NONE,
        Change.LOST,
    ]
    assert [cell.below if cell else None for cell in cells] == [None, None, 1]


def test_lines_are_named_by_what_tells_them_apart() -> None:
    seeds = (Variant(1, 0), Variant(2, 0))
    assert Variant(2, 0).short(seeds) == "s2"
    assert Variant(2, 1).short((*seeds, Variant(1, 1))) == "s2 r1"
    assert Variant(1, 0).short((Variant(1, 0),)) == ""


def test_hits_of_gold_sessions_never_displace() -> None:
    hits = (Hit("gold", first=5, last=6), Hit("other"), Hit("mix", sources=("gold", "x")))
    assert best_ranks(hits, {"gold"}) == {"other": (2, hits[1])}


def test_an_unknown_question_is_none(reader: RunReader) -> None:
    assert read_ladder(reader, 99) is None
