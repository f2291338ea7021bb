"""What each room may load: checked in fresh interpreters, because an import is only honest there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("litellm", "openai", "pydantic", "sqlite_utils", "numpy", "onnxruntime", "runners")
WITH_TEXTUAL = ("memtui.screens", "memtui.widgets", "memtui.app")
WITHOUT_TEXTUAL = (
    "memtui.model",
    "memtui.metrics",
    "memtui.query",
    "memtui.state",
    "memtui.views",
    "memtui.report",
    "memtui.store.reader",
    "memtui.store.tail",
)
SCRIPT = """
import importlib, pkgutil, sys
names = [sys.argv[1]]
package = importlib.import_module(sys.argv[1])
if hasattr(package, "__path__"):
    names += [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    importlib.import_module(name)
print(len(names), *sorted({m.split(".")[0] for m in sys.modules}))
"""


def loaded_by(module: str) -> tuple[int, set[str]]:
    """(number of modules imported, top-level packages loaded) for one room in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, module], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, *tops = done.stdout.split()
    return int(count), set(tops)


@pytest.mark.parametrize("module", WITH_TEXTUAL + WITHOUT_TEXTUAL)
def test_the_viewer_loads_nothing_heavy(module: str) -> None:
    count, tops = loaded_by(module)
    assert count >= 1
    assert not tops & set(HEAVY)


@pytest.mark.parametrize("module", WITHOUT_TEXTUAL)
def test_headless_rooms_load_no_textual(module: str) -> None:
    assert "textual" not in loaded_by(module)[1]


def test_help_starts_without_any_of_it() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "memtui", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert not loaded & {*HEAVY, "textual", "rich", "sqlite3"}
    assert "memtui report" in done.stdout
