"""Where the small hostile data files are."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "data"
LOCOMO = FIXTURES / "hostile_locomo.json"
LONGMEMEVAL = FIXTURES / "hostile_longmemeval.json"
UNEQUAL = FIXTURES / "longmemeval_unequal_lists.json"
HOSTILE_LINES = FIXTURES / "hostile.jsonl"
TINY_LINES = FIXTURES / "tiny.jsonl"
POOL = FIXTURES / "session_pool.jsonl"
