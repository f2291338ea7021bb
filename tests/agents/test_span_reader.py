"""What the span reader takes out of shown text, and how sure it says it is."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runners.agents.contract import ShownBlock
from runners.agents.span_answers import MAX_TOKENS, clip
from runners.agents.span_question import understand
from runners.agents.span_reader import Reading, SpanReader
from runners.agents.span_text import BlockCache, parse, stem
from runners.datasets.synthetic import load
from runners.sessions import render_session


def read(question: str, *texts: str, dates: Sequence[str | None] = ()) -> Reading:
    reader = SpanReader(question, BlockCache())
    days = [*dates, *[None] * (len(texts) - len(dates))]
    reader.add(
        ShownBlock(f"t{i}", text, day)
        for i, (text, day) in enumerate(zip(texts, days, strict=True))
    )
    return reader.read()


def answer(question: str, *texts: str, dates: Sequence[str | None] = ()) -> str:
    best = read(question, *texts, dates=dates).best
    assert best is not None
    return best.answer


CHATTER = (
    "user: How do I keep slugs away from lettuce?\n"
    "assistant: Go out with a torch after dark. A mulch of straw helps too.\n"
    "user: Thanks, that is useful."
)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How much did I pay for my kayak?", "user: My kayak cost me $1,250 in the end.", "$1,250"),
        ("How many ducks do I have?", "user: I have 14 ducks and a dog by now.", "14"),
        ("How many ducks do I have?", "user: We have seven ducks on the pond.", "seven"),
        ("How long is my commute?", "user: My commute takes 45 minutes each way.", "45 minutes"),
        ("What time does my class start?", "user: My class starts at 6:45 pm sharp.", "6:45 pm"),
        ("What is my best time in the mile?", "user: I ran the mile in 6:02, my best.", "6:02"),
        ("Which day of the week is my class?", "user: My class is on Tuesday evenings.", "Tuesday"),
        ("What color is my shed?", "user: I painted the shed sage green.", "sage green"),
        ("Who gave me the clock?", "user: The clock was a present from Rosalind.", "Rosalind"),
        ("Who gave me the clock?", "user: Rosalind gave me the clock.", "Rosalind"),
        ("Which city does Omar live in?", "user: Omar moved to Porto in spring.", "Porto"),
        ("Where did I buy my lamp?", "user: I got my lamp at Brindle Lane.", "Brindle Lane"),
        (
            "Where do I keep my keys?",
            "user: I keep my keys in the blue tin, always.",
            "the blue tin",
        ),
        ("What is the name of my parrot?", "user: I have a parrot named Biscuit.", "Biscuit"),
        (
            "Which novel did Marta recommend?",
            'user: Marta told me to try the novel "Salt and Cinders".',
            "Salt and Cinders",
        ),
    ],
)
def test_each_sort_of_answer(question: str, text: str, expected: str) -> None:
    assert answer(question, CHATTER, text) == expected


@pytest.mark.parametrize(
    ("said", "told", "expected"),
    [
        ("yesterday", "2024-03-01T09:00", "29 February 2024"),
        ("two days ago", "2024-01-01T09:00", "30 December 2023"),
        ("last Monday", "2024-03-12T09:00", "11 March 2024"),
        ("last Monday", "2024-03-11T09:00", "4 March 2024"),
        ("a week ago", "2024-03-12T09:00", "5 March 2024"),
        ("on May 7, 2023", "2024-03-12T09:00", "7 May 2023"),
        ("on the 7th of May", "2023-07-12T09:00", "7 May 2023"),
        ("on 7 May 2022", None, "7 May 2022"),
    ],
)
def test_dates_are_read_against_the_day_of_the_block(
    said: str, told: str | None, expected: str
) -> None:
    text = f"user: I visited the harbor museum {said} with my class."
    assert answer("When did I visit the harbor museum?", text, dates=[told]) == expected


def test_a_past_event_without_a_date_has_the_day_of_its_session() -> None:
    text = "user: I went to the harbor museum and liked it."
    when = "When did I go to the harbor museum?"
    assert answer(when, text, dates=["2024-03-12T09:00"]) == "12 March 2024"
    wish = "user: When I go to the harbor museum, I want good light."
    assert read(when, wish, dates=["2024-03-12T09:00"]).confidence < 0.2


def test_the_newest_version_of_a_fact_wins() -> None:
    old = "user: My pottery class is on Monday evenings."
    new = "user: They moved my pottery class to Thursday evenings."
    question = "Which day of the week is my pottery class?"
    dates = ["2024-01-05", "2024-03-05"]
    assert answer(question, old, new, dates=dates) == "Thursday"
    assert answer(question, new, old, dates=dates[::-1]) == "Thursday"
    before = "Which day of the week was my pottery class previously?"
    assert answer(before, old, new, dates=dates) == "Monday"


def test_an_older_version_is_no_rival() -> None:
    old = "user: I pay $20 a month for my locker."
    new = "user: By now they charge $25 a month for my locker."
    both = read("How much do I pay for my locker?", old, new, dates=["2024-01-05", "2024-03-05"])
    assert both.best is not None and both.best.answer == "$25"
    assert both.rival is None


def test_what_the_assistant_said_is_asked_for() -> None:
    text = (
        "user: My aunt bakes the fish pie for 20 minutes.\n"
        "assistant: Give the fish pie 38 minutes on the middle shelf."
    )
    assert answer("How long did you tell me to bake the fish pie?", text) == "38 minutes"


def test_somebody_elses_affairs_count_less() -> None:
    other = "user: My cousin paid $310 for a kayak last year."
    mine = "user: I spent $85 on my kayak and love it."
    question = "How much did I pay for my kayak?"
    assert answer(question, other, mine) == "$85"
    assert read(question, other).confidence < read(question, mine).confidence


def test_a_speaker_by_name_speaks_of_herself() -> None:
    text = "Marta: I moved to Ghent in May.\nOmar: Great, I live in Lyon."
    assert answer("Which city does Marta live in?", text) == "Ghent"


def test_two_steps_over_a_name() -> None:
    reading = read(
        "Which city does the person who gave me the chess set live in?",
        "user: Mateo surprised me with the chess set when I moved.",
        "user: Mateo has settled in Bergen and loves it.",
        "user: Hugo has settled in Lyon and loves it.",
    )
    assert reading.best is not None
    assert (reading.best.answer, reading.best.via) == ("Bergen", "Mateo")


def test_a_choice_is_made_by_the_days() -> None:
    first = "user: I went to the toy museum yesterday."
    second = "user: I went to the glass museum yesterday."
    dates = ["2024-03-12", "2024-01-12"]
    which = "Which did I visit first, the toy museum or the glass museum?"
    assert answer(which, first, second, dates=dates) == "glass museum"
    last = "Which did I visit last, the toy museum or the glass museum?"
    assert answer(last, first, second, dates=dates) == "toy museum"
    # Half the evidence is no evidence.
    assert read(which, first, dates=dates[:1]).confidence < 0.5


def test_a_close_rival_costs_confidence() -> None:
    one = "user: I got a tent at Vantry."
    other = "user: I got a tent at Pellworth."
    question = "Where did I get my tent?"
    assert read(question, one, other).confidence < 0.6 * read(question, one).confidence


def test_nothing_shown_or_nothing_that_matches() -> None:
    empty = read("Where did I buy my lamp?")
    assert empty.best is None and empty.confidence == 0.0
    nothing = read("Where did I buy my lamp?", "user: Slugs hate copper.")
    assert nothing.best is None and nothing.confidence == 0.0


def test_blocks_are_counted_once() -> None:
    reader = SpanReader("Where is it?", BlockCache())
    block = ShownBlock("t", "user: It is in the attic.", None)
    assert reader.add([block, block]) == 1
    assert reader.add([block]) == 0
    assert reader.blocks == 1


def test_the_order_of_blocks_does_not_matter() -> None:
    data = load()
    texts = [(s.id, render_session(s.turns), s.date) for s in list(data.sessions.values())[:60]]
    rng = random.Random(3)
    for item in data.items[::6]:
        readings = []
        for _ in range(2):
            rng.shuffle(texts)
            reader = SpanReader(item.question, BlockCache())
            reader.add(ShownBlock(*text) for text in texts)
            readings.append(reader.read())
        assert abs(readings[0].confidence - readings[1].confidence) < 1e-9, item.question


SOME_TEXT = st.text(
    alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Z", "S", "Cc"]), max_size=300
)


@settings(max_examples=150, deadline=None)
@given(SOME_TEXT, st.lists(SOME_TEXT, max_size=4), st.sampled_from([None, "2024-03-12", "soon"]))
def test_any_text_is_read_without_error(question: str, texts: list[str], day: str | None) -> None:
    reading = read(question, *texts, dates=[day] * len(texts))
    assert 0.0 <= reading.confidence <= 1.0
    if reading.best is not None:
        assert len(reading.best.answer.split()) <= MAX_TOKENS
        assert 0.0 <= reading.best.score <= 1.0


@given(
    st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), max_size=80),
    st.integers(0, 400),
)
def test_answers_are_at_most_thirty_words(chosen: list[str], at: int) -> None:
    assert len(clip(" ".join(chosen), at).split()) <= MAX_TOKENS


def test_long_hostile_blocks() -> None:
    texts = [
        "x" * 200_000,
        "user: " * 5_000,
        "a. " * 20_000,
        "\n" * 10_000,
        "今日は雨です。" * 2_000,
    ]
    reading = read("Where did I buy my lamp?", *texts)
    assert reading.best is None or reading.confidence < 0.5


def test_a_pasted_document_is_cut_into_sentences_of_bounded_size() -> None:
    sentences = parse("user: " + "word " * 5_000).sentences
    assert len(sentences) > 10
    assert max(len(sentence.text) for sentence in sentences) <= 1_200


def test_numbered_lists_and_titles_do_not_end_sentences() -> None:
    texts = [s.text for s in parse("assistant: 1. See Dr. Hale at 5 pm. 2. Rest.").sentences]
    assert texts == ["1. See Dr. Hale at 5 pm.", "2. Rest."]


def test_speakers_and_turns() -> None:
    block = parse("user: One. Two.\nmore of it.\nassistant: Three.\nOmar: Four.")
    assert [(s.text, s.speaker, s.turn) for s in block.sentences] == [
        ("One.", "user", 1),
        ("Two.", "user", 1),
        ("more of it.", "user", 1),
        ("Three.", "assistant", 2),
        ("Four.", "omar", 3),
    ]


@pytest.mark.parametrize(
    "forms",
    ["buy bought buys buying", "plant planted plants planting", "city cities", "moved moving"],
)
def test_word_forms_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


def test_questions_are_understood_from_their_wording() -> None:
    assert understand("How many days did it take?").unit == "day"
    assert understand("Which did I buy first, the pan or the pot?").options == ("pan", "pot")
    assert understand("What did you recommend for dinner?").to_assistant
    assert not understand("What did I cook for dinner?").to_assistant
    assert understand("What does my sister drive?").others
    assert understand("").terms == ()


def test_the_cache_is_bounded_and_shared() -> None:
    cache = BlockCache(characters=1_000)
    for number in range(50):
        cache.get(f"user: sentence number {number} of a hundred characters or so. " + "x" * 50)
    assert len(cache) <= 10
    assert cache.get("user: again") is cache.get("user: again")


def test_a_step_costs_little() -> None:
    """Twelve blocks of about 600 tokens: 7 ms unseen and 1 ms seen before, measured; with slack."""
    sessions = [s for s in load().sessions.values() if s.pool == "everyday"]
    texts = [
        "\n".join(render_session(s.turns) for s in sessions[i : i + 2]) for i in range(0, 24, 2)
    ]
    blocks = [ShownBlock(str(i), text, "2024-01-01") for i, text in enumerate(texts)]
    cache = BlockCache()
    spent = []
    for _ in range(3):
        start = time.process_time()
        reader = SpanReader("How much did I pay for my espresso machine?", cache)
        reader.add(blocks)
        reader.read()
        spent.append(time.process_time() - start)
    assert spent[0] < 0.1
    assert min(spent) < 0.02
