"""The stand-in for a model: statements, names, titles and update decisions by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import Turn
from runners.memory import rule_extractor as rules


def test_statements_are_kept_with_their_speaker_and_turn() -> None:
    turns = [
        Turn("user", "Hi! We adopted a greyhound. Is that wise? Thanks a lot."),
        Turn("assistant", "Sure. Greyhounds need a coat in winter."),
        Turn("user", "We adopted a greyhound.", "a grey dog"),
        Turn("system", "Greyhounds are fast runners."),
    ]
    assert [(f.text, f.turn) for f in rules.facts(turns)] == [
        ("user: We adopted a greyhound.", 0),
        ("assistant: Greyhounds need a coat in winter.", 1),
        ("user: shares an image: a grey dog", 2),
    ]
    assert all(f.turn != 1 for f in rules.facts(turns, skip=("assistant", "system")))
    (cjk,) = rules.facts([Turn("user", "我去年在京都学会了做拉面，味道非常好。好吗？")])
    assert cjk.text.startswith("user: 我去年在京都")


def test_names_keywords_titles() -> None:
    said = "user: We adopted a greyhound called Biscuit from the shelter on Mill Road."
    assert rules.entities(said) == ["Biscuit", "Mill Road"]
    # A word that opens a sentence is taken along when a name follows: no list of names is consulted.
    assert rules.entities("Yesterday Ann flew to the Isle of Man.") == [
        "Yesterday Ann",
        "Isle of Man",
    ]
    assert rules.entities("Yesterday we flew to Man.") == ["Man"]
    assert rules.keywords(said, 3) == ["biscuit", "mill road", "greyhound"]
    assert rules.title(said) == "adopted greyhound called biscuit"
    assert rules.is_about_the_speaker(said) and not rules.is_about_the_speaker("user: Rain fell.")


@pytest.mark.parametrize(
    ("fact", "old", "decision"),
    [
        ("user: I live in Berlin.", [], ("ADD", None)),
        ("user: I live in Berlin.", ["user: Dogs bark loudly."], ("ADD", None)),
        ("user: I now live in Berlin.", ["user: I live in Paris."], ("UPDATE", 0)),
        ("user: I play the violin.", ["user: I eat rye.", "user: I play violin!"], ("NONE", 1)),
        ("user: I no longer play violin.", ["user: I play the violin."], ("DELETE", 0)),
        ("user: Rent costs 900 euros.", ["user: Rent costs 800 euros."], ("UPDATE", 0)),
        ("user: Rent costs 800 euros.", ["user: Rent costs 800 euros."], ("NONE", 0)),
    ],
)
def test_decisions(fact: str, old: list[str], decision: tuple[str, int | None]) -> None:
    assert rules.decide(fact, old) == decision


@given(st.lists(st.builds(Turn, st.sampled_from(["user", ""]), st.text(max_size=60)), max_size=4))
def test_never_raises_and_never_makes_words_up(turns: list[Turn]) -> None:
    found = rules.facts(turns)
    for fact in found:
        assert fact.text.removeprefix("user: ") in turns[fact.turn].text
    texts = [fact.text for fact in found]
    rules.summary(texts)
    for text in texts:
        rules.keywords(text)
        assert rules.decide(text, texts)[0] in ("ADD", "UPDATE", "DELETE", "NONE")
