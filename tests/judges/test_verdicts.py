"""A model judge's reply: the strict reading and the published one, side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.judges.verdicts import Said, parse_official, parse_verdict

Y, N, U = Said.YES, Said.NO, Said.UNPARSABLE


@pytest.mark.parametrize(
    ("reply", "strict", "official"),
    [
        ("yes", Y, Y),
        ("Yes.", Y, Y),
        ("**Yes**", Y, Y),
        ('"yes"', Y, Y),
        ("No", N, N),
        ("no, yesterday it rained", N, Y),
        ("Yesterday it rained, so no", N, Y),
        ("Not correct", U, N),
        ("partially correct", U, N),
        ("Yes and no", U, Y),
        ("Yes. No.", U, Y),
        ("No\nYes", U, Y),
        ("<think>yes?</think>no", N, Y),
        ("<think>no</think>\n\nYes", Y, Y),
        ("<think>it could be yes", U, Y),
        ("", U, N),
        (None, U, N),
        ('{"verdict":"yes"}', Y, Y),
        ('```json\n{"verdict": "no", "why": "yes was expected"}\n```', N, Y),
        ('{"correct": true}', Y, N),
        ('{"correct": "maybe"}', U, N),
        ("예", U, N),
        ("The answers match. " * 150 + "yes", Y, Y),
        ("The answers match. " * 150, U, N),
        ("The response says Rome.\nVerdict: yes", Y, Y),
        ("I would not say yes", U, Y),
        ("yes - the response holds it", Y, Y),
        ("eyes", U, Y),
        ("n", U, N),
    ],
)
def test_yes_no(reply: str | None, strict: Said, official: Said) -> None:
    assert (parse_verdict(reply), parse_official(reply)) == (strict, official)


@pytest.mark.parametrize(
    ("reply", "strict", "official"),
    [
        ("CORRECT", Y, Y),
        ("Wrong.", N, N),
        ("INCORRECT", N, N),
        ("Not correct", U, Y),
        ("partially correct", U, Y),
        ('{"label": "CORRECT"}', Y, Y),
        ('{"label": "WRONG"}', N, N),
        ("The answer is CORRECT", Y, Y),
        ("CORRECT, not WRONG", U, N),
        ("", U, N),
    ],
)
def test_correct_wrong(reply: str, strict: Said, official: Said) -> None:
    words = "correct/wrong"
    assert (parse_verdict(reply, words), parse_official(reply, words)) == (strict, official)


@given(reply=st.text())
def test_any_reply_can_be_read(reply: str) -> None:
    for words in ("yes/no", "correct/wrong"):
        assert parse_verdict(reply, words) in Said
        assert parse_official(reply, words) in (Y, N)


@given(noise=st.text(alphabet="abcdfghijklm .,\n", max_size=40))
def test_a_last_word_counts_whatever_came_before(noise: str) -> None:
    assert parse_verdict(f"{noise}\nyes") in (Y, U)
    assert parse_verdict(f"{noise}\nyes") is not N
