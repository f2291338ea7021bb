"""The example of docs/adding-a-memory-system.md as a stranger has it: a wheel, installed, run by its name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memtui.store.reader import RunReader

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "memtui-bigram"
CONFIG = """
name = "strangers"
[data]
name = "synthetic"
limit = 3
[ladder]
scales = [0, 20]
[matrix]
memory = ["bigram", { name = "bigram", label = "bigram-3", k = 3 }, "bm25"]
agent = ["search-once"]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an installer would have put the package: built by its own build system, then unpacked."""
    folder = tmp_path_factory.mktemp("stranger")
    source, wheels, site = folder / "source", folder / "wheels", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    wheels.mkdir()
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(wheels)], cwd=source, check=True, capture_output=True
    )
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    assert {path.name for path in site.iterdir()} == {
        "memtui_bigram.py",
        "memtui_bigram-0.1.0.dist-info",
    }
    return site


def memtui(site: Path, *arguments: str) -> str:
    """Run the program as somebody who installed the package; it has to end well."""
    environ = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "memtui", *arguments],
        env=environ,
        cwd=site.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_listed_and_keeps_the_contract(site: Path) -> None:
    systems = json.loads(memtui(site, "systems", "--json"))["systems"]
    (found,) = [one for one in systems if one["name"] == "bigram"]
    assert {key: found[key] for key in ("class", "state", "needs", "source")} == {
        "class": "flat",
        "state": "ready",
        "needs": [],
        "source": "memtui-bigram",
    }
    assert "0 of" in memtui(site, "systems", "check", "bigram").splitlines()[0]


def test_it_runs_beside_ours_and_its_code_is_on_record(site: Path) -> None:
    config = site.parent / "strangers.toml"
    config.write_text(CONFIG)
    memtui(site, "run", str(config), "--out", "s.memtui", "--no-report")
    report = json.loads(memtui(site, "report", "s.memtui", "--json", "--no-bootstrap"))
    assert {cell["arm"].split("/")[0] for cell in report["cells"]} == {
        "bigram",
        "bigram-3",
        "bm25",
    }
    with RunReader(site.parent / "s.memtui") as reader:
        ((recorded,),) = reader.query("SELECT config FROM run")
    assert "memtui_bigram" in json.loads(recorded)["effective"]["code"]
