"""The manual names every field, regime and end reason there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.metrics.regime import FLAGS
from memtui.model import EndReason, Regime
from memtui.query.language import field_names, parse

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def section(title: str) -> str:
    """The text of a section of the manual."""
    text = MANUAL.read_text(encoding="utf-8")
    start = text.index(f"## {title}\n")
    following = text.find("\n## ", start + 1)
    return text[start : following if following >= 0 else None]


def test_the_filter_table_names_every_field() -> None:
    rows = re.findall(r"^\| (`.*?) \|", section("Filters"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([a-z]+)`", row)]
    assert sorted(named) == sorted(field_names())
    assert parse('out:exhausted scale>=200 -arm:dense "free text"').tests


def test_regimes_flags_and_end_reasons_are_all_explained() -> None:
    text = section("Outcome at a budget B")
    for name in (*Regime, *EndReason, *FLAGS):
        assert f"`{name}`" in text or str(name) in ("pending", "excluded"), name
