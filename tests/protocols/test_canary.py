"""The canary sings: planted leaks are found in every wrapping, clean text is not."""

from __future__ import annotations

import json

import pytest

from memtui.model import Turn
from runners.memory.contract import Haystack, Position
from runners.protocols.canary import identifiers, scan, scan_object
from tests.protocols.made_up import leaky


@pytest.mark.parametrize("marker", ["answer_", "_abs", "has_answer"])
def test_markers_are_found_in_text_and_bytes(marker: str) -> None:
    (leak, *_) = scan(f"before {marker} after", markers=[marker])
    assert leak.secret == marker
    assert marker in leak.context
    assert scan(f"x{marker}x".encode()) != ()


def test_a_secret_is_found_inside_json() -> None:
    secret = 'kiln "blå"\n'
    body = json.dumps({"messages": [{"content": f"it is {secret}"}]}).encode()
    assert [leak.secret for leak in scan(body, [secret])] == [secret]


def test_short_secrets_occur_by_chance_and_are_not_looked_for() -> None:
    assert scan("the cat sat", ["cat"]) == ()


def test_clean_text_is_clean() -> None:
    assert scan("The answer is absolutely in Arvika.", ["zyxgold"]) == ()


def test_objects_are_searched_to_the_bottom() -> None:
    turn = Turn("user", "tea", "a photo of zyxgold")
    nested = {"a": [{"b": (turn, {"c": {3, 4.5, None}})}]}
    assert [leak.secret for leak in scan_object(nested, ["zyxgold"])] == ["zyxgold"]
    assert scan_object({"has_answer": 1}) != ()
    clean = Haystack("k", (Position("0a1b2c3d4e5f", "0" * 64, "2024-01-01"),))
    assert scan_object(clean, ["zyxgold"]) == ()


def test_identifiers_are_sessions_and_items() -> None:
    assert {"answer_aa_1", "q1_abs", "noise_3"} <= identifiers(leaky())
