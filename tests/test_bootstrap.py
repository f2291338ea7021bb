"""Setting up: an environment counts only when it is whole, and a half-made one is made anew."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "bootstrap.py"


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script on a project of its own."""
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml", "bootstrap.py"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    return module


class Commands:
    """Stands in for subprocess.run: notes what was asked, and fails where told to."""

    def __init__(self, venv: Path, failing: Sequence[str] = ()) -> None:
        self.venv = venv
        self.failing = tuple(failing)
        self.asked: list[str] = []

    def __call__(self, command: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        line = " ".join(command)
        self.asked.append(line)
        if "-m venv" in line:
            (self.venv / "bin").mkdir(parents=True)
        return subprocess.CompletedProcess(list(command), int(any(f in line for f in self.failing)))


def use(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *failing: str) -> Commands:
    commands = Commands(module.VENV, failing)
    monkeypatch.setattr(module.subprocess, "run", commands)
    return commands


def run(module: ModuleType, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(sys, "argv", ["bootstrap.py", kind])
    module.main()


def test_a_second_call_installs_nothing(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    again = use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    assert [line for line in again.asked if "install" in line or "venv" in line] == [
        line for line in again.asked if " -c " in line
    ]


def test_a_half_made_environment_is_made_anew(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = bootstrap.VENV / "lib" / "left-over"
    left.parent.mkdir(parents=True)
    left.touch()
    commands = use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    assert not left.exists()
    assert any("-m venv" in line for line in commands.asked)


def test_an_interrupted_step_leaves_nothing_to_trust(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    use(bootstrap, monkeypatch, "requirements-dev.lock")
    with pytest.raises(SystemExit) as ended:
        run(bootstrap, monkeypatch, "dev")
    assert ended.value.code == 2
    use(bootstrap, monkeypatch)
    assert not bootstrap.is_ready("core") and not bootstrap.is_ready("dev")


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_or_project_is_noticed(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    (bootstrap.ROOT / changed).write_text("other")
    assert not bootstrap.is_ready("core")


def test_a_changed_project_is_installed_into_the_same_environment(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pulling a new version must not cost an offline machine its packages, nor anybody the extras."""
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    extra = bootstrap.VENV / "lib" / "extra"
    extra.parent.mkdir()
    extra.touch()
    (bootstrap.ROOT / "pyproject.toml").write_text("other")
    commands = use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    assert extra.exists() and bootstrap.is_ready("core")
    assert not any("-m venv" in line for line in commands.asked)


def test_another_interpreter_starts_from_nothing(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    monkeypatch.setattr(bootstrap, "interpreter", lambda: "another")
    commands = use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    assert any("-m venv" in line for line in commands.asked)


def test_packages_that_do_not_import_are_not_ready(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    use(bootstrap, monkeypatch, "import textual")
    assert not bootstrap.is_ready("core")


@pytest.mark.parametrize(
    ("failing", "expected"),
    [
        ((), ["-m pip --python"]),
        (("--python",), ["site-packages/pip"]),
        (("-m pip",), ["-m pip"]),
    ],
)
def test_a_pip_is_found_however_the_machine_offers_one(
    bootstrap: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    failing: tuple[str, ...],
    expected: list[str],
) -> None:
    pytest.importorskip("pip")
    use(bootstrap, monkeypatch, *failing)
    assert expected[0] in " ".join(bootstrap.pip_command())


def test_without_any_pip_it_says_what_to_install(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(bootstrap, monkeypatch, "-m pip", "ensurepip")
    with pytest.raises(SystemExit) as ended:
        bootstrap.pip_command()
    assert ended.value.code == 2
    assert "python3-pip" in capsys.readouterr().err


def test_the_environments_own_python_leaves_the_work_to_the_one_that_made_it(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `.venv/bin` on the PATH it deleted itself, and its pip was nowhere."""
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    kept = bootstrap.VENV / "kept"
    kept.touch()
    monkeypatch.setattr(sys, "prefix", str(bootstrap.VENV))
    handed: list[list[str]] = []

    def take_over(_: str, arguments: list[str]) -> None:
        handed.append(arguments)
        raise SystemExit(0)

    monkeypatch.setattr(bootstrap.os, "execv", take_over)
    with pytest.raises(SystemExit):
        run(bootstrap, monkeypatch, "dev")
    ((maker, *rest),) = handed
    assert Path(maker).resolve() == Path(sys.executable).resolve() and rest == [str(SOURCE), "dev"]
    assert kept.exists()


def test_an_extra_is_added_to_a_ready_environment(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(bootstrap, monkeypatch)
    run(bootstrap, monkeypatch, "core")
    commands = use(bootstrap, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["bootstrap.py", "core", "serve"])
    bootstrap.main()
    assert [line for line in commands.asked if line.endswith(f"-e {bootstrap.ROOT}[serve]")]
