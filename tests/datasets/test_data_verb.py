"""`memtui data` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main
from runners.datasets.jsonl import load_jsonl
from tests.datasets.places import HOSTILE_LINES, LOCOMO, LONGMEMEVAL, TINY_LINES


def test_lint_prints_rules_and_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "lint", str(LOCOMO)]) == 0
    out = capsys.readouterr().out
    assert "evidence-dangling" in out
    assert "conv-7/12" in out
    assert "NOT the official file" in out


def test_lint_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "lint", str(LONGMEMEVAL), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rules = {rule["rule"]: rule for rule in document["rules"]}
    assert rules["evidence-late"]["ids"] == ["q_late"]
    assert rules["evidence-late"]["count"] == 1


@pytest.mark.parametrize(
    ("file", "options", "code"),
    [
        (LOCOMO, ["--fail"], 1),
        (TINY_LINES, ["--fail", "warning"], 1),
        (LONGMEMEVAL, ["--fail", "error"], 1),
    ],
)
def test_lint_fails_only_when_asked(
    file: Path, options: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "lint", str(file)]) == 0
    assert main(["data", "lint", str(file), *options]) == code
    capsys.readouterr()


def test_lint_of_a_clean_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clean.jsonl"
    path.write_text(
        '{"id": "s", "date": "2024-05-01", "turns": [{"role": "user", "text": "I like rye."}]}\n'
        '{"id": "q", "question": "What do I like?", "answer": "rye", "evidence": ["s"]}\n'
    )
    assert main(["data", "lint", str(path), "--fail", "info"]) == 0
    assert "nothing to report" in capsys.readouterr().out


def test_a_file_of_no_known_shape_exits_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    assert main(["data", "lint", str(path)]) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "not a data set" in err


def test_convert_writes_what_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine.jsonl"
    assert main(["data", "convert", str(LONGMEMEVAL), str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["counts"]["items"] == 8
    assert told["findings"]["evidence-late"] == 1
    assert len(load_jsonl(out).items) == 8
    assert main(["data", "convert", str(LONGMEMEVAL), str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["data", "convert", str(LONGMEMEVAL), str(out), "--overwrite"]) == 0


def test_convert_refuses_bad_lines_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.jsonl"
    assert main(["data", "convert", str(HOSTILE_LINES), str(out)]) == 3
    assert "line 5" in capsys.readouterr().err
    assert not out.exists()
    assert main(["data", "convert", str(HOSTILE_LINES), str(out), "--skip-bad-lines"]) == 0
    assert "line-bad: 1" in capsys.readouterr().out


def test_list_names_every_data_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    assert main(["data", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["data_sets"]}
    assert rows["locomo"]["pinned"] is True
    assert rows["locomo"]["there"] is False
    assert rows["synthetic"]["source"] is None


def test_get_of_an_unknown_name_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "get", "locomoo"]) == 2
    assert "known: locomo" in capsys.readouterr().err
