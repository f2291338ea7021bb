"""Where a run was left: kept small and whole, read with care, and the nearest place taken."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.state.places import (
    MOST_RUNS,
    Place,
    Places,
    choices_at,
    episode_at,
    own_choices,
    with_choices,
)
from memtui.state.session import RunSession
from memtui.state.settings import Quick, SortKey
from tests.ui.make_run import Story, write


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> RunSession:
    path = tmp_path_factory.mktemp("places") / "run.memtui"
    return RunSession(asyncio.run(write(path, Story(items=3))))


PLACE = Place(
    screen="trajectory", episode="key", item="i1", arm="a", scale=50.0, budget=1, alpha=0.5,
    judge="strict", filter="out:wrong", quick="wrong", sort="scale", reversed=True,
    cell=("a", "", 50.0), sides=(("/a", "x"), ("/b", "y")), words={"overview.tab": "trust"},
)  # fmt: skip


def test_a_place_is_read_as_it_was_kept_and_runs_are_told_apart(tmp_path: Path) -> None:
    places = Places(tmp_path / "deep" / "places.json")
    assert places.of("one") is None and not places.problem
    assert places.keep("one", PLACE) == "" and places.keep("two", Place()) == ""
    assert Places(places.path).of("one") == PLACE
    assert Places(places.path).of("two") == Place() and Places(places.path).of("three") is None


def test_the_file_stays_small(tmp_path: Path) -> None:
    places = Places(tmp_path / "places.json")
    places.keep("long", replace(PLACE, filter="x" * 10_000))
    assert places.of("long") == replace(PLACE, filter="")
    many = {f"run{number}": {"screen": "ladder"} for number in range(3 * MOST_RUNS)}
    places.path.write_text(json.dumps({"format": 1, "runs": many}))
    places.keep("new", PLACE)
    kept = json.loads(places.path.read_text())["runs"]
    assert len(kept) == MOST_RUNS and "new" in kept and "run0" not in kept


@pytest.mark.parametrize("content", ["", "{", "[]", '{"runs": 3}', "\x00\xff", '{"format": 1}'])
def test_a_corrupt_file_is_one_line_and_is_made_anew(content: str, tmp_path: Path) -> None:
    places = Places(tmp_path / "places.json")
    places.path.write_text(content, encoding="latin-1")
    assert places.of("one") is None
    assert "cannot be read" in places.problem and "\n" not in places.problem
    assert places.keep("one", PLACE) == "" and Places(places.path).of("one") == PLACE


@pytest.mark.parametrize(
    "words",
    [
        {"screen": "nowhere"},
        {"screen": 3, "budget": "2", "alpha": True, "cell": ["a"], "sides": "ab", "words": [1]},
        {"budget": -1, "alpha": 7, "step": 1.5, "scale": "x", "cell": [1, 2, 3], "unknown": {}},
        "text",
    ],
)
def test_what_has_another_form_is_passed_over(words: object, tmp_path: Path) -> None:
    places = Places(tmp_path / "places.json")
    places.path.write_text(json.dumps({"runs": {"one": words}}))
    assert places.of("one") in (Place(), None)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = Places(tmp_path / "file" / "places.json").keep("one", PLACE)
    assert said.startswith("the place was not kept") and "\n" not in said


def test_choices_come_back_and_what_is_gone_is_said(session: RunSession) -> None:
    own = own_choices(session, None)
    cell = session.header.cells[1]
    session.settings = replace(
        own, budget=1, alpha=0.5, judge="strict", filter="out:wrong", quick=Quick.WRONG,
        sort=SortKey.SCALE, cell=cell.id,
    )  # fmt: skip
    chosen, place = session.settings, with_choices(Place(), session, own)
    session.settings = own
    assert choices_at(place, session) == (chosen, [])
    gone = replace(
        place, judge="nobody", filter="otu:wrong", cell=(cell.arm, "", 60.0), budget=99_999
    )
    settings, said = choices_at(gone, session)
    assert settings.judge == own.judge and settings.filter == "" and len(said) == 4
    near = next(one for one in session.header.cells if one.id == settings.cell)
    assert (near.arm, near.scale) == (cell.arm, 50.0)
    assert settings.budget == own.largest_budget
    nothing, said = choices_at(Place(cell=("no arm", "", None)), session)
    assert nothing.cell is None and len(said) == 1


def test_the_run_s_own_choices_are_not_kept(session: RunSession) -> None:
    session.settings = own_choices(session, None)
    assert with_choices(Place(), session, session.settings) == Place()


def test_the_nearest_episode_of_a_question_is_taken(session: RunSession) -> None:
    rows = session.pages.episode_rows(session.pages.episode_ids())
    row = next(one for one in rows.values() if one.scale == 100.0)
    here = Place(episode=row.key, item=row.item, arm=row.arm, scale=row.scale)
    assert episode_at(here, session) == (row.id, "")
    found, said = episode_at(replace(here, episode="gone", scale=110.0), session)
    assert found is not None and rows[found].key == row.key and "nearest" in said
    found, said = episode_at(replace(here, episode="gone", arm="gone", scale=400.0), session)
    assert found is not None and (rows[found].item, rows[found].scale) == (row.item, 400.0)
    assert episode_at(replace(here, episode="gone", item="gone"), session)[0] is None
    assert episode_at(Place(), session) == (None, "")
