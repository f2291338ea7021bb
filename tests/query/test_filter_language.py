"""The filter language: predicate and SQL agree, hostile text is literal, errors help."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.metrics.outcome import outcome
from memtui.metrics.regime import FLAGS
from memtui.model import EndReason, Outcome, Regime
from memtui.query.errors import QueryError
from memtui.query.facets import facets
from memtui.query.fields import BY_NAME, FIELDS, Kind
from memtui.query.grammar import quoted, read_terms
from memtui.query.language import MOST_WORDS, conditional_on, field_names, parse
from memtui.query.sorting import parse_order
from memtui.query.subject import Environment, Subject, subject_of
from memtui.state.fold_facts import count_signatures
from memtui.store.packed_facts import PackedFacts
from memtui.store.passing_ids import passing_ids
from memtui.store.reader import RunReader, open_run
from memtui.store.side_file import NO_MARKS, Marks
from tests.report.generated_run import ARMS, HOSTILE, RunFile, anything

CONTEXT = frozenset({ARMS[2]})
NOTED = "bm25/search-once|q0|scale=0|seed=1|r817"
MARKED = Marks(
    bad_gold=frozenset({"q0", "q11", "no such question"}),
    notes={NOTED: "\x1b[2J"},
    bookmarks=frozenset({NOTED, "gone"}),
)


class World:
    """A generated file with all its episodes read."""

    def __init__(self, path: Path) -> None:
        self.reader: RunReader = open_run(path)
        found = [subject_of(self.reader, number) for number in self.reader.episode_ids()]
        self.subjects = [subject for subject in found if subject is not None]
        self._facts: dict[tuple[str, frozenset[str]], PackedFacts] = {}

    def by_sql(self, text: str, environment: Environment) -> list[int]:
        where, params = parse(text).where(environment)
        return self.reader.episode_ids(where, params, judge=environment.judge)

    def from_memory(self, text: str, environment: Environment) -> list[int]:
        """As the app does: what the facts in memory can tell is not asked of the file."""
        judge, left_out = environment.judge, environment.left_out
        self.reader.leave_out(left_out)
        try:
            facts = self._facts.get((judge, left_out))
            if facts is None:
                facts = self._facts[judge, left_out] = self.reader.packed_facts(judge)
            conditions = parse(text).conditions(environment)
            return sorted(passing_ids(self.reader, facts, conditions, judge))
        finally:
            self.reader.leave_out(())

    def by_predicate(self, text: str, environment: Environment) -> list[int]:
        query = parse(text)
        return [s.row.id for s in self.subjects if query.matches(s, environment)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(anything(tmp_path_factory.mktemp("runs") / "any.memtui"))


ENVIRONMENTS = st.builds(
    Environment,
    st.integers(0, 5),
    st.sampled_from(["post_hoc", "hard"]),
    st.sampled_from(["deterministic-1", "other-judge", "nobody"]),
    st.sampled_from([frozenset(), CONTEXT]),
    st.sampled_from([NO_MARKS, MARKED]),
    st.sampled_from([frozenset(), MARKED.bad_gold]),
)
NUMBERS = [field.name for field in FIELDS if field.kind is Kind.NUMBER]


@st.composite
def words(draw: st.DrawFn) -> str:
    field = draw(st.sampled_from(FIELDS))
    if field.kind is Kind.NUMBER:
        value = draw(
            st.sampled_from(["0", "1", "2", "100", "0.5", "1k", "none", "1..3", "..2", "3.."])
        )
        plain = value.replace(".", "").replace("k", "").isdigit() and ".." not in value
        sign = draw(st.sampled_from([":", "!=", "<", "<=", ">", ">="] if plain else [":", "!="]))
    elif field.kind is Kind.CHOICE:
        value, sign = draw(st.sampled_from(field.choices)), draw(st.sampled_from([":", "!="]))
    elif field.kind is Kind.FLAG:
        ours = ["bad_gold", "judges_differ", *FLAGS]
        value = draw(
            st.sampled_from(
                field.choices or [*ours, "span_answerable", "evidence-empty", "no-such-flag"]
            )
        )
        sign = ":"
    else:
        value, sign = draw(st.sampled_from(["e", "bm25", "Q1", "temporal", "conv-3", "/"])), ":"
    if field.name == "scale" and draw(st.booleans()):
        value, sign = "own", draw(st.sampled_from([":", "!="]))
    more = "," + value if draw(st.booleans()) else ""
    return draw(st.sampled_from(["", "-"])) + field.name + sign + value + more


TEXTS = st.sampled_from(["gold", "AN ANSWER", "boom", *HOSTILE]).map(quoted)


@given(words(), ENVIRONMENTS)
@example(
    "flag:gave_up_early",
    Environment(1, judge="deterministic-1", left_out=MARKED.bad_gold),
)
@settings(max_examples=400, deadline=None)
def test_every_field_means_the_same_as_predicate_and_as_sql(
    world: World, text: str, environment: Environment
) -> None:
    found = world.by_sql(text, environment)
    assert found == world.by_predicate(text, environment)
    assert found == world.from_memory(text, environment)


@given(st.lists(st.one_of(words(), TEXTS), max_size=4).map(" ".join), ENVIRONMENTS)
@settings(max_examples=150, deadline=None)
def test_so_do_their_combinations(world: World, text: str, environment: Environment) -> None:
    found = world.by_sql(text, environment)
    assert found == world.by_predicate(text, environment)
    assert found == world.from_memory(text, environment)


@pytest.mark.parametrize(
    "text",
    [
        "cov:partial type:temporal",
        "out:exhausted -arm:dense scale>=100",
        "regime:wrong answerable:yes calls>1",
        "verdict:right stored:no",
    ],
)
def test_what_the_facts_can_tell_is_not_looked_for_among_the_episodes_of_the_file(
    world: World, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(2, judge="deterministic-1")
    expected = world.by_sql(text, environment)
    world.from_memory(text, environment)
    monkeypatch.setattr(RunReader, "episode_ids", None)
    assert world.from_memory(text, environment) == expected != []


@given(
    st.text(max_size=30) | st.text(alphabet='"-:=<>!,. ab_%\\\0\ud800', max_size=12), ENVIRONMENTS
)
@settings(max_examples=300, deadline=None)
def test_no_text_raises_anything_but_a_filter_error(
    world: World, text: str, environment: Environment
) -> None:
    try:
        query = parse(text)
    except QueryError as error:
        assert error.exit_code == 2 and "\n" not in str(error).replace(text, "")
        assert 0 <= error.start <= error.end <= len(text)
        return
    where, params = query.where(environment)
    by_sql = world.reader.episode_ids(where, params, judge=environment.judge)
    assert by_sql == [s.row.id for s in world.subjects if query.matches(s, environment)]


@pytest.mark.parametrize("text", HOSTILE)
def test_typed_text_is_literal(world: World, text: str) -> None:
    found = world.by_sql(quoted(text), Environment(2))
    literal = text.replace('"', "") or '"'
    expected = [
        s.row.id
        for s in world.subjects
        if any(
            literal.lower() in (t or "").lower()
            for t in (s.row.question, s.row.gold, s.row.answer, s.row.error)
        )
    ]
    assert found == expected != []


@pytest.mark.parametrize(
    "text", ["multi-agent", "don't", "500 Mbps?", "NEAR(", "a AND", "C++", "100%", "20.04"]
)
def test_typed_words_need_no_quotes(world: World, text: str) -> None:
    found = world.by_sql(text, Environment(2))
    assert found
    for word in text.split():
        assert set(found) <= set(world.by_sql(f'"{word}"', Environment(2)))


def test_wildcards_of_like_mean_themselves(world: World) -> None:
    environment = Environment(2)
    for text in ("100%", "a_b", "\\%_"):
        for number in world.by_sql(text, environment):
            row = next(s.row for s in world.subjects if s.row.id == number)
            assert any(text in (t or "") for t in (row.question, row.gold, row.answer, row.error))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("regme:exhausted", "did you mean regime"),
        ("out:exhaused", "did you mean exhausted"),
        ("out>pass", "is no number"),
        ("calls:many", "needs a number"),
        ("scale:", "needs a value"),
        ("foo:bar", "choose from out"),
        ("calls>1..3", "needs a number"),
        ("calls:..", "needs an end"),
        ("scale>own", "write scale:own"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(text: str, hint: str) -> None:
    with pytest.raises(QueryError) as error:
        parse(f"bm25 {text}")
    assert hint in str(error.value)
    assert error.value.start == 5


@pytest.mark.parametrize("word", ["word", "-word", "-regime:wrong_none", "flag:redundant"])
def test_a_whole_paragraph_is_no_fault_of_the_file(world: World, word: str) -> None:
    world.by_sql(f"{word} " * MOST_WORDS, Environment(2))
    with pytest.raises(QueryError, match="at most"):
        parse(f"{word} " * (MOST_WORDS + 1))
    with pytest.raises(QueryError, match="at most"):
        parse("arm:" + ",".join(["a"] * (MOST_WORDS + 1)))


def test_terms() -> None:
    found = read_terms(
        'out:exhausted scale>=200 -arm:dense "free text" -"no" type:a,"b c" http://x'
    )
    assert [(t.field, t.operator, t.values, t.negated) for t in found] == [
        ("out", ":", ("exhausted",), False),
        ("scale", ">=", ("200",), False),
        ("arm", ":", ("dense",), True),
        (None, ":", ("free text",), False),
        (None, ":", ("no",), True),
        ("type", ":", ("a", "b c"), False),
        (None, ":", ("http://x",), False),
    ]
    assert read_terms('"open end') and read_terms("   ") == [] and read_terms("-") != []


@given(
    st.text(alphabet=st.characters(exclude_characters='"', exclude_categories=["Cs"]), min_size=1)
)
def test_quoting_makes_any_value_literal(text: str) -> None:
    terms = read_terms(quoted(text))
    assert len(terms) == 1 and terms[0].values == (text,)
    assert terms[0].field is None and not terms[0].negated


def test_examples_of_the_manual(world: World) -> None:
    environment = Environment(2, judge="deterministic-1", context_arms=CONTEXT)
    for text in (
        "out:exhausted",
        "regime:exhausted_covered",
        "scale>=200",
        "over>0",
        "arm:bm25",
        "cov:partial",
        "stored:no",
        "type:temporal",
        "flag:redundant",
        "-arm:dense",
        "length>5",
        "scale:own",
    ):
        found = world.by_sql(text, environment)
        assert 0 < len(found) < len(world.subjects), text
        assert found == world.by_predicate(text, environment)
    everything = [s.row.id for s in world.subjects]
    assert world.by_sql("", environment) == everything
    either = world.by_sql("out:pass,wrong", environment)
    assert either == sorted(
        world.by_sql("out:pass", environment) + world.by_sql("out:wrong", environment)
    )
    assert set(world.by_sql("scale!=100,200", environment)).isdisjoint(
        world.by_sql("scale:100,200", environment)
    )
    groups = [world.by_sql(f"regime:{r.value}", environment) for r in Regime]
    assert sum(map(len, groups)) >= len(everything)
    assert len(world.by_sql("out:exhausted", environment)) == len(
        world.by_sql("regime:exhausted", environment)
    )


def test_what_a_reader_added_can_be_asked_for(world: World) -> None:
    environment = Environment(2, judge="deterministic-1", marks=MARKED)
    everything = {s.row.id: s for s in world.subjects}
    flagged = world.by_sql("flag:bad_gold", environment)
    assert flagged == world.by_sql("has:flag", environment) != []
    assert {everything[i].item.key for i in flagged} == {"q0", "q11"}
    assert world.by_sql("has:note", environment) == world.by_sql("has:bookmark", environment)
    assert {everything[i].row.key for i in world.by_sql("has:note", environment)} <= {NOTED}
    assert world.by_sql("has:note", Environment(2)) == []
    with pytest.raises(QueryError, match="did you mean note"):
        parse("has:notes")


def test_questions_left_out_are_excluded_under_every_budget(world: World) -> None:
    for budget in range(4):
        left = Environment(budget, judge="deterministic-1", left_out=MARKED.bad_gold)
        ended = {s.row.id for s in world.subjects if s.row.done and s.item.key in left.left_out}
        assert ended and ended <= set(world.by_sql("out:excluded", left))
        assert ended <= set(world.by_sql("regime:excluded", left))
        assert not ended & set(world.by_sql("out:pass,wrong,exhausted", left))


def test_outcomes_move_with_the_budget_and_the_judge(world: World) -> None:
    counts = [len(world.by_sql("out:exhausted", Environment(b, judge="x"))) for b in range(7)]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1] == 0
    one = world.by_sql("verdict:right", Environment(2, judge="deterministic-1"))
    other = world.by_sql("verdict:right", Environment(2, judge="other-judge"))
    assert one and other and one != other


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "-"]),
            st.sampled_from([f.name for f in FIELDS if f.kind is not Kind.FLAG]),
        ),
        max_size=3,
    ).map(lambda keys: ",".join(a + b for a, b in keys)),
    ENVIRONMENTS,
)
@settings(max_examples=80, deadline=None)
def test_orders_are_the_same_in_sql_and_in_python(
    world: World, text: str, environment: Environment
) -> None:
    order = parse_order(text)
    order_sql, order_params = order.sql(environment)
    where, params = parse("attempt:1").where(environment)
    found = world.reader.episode_ids(
        where, (*params, *order_params), order_sql, judge=environment.judge
    )
    assert found == [s.row.id for s in order.sort(list(world.subjects), environment)]


def test_orders_that_do_not_exist_are_refused_with_a_hint() -> None:
    with pytest.raises(QueryError, match="did you mean cost"):
        parse_order("-cots")
    with pytest.raises(QueryError, match="cannot sort by 'flag'"):
        parse_order("flag")


def test_facets_count_what_the_filter_finds(world: World) -> None:
    environment = Environment(2, judge="deterministic-1", context_arms=CONTEXT)
    facts = world.reader.episode_facts("deterministic-1")
    cells = {cell.id: cell for cell in world.reader.cells()}
    context = [cell.id for cell in cells.values() if cell.arm in CONTEXT]
    counted, by_cell = count_signatures(world.reader.packed_facts("deterministic-1"), context)
    found = facets(counted, by_cell, cells, world.reader.qtypes(), environment)
    for name, counts in found.items():
        assert BY_NAME[name].facet
        for value, count in counts.items():
            assert len(world.by_sql(f"{name}:{quoted(value)}", environment)) == count, (name, value)
    assert sum(found["out"].values()) == len(facts)
    assert set(found["end"]) - {"none"} <= {reason.value for reason in EndReason}
    passes = sum(outcome(fact, 2) is Outcome.PASS for fact in facts)
    assert found["out"]["pass"] == passes


def test_every_field_has_a_name_of_its_own() -> None:
    assert len(set(field_names())) == len(FIELDS)
    assert len(BY_NAME) == len(FIELDS) + sum(len(f.aliases) for f in FIELDS)


def test_an_unknown_episode_has_no_subject(world: World) -> None:
    assert subject_of(world.reader, 10**9) is None
    assert isinstance(world.subjects[0], Subject)


def test_every_field_has_a_meaning_of_its_own_in_one_short_line() -> None:
    meanings = [field.help for field in FIELDS]
    assert len(set(meanings)) == len(FIELDS)
    for field in FIELDS:
        assert 10 < len(field.help) <= 66, field.name
        assert "\n" not in field.help and field.help != field.name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        ('arm:bm25 scale>=100 type:temporal flag:span_answerable has:flag "out:pass" seed:1', ()),
        ("out:pass,exhausted arm:bm25 -out:wrong", ("out",)),
        ("label:right overshoot>0", ("verdict", "overshoot")),
        ("flag:judges_differ,bad_gold,abstained", ("flag:judges_differ", "flag:abstained")),
        ("nosuch:1 out:", ("out",)),
    ],
)
def test_what_chooses_episodes_by_what_they_did_is_named(text: str, words: tuple[str, ...]) -> None:
    assert conditional_on(text) == words


def test_rank_is_the_best_one_at_which_any_call_returned_evidence(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "ranks.memtui")
    for key in ("deep", "never", "late"):
        run.item(key)
    run.item("none", answerable=False)
    run.add(ARMS[0], "deep", 0.0, [["x"], ["a", "b", "c", "e-deep"]])
    run.add(ARMS[0], "never", 0.0, [["x"]])
    run.add(ARMS[0], "late", 0.0, [["x", "e-late"], ["e-late"]])
    run.add(ARMS[0], "none", 0.0, [["e-none"]])

    with open_run(run.write()) as reader:

        def found(text: str) -> list[str]:
            where, params = parse(text).where(Environment(2))
            rows = reader.episode_rows(reader.episode_ids(where, params))
            return sorted(row.item for row in rows.values())

        assert found("rank:4") == found("rank>=2") == ["deep"]
        assert found("rank:1") == ["late"]
        assert found("rank:none") == ["never", "none"]


def test_judges_differ_where_two_decided_and_not_alike(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "judges.memtui")
    pairs = [
        ("right", "wrong"),
        ("right", "right"),
        ("wrong", None),
        ("right", "unknown"),
        ("wrong", "right"),
    ]
    for number, (first, second) in enumerate(pairs):
        run.item(f"q{number}")
        run.add(ARMS[0], f"q{number}", 0.0, [["x"]], first, other_label=second)
    with open_run(run.write()) as reader:
        where, params = parse("flag:judges_differ").where(Environment(2))
        rows = reader.episode_rows(reader.episode_ids(where, params))
    assert sorted(row.item for row in rows.values()) == ["q0", "q4"]
