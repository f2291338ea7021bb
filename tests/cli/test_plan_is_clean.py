"""A plan names what a stranger's data set and configuration say: through the one door, like the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main

NASTY = "boats \x1b[2J\x1b]0;owned\x07 \u202e"


def test_a_plan_sends_nothing_to_the_terminal_but_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"type": "dataset", "name": NASTY, "notes": [NASTY]},
        {"type": "session", "id": "s1", "turns": [{"role": "user", "text": "At pier 7."}]},
        {"type": "question", "id": "q1", "question": "?", "answer": "7", "evidence": ["s1"]},
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    config = tmp_path / "plan.toml"
    config.write_text(
        '[data]\nname = "jsonl"\npath = "mine.jsonl"\n[ladder]\nscales = [0]\n'
        '[matrix]\nmemory = ["bm25"]\nagent = ["search-once"]\n'
    )
    assert main(["run", str(config), "--plan"]) == 0
    out = capfd.readouterr().out
    assert "boats" in out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)
