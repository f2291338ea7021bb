"""The manual names every field, regime and end reason there is, and no other."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.metrics.regime import FLAGS
from memtui.model import EndReason, Regime
from memtui.query.fields import FIELDS
from memtui.query.grammar import read_terms
from memtui.query.language import field_names, parse
from memtui.query.manual import EXAMPLE

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def section(title: str) -> str:
    """The text of a section of the manual."""
    text = MANUAL.read_text(encoding="utf-8")
    start = text.index(f"## {title}\n")
    following = text.find("\n## ", start + 1)
    return text[start : following if following >= 0 else None]


def test_the_table_of_fields_is_made_from_the_language() -> None:
    spec = importlib.util.spec_from_file_location(
        "make_filters", MANUAL.with_name("make_filters.py")
    )
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    text = MANUAL.read_text(encoding="utf-8")
    assert maker.filled(text) == text, "run python docs/make_filters.py"
    assert all(f"| `{name}` | " in section("Filters") for name in field_names())
    assert parse('out:exhausted scale>=200 -arm:dense "free text"').tests


def test_the_twin_on_the_command_line_names_every_field_and_needs_no_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["failures", "--help-filter"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    for field in FIELDS:
        assert f"{field.name:<11} {field.help}" in said
    assert all(one in said for one in (*Regime, *EndReason, *FLAGS))
    assert max(map(len, said.splitlines())) <= 100


def test_the_example_of_an_empty_line_is_a_filter() -> None:
    terms = [term.field for term in read_terms(EXAMPLE)]
    assert "overshoot" in terms and "over" not in terms
    assert parse(EXAMPLE).tests


def test_regimes_flags_and_end_reasons_are_all_explained() -> None:
    text = section("Outcome at a budget B")
    for name in (*Regime, *EndReason, *FLAGS):
        assert f"`{name}`" in text or str(name) in ("pending", "excluded"), name
