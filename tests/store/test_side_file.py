"""Notes, bookmarks, flags and aliases: appended beside the run, whatever is in them or around them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.store.errors import StoreError
from memtui.store.side_file import (
    ALIAS,
    BAD_GOLD,
    BOOKMARK,
    FLAG,
    NO_MARKS,
    NOTE,
    VIEW,
    SideFile,
    state_folder,
)

NASTY = "[/] \x1b[2J \x00 \u202e日本語 \n\u2028 \ud800 " + "x" * 5_000


@pytest.fixture
def side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SideFile:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return SideFile(tmp_path / "a.memtui", "run-1")


def test_the_latest_entry_of_a_target_holds(side: SideFile) -> None:
    assert side.read() == NO_MARKS
    side.append(FLAG, "q1", BAD_GOLD)
    side.append(FLAG, "q2", BAD_GOLD)
    side.append(NOTE, "arm|q1|scale=0|r0", "first")
    side.append(NOTE, "arm|q1|scale=0|r0", "second")
    side.append(BOOKMARK, "arm|q1|scale=0|r0", "yes")
    side.append(ALIAS, "bm25/search-once", "words")
    side.append(VIEW, "late", "out:exhausted scale>=200")
    side.append(FLAG, "q2", "")
    marks = side.read()
    assert marks.bad_gold == {"q1"}
    assert marks.notes == {"arm|q1|scale=0|r0": "second"}
    assert marks.bookmarks == {"arm|q1|scale=0|r0"}
    assert marks.aliases == {"bm25/search-once": "words"}
    assert marks.views == {"late": "out:exhausted scale>=200"}


def test_a_torn_last_line_costs_only_itself(side: SideFile) -> None:
    side.append(NOTE, "e", "kept")
    with side.beside.open("ab") as file:
        file.write(b'{"at":"2026-01-01","kind":"note","target":"f","val')
    assert side.read().notes == {"e": "kept"}
    side.append(NOTE, "g", "after it")
    assert side.read().notes == {"e": "kept", "g": "after it"}


@pytest.mark.parametrize(
    "line",
    [
        b"[]", b"null", b"{}", b"\xff\xfe", b'{"kind":"other","at":"","target":"","value":""}',
        b'{"kind":"note","at":1,"target":"a","value":"b"}',
        b'{"kind":["note"],"at":"","target":"a","value":"b"}',
        b'{"kind":"flag","at":"","target":"a","value":"of another version"}',
        b"[" * 50_000,
    ],
)  # fmt: skip
def test_foreign_lines_are_passed_over(side: SideFile, line: bytes) -> None:
    side.beside.write_bytes(line + b"\n")
    side.append(NOTE, "e", "kept")
    marks = side.read()
    assert marks.notes == {"e": "kept"} and not marks.bad_gold


@given(st.text(), st.text(min_size=1, max_size=200))
def test_any_text_comes_back_on_one_line(
    tmp_path_factory: pytest.TempPathFactory, target: str, value: str
) -> None:
    side = SideFile(tmp_path_factory.mktemp("side") / "a.memtui", "run-1")
    side.append(NOTE, target, value)
    assert side.read().notes == {target: value}
    assert side.beside.read_bytes().count(b"\n") == 1


def test_hostile_text_is_kept_as_far_as_json_can_hold_it(side: SideFile) -> None:
    side.append(NOTE, "e", NASTY)
    assert side.read().notes["e"] == NASTY.replace("\ud800", "?")


@pytest.mark.parametrize(
    "uid", ["../../etc/passwd", "a/b", "", ".hidden", "x" * 400, "\x00", NASTY]
)
def test_a_uid_never_names_another_folder(tmp_path: Path, uid: str) -> None:
    side = SideFile(tmp_path / "a.memtui", uid)
    assert side.beside.parent == tmp_path
    assert side.append(NOTE, "e", "x") == side.beside
    assert SideFile(tmp_path / "renamed.memtui", uid).read().notes == {"e": "x"}


def test_a_read_only_folder_sends_it_to_the_state_folder(
    side: SideFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    side.append(NOTE, "e", "beside")
    real = os.open

    def refuse(path: object, *rest: int) -> int:
        if Path(str(path)) == side.beside:
            raise PermissionError(13, "Permission denied")
        return real(str(path), *rest)

    monkeypatch.setattr("memtui.store.side_file.os.open", refuse)
    assert side.append(NOTE, "e", "apart") == side.apart
    assert side.apart.is_relative_to(state_folder())
    monkeypatch.undo()
    assert side.read().notes == {"e": "apart"}


def test_nowhere_to_write_is_one_line(side: SideFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memtui.store.side_file.os.open", refuse)
    with pytest.raises(StoreError, match="No space left") as raised:
        side.append(NOTE, "e", "x")
    assert "\n" not in str(raised.value)


def test_entries_of_two_places_hold_by_time(side: SideFile) -> None:
    side.apart.parent.mkdir(parents=True)
    side.append(NOTE, "e", "newest")
    side.apart.write_bytes(
        b'{"at":"2020-01-01T00:00:00+00:00","kind":"note","target":"e","value":"old"}\n'
    )
    assert side.read().notes == {"e": "newest"}
