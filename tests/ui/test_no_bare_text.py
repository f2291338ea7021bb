"""Outside text can only reach a widget through the door: what would interpret it is not used at all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "memtui"
SOURCES = [
    *sorted(
        path for room in ("screens", "widgets", "views") for path in (ROOT / room).glob("*.py")
    ),
    ROOT / "app.py",
]
MARKUP = {"Static", "Label", "DataTable", "OptionList", "RichLog", "Markdown", "Tree", "Log"}
"""Textual widgets that read markup, or pass control bytes on."""


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_widget_that_reads_markup(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual.widgets"):
            assert not MARKUP.intersection(alias.name for alias in node.names)
    for call in calls(path):
        name = name_of(call)
        assert name not in ("from_markup", "from_ansi"), f"{path.name}:{call.lineno}"
        if name == "notify":
            literal = {word.arg: word.value for word in call.keywords}
            assert isinstance(literal.get("markup"), ast.Constant), f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_tooltip_border_title_or_title_takes_text(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    assert target.attr not in (
                        "tooltip",
                        "border_title",
                        "border_subtitle",
                        "title",
                    )
