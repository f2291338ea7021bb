"""Systems by name: ours and those of other packages, with what they need and what they refuse."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.errors import UserError
from runners.memory import registry
from runners.memory.contract import SystemInfo
from runners.memory.flat.bm25 import BM25
from runners.memory.needs import missing, require
from runners.memory.registry import available, build, missing_needs, names
from runners.plug_ins import options_of
from tests.memory.conftest import EXAMPLE


def test_our_own_systems_by_name_and_option() -> None:
    system = build("bm25", {"granularity": "turn", "k": 5})
    assert isinstance(system, BM25) and system.info.config["k"] == 5
    assert system.info.config["granularity"] == "turn"
    for name in names():
        assert build(name).info.name == name


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("bm52", {}, r"no memory system 'bm52'; did you mean bm25\?"),
        ("zzz", {}, "no memory system 'zzz'; choose from bm25, dense"),
        ("bm25", {"granularty": "turn"}, r"no option 'granularty'; did you mean granularity\?"),
        ("full-history", {"zzz": 1}, "no option 'zzz'"),
        ("bm25", {"k": 0}, "memory system 'bm25': k must be"),
        ("bm25", {"k1": "high"}, "memory system 'bm25' refuses its options"),
    ],
)
def test_mistakes_are_answered_in_one_line(
    name: str, options: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said) as caught:
        build(name, options)
    assert caught.value.exit_code == 2 and "\n" not in str(caught.value)


def plug_in(folder: Path, entries: str) -> None:
    """What an installer leaves behind: a module on the path and a folder of metadata."""
    info = folder / "memtui_bigram-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memtui-bigram\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[memtui.memory]\n{entries}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("memtui_bigram", None)


def test_a_package_of_a_stranger_is_found(site: Path) -> None:
    (site / "memtui_bigram.py").write_bytes((EXAMPLE / "memtui_bigram.py").read_bytes())
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    ((name, target),) = project["entry-points"]["memtui.memory"].items()
    plug_in(site, f"{name} = {target}")
    assert name in names()
    assert build(name, {"k": 3}).info.config == {"k": 3}
    with pytest.raises(UserError, match="no option 'K'"):
        build(name, {"K": 3})
    (status,) = [s for s in available() if s.name == name]
    assert (status.state, status.interface, status.source) == ("ready", "flat", "memtui-bigram")


def test_a_broken_package_is_listed_and_breaks_nothing(site: Path) -> None:
    (site / "memtui_bigram.py").write_text("import a_package_that_is_not_there\nnumber = 3\n")
    plug_in(site, "bigram = memtui_bigram:Bigram\nbm25 = memtui_bigram:Bigram")
    assert isinstance(build("bm25"), BM25), "our own names cannot be taken over"
    with pytest.raises(UserError, match=r"'bigram' .* cannot be loaded: ModuleNotFoundError"):
        build("bigram")
    by_name = {s.name: s for s in available()}
    assert by_name["bigram"].state == "missing" and "a_package" in by_name["bigram"].advice
    assert by_name["bm25"].state == "ready"
    (site / "memtui_bigram.py").write_text("Bigram = 3\n")
    with pytest.raises(UserError, match="is not a factory"):
        build("bigram")


def test_a_factory_that_crashes_is_listed_too(site: Path) -> None:
    (site / "memtui_bigram.py").write_text("def Bigram():\n    raise RuntimeError('no licence')\n")
    plug_in(site, "bigram = memtui_bigram:Bigram")
    (status,) = [s for s in available() if s.name == "bigram"]
    assert status.state == "missing" and "RuntimeError: no licence" in status.advice


def test_what_is_needed_and_absent_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    (line,) = missing_needs(build("dense").info)
    assert "absent" in line and "`memtui models install minilm`" in line
    status = {s.name: s for s in available()}
    assert status["dense"].state == status["hybrid"].state == "installable"
    assert status["dense"].advice == line and status["dense"].needs == ("model:minilm",)
    assert status["bm25"].state == status["full-history"].state == "ready"
    assert missing("package:json") is None
    assert "pip install no_such_package_here" in (missing("package:no_such_package_here") or "")
    assert missing("service:x") is not None and missing("model:unknown") is not None
    needy = SystemInfo("needy", "1", "flat", needs=("package:json", "service:x", "model:minilm"))
    with pytest.raises(UserError, match=r"'needy' cannot run: .*service:x.*; .*minilm"):
        require(needy)
    require(build("bm25").info)


def test_every_factory_of_ours_has_only_options_with_defaults() -> None:
    import inspect

    for name in registry.OWN:
        options = options_of(registry.factory(name))
        assert options is not None and inspect.Parameter.empty not in options.values()
