"""What a query took over from the nearest earlier one and from what came back, and nothing more."""

from __future__ import annotations

import pytest

from memtui.model import Turn
from memtui.state import query_terms
from memtui.state.query_terms import TakenOver, taken_over, taken_over_words
from memtui.state.trajectory import Trajectory, read_trajectory
from memtui.store.reader import open_run
from memtui.store.records import SessionRow
from tests.report.generated_run import RunFile

QUERIES = [
    "Where is the Paris trip",
    "trip Paris museum ticket",
    "opera",
    "Paris trip the where is",
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Trajectory:
    run = RunFile(tmp_path_factory.mktemp("terms") / "a.memtui")
    run.item("q")
    run.add("dense/until-confident", "q", 0.0, [["a"], ["b"], ["c"], ["d"]], queries=QUERIES)
    trajectory = read_trajectory(open_run(run.write()), 1)
    assert trajectory is not None
    return trajectory


def session(said: str) -> SessionRow:
    return SessionRow(1, "t", "", "t", None, 1, (Turn("user", said),))


def text_of(token: str) -> SessionRow | None:
    said = {"a": "The Museum was closed.", "b": "No operating opera."}.get(token)
    return None if said is None else session(said)


def test_kept_terms_are_those_of_the_nearest_query(found: Trajectory) -> None:
    assert taken_over(found, 0, text_of) is None
    assert taken_over(found, 1, text_of) == TakenOver(
        1, ("trip", "paris"), ("museum",), ("ticket",)
    )
    fourth = taken_over(found, 3, text_of)
    assert fourth is not None and fourth.call == 1 and not fourth.added and not fourth.from_results


def test_what_came_back_is_searched_for_whole_words_only(found: Trajectory) -> None:
    third = taken_over(found, 2, text_of)
    assert third == TakenOver(None, (), ("opera",), ())
    assert taken_over(found, 2, lambda _: session("operatic")) == TakenOver(
        None, (), (), ("opera",)
    )
    assert taken_over(found, 2) == TakenOver(None, (), (), ("opera",))
    assert taken_over(found, len(found.stops) - 1, text_of) is None  # the answer


def test_after_very_many_queries_nothing_is_compared(
    found: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_terms, "MOST_QUERIES", 2)
    assert taken_over(found, 2, text_of) is not None
    assert taken_over(found, 3, text_of) is None


def test_in_words() -> None:
    assert taken_over_words(None) == ""
    assert (
        taken_over_words(TakenOver(1, ("trip", "paris"), ("museum",), ("ticket",)))
        == "keeps trip paris; from results: museum; adds ticket"
    )
