"""Fixtures of the screens: invented run files and goldens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.screens import notices
from tests.ui.make_run import Story, write

GOLDENS = Path(__file__).parent / "goldens"


@pytest.fixture(autouse=True)
def plain_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nothing of the developer's terminal or configuration may change a golden, nor be changed."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp("home")))
    for name in ("NO_COLOR", "TEXTUAL_THEME", "MEMTUI_THEME", "TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMTUI_CLIPBOARD", "osc52")


@pytest.fixture
def lasting_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said is still there when a slow machine comes to look at it."""
    for level in notices.SECONDS:
        monkeypatch.setitem(notices.SECONDS, level, 600.0)


@pytest.fixture(scope="session")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: 12 questions x 5 scales x 6 arms."""
    path = tmp_path_factory.mktemp("run") / "invented.memtui"
    return asyncio.run(write(path, Story(items=12)))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden of a name, or writes it under `--update-goldens`."""
    update: bool = request.config.getoption("--update-goldens")

    def compare(name: str, shown: str) -> None:
        path = GOLDENS / f"{name}.txt"
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(shown + "\n", encoding="utf-8")
            return
        assert path.exists(), f"no golden {path.name}: run pytest --update-goldens and look at it"
        assert shown + "\n" == path.read_text(encoding="utf-8")

    return compare
