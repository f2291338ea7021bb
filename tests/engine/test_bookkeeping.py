"""Small rules of the engine: alarms, changed settings, usage, arguments, histories, code of record."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import EndReason, EpisodeId, Facts, Label, Usage
from memtui.store.events import HaystackEvent, SessionEvent
from runners.engine.alarms import MixAlarm
from runners.engine.code_of_record import code_of, own_code, versions
from runners.engine.executor import attempt_uid, episode_seed
from runners.engine.histories import Histories
from runners.engine.resume import differences, numbered
from runners.episode_end import Finished
from runners.judges.contract import Verdict
from runners.memory.contract import ToolSpec
from runners.tool_arguments import argument_problem, query_of
from runners.trajectory import storable
from runners.usage import UsageTotal, as_if_cold
from tests.engine.scripted import ListMemory, ListSink
from tests.engine.tiny import tiny_experiment

FACTS = Facts(1, 1, None, None, None, None, 0, 0)


def ended(
    reason: EndReason = EndReason.ANSWERED,
    *,
    abstained: bool = False,
    label: Label = Label.RIGHT,
    counts: bool = True,
    arm: str = "a",
) -> Finished:
    verdicts = (("j", Verdict(label, "")),)
    id = EpisodeId(arm, "q", "scale=0", 0, 1)
    return Finished(id, reason, FACTS, Usage(), verdicts, abstained, False, counts, 0, 1.0)


def alarms(*ends: Finished, minimum: int = 20) -> list[str]:
    alarm = MixAlarm(0.9, minimum)
    return [text for end in ends for text in alarm.add(end, answerable=True)]


def test_nineteen_abstentions_in_twenty_are_an_alarm() -> None:
    found = alarms(*[ended(abstained=True)] * 19, ended())
    assert (
        found[0]
        == "all arms: 19 of 20 answerable episodes abstained although the question has an answer"
    )
    assert len(found) == 2, "once over all arms and once for the arm"


def test_a_normal_mix_and_too_few_episodes_are_none() -> None:
    assert alarms(*[ended(abstained=True)] * 9, *[ended()] * 20) == []
    assert alarms(*[ended(abstained=True)] * 19) == []
    assert alarms(*[ended(EndReason.CANCELLED, counts=False)] * 50) == []


def test_one_broken_arm_is_named() -> None:
    broken = [ended(EndReason.MEMORY_ERROR, arm="b")] * 20
    assert alarms(*[ended()] * 40, *broken) == ["b: 20 of 20 episodes ended with memory_error"]


def test_a_judge_that_cannot_decide_is_noticed() -> None:
    assert "unknown verdict" in alarms(*[ended(label=Label.UNKNOWN)] * 20)[0]


def test_abstaining_where_there_is_no_answer_is_right() -> None:
    alarm = MixAlarm(0.9, 2)
    assert [alarm.add(ended(abstained=True), answerable=False) for _ in range(5)] == [[]] * 5


def test_questions_without_an_answer_do_not_dilute_the_abstentions_on_others() -> None:
    alarm = MixAlarm(0.9, 20)
    said = [
        text
        for number in range(40)
        for text in alarm.add(ended(abstained=True), answerable=number % 2 == 0)
    ]
    assert (
        said[0]
        == "all arms: 20 of 20 answerable episodes abstained although the question has an answer"
    )


def test_differences_name_each_setting_by_its_path() -> None:
    before = {"a": {"b": 1, "c": [1, 2]}, "gone": 1, "code": {"x.py": "1", "y.py": "1"}}
    after = {"a": {"b": 2, "c": (1, 2)}, "new": "x" * 200, "code": {"x.py": "2", "y.py": "1"}}
    assert list(differences(before, after)) == [
        "a.b: 1 -> 2",
        "code of record: x.py changed",
        "gone: 1 -> (not set)",
        f"new: (not set) -> '{'x' * 78}…",
    ]


settings = st.recursive(
    st.one_of(st.integers(), st.text(max_size=3), st.none()),
    lambda inner: st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=2), settings, max_size=4))
def test_a_configuration_does_not_differ_from_itself(value: dict[str, Any]) -> None:
    assert list(differences(value, value)) == []


def test_numbered(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    assert numbered(path) == path
    path.touch()
    (tmp_path / "a-2.memtui").touch()
    assert numbered(path).name == "a-3.memtui"


usages = st.builds(
    Usage,
    prompt=st.one_of(st.none(), st.integers(0, 99)),
    completion=st.one_of(st.none(), st.integers(0, 99)),
    cost=st.one_of(st.none(), st.integers(0, 9).map(float)),
    calls=st.just(1),
    attempts=st.integers(1, 3),
)


@given(st.lists(usages, max_size=6))
def test_a_sum_is_unknown_as_soon_as_one_part_is(parts: list[Usage]) -> None:
    total = UsageTotal()
    for part in parts:
        total.add(part)
    prompts = [part.prompt for part in parts]
    known = [p for p in prompts if p is not None]
    assert total.total().prompt == (sum(known) if len(known) == len(parts) else None)
    assert total.known_tokens == sum(known) + sum(p.completion or 0 for p in parts)
    assert total.total().attempts == sum(part.attempts for part in parts)


def test_no_model_asked_is_known_to_cost_nothing() -> None:
    total = UsageTotal()
    total.add(None)
    total.add(Usage())
    assert (total.total().prompt, total.total().cost, total.total().calls) == (0, 0.0, 0)


def test_as_if_cold_does_not_guess_a_price() -> None:
    cold = as_if_cold(Usage(prompt=10, cached=4, cost=1.0, calls=1))
    assert (cold.cached, cold.cost, cold.prompt) == (0, None, 10)
    plain = Usage(prompt=10, cost=1.0, calls=1)
    assert as_if_cold(plain) is plain


TOOL = ToolSpec(
    "t",
    "",
    {
        "properties": {
            "query": {"type": "string"},
            "k": {"type": "integer"},
            "share": {"type": "number"},
            "how": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["query"],
    },
)


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"query": "x"}, ""),
        ({"query": "x", "k": 3, "share": 1, "how": "a", "more": [1]}, ""),
        ({}, "missing argument 'query'"),
        ({"query": 5}, "must be of type string"),
        ({"query": "x", "k": True}, "must be of type integer"),
        ({"query": "x", "k": "3"}, "must be of type integer"),
        ({"query": "x", "how": "c"}, "must be one of"),
    ],
)
def test_arguments(args: dict[str, Any], problem: str) -> None:
    found = argument_problem(TOOL, args)
    assert (problem in found) if problem else (found == "")


def test_the_query_a_reader_sees() -> None:
    assert query_of({"query": "a", "other": "b"}, "raw") == "a"
    assert query_of({"n": 1, "about": "b"}, "raw") == "b"
    assert query_of(None, "raw") == query_of({"n": 1}, "raw") == "raw"


def test_storable_keeps_what_json_knows() -> None:
    data = {"a": 1, "b": [None, "x"]}
    assert storable(data) == data and storable(data) is not data
    assert storable({"a": {1}, "b": "x"}) == {"a": "{1}", "b": "x"}


async def test_histories_are_built_and_declared_once() -> None:
    experiment, sink = tiny_experiment(), ListSink()
    histories = Histories(experiment.plan, sink)
    specs = list(experiment.plan.episodes())
    await asyncio.gather(*(histories.get(spec) for spec in specs for _ in range(3)))
    assert histories.built == len({spec.haystack for spec in specs}) == 18
    assert len(sink.of(HaystackEvent)) == 18
    tokens = [event.token for event in sink.of(SessionEvent)]
    assert len(tokens) == len(set(tokens)) == histories.sessions


async def test_a_history_that_was_dropped_is_built_again_but_not_declared_again() -> None:
    experiment, sink = tiny_experiment(), ListSink()
    histories = Histories(experiment.plan, sink, kept=2)
    specs = list(experiment.plan.episodes())[:4]
    for spec in (*specs, *specs):
        await histories.get(spec)
    assert histories.built == 8
    assert len(sink.of(HaystackEvent)) == 4


def test_code_of_record_names_what_computes_results_and_leaves_out_what_drives() -> None:
    code = own_code()
    assert "runners/episode.py" in code and "memtui/metrics/facts.py" in code
    assert not any(name.startswith("runners/engine") for name in code)
    assert code_of([ListMemory()]).keys() - code.keys() == {"tests.engine.scripted"}
    assert {"memtui", "python", "numpy"} <= versions().keys()


def test_names_and_seeds_depend_on_identity_alone() -> None:
    one = EpisodeId("a", "q", "scale=0|seed=1", 0, 1)
    assert attempt_uid("r", one) == attempt_uid("r", one) != attempt_uid("s", one)
    again = EpisodeId("b", "q", "scale=0|seed=1", 0, 2)
    assert episode_seed(1, one) == episode_seed(1, again), "the same draw in every arm and attempt"
    assert episode_seed(1, one) != episode_seed(2, one)
