"""What a harness may tell wrongly: refused where it is told, and the rest of the run is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from memtui import Recorder
from memtui.errors import UserError
from memtui.model import Hit
from memtui.store.check import check_file
from memtui.store.reader import open_run

SETTINGS: list[dict[str, Any]] = [
    {"mode": "soft"},
    {"budget": -1},
    {"budget": "2"},
    {"budget": 2.5},
    {"alpha": float("nan")},
    {"alpha": 7},
    {"planned": "ten"},
    {"judge": None},
    {"scales": ["a"]},
    {"scales": [float("inf")]},
    {"form": "made up"},
    {"provenance": "some"},
    {"errors": {ValueError: "bogus"}},
    {"errors": {"ValueError": "provider_error"}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught, Recorder(tmp_path / "a.memtui", **settings):
        pass
    assert "\n" not in str(caught.value)


EPISODES: list[dict[str, Any]] = [
    {"question": None},
    {"gold": ["a", "list"]},
    {"evidence": "s1"},  # one id, not the letters s and 1
    {"evidence": [("s1", "first")]},
    {"evidence": [5]},
    {"haystack": "s1"},
    {"scale": "100"},
    {"scale": -1},
    {"scale": 1e300},
    {"scale": float("nan")},
    {"repeat": -1},
    {"seed": "x"},
    {"conditions": {"size|x": "1"}},
    {"conditions": {"size": "a=b"}},
    {"conditions": {"scale": 7}},
]


@pytest.mark.parametrize("said", EPISODES, ids=str)
def test_an_episode_that_means_nothing_is_refused(tmp_path: Path, said: dict[str, Any]) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec:
        with pytest.raises(UserError):
            rec.episode(**{"question": "When?", "evidence": ["s1"], **said})
        with rec.episode(question="When?", evidence=["s1"]) as ep:
            ep.answer("in May", right=True)
    with open_run(path) as reader:
        assert [f.label for f in reader.episode_facts("harness")] == ["right"]


STEPS: dict[str, Callable[[Any], None]] = {
    "hits are one text": lambda ep: ep.memory_call("search", "q", hits="s1"),
    "hits are mappings": lambda ep: ep.memory_call("search", "q", hits=[{"id": "s1"}]),
    "a hit of three": lambda ep: ep.memory_call("search", "q", hits=[("s1", 1, 2)]),
    "a score in words": lambda ep: ep.memory_call("search", "q", hits=[("s1", "high")]),
    "no query": lambda ep: ep.memory_call("search", None),
    "k in words": lambda ep: ep.memory_call("search", "q", k="12"),
    "no answer": lambda ep: ep.answer(None, right=True),
    "a verdict in words": lambda ep: ep.answer("x", right="no"),
    "another verdict in words": lambda ep: ep.verdict("no"),
    "tokens in words": lambda ep: ep.model(usage={"prompt_tokens": "many"}),
    "negative tokens": lambda ep: ep.model(usage={"prompt_tokens": -5}),
    "an object for usage": lambda ep: ep.model(usage=object()),
    "an unknown end": lambda ep: ep.end("tired"),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_means_nothing_is_refused_and_leaves_no_trace(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec:
        rec.session("s1", [("user", "I moved in May")])
        with rec.episode(question="When?", evidence=["s1"]) as ep:
            with pytest.raises(UserError):
                STEPS[name](ep)
            ep.memory_call("search", "when", hits=["s1"])
            ep.answer("in May", right=True)
    assert check_file(path) == []
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert (fact.requested, fact.t_star, fact.label) == (1, 1, "right")


def test_what_providers_and_numpy_give_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    parts: Any = [{"type": "text", "text": "I moved"}, {"type": "image_url"}]
    settings: dict[str, Any] = {"budget": numpy.int64(2), "alpha": numpy.float32(0.5)}
    said: dict[str, Any] = {"gold": 5, "scale": numpy.int64(100)}
    score: Any = numpy.float32(0.5)
    right: Any = numpy.bool_(True)
    with Recorder(path, **settings) as rec:
        rec.session("s1", [{"role": "user", "content": parts}])
        with rec.episode(question="When?", evidence=["s1"], **said) as ep:
            ep.model(raw=None, text=None, usage={"prompt_tokens": numpy.int64(3)})
            ep.memory_call("search", "when", hits=[("s1", score), Hit("s1")])
            ep.answer("five", right=right)
    assert check_file(path) == []
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert fact.label == "right"
        detail = reader.episode(fact.id)
        assert detail is not None
        assert (detail.item.gold, detail.item.gold_raw) == ("5", 5)
        assert reader.sessions(["s1"])["s1"].turns[0].text == "I moved"


def test_an_ended_episode_takes_no_more_steps_but_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec:
        with rec.episode(question="When?", evidence=["s1"]) as ep:
            ep.answer("in May")
        late: list[Callable[[], None]] = [
            lambda: ep.memory_call("search", "when", hits=["s1"]),
            lambda: ep.model(raw="more"),
            lambda: ep.answer("in June"),
        ]
        for tell in late:
            with pytest.raises(UserError, match="has ended"):
                tell()
        ep.verdict(True)
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert (fact.requested, fact.label) == (0, "right")


class Mute(Exception):
    """An exception that cannot even be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_without_words_still_ends_its_episode(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    with Recorder(path) as rec, pytest.raises(Mute), rec.episode(question="When?"):
        raise Mute
    with open_run(path) as reader:
        (fact,) = reader.episode_facts("harness")
        assert fact.end_reason == "memory_error"
        assert [row.error for row in reader.episode_rows([fact.id]).values()] == ["Mute"]
