"""What the documents say of data is what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from runners.datasets.contract import DataSet
from runners.datasets.jsonl import load_jsonl
from runners.datasets.jsonl_rows import KEYS, QUESTION, SESSION
from runners.datasets.rules import RULES
from runners.protocols.scale import ScaleOptions, ScalePlan

DOCS = Path(__file__).resolve().parents[2] / "docs"
BRING = (DOCS / "bring-your-own-data.md").read_text(encoding="utf-8")
ADDING = (DOCS / "adding-a-benchmark.md").read_text(encoding="utf-8")


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document, re.DOTALL)


def test_every_rule_is_documented() -> None:
    assert [rule for rule in RULES if f"`{rule}`" not in BRING] == []


def test_every_key_of_the_format_is_documented() -> None:
    named = set(re.findall(r"`(\w+)`", BRING))
    assert KEYS[SESSION] | KEYS[QUESTION] <= named


def test_the_example_of_the_format_loads(tmp_path: Path) -> None:
    (example,) = blocks(BRING, "json")
    rows, rest = [], example.strip()
    while rest:
        row, end = json.JSONDecoder().raw_decode(rest)
        rows.append(row)
        rest = rest[end:].lstrip()
    path = tmp_path / "diary.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    dataset = load_jsonl(path)
    assert (dataset.name, len(dataset.items), len(dataset.sessions)) == ("diary", 1, 1)
    assert dataset.counts["span_answerable"] == 1
    assert not [found for found in dataset.findings if found.severity != "info"]


def test_the_example_loader_can_be_planned(tmp_path: Path) -> None:
    code = next(block for block in blocks(ADDING, "python") if "def load_diary" in block)
    namespace: dict[str, Any] = {}
    exec(compile(code, "adding-a-benchmark.md", "exec"), namespace)
    dataset = namespace["load_diary"](tmp_path)
    assert isinstance(dataset, DataSet)
    plan = ScalePlan(dataset, ["bm25/search-once"], ScaleOptions(scales=(0.0,)), salt="s")
    assert plan.planned == 1
