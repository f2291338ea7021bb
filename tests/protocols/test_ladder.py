"""The ladder's choices one by one: drawing order, borrowed and contaminated fillers, attributes, own history."""

from __future__ import annotations

import hashlib

import pytest

from memtui.errors import UserError
from runners.protocols.ladder import Ladder, evidence_age, gold_string
from runners.protocols.pool import SessionPool
from tests.protocols.made_up import dataset, item, session


def test_the_order_is_the_hash_of_seed_question_and_session() -> None:
    sessions = [session("gold", "kiln"), *(session(f"s{n}", f"talk {n}") for n in range(9))]
    data = dataset([item("q", ["gold"])], sessions)
    drawn = [f.session.id for f in Ladder(SessionPool(data), seed=5).draw(data.items[0], 9)]
    assert drawn == sorted(
        (f"s{n}" for n in range(9)),
        key=lambda key: hashlib.sha256(f"5\nq\n{key}".encode()).hexdigest(),
    )
    other = [f.session.id for f in Ladder(SessionPool(data), seed=6).draw(data.items[0], 9)]
    assert sorted(other) == sorted(drawn)
    assert other != drawn


def test_borrowed_sessions_come_when_never_evidence_runs_out() -> None:
    sessions = [
        session("gold", "kiln", evidence_for=["q"]),
        *(session(f"b{n}", f"borrowed {n}", evidence_for=["other"]) for n in range(3)),
        *(session(f"n{n}", f"never {n}") for n in range(3)),
        session("u", "unidentified", pool="unidentified"),
        session("own_b", "own but borrowed", evidence_for=["other"]),
        session("own_n", "own", pool="general"),
    ]
    one = item("q", ["gold"], own=["gold", "own_b", "own_n"])
    data = dataset([one], sessions, tiers=(("general",), ("unidentified",)))
    drawn = Ladder(SessionPool(data), seed=1).draw(one, 99)
    groups = [f.session.id[0] if not f.own else f.session.id for f in drawn]
    assert groups == ["own_n", "n", "n", "n", "u", "own_b", "b", "b", "b"]
    assert [f.borrowed for f in drawn] == [False] * 5 + [True] * 4
    rung = Ladder(SessionPool(data), seed=1).rung(one, drawn)
    assert rung.borrowed == 4
    assert rung.pools == {"own": 2, "general": 6, "unidentified": 1}
    roles = {place.session.id: place.role for place in rung.places}
    assert (roles["own_n"], roles["own_b"], roles["b0"], roles["n0"], roles["gold"]) == (
        "own",
        "borrowed",
        "borrowed",
        "filler",
        "evidence",
    )


def test_own_first_draws_the_whole_own_history_first() -> None:
    sessions = [
        session("gold", "kiln", evidence_for=["q"]),
        session("n", "never"),
        session("own", "own but borrowed", evidence_for=["other"]),
    ]
    one = item("q", ["gold"], own=["gold", "own"])
    data = dataset([one], sessions, own_first=True)
    assert [f.session.id for f in Ladder(SessionPool(data), seed=1).draw(one, 9)] == ["own", "n"]


def test_evidence_content_under_another_id_is_no_filler() -> None:
    sessions = [session("gold", "kiln"), session("copy", "kiln"), session("s", "tea")]
    one = item("q", ["gold"])
    drawn = Ladder(SessionPool(dataset([one], sessions)), seed=1).draw(one, 9)
    assert [f.session.id for f in drawn] == ["s"]


def test_what_only_some_annotation_calls_evidence_is_no_filler() -> None:
    sessions = [session("gold", "kiln"), session("half", "clay", evidence_for=["q"])]
    one = item("q", ["gold"])
    assert Ladder(SessionPool(dataset([one], sessions)), seed=1).draw(one, 9) == ()


def test_sessions_that_share_an_attribute_are_left_out_where_it_is_known() -> None:
    sessions = [
        session("gold", "kiln", tags=["pottery"]),
        session("near", "my other kiln", tags=["pottery", "home"]),
        session("far", "tea", tags=["food"]),
    ]
    known = item("q", ["gold"], meta={"attributes": ["pottery"]})
    unknown = item("p", ["gold"])
    ladder = Ladder(SessionPool(dataset([known, unknown], sessions)), seed=1)
    assert {f.session.id for f in ladder.draw(known, 9)} == {"far"}
    assert {f.session.id for f in ladder.draw(unknown, 9)} == {"near", "far"}


def test_contaminated_fillers_are_left_out_and_counted_up_to_the_rung() -> None:
    sessions = [
        session("gold", "in Arvika"),
        *(session(f"s{n}", "Arvika, again" if n % 3 == 0 else f"tea {n}") for n in range(1)),
        *(session(f"c{n}", f"They say: ARVIKA! {n}") for n in range(5)),
        *(session(f"t{n}", f"tea in arvikan {n}") for n in range(6)),
    ]
    one = item("q", ["gold"], gold="Arvika")
    ladder = Ladder(SessionPool(dataset([one], sessions)), seed=1)
    drawn = ladder.draw(one, 99)
    assert {f.session.id[0] for f in drawn} == {"t"}, "whole words: Arvikan is another word"
    assert len(drawn) == 6
    order = sorted((s for s in sessions if s.id != "gold"), key=lambda s: ladder.order("q", s.id))
    for n in (1, 4, 6):
        upto = order[: [s.id for s in order].index(drawn[n - 1].session.id)]
        assert ladder.rung(one, drawn[:n]).contaminated == sum(s.id[0] in "sc" for s in upto)


@pytest.mark.parametrize(
    ("gold", "answerable", "expected"),
    [
        ("Arvika", True, "arvika"),
        ("The U.S.", True, None),
        ("  A Kiln ", True, "kiln"),
        ("two", True, None),
        (2024, True, None),
        (None, True, None),
        ("never said", False, None),
    ],
)
def test_which_golds_are_looked_for(gold: object, answerable: bool, expected: str | None) -> None:
    assert gold_string(item("q", [], gold=gold, answerable=answerable)) == expected


def test_a_speakers_name_alone_is_no_contamination() -> None:
    from memtui.model import Turn
    from runners.datasets.contract import SourceSession
    from runners.sessions import session_sha

    turns = (Turn("Arvika", "Hello."),)
    spoken = SourceSession("s", turns, None, session_sha(turns), "general")
    one = item("q", ["gold"], gold="Arvika")
    ladder = Ladder(SessionPool(dataset([one], [session("gold", "in Arvika"), spoken])), seed=1)
    assert len(ladder.draw(one, 9)) == 1


def test_the_own_history_keeps_its_sessions_and_dates() -> None:
    sessions = [
        session("gold", "kiln", "2024-01-01T10:00"),
        session("a", "tea", "2024-01-03T10:00", evidence_for=["other"]),
        session("b", "rye", "2024-01-02T10:00"),
        session("empty", ""),
        session("else", "moss"),
    ]
    one = item("q", ["gold"], own=["a", "empty", "gold", "b", "a"])
    rung = Ladder(SessionPool(dataset([one], sessions)), seed=1).own_rung(one)
    assert [(p.session.id, p.date, p.role) for p in rung.places] == [
        ("gold", "2024-01-01T10:00", "evidence"),
        ("b", "2024-01-02T10:00", "own"),
        ("a", "2024-01-03T10:00", "own"),
    ]
    assert (rung.n_irrelevant, rung.borrowed, rung.contaminated) == (2, 1, 0)
    assert rung.evidence_age == 0.0


def test_dates_of_a_history_win_over_dates_of_the_session() -> None:
    sessions = [session("gold", "kiln", "2020-01-01T10:00"), session("a", "tea", None)]
    dates = ["2024-05-01T10:00", "2024-05-02T10:00"]
    one = item("q", ["gold"], own=["gold", "a"], own_dates=dates)
    ladder = Ladder(SessionPool(dataset([one], sessions)), seed=1, date_policy="natural")
    assert [p.date for p in ladder.own_rung(one).places] == dates
    rung = ladder.rung(one, ladder.draw(one, 1))
    assert [p.date for p in rung.places] == dates
    assert rung.redated == 0


def test_evidence_age_is_the_share_of_fillers_before_it() -> None:
    sessions = [session("gold", "kiln", "2024-05-20T10:00")] + [
        session(f"s{n}", f"tea {n}", f"2024-05-{n + 1:02}T10:00") for n in range(4)
    ]
    one = item("q", ["gold"], own=[s.id for s in sessions])
    rung = Ladder(SessionPool(dataset([one], sessions)), seed=1).own_rung(one)
    assert rung.evidence_age == 1.0
    assert evidence_age(rung.places[-1:]) is None, "no filler, no percentile"
    assert evidence_age(rung.places[:-1]) is None, "no evidence, no percentile"


def test_unknown_names_are_refused() -> None:
    pool = SessionPool(dataset([item("q", [])], [session("s", "tea")]))
    with pytest.raises(UserError, match="date policy 'weekly'"):
        Ladder(pool, seed=1, date_policy="weekly")
    with pytest.raises(UserError, match=r"pool 'other'.*general"):
        Ladder(pool, seed=1, pools=("other",))


def test_pools_can_be_chosen_one_that_is_in_no_ladder_too() -> None:
    sessions = [
        session("s", "tea"),
        session("c", "a contradiction", pool="contradictions"),
    ]
    one = item("q", [])
    pool = SessionPool(dataset([one], sessions))
    assert [f.session.id for f in Ladder(pool, seed=1).draw(one, 9)] == ["s"]
    chosen = Ladder(pool, seed=1, pools=("contradictions",))
    assert [f.session.id for f in chosen.draw(one, 9)] == ["c"]
