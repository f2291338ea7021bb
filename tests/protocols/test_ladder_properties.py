"""What must hold of every ladder, whatever the data: evidence, size, nesting, order, seeds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.model import EvidenceStatus
from runners.datasets.contract import DataSet, SourceItem, SourceSession
from runners.protocols.ladder import Ladder, Rung
from runners.protocols.pool import SessionPool
from tests.protocols.made_up import dataset, item, session

DATES = st.one_of(
    st.none(),
    st.integers(1, 28).map(lambda day: f"2024-02-{day:02}T10:00"),
    st.integers(1, 28).map(lambda day: f"2024-06-{day:02}T23:59"),
)
TEXTS = st.sampled_from(["", "tea", "rye bread", "a kiln", "zyxgold", "the ferry", "moss"])


@st.composite
def data_sets(draw: st.DrawFn) -> DataSet:
    """Sessions with repeated, empty and contaminated contents; items with lost and late evidence."""
    count = draw(st.integers(1, 24))
    keys = [f"s{number}" for number in range(count)]
    pools = draw(st.lists(st.sampled_from(["general", "odd"]), min_size=count, max_size=count))
    texts = [draw(TEXTS) + draw(st.sampled_from(["", f" {key}"])) for key in keys]
    golds: dict[str, set[str]] = {key: set() for key in keys}
    items: list[SourceItem] = []
    for number in range(draw(st.integers(1, 3))):
        name = f"q{number}"
        evidence = draw(st.lists(st.sampled_from(keys), max_size=3, unique=True))
        own = draw(st.lists(st.sampled_from(keys), max_size=6))
        dated = draw(st.booleans())
        for key in evidence:
            golds[key].add(name)
        items.append(
            item(
                name,
                evidence,
                gold=draw(st.sampled_from(["zyxgold", "rye", 7, None])),
                own=own,
                own_dates=[draw(DATES) for _ in own] if dated else (),
                date=draw(DATES),
                dangling=draw(st.integers(0, 1)),
            )
        )
    sessions = [
        session(key, text, draw(DATES), pool=pool, evidence_for=sorted(golds[key]))
        for key, text, pool in zip(keys, texts, pools, strict=True)
    ]
    return dataset(
        items,
        sessions,
        pools=("general", "odd"),
        tiers=draw(st.sampled_from([(), (("general", "odd"),), (("odd",), ("general",))])),
        own_first=draw(st.booleans()),
    )


def evidence_of(data: DataSet, one: SourceItem) -> set[str]:
    """Content hashes of the evidence that exists."""
    return {
        data.sessions[gold.session_id].sha
        for gold in one.evidence
        if gold.status is not EvidenceStatus.DANGLING and gold.session_id is not None
    }


def shas(rung: Rung) -> list[str]:
    return [place.session.sha for place in rung.places]


@settings(max_examples=150, deadline=None)
@given(data=data_sets(), seed=st.integers(0, 3), policy=st.sampled_from(["balanced", "natural"]))
def test_every_rung(data: DataSet, seed: int, policy: str) -> None:
    pool = SessionPool(data)
    ladder = Ladder(pool, seed=seed, date_policy=policy)
    for one in data.items:
        gold = evidence_of(data, one)
        fillers = ladder.draw(one, 100)
        assert len({f.session.sha for f in fillers}) == len(fillers), "deduplicated by content"
        assert gold.isdisjoint(f.session.sha for f in fillers), "no evidence content among fillers"
        assert not any(f.session.empty for f in fillers)
        rungs = [ladder.rung(one, fillers[:n]) for n in range(len(fillers) + 1)]
        for n, rung in enumerate(rungs):
            here = shas(rung)
            assert gold <= set(here), "evidence at every scale"
            assert rung.n_irrelevant == n == sum(p.role != "evidence" for p in rung.places)
            assert len(here) == len(set(here)) == n + len(gold)
            assert sum(rung.pools.values()) == n
            assert rung.borrowed == sum(p.role == "borrowed" for p in rung.places)
            dates = [p.date for p in rung.places if p.date is not None]
            assert dates == sorted(dates), "sorted by date"
        for lower, higher in pairwise(rungs):
            kept = [sha for sha in shas(higher) if sha in set(shas(lower))]
            assert kept == shas(lower), "nested, and in the same relative order"
            assert {p.session.sha: p.date for p in lower.places}.items() <= {
                p.session.sha: p.date for p in higher.places
            }.items(), "the same dates at every rung"
            assert lower.contaminated <= higher.contaminated
        if one.question_date is not None:
            drawn = [p for p in rungs[-1].places if p.role != "evidence" and p.date is not None]
            own = pool.own(one)
            assert all(
                p.date is None or p.date <= one.question_date or own.get(p.session.sha) == p.date
                for p in drawn
            ), "no filler is dated after the question"


@settings(max_examples=60, deadline=None)
@given(data=data_sets(), seed=st.integers(0, 3))
def test_fillers_never_hold_the_gold(data: DataSet, seed: int) -> None:
    pool = SessionPool(data)
    checked, unchecked = (Ladder(pool, seed=seed, gold_check=check) for check in (True, False))
    for one in data.items:
        with_check, without = checked.draw(one, 100), unchecked.draw(one, 100)
        if one.gold_raw == "zyxgold":
            texts = [data.sessions[pool.source_id(f.session.sha)].turns[0].text for f in with_check]
            assert not any("zyxgold" in text for text in texts)
        kept = [f.session.sha for f in with_check]
        assert kept == [f.session.sha for f in without if f.session.sha in set(kept)]
        assert all(f.contaminated == 0 for f in without)
        if with_check:
            assert with_check[-1].contaminated <= len(without) - len(with_check)


@settings(max_examples=60, deadline=None)
@given(data=data_sets(), seed=st.integers(0, 3), extra=st.integers(1, 5))
def test_a_growing_pool_keeps_the_order(data: DataSet, seed: int, extra: int) -> None:
    more: dict[str, SourceSession] = dict(data.sessions)
    for number in range(extra):
        more[f"zz{number}"] = session(f"zz{number}", f"new {number}")
    grown = dataset(
        data.items,
        list(more.values()),
        pools=data.pools,
        tiers=data.tiers,
        own_first=data.own_first,
    )
    for one in data.items:
        before = [f.session.sha for f in Ladder(SessionPool(data), seed=seed).draw(one, 100)]
        after = [f.session.sha for f in Ladder(SessionPool(grown), seed=seed).draw(one, 200)]
        assert [sha for sha in after if sha in set(before)] == before


@settings(max_examples=40, deadline=None)
@given(data=data_sets(), seed=st.integers(0, 3))
def test_the_order_of_the_file_does_not_matter(data: DataSet, seed: int) -> None:
    turned = dataset(
        data.items,
        list(reversed(list(data.sessions.values()))),
        pools=data.pools,
        tiers=data.tiers,
        own_first=data.own_first,
    )
    first, second = (Ladder(SessionPool(one), seed=seed) for one in (data, turned))
    for one in data.items:
        # contents that repeat under two ids may take either pool's name; the sessions are the same
        assert [f.order for f in first.draw(one, 100)] == [f.order for f in second.draw(one, 100)]
