"""Making, resuming, checking and removing a package's environment, with wheels made on the spot."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memtui import cli
from memtui.errors import UserError
from runners.memory.packages import environment, recipes
from runners.memory.packages.recipes import RECIPES, Recipe
from runners.memory.registry import PACKAGES, available, build

NAMES = [f"tiny{i}" for i in range(3)]


def wheel(folder: Path, name: str, *, broken: bool = False) -> str:
    """A wheel with one module; returns its line in a lock file."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "raise RuntimeError('no')\n" if broken else "X = 1\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{name} @ file://{path} \\\n    --hash=sha256:{digest}\n"


@dataclasses.dataclass(frozen=True, slots=True)
class LocalRecipe(Recipe):
    """A recipe whose lock file lies elsewhere."""

    where: Path = Path()

    @property
    def lock(self) -> Path:
        return self.where


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalRecipe:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(environment, "BATCH", 1)
    lock = tmp_path / "tiny.lock"
    lock.write_text("".join(wheel(tmp_path, name) for name in NAMES))
    return LocalRecipe("pkg:tiny", "tiny0", "1.0", "flat", "tiny0", 1, where=lock)


def test_it_is_made_once_and_can_be_removed(
    tiny: LocalRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "users"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "users"))
    lines: list[str] = []
    assert environment.state(tiny) == "absent"
    folder = environment.install(tiny, lines.append)
    assert environment.state(tiny) == "ready"
    assert not (tmp_path / "users").exists()
    assert [line for line in lines if "distributions" in line] == [
        f"pkg:tiny: {n} of 3 distributions" for n in (1, 2, 3)
    ]
    ran = subprocess.run(
        [str(environment.python_of(tiny)), "-c", "import tiny0, tiny1, tiny2; print(tiny0.X)"],
        capture_output=True,
        text=True,
        check=True,
        env={},
    )
    assert ran.stdout == "1\n"
    again: list[str] = []
    environment.install(tiny, again.append)
    assert again == ["pkg:tiny: already there"]
    assert environment.missing(tiny) is None
    assert environment.remove(tiny)
    assert not folder.exists()
    assert not environment.remove(tiny)
    assert "memtui systems install pkg:tiny" in (environment.missing(tiny) or "")


def test_an_interrupted_installation_goes_on_where_it_stopped(
    tiny: LocalRecipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = environment._install_batch, list[str]()

    def stops(recipe: Recipe, pip: list[str], batch: list[str]) -> None:
        asked.append(batch[0].split(" ")[0])
        if len(asked) == 2:
            raise KeyboardInterrupt
        real(recipe, pip, batch)

    monkeypatch.setattr(environment, "_install_batch", stops)
    with pytest.raises(KeyboardInterrupt):
        environment.install(tiny)
    assert environment.state(tiny) == "partial"
    environment.install(tiny)
    assert asked == ["tiny0", "tiny1", "tiny1", "tiny2"]
    assert environment.state(tiny) == "ready"


def test_other_pins_make_it_outdated(tiny: LocalRecipe, tmp_path: Path) -> None:
    tiny.lock.write_text(wheel(tmp_path, "tiny0"))
    environment.install(tiny)
    tiny.lock.write_text(tiny.lock.read_text() + wheel(tmp_path, "tiny3"))
    assert environment.state(tiny) == "outdated"
    environment.install(tiny)
    assert environment.state(tiny) == "ready"
    assert list(environment.folder_of(tiny).glob("lib/*/site-packages/tiny3.py"))


def test_another_pip_is_found_where_memtui_has_none(
    tiny: LocalRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where an installer without pip made memtui's environment."""
    tiny.lock.write_text(tiny.lock.read_text().split("tiny1")[0])
    monkeypatch.setattr(environment, "_own_pip", tuple)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "pip3").write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
    (programs / "pip3").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    environment.install(tiny)
    assert environment.state(tiny) == "ready"
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(environment, "_runs", lambda command: False)
    with pytest.raises(UserError, match="no pip"):
        environment._pip(environment.python_of(tiny))


def test_a_wrong_hash_installs_nothing(tiny: LocalRecipe) -> None:
    text = tiny.lock.read_text()
    tiny.lock.write_text(re.sub(r"(?<=sha256:)\w{64}", "0" * 64, text))
    with pytest.raises(UserError, match="could not be installed") as caught:
        environment.install(tiny)
    assert caught.value.exit_code == 1
    assert environment.state(tiny) == "partial"


def test_a_package_that_does_not_import_is_not_ready(tiny: LocalRecipe, tmp_path: Path) -> None:
    tiny.lock.write_text(wheel(tmp_path, "tiny0", broken=True))
    with pytest.raises(UserError, match="does not import: RuntimeError: no"):
        environment.install(tiny)
    assert environment.state(tiny) == "partial"


def test_two_at_a_time_wait_for_each_other(tiny: LocalRecipe) -> None:
    tiny.lock.write_text(tiny.lock.read_text().split("tiny1")[0])
    folder = environment.folder_of(tiny)
    folder.mkdir(parents=True)
    lines: list[str] = []
    with (folder.parent / ".tiny.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="elsewhere"):
            environment.remove(tiny)

        def report(line: str) -> None:
            lines.append(line)
            fcntl.flock(held, fcntl.LOCK_UN)

        environment.install(tiny, report)
    assert "waiting" in lines[0]
    assert environment.state(tiny) == "ready"


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
def test_every_recipe_is_pinned_and_hashed(recipe: Recipe) -> None:
    assert recipe.worker.is_file()
    batches = list(environment._batches(recipe.lock.read_text()))
    lines = [line for batch in batches for line in batch]
    assert all(re.match(r"[\w.-]+==\S+ .*--hash=sha256:\w{64}", line) for line in lines)
    pinned = {line.split("==")[0].lower(): line for line in lines}
    assert pinned[recipe.package.lower()].startswith(f"{recipe.package.lower()}=={recipe.version} ")
    assert "://" not in recipe.lock.read_text()


def test_packages_are_listed_with_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    assert set(PACKAGES) == set(RECIPES)
    rows = {status.name: status for status in available()}
    for name, recipe in RECIPES.items():
        assert (rows[name].state, rows[name].interface) == ("installable", recipe.interface)
        assert recipe.need in rows[name].needs
        assert build(name, {"k": 5}).info.config["k"] == 5
    assert cli.main(["systems", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["systems"]
    assert {row["name"] for row in listed} >= set(RECIPES)


def test_the_verb_installs_lists_checks_and_removes(
    tiny: LocalRecipe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(recipes.RECIPES, "pkg:tiny", tiny)
    monkeypatch.setattr(environment, "BATCH", 3)
    assert cli.main(["systems", "install", "tiny", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "schema": "memtui-systems-change-1",
        "systems": [
            {"name": "pkg:tiny", "state": "ready", "folder": str(environment.folder_of(tiny))}
        ],
    }
    assert "3 of 3 distributions" in printed.err
    assert cli.main(["systems", "remove", "pkg:tiny"]) == 0
    assert capsys.readouterr().out.startswith("pkg:tiny: absent (")
    assert cli.main(["systems", "install", "pkg:nothing"]) == 2
    assert "known: pkg:mem0-2" in capsys.readouterr().err


def test_the_verb_checks_any_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    assert cli.main(["systems", "check", "bm25", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["ok"]) == ("memtui-systems-check-1", True)
    assert {rule["status"] for rule in document["rules"]} <= {"passed", "n/a"}
    assert cli.main(["systems", "check", "pkg:graphiti"]) == 1
    assert "run `memtui systems install pkg:graphiti`" in capsys.readouterr().err
