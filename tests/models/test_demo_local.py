"""`memtui demo --local` says what is missing before it writes anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui import cli
from runners.models import local_server


def test_a_missing_model_leaves_no_run_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(local_server, "find_spec", lambda name: object())
    code = cli.main(["demo", "--local", "--plain", "--folder", str(tmp_path / "runs")])
    assert code == 2
    assert "memtui models install qwen2.5-coder-1.5b" in capsys.readouterr().err
    assert list((tmp_path / "runs").iterdir()) == []
