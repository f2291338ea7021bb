"""No secret ever reaches the file, in whatever string it hides; ordinary text stays as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.model import Hit, Turn, Usage
from memtui.store import codec
from memtui.store.events import (
    ArmEvent,
    Event,
    HeartbeatEvent,
    LogEvent,
    RunStateEvent,
    SessionEvent,
    StepEvent,
)
from memtui.store.reader import open_run
from memtui.store.secrets import REMOVED, SecretFilter
from memtui.store.writer import RunWriter
from tests.store import store_events as make

KNOWN = "correct-horse-battery"
SECRETS = [
    "sk-proj-Abcdefghijklmnop123456",
    "AIzaSyA1234567890abcdefghijklmnopqrstu",
    "hf_abcdefghijklmnopqrstuvwxyz",
    "ghp_abcdefghijklmnopqrst1234567890",
    "gsk_abcdefghijklmnopqrst1234567890",
    "github_pat_11ABCDEFG0abcdefghij_klmnopqrst",
    KNOWN,
]
PLACES = [
    "{}",
    "key:\n{}",
    "Authorization: Bearer {}",
    '{{"api_key": "{}"}}',
    "openai.AuthenticationError: Incorrect API key provided: {}. See https://example.org",
    "日本語 {} ✓",
    "'{}'",
]


def secrets() -> SecretFilter:
    return SecretFilter({"OPENAI_API_KEY": KNOWN, "PATH": "/usr/bin:/bin", "SHORT_TOKEN": "abc"})


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("place", PLACES)
def test_every_form_in_every_place(secret: str, place: str) -> None:
    text = place.format(secret)
    found = secrets().text(text)
    assert secret not in found
    assert REMOVED in found
    nested = json.dumps({"body": json.dumps({"text": text})})  # JSON in JSON, as raw replies are
    assert secrets().suspicious(nested)
    assert secret not in secrets().text(nested)


def test_names_of_keys_condemn_any_value() -> None:
    config = {"model": "m", "api_key": "x1", "headers": [{"Authorization": "Basic abc"}], "k": 12}
    assert secrets().scrub(config) == {
        "model": "m",
        "api_key": REMOVED,
        "headers": [{"Authorization": REMOVED}],
        "k": 12,
    }
    assert secrets().suspicious(codec.to_text(config))


@pytest.mark.parametrize(
    "text",
    [
        "a risk-adjusted-something-very-long task-oriented-dialogue-system",
        "the bearer of good news, an authorization form and a basic understanding",
        "Slovakia's api_key is documented; hf_token? session 0123456789ab",
        "desk-mounted, ask-me-anything-about-this-topic",
        "max_tokens=4096 access_log password reset",
        "",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert secrets().text(text) == text


def test_a_registered_secret_is_known_from_then_on() -> None:
    one = secrets()
    assert one.text("the word is swordfish1") == "the word is swordfish1"
    one.register("swordfish1")
    assert one.text("the word is swordfish1") == f"the word is {REMOVED}"


def hiding(secret: str) -> list[Event]:
    """The secret in every text of every event a run has."""
    words = f"before {secret} after"
    log = LogEvent(make.AT, "error", "crash", words, {"trace": [words], words: {"deep": words}})
    return [
        ArmEvent("m/a", "a", "m", {"nested": {"list": [words]}}, note=words),
        SessionEvent("tok", "cd" * 32, (Turn("user", words, words),), 3, source=words),
        make.step(
            "e1",
            1,
            query=words,
            raw=words,
            text=words,
            data={"deep": [{"er": words}]},
            messages=({"role": "user", "content": [{"type": "text", "text": words}]},),
            hits=(Hit("mem-1", 0.5, text=words, sources=(words,)), Hit(words)),
            usage=Usage(1),
        ),
        StepEvent("e1", 2, "error", make.AT, name=words, text=words),
        make.finished("e1", answer=words, answer_raw=words, error=words),
        log,
        HeartbeatEvent(make.AT, 1, "host", {"doing": words}),
        RunStateEvent("running", make.AT, words),
    ]


@pytest.mark.parametrize("secret", [SECRETS[0], SECRETS[3], KNOWN])
def test_no_byte_of_the_file_holds_it(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "a.memtui"
    words = f"before {secret} after"
    writer = RunWriter(path, secrets=secrets()).start()
    start = make.opening(name=words, config={"url": words}, dataset={"name": words})
    start.append(make.started("e1"))
    for event in [*start, *hiding(secret)]:
        writer.put(event)
    writer.commit_sync()
    live = make.file_bytes(path)  # the log too
    writer.close_sync()
    for data in (live, make.file_bytes(path)):
        assert secret.encode() not in data
    with open_run(path) as reader:
        assert secret not in repr(reader.messages(1))
        assert REMOVED in repr(reader.messages(1))  # the text is there, without it
        assert reader.sessions(["tok"])["tok"].turns[0].text == f"before {REMOVED} after"
        step = reader.steps(1)[0]
        assert step.hits[0].text == f"before {REMOVED} after"
        for table in ("session", "passage", "message", "haystack"):
            for (packed,) in reader.query(f"SELECT z FROM {table}"):
                assert secret.encode() not in codec.unpack(packed)


_WORD = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
_SECRET = st.one_of(
    st.from_regex(r"sk-[A-Za-z0-9_\-]{20}", fullmatch=True),
    st.from_regex(r"gsk_[A-Za-z0-9]{20}", fullmatch=True),
    st.from_regex(r"Bearer [A-Za-z0-9]{20}", fullmatch=True),
    st.from_regex(r"api[_-]?key[\"']?[:=] ?[\"']?[a-z0-9]{20}", fullmatch=True),
)


@given(_WORD, st.sampled_from(["", " ", "\n", "\t", "'", '"', "=", ":"]), _SECRET, _WORD)
def test_the_quick_look_never_misses_what_the_close_look_removes(
    before: str, between: str, secret: str, after: str
) -> None:
    one = secrets()
    text = before + between + secret + after
    if one._known is not None and one.text(text) != text:
        assert one.suspicious(text)
        assert one.suspicious(codec.to_text([text]))
        assert one.suspicious(codec.to_text({"a": codec.to_text([text])}))
