"""`check` says what is wrong with a file, and what was lost; a copy is one whole moment of a run."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memtui.model import Hit
from memtui.store.check import check_file
from memtui.store.copy import export_copy
from memtui.store.errors import StoreError
from memtui.store.events import HeartbeatEvent, RunStateEvent
from memtui.store.reader import open_run
from memtui.store.workspace import RunFolder
from memtui.store.writer import RunWriter
from memtui.views.numbers import count
from tests.store import store_events as make

DONE = RunStateEvent("finished", make.AT)


def good(path: Path) -> Path:
    make.write(path, *make.opening(), *make.whole_episode("e1"), DONE)
    return path


def kinds(path: Path) -> list[str]:
    return [p.kind for p in check_file(path)]


def test_a_whole_file_has_no_problem(tmp_path: Path) -> None:
    assert check_file(good(tmp_path / "a.memtui")) == []


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("seq_gap", "UPDATE step SET seq=seq+5"),
        ("calls", "UPDATE step SET counts_as_call=0"),
        ("counted_unfinished", "UPDATE episode SET done=0"),
        ("unfinished_attempt", "UPDATE episode SET done=0"),
        ("incomplete", "UPDATE run SET planned=7"),
        ("more_than_planned", "UPDATE run SET planned=0"),
        ("interrupted", "UPDATE run SET state='running'"),
        ("no_run", "DELETE FROM run"),
        ("dangling", "UPDATE episode SET item_id=99"),
        ("dangling", "DELETE FROM episode"),
        ("lost_text", "UPDATE session SET z=x'00112233'"),
        ("lost_text", "UPDATE haystack SET z=x''"),
        ("unreadable", "UPDATE step SET hits=x'7b'"),
        ("unreadable", "DROP TABLE passage"),
    ],
)
def test_each_problem_is_found(tmp_path: Path, kind: str, statement: str) -> None:
    path = good(tmp_path / "a.memtui")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    assert kind in kinds(path)
    assert all("\n" not in p.text for p in check_file(path))


def test_an_episode_that_counts_twice_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    again = make.episode_id(attempt=2)
    make.write(
        path,
        *make.opening(),
        *make.whole_episode("e1"),
        *make.whole_episode("e2", again),
        DONE,
    )
    assert check_file(path) == []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE episode SET counts=1, attempt=1")
        connection.commit()
    assert {"counted_twice", "attempt_twice", "more_than_planned"} <= set(kinds(path))


def test_hits_that_point_nowhere_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    lost = make.step(
        "e1", 1, hits=(Hit("feedbeef0000"), Hit("own-1", text="mine"), Hit(make.TOKEN))
    )
    make.write(path, *make.opening(), make.started("e1"), lost, make.finished("e1"), DONE)
    (problem,) = check_file(path)
    assert problem.kind == "missing_text"
    assert problem.where == "feedbeef0000"


def test_a_file_being_written_is_not_called_unfinished(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    writer = RunWriter(path).start()
    for event in [*make.opening(planned=5), make.started("e1")]:
        writer.put(event)
    writer.commit_sync()
    assert check_file(path) == []
    writer.close_sync()
    assert set(kinds(path)) == {"unfinished_attempt", "interrupted"}


def large(path: Path) -> Path:
    events = [*make.opening(planned=40)]
    for n in range(40):
        id_ = make.episode_id(repeat=n)
        events += [make.started(f"e{n}", id_)]
        events += [make.step(f"e{n}", s, text=f"{n} {s} " * 100) for s in range(1, 11)]
        facts = make.facts(10)
        events += [make.finished(f"e{n}", id_, facts=facts)]
    make.write(path, *events, DONE)
    return path


def test_a_damaged_page_is_reported_with_what_was_lost(tmp_path: Path) -> None:
    path = large(tmp_path / "a.memtui")
    assert check_file(path) == []
    data = bytearray(path.read_bytes())
    page = 4096
    hit = data.index(b"20 5 20 5 ") // page
    data[hit * page : (hit + 1) * page] = b"\xa5" * page
    broken = tmp_path / "broken.memtui"
    broken.write_bytes(data)
    problems = check_file(broken)
    assert "page" in {p.kind for p in problems}
    assert all("\n" not in p.text for p in problems)
    (lost,) = [p.text for p in problems if p.kind == "lost_rows"]
    assert lost.startswith("step: ")
    assert 0 < int(lost.split()[1]) < 400
    with open_run(broken) as reader:  # the rest can still be looked at, an error is one line
        assert reader.progress().done == 40
        for n in range(1, 41):
            try:
                reader.steps(n)
            except StoreError as error:
                assert "memtui check" in str(error)
                break
        else:
            pytest.fail("no read met the damaged page")


def test_files_that_are_no_run_files_are_one_problem(tmp_path: Path) -> None:
    text = tmp_path / "text.memtui"
    text.write_text("hello " * 1000)
    assert kinds(text) == ["unusable"]
    assert kinds(tmp_path / "missing.memtui") == ["unusable"]
    cut = tmp_path / "cut.memtui"
    cut.write_bytes(large(tmp_path / "a.memtui").read_bytes()[:20_000])
    assert {"page", "unreadable", "unusable"} & set(kinds(cut))
    (problem,) = check_file(cut)
    whole = (tmp_path / "a.memtui").stat().st_size
    assert f"20 000 of {count(whole)} bytes are there" in problem.text
    scrambled = tmp_path / "scrambled.memtui"
    data = (tmp_path / "a.memtui").read_bytes()
    scrambled.write_bytes(data[:100] + b"\xa5" * 5_000 + data[5_100:])
    (problem,) = check_file(scrambled)
    assert "memtui check" not in problem.text  # that is what is running


# -- copies ----------------------------------------------------------------------------------------


def test_a_live_file_is_copied_whole(tmp_path: Path) -> None:
    path, target = tmp_path / "a.memtui", tmp_path / "copy.memtui"
    writer = RunWriter(path).start()
    for event in [*make.opening(), *make.whole_episode("e1")]:
        writer.put(event)
    writer.commit_sync()
    export_copy(path, target)
    writer.close_sync()
    assert check_file(target)[0].kind == "interrupted"
    with open_run(target) as reader:
        assert reader.episode_facts("rules")[0].label == "right"
    with pytest.raises(StoreError, match="exists already") as caught:
        export_copy(path, target)
    assert caught.value.exit_code == 2
    with pytest.raises(StoreError, match="cannot be written: there is no folder"):
        export_copy(path, tmp_path / "no" / "where.memtui")
    (tmp_path / "x").write_text("x" * 5000)
    with pytest.raises(StoreError, match="not an SQLite file"):
        export_copy(tmp_path / "x", tmp_path / "y")
    assert not list(tmp_path.glob(".*"))


# -- a folder of runs --------------------------------------------------------------------------------


def test_a_folder_tells_what_each_file_is(tmp_path: Path) -> None:
    good(tmp_path / "good.memtui")
    (tmp_path / "text.memtui").write_text("nothing of the kind\n" * 99)
    (tmp_path / "notes.txt").write_text("not looked at")
    killed = tmp_path / "killed.memtui"
    late = "2026-01-03T00:00:00+00:00"
    make.write(killed, *make.opening(created_at=late, planned=9), make.started("e1"))
    newer = good(tmp_path / "newer.memtui")
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version=9")
    live = RunWriter(tmp_path / "live.memtui").start()
    for event in [*make.opening(), *make.whole_episode("e1")]:
        live.put(event)
    beat = datetime(2026, 1, 2, 4, tzinfo=UTC)
    live.put(HeartbeatEvent(beat.isoformat(), 1, "host", {}))
    live.commit_sync()
    runs = {r.path.stem: r for r in RunFolder(tmp_path).look(beat + timedelta(seconds=100))}
    live.close_sync()
    assert {name: r.state for name, r in runs.items()} == {
        "good": "finished",
        "text": "unusable",
        "killed": "interrupted",
        "newer": "finished",
        "live": "running",  # late heartbeat, but its lease is held
    }
    assert runs["live"].heartbeat_age == 100
    assert "not an SQLite file" in runs["text"].problem
    assert "newer memtui" in runs["newer"].warning
    progress = runs["killed"].progress
    assert progress is not None
    assert (progress.planned, progress.done, progress.running) == (9, 0, 1)
    assert next(iter(runs)) == "killed"  # newest first
    assert list(runs)[-1] == "text"
    after = {r.path.stem: r for r in RunFolder(tmp_path).look(beat + timedelta(seconds=100))}
    assert after["live"].state == "interrupted"
    fresh = {r.path.stem: r for r in RunFolder(tmp_path).look(beat + timedelta(seconds=3))}
    assert fresh["live"].state == "running"  # perhaps driven from another machine


def test_a_missing_folder_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be listed") as caught:
        RunFolder(tmp_path / "nowhere").look()
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", [b"\xff.memtui", b"file:here/c.memtui", b"file:here/c?mode=ro"])
def test_a_copy_may_have_any_name(
    name: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.write(tmp_path / "a.memtui", *make.opening(), *make.whole_episode("e1"))
    (tmp_path / "file:here").mkdir()
    monkeypatch.chdir(tmp_path)
    target = Path(os.fsdecode(name))
    export_copy(Path("a.memtui"), target)
    with open_run(target) as reader:
        assert reader.progress().done == 1
    assert not [*target.parent.glob(".*")]
