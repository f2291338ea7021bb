"""docs/keys-and-themes.md has every id, and its example is one that works."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from memtui.app import MemtuiApp
from memtui.cli import main
from memtui.screens.keymap import keymap_of
from memtui.screens.keys import all_keys
from memtui.state.configuration import KNOWN, read_configuration

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "keys-and-themes.md"


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_keys", DOCS / "make_keys.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_bindings() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert maker().filled(text) == text, "run python docs/make_keys.py"
    assert all(f"| `{key.id}` |" in text for key in all_keys(MemtuiApp))


def test_its_example_holds(tmp_path: Path) -> None:
    example = re.search(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    path = tmp_path / "config.toml"
    path.write_text(example[1])
    found = read_configuration(path)
    keymap, problems = keymap_of(found, MemtuiApp)
    assert not found.problems and not problems and set(keymap) == {"app.quit", "app.copy"}
    assert found.theme == "light" and found.alpha == 0.8 and found.judge == "strict"
    assert all(re.search(rf"^\[?{name}\b", example[1], re.MULTILINE) for name in KNOWN)


def test_doctor_says_which_file_is_read_and_what_is_wrong_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    main(["doctor"])
    assert f"none ({tmp_path}/memtui/config.toml would be read)" in capsys.readouterr().out
    path = tmp_path / "memtui" / "config.toml"
    path.parent.mkdir()
    path.write_text('theme = "drak"\n[keys]\n"app.quit" = "Q"\n"app.qiut" = "W"\n')
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if f"{path}, 1 key changed" in line]
    assert [line for line in lines if f"{path}:1: no theme 'drak'" in line]
    assert [line for line in lines if f"{path}:4: nothing is called 'app.qiut'" in line]
