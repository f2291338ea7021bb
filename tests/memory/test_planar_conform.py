"""The systems of facts keep the contract with a model that answers, and say so with one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from memtui.errors import UserError
from runners.memory.conformance import FAILED, check_system
from runners.memory.conformance_bench import Bench
from runners.memory.conformance_material import TOPICS, topical
from runners.memory.needs import LLM
from runners.memory.planar.rule_replies import reply
from runners.memory.registry import build

SYSTEMS: list[tuple[str, dict[str, Any]]] = [
    ("openclaw", {"mode": "loop", "k": 12}),
    ("memos-text", {}),
    ("mem0-v1", {}),
    ("mem0-v2", {"mode": "single_shot"}),
    ("memos-tree", {}),
    ("memos-tree", {"search": "fast", "bm25": True}),
    ("memos-tree", {"reorganise": True, "cluster_least": 4, "cluster_most": 8}),
    (
        "memos-tree",
        {"extractor": "rules", "reorganise": True, "cluster_least": 4, "cluster_most": 8},
    ),
]
EXTRACTING = ["memos-text", "mem0-v1", "mem0-v2", "memos-tree"]


@pytest.mark.parametrize(("name", "options"), SYSTEMS)
async def test_conformance_with_a_model(name: str, options: dict[str, Any]) -> None:
    report = await check_system(lambda: build(name, options), responder=reply)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", EXTRACTING)
async def test_a_memory_that_no_model_filled_is_an_empty_one(name: str) -> None:
    report = await check_system(lambda: build(name))
    broken = {check.rule for check in report.checks if check.status == FAILED}
    assert "memory is filled" in broken
    assert broken <= {"memory is filled", "scripts without spaces", "door calls are declared"}


@pytest.mark.parametrize("name", EXTRACTING)
async def test_unreadable_replies_are_counted_beside_every_search(name: str) -> None:
    bench = Bench(lambda: build(name))
    view = await bench.open(topical())
    result = await view.call("memory_search", {"query": TOPICS[0]})
    assert not result.hits
    assert result.data == {"extractions_unreadable": 8, "extractions": 8}
    assert bench.door.counts["ingest", "complete"] == 16, "each asked once more with what was wrong"


@pytest.mark.parametrize("name", EXTRACTING)
async def test_a_content_is_extracted_once_for_all_haystacks(name: str) -> None:
    bench = Bench(lambda: build(name), reply)
    sessions = topical()
    artifacts = await bench.prepare(sessions + sessions)
    await bench.prepare(sessions)
    asked = len(bench.door.asked)
    assert asked == len(sessions)
    for size in (3, 8):
        await bench.open(sessions[:size], artifacts=artifacts)
    decided = 11 if name == "mem0-v1" else 0
    assert len(bench.door.asked) == asked + decided, (
        "only what depends on the haystack is asked again"
    )


@pytest.mark.parametrize("name", EXTRACTING)
def test_who_extracts_is_declared_and_needed(name: str) -> None:
    by_model, by_rule = build(name), build(name, {"extractor": "rules"})
    assert by_model.info.config["extractor"] == "model" and LLM in by_model.info.needs
    assert by_rule.info.config["extractor"] == "rules" and by_rule.info.needs == ("model:minilm",)
    assert by_model.info.form == "derived" and by_model.info.provenance == "full"
    with pytest.raises(UserError, match="extractor must be one of model, rules"):
        build(name, {"extractor": "magic"})
    once = build(name, {"mode": "single_shot"})
    assert once.info.mode == once.info.config["mode"] == "single_shot"
    assert once.tools()[0].description != by_model.tools()[0].description
