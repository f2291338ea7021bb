"""Data sets by name, by file and from other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.model import Turn
from runners import plug_ins
from runners.datasets import registry
from runners.datasets.contract import DataSet, SourceEvidence, SourceItem, SourceSession
from runners.sessions import session_sha
from tests.datasets.places import FIXTURES, LOCOMO, LONGMEMEVAL, TINY_LINES


def strangers(path: Path | None = None, words: int = 1) -> DataSet:
    """A data set as another package would give it: no subset marked, nothing counted."""
    turns = (Turn("user", "The kiln is in Arvika." * words),)
    item = SourceItem(
        key="a",
        question="Where is the kiln?",
        gold="Arvika",
        gold_raw="Arvika",
        qtype="single",
        cluster="a",
        answerable=True,
        question_date=None,
        evidence=(SourceEvidence("s", "s", 0),),
    )
    session = SourceSession("s", turns, None, session_sha(turns), "p", frozenset({"a"}))
    return DataSet("strange", "0" * 64, (item,), {"s": session}, ("p",))


def test_every_data_set_gets_the_declared_subset(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("strange", f"{__name__}:strangers", "memtui.datasets")
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: [entry])
    assert "strange" in registry.names()
    dataset = registry.load("strange", TINY_LINES, words=2)
    assert dataset.counts == {"items": 1, "answerable": 1, "span_answerable": 1, "sessions": 1}
    assert dataset.items[0].flags == ("span_answerable",)


def test_a_package_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("broken", "no_such_module_anywhere:load", "memtui.datasets")
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: [entry])
    with pytest.raises(UserError, match=r"'broken'.*cannot be loaded"):
        registry.load("broken", TINY_LINES)


def test_a_strangers_name_cannot_take_over_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("synthetic", f"{__name__}:strangers", "memtui.datasets")
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: [entry])
    assert registry.load("synthetic").name == "synthetic"


@pytest.mark.parametrize(
    ("path", "name"),
    [(LONGMEMEVAL, "longmemeval-s"), (TINY_LINES, "hostile"), (str(TINY_LINES), "hostile")],
)
def test_a_file_alone_is_enough(path: Path | str, name: str) -> None:
    assert registry.load(path).name == name


def test_a_file_alone_takes_its_loaders_options() -> None:
    assert registry.load(LOCOMO, allow_unpinned=True).name == "locomo"
    with pytest.raises(UserError, match="not the official"):
        registry.load(LOCOMO)


def test_options_that_name_files_may_be_text() -> None:
    dataset = registry.load(
        "longmemeval", str(LONGMEMEVAL), pool=str(FIXTURES / "session_pool.jsonl")
    )
    assert "abcd_1" in dataset.sessions


def test_a_further_file_is_looked_for_beside_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = registry.load("longmemeval", LONGMEMEVAL, pool="session_pool.jsonl")
    assert "abcd_1" in dataset.sessions


def test_the_synthetic_set_is_generated() -> None:
    dataset = registry.load("synthetic", seed=3)
    assert dataset.counts["span_answerable"] > 0
    with pytest.raises(UserError, match="takes no file"):
        registry.load("synthetic", TINY_LINES)


@pytest.mark.parametrize(
    ("name", "path", "options", "message"),
    [
        ("locmo", None, {}, "did you mean locomo"),
        ("nowhere.json", None, {}, "no data set and no file"),
        ("locomo", LOCOMO, {"allow_unpined": True}, "did you mean allow_unpinned"),
        ("jsonl", None, {}, "give its path"),
        (str(TINY_LINES), TINY_LINES, {}, "twice"),
    ],
)
def test_what_is_misspelt_is_told(
    name: str, path: Path | None, options: dict[str, bool], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        registry.load(name, path, **options)


def test_a_name_without_a_file_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    with pytest.raises(UserError, match="memtui data get locomo"):
        registry.load("locomo")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "locomo10.json").write_bytes(LOCOMO.read_bytes())
    assert len(registry.load("locomo", allow_unpinned=True).items) == 15


def test_the_109_need_both_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"oracle_full\.json and session_pool\.jsonl"):
        registry.load("longmemeval-109", tmp_path)
