"""What readers answer: unknown stays unknown, previews are cut, many episodes are quick."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from memtui.model import EndReason, Evidence, EvidenceStatus, Hit, Item, Turn, Usage
from memtui.store import migrate
from memtui.store.blame import blamed
from memtui.store.connect import BRIEF, TIMEOUT, open_read_only
from memtui.store.errors import Locked, StoreError
from memtui.store.events import HaystackEvent, ItemEvent, LedgerEvent, LogEvent, SessionEvent
from memtui.store.reader import RunReader, open_run
from memtui.store.writer import RunWriter
from tests.store import store_events as make

HOSTILE = [
    "",
    "\0",
    "before\0after",
    "\x1b[31mred\x1b[0m \x9b31m",
    "line\u2028separator\u2029paragraph\x85next",
    "\u202eright to left\u202c",
    "'; DROP TABLE run; --",
    "[/bold] [red]x",
    "日本語 한국어 👩‍👩‍👧‍👦 é",
    "\ufeffbom",
    '{"not": "json"',
    "%_\\",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.memtui"
    step = make.step(
        "e1",
        1,
        query=text,
        raw=text,
        text=text,
        data={text: text},
        messages=({"content": text},),
        hits=(Hit("mem#1", None, text=text), Hit(text, 1.0)),
    )
    make.write(
        path,
        *make.opening(name=text),
        ItemEvent(Item(f"k{text}", text, text, text, text, gold_raw=[text], meta={"m": text})),
        SessionEvent("tok", "ef" * 32, (Turn("user", text, text),), 1),
        make.started("e1"),
        step,
        make.finished("e1", answer=text, answer_raw=text, error=text),
        LogEvent(make.AT, "info", text, text),
    )
    with open_run(path) as reader:
        assert reader.run().name == text
        item = reader.items()[1]
        assert (item.question, item.gold, item.gold_raw, item.meta) == (
            text,
            text,
            [text],
            {"m": text},
        )
        assert reader.sessions(["tok"])["tok"].turns[0].text == text
        (stored,) = reader.steps(1)
        assert (stored.query, stored.raw, stored.text, stored.data) == (
            text,
            text,
            text,
            {text: text},
        )
        assert stored.hits[0] == Hit("mem#1", None, text=text)
        assert stored.hits[1].ref == text
        assert reader.messages(stored.id) == [{"content": text}]
        row = reader.episode_rows([1])[1]
        assert (row.answer, row.error) == (text, text)
        assert reader.events()[0].text == text


def test_lone_surrogates_are_kept_as_escapes_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    steps = [make.step("e1", n, query="caf\udce9 \ud83d", data={"\ud800": 2**70}) for n in (1, 2)]
    make.write(
        path, *make.opening(), make.started("e1"), *steps, make.finished("e1", answer="\udc80")
    )
    with open_run(path) as reader:
        first = reader.steps(1)[0]
        assert first.query == r"caf\udce9 \ud83d"
        assert first.data == {r"\ud800": str(2**70)}
        assert reader.episode_rows([1])[1].answer == r"\udc80"
        (line,) = reader.events()  # once per episode, not once per step
        assert line.kind == "surrogates_escaped"


def test_unknown_zero_and_empty_are_three_things(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    unknown = make.finished("e1", answer=None, usage=Usage(), wall_ms=None)
    zero = make.finished(
        "e2", make.episode_id(repeat=1), answer="", usage=Usage(0, 0, 0, 0, 0.0), wall_ms=0.0
    )
    make.write(
        path,
        *make.opening(),
        make.started("e1"),
        unknown,
        make.started("e2", make.episode_id(repeat=1)),
        zero,
        LedgerEvent("episode:e1", "search", Usage(), Usage(prompt=0)),
    )
    with open_run(path) as reader:
        first, second = reader.episode_rows([1, 2]).values()
        assert (first.answer, first.cost, first.prompt_tokens, first.wall_ms) == (None,) * 4
        assert (second.answer, second.cost, second.prompt_tokens, second.wall_ms) == (
            "",
            0.0,
            0,
            0.0,
        )
        detail = reader.episode(2)
        assert detail is not None
        assert detail.usage == Usage(0, 0, 0, 0, 0.0)
        prompts = "SELECT paid->>'$.prompt', cold->>'$.prompt' FROM ledger WHERE owner='episode:e1'"
        assert reader.query(prompts) == [(None, 0)]
        assert reader.heartbeat() is None
        assert reader.episode(99) is None
        assert reader.sessions(["nope"]) == {}


def test_previews_are_cut_between_characters_and_details_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    answer = "日" * 5000
    make.write(path, *make.opening(), make.started("e1"), make.finished("e1", answer=answer))
    with open_run(path) as reader:
        preview = reader.episode_rows([1])[1].answer
        assert preview is not None
        assert preview == answer[: len(preview)]
        assert 100 < len(preview) < 200
        detail = reader.episode(1)
        assert detail is not None
        assert detail.row.answer == answer


def test_clusters_and_types_keep_their_numbers_while_a_run_grows(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in [*make.opening(), *make.whole_episode("e1")]:
        writer.put(event)
    writer.commit_sync()
    with open_run(path) as reader:
        before = reader.episode_facts("rules")[0]
        writer.put(ItemEvent(make.item("q0", cluster="a", qtype="a", flags=("answer-missing",))))
        writer.put(ItemEvent(make.item("q2", cluster="b", qtype="a", flags=("span_answerable",))))
        for uid, key in (("e2", "q0"), ("e3", "q2")):
            for event in make.whole_episode(uid, make.episode_id(key)):
                writer.put(event)
        writer.commit_sync()
        facts = reader.episode_facts("rules")
        assert facts[0][:8] == before[:8]
        assert [reader.clusters()[f.cluster] for f in facts] == ["c1", "a", "b"]
        assert [reader.qtypes()[f.qtype] for f in facts] == ["single", "a", "a"]
        assert [f.flagged for f in facts] == [0, 1, 0]
    writer.close_sync()


def test_episode_ids_take_conditions_over_all_that_is_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(
        path,
        *make.opening(),
        *make.whole_episode("e1"),
        make.started("e2", make.episode_id(repeat=1)),
        make.finished("e2", make.episode_id(repeat=1), answer="100% a_b"),
    )
    with open_run(path) as reader:
        assert reader.episode_ids() == [1, 2]
        assert reader.episode_ids("v.label=?", ("right",), judge="rules") == [1]
        assert reader.episode_ids("v.id IS NULL", judge="rules") == [2]
        assert reader.episode_ids("e.answer LIKE ? ESCAPE '\\'", (r"%100\% a\_b%",)) == [2]
        assert reader.episode_ids("", (), "e.id DESC") == [2, 1]
        where = "a.key=? AND c.scale=? AND i.qtype=? AND h.n_sessions=1"
        assert reader.episode_ids(where, (make.ARM, 100, "single")) == [1, 2]
        assert reader.episode_ids("0") == []
        with pytest.raises(StoreError, match="cannot be read"):
            reader.episode_ids("no such thing")


def test_haystacks_and_evidence(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    positions = ((make.TOKEN, "2023-05-01", "evidence"), ("f1", None, "filler"))
    evidence = (
        Evidence("D1:3", make.TOKEN, 2),
        Evidence("D:x", None, None, EvidenceStatus.DANGLING),
    )
    make.write(
        path,
        *make.opening(),
        ItemEvent(make.item("q2", evidence=evidence)),
        HaystackEvent("h2", "q2", 1, 7, "shifted", positions, 10, "words", 1, pools={"own": 1}),
        HaystackEvent(
            "h3", "q2", 400, 7, "shifted", (), 0, "words", 0, available=False, note="pool"
        ),
    )
    with open_run(path) as reader:
        assert reader.items()[1].evidence == evidence
        found = reader.haystack(2)
        assert found is not None
        assert found.positions == positions
        assert found.header.pools == {"own": 1}
        assert found.header.available
        unfilled = reader.haystack(3)
        assert unfilled is not None
        assert not unfilled.header.available
        assert list(reader.sessions([make.TOKEN, "f1"])) == [make.TOKEN]


def test_a_query_can_be_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening())
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT count(*) FROM n"
    with open_run(path) as reader:
        timer = threading.Timer(0.1, reader.interrupt)
        timer.start()
        with pytest.raises(StoreError, match="interrupted"):
            reader.query(endless)
        assert reader.run().uid == "run-1"


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening())
    with open_run(path) as reader, pytest.raises(StoreError, match="readonly"):
        reader.query("UPDATE run SET name='x'")


def many_episodes(path: Path, episodes: int) -> None:
    """A file of generated episodes with verdicts of two judges, by SQL alone."""
    make.write(path, *make.opening())
    rng = random.Random(7)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO item SELECT ?,?,question,gold,gold_raw,qtype,?,answerable,question_date,"
            "tempting,flags,meta FROM item WHERE id=1",
            [(n, f"g{n}", f"c{n % 50}") for n in range(2, 1000)],
        )
        connection.executemany(
            "INSERT INTO cell VALUES(?,1,?,?)", [(n, f"scale={n}", n) for n in range(60)]
        )
        connection.executemany(
            "INSERT INTO episode(id,rev,uid,key,cell_id,item_id,repeat,attempt,counts,done,end_reason,"
            "requested,executed,first_hit,t_star,gold_total,gold_found,answer,started_at)"
            " VALUES(?,?,?,?,?,?,0,1,1,1,'answered',?,?,?,?,2,2,?,'t')",
            [
                (n, n // 10, f"u{n}", f"k{n}", n % 60, n % 999 + 1, r, r, 1, None, "word " * 60)
                for n in range(1, episodes + 1)
                for r in (rng.randrange(12),)
            ],
        )
        connection.executemany(
            "INSERT INTO verdict(rev,episode_id,judge,label,reason,raw,at) VALUES(1,?,?,?,'','','t')",
            [
                (n, judge, rng.choice(("right", "wrong")))
                for judge in ("rules", "model")
                for n in range(1, episodes + 1)
            ],
        )
        connection.execute("COMMIT")


def test_tens_of_thousands_of_episodes_are_quick(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    many_episodes(path, 20_000)
    with open_run(path) as reader:
        reader.episode_facts("rules")
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            facts = reader.episode_facts("rules")
            best = min(best, time.process_time() - start)
        assert len(facts) == 20_000
        assert all(f.label for f in facts)
        assert best < 0.5  # 0.05 s on a quiet machine (benchmarks/bench_writer.py has 100,000)
        plan = reader.query("EXPLAIN QUERY PLAN SELECT id, requested FROM episode WHERE counts=1")
        assert "COVERING INDEX" in plan[0][3]
        assert migrate.look(path).ours
        assert reader.episode_rows([5])[5].end_reason == EndReason.ANSWERED


def test_odd_questions_and_damaged_values_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    with open_run(path) as reader:
        for odd in (2**70, "\ud800"):
            with pytest.raises(StoreError, match="cannot be asked that"):
                reader.query("SELECT ?", (odd,))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE step SET hits=x'7b', data='{'")
        connection.execute("UPDATE evidence SET status='improved'")
        connection.execute("UPDATE episode SET item_id=99")
        connection.commit()
    with open_run(path) as reader:
        with pytest.raises(StoreError, match="is damaged"):
            reader.steps(1)
        with pytest.raises(StoreError, match="unknown status"):
            reader.items()
        with pytest.raises(StoreError, match="item 99 of an episode is lost"):
            reader.episode_facts("rules")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE run SET config='{'")
        connection.commit()
    with pytest.raises(StoreError, match="is damaged"):
        open_run(path)


def test_a_locked_file_is_not_read_past_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE run SET name='half done'")
        with pytest.raises(StoreError, match="locked by another program"):
            RunReader(path, patience=0.01).run()


def test_of_all_that_is_asked_under_a_lasting_lock_one_question_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), make.started("e1"), make.finished("e1"))
    waits: list[float] = []
    opened = open_read_only

    def waited(path: Path, patience: float) -> object:
        waits.append(patience)
        return opened(path, 0.0)

    monkeypatch.setattr("memtui.store.connection.open_read_only", waited)
    with (
        RunReader(path) as reader,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(3):
            with pytest.raises(Locked):
                reader.run()
        assert waits == [TIMEOUT, BRIEF, BRIEF]
        other.execute("COMMIT")
        reader.run()
        assert reader.query("PRAGMA busy_timeout") == [(round(1000 * TIMEOUT),)]  # as before


@pytest.mark.parametrize("refuser", ["os.access", "sqlite3.connect"])
def test_a_file_that_may_not_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuser: str
) -> None:
    path = tmp_path / "a.memtui"
    make.write(path, *make.opening(), *make.whole_episode("e1"))

    def refused(*_: object, **__: object) -> bool:
        if refuser == "os.access":
            return False
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(refuser, refused)
    with pytest.raises(StoreError, match="cannot be read"):
        open_run(path)
    assert blamed(path, KeyError("arm")) is None
