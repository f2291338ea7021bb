"""The deterministic judge: what it accepts, what takes an answer back, and what it leaves unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import Label
from runners.judges.contract import Case
from runners.judges.deterministic import DeterministicJudge, decide

WHERE = "Where does the society meet?"


def verdict(
    gold: str | None, answer: str | None, question: str = WHERE, qtype: str = "single-session-user"
) -> tuple[Label, str]:
    found = decide(Case(question, gold, answer, qtype, True))
    return found.label, found.reason


def says(gold: str, answer: str, question: str = WHERE) -> bool:
    label = verdict(gold, answer, question)[0]
    assert label is not Label.UNKNOWN
    return label is Label.RIGHT


def test_what_it_leaves_unknown() -> None:
    assert verdict(None, "x") == (Label.UNKNOWN, "no_gold")
    assert verdict("  ", "x") == (Label.UNKNOWN, "no_gold")
    rubric = "single-session-preference"
    assert verdict("The user would like …", "x", qtype=rubric) == (Label.UNKNOWN, "rubric")


@pytest.mark.parametrize("answer", [None, "", "   ", "…", "\u200b", "?!"])
def test_an_empty_answer_is_wrong_never_contained(answer: str | None) -> None:
    for gold in ("The", "A", "Paris", "2"):
        assert verdict(gold, answer) == (Label.WRONG, "no_answer")
    case = Case("Q", None, answer, "adversarial", False)
    assert decide(case).label is Label.WRONG


def test_a_short_gold_is_a_word_not_a_piece_of_one() -> None:
    assert says("Art", "It is called Art.")
    assert not says("Art", "It is called Martha.")
    how_many = "How many boats are there?"
    assert says("2", "There are 2 boats.", how_many)
    for answer in ("There are 12 boats.", "There are 2.5 boats.", "20", "In 2002 there were some."):
        assert not says("2", answer, how_many)


def test_negation_takes_a_match_back() -> None:
    for answer in (
        "not in the library",
        "They did not meet in the library.",
        "Anywhere except the library",
        "In the museum instead of the library",
        "The library is wrong.",
        "The library was not the place.",
        "I don't think it was the library.",
    ):
        assert not says("the library", answer), answer
    for answer in (
        "Not in the museum but in the library",
        "They don't meet in the museum, they meet in the library.",
        "Not only on Mondays: in the library",
        "I am not sure, but I think in the library.",
        "No doubt in the library",
    ):
        assert says("the library", answer), answer


def test_several_candidates_are_no_answer() -> None:
    assert not says("the library", "the library or the museum")
    assert not says("the library", "the museum or the library")
    assert not says("the library", "museum, library, school, church, park, cafe, station")
    assert says("the library or the museum", "the library or the museum, it depends")


def test_a_page_that_holds_the_gold_somewhere_did_not_answer() -> None:
    filler = "We talked about a great many other things that day, as one does. " * 60
    long = filler + "They met in the library that time. " + filler
    assert len(long) > 4_000
    assert verdict("the library", long) == (Label.WRONG, "too_long")
    assert says("the library", filler + "So they meet in the library.")
    assert says("the library", "In the library. " + filler)


def test_parts_of_a_list_in_any_order_but_all_of_them() -> None:
    q = "Which tools did she buy?"
    assert says("saw, plane, and chisel", "a chisel, a plane and a saw", q)
    assert says("saw, plane, and chisel", "- Chisel\n- Saw\n- Plane", q)
    assert not says("saw, plane, and chisel", "saw and plane", q)
    assert not says("two saws and a plane", "a saw and two planes", q)


def test_an_order_is_kept_where_it_is_asked_for() -> None:
    q = "In what order did she buy the tools, from first to last?"
    assert says("saw, plane, chisel", "First a saw, then a plane, finally a chisel", q)
    assert not says("saw, plane, chisel", "plane, saw, chisel", q)


def test_vaguer_dates_are_wrong_more_exact_ones_right() -> None:
    q = "When did they meet?"
    assert verdict("7 May 2023", "in May 2023", q) == (Label.WRONG, "vaguer_date")
    assert verdict("7 May 2023", "8 May 2023", q) == (Label.WRONG, "other_date")
    assert verdict("7 May 2023", "yesterday", q) == (Label.WRONG, "no_date")
    assert verdict("May 2023", "May 7, 2023", q) == (Label.RIGHT, "date")
    assert says("7 May 2023", "on 7 May", q)
    assert not says("2023", "in May", q)
    seen = decide(Case(q, "7 May 2023", "two weeks ago", "temporal", True, "2023-05-21"))
    assert seen.label is Label.RIGHT
    seen = decide(Case(q, "7 May 2023", "two weeks ago", "temporal", True, None))
    assert seen.label is Label.WRONG


def test_the_alternatives_a_gold_allows() -> None:
    q = "How many days did it take?"
    gold = "12 days. 13 days (including the last day) is also acceptable."
    assert says(gold, "13", q) and says(gold, "twelve days", q) and not says(gold, "14 days", q)
    gold = "One week. Answers ranging from 7 days to 10 days are also acceptable."
    q = "How long did it take?"
    assert says(gold, "9 days", q) and not says(gold, "11 days", q) and says(gold, "a week", q)
    assert says("31 minutes and 20 seconds (or 31:20)", "31:20", "What was the time?")


def test_yes_and_no() -> None:
    q = "Did she sell the shop?"
    for answer in (
        "Yes",
        "yes, in May",
        "I think so? Yes.",
        "Definitely",
        "She did sell the shop.",
    ):
        assert says("Yes", answer, q), answer
    for answer in (
        "No",
        "Not yet",
        "Yes and no",
        "Yesterday",
        "She never sold the shop.",
        "Unlikely",
    ):
        assert not says("Yes", answer, q), answer
    assert verdict("Yes", "Yes and no.", q) == (Label.WRONG, "ambiguous_polarity")
    # A title that begins with a polar word is no yes-or-no gold.
    assert not says("Never Say Die", "No", "Which song is on the list?")


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("You never mentioned a cello.", True),
        ("There isn't enough information to say.", True),
        ("I don't know", True),
        ("No information available", True),
        ("Not mentioned", True),
        ("You told me about a violin; a cello never came up.", True),
        ("Two years", False),
        ("I'm not sure, but it was probably two years.", False),
        ("It is not stated. My best guess is two years.", False),
        ("She does not know how to play it.", False),
    ],
)
def test_unanswerable(answer: str, right: bool) -> None:
    case = Case("How long has she played the cello?", None, answer, "adversarial", False)
    assert (decide(case).label is Label.RIGHT) is right


def test_the_tempting_answer_is_wrong_even_with_a_hedge() -> None:
    q = "Why did Ana sell the shop?"
    for answer in (
        "to travel",
        "To travel, I think.",
        "It is not mentioned. She sold it to travel.",
    ):
        case = Case(q, None, answer, "adversarial", False, tempting="to travel")
        assert decide(case).reason == "tempting", answer
    case = Case(
        q,
        None,
        "Ana is not said to have sold it to travel.",
        "adversarial",
        False,
        tempting="to travel",
    )
    assert decide(case).label is Label.RIGHT


def test_declining_an_answerable_question_is_wrong() -> None:
    assert verdict("the library", "There is no mention of that.") == (Label.WRONG, "abstained")
    assert verdict("the library", "I don't know.") == (Label.WRONG, "abstained")


@given(
    question=st.text(max_size=60),
    gold=st.none() | st.text(max_size=40),
    answer=st.none() | st.text(max_size=120),
    answerable=st.booleans(),
    tempting=st.none() | st.text(max_size=20),
    date=st.none() | st.text(max_size=12) | st.dates().map(str),
)
def test_any_case_has_one_verdict(
    question: str,
    gold: str | None,
    answer: str | None,
    answerable: bool,
    tempting: str | None,
    date: str | None,
) -> None:
    case = Case(question, gold, answer, "t", answerable, date, tempting)
    first = decide(case)
    assert first.reason and first == decide(case)
    if not (answer or "").strip():
        assert first.label is not Label.RIGHT


@given(gold=st.text(alphabet="abcdefghij ,.'-0123456789", min_size=1, max_size=40))
def test_a_gold_given_back_is_right(gold: str) -> None:
    found = decide(Case("What was it?", gold, gold, "t", True))
    assert found.label is not Label.WRONG


async def test_the_judge_is_its_rules_and_says_its_version() -> None:
    judge = DeterministicJudge()
    assert judge.id == "deterministic-v1"
    assert (await judge.judge(Case("Q", "Paris", "Paris", "t", True))).label is Label.RIGHT


def test_very_long_answers_take_little_work() -> None:
    assert verdict("the library", "word " * 200_000)[0] is Label.WRONG
    assert verdict("Yes", "- . ! " * 100_000, "Did she?")[0] is Label.WRONG
