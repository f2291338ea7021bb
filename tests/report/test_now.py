"""What goes on in a run right now, printed: what its driver says, what is wrong, what ended last."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.report.now import now_document, now_text, read_now
from memtui.store.reader import open_run
from tests.cli.documented_json import complaints, schemas
from tests.ui.beating import BUSY, GOING_ON, beat, broken, going_on
from tests.ui.make_run import ARMS, Story, write

SMALL = replace(GOING_ON, items=4, scales=(0.0, 100.0))
FRESH = -3600.0
"""A heartbeat of the near future: however slow the machine, it is never stale."""


async def test_a_run_that_goes_on_says_everything_that_the_dock_says(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path, SMALL) as sink:
        await broken(sink, SMALL, 200)
        await beat(sink, BUSY, age=FRESH)
        with open_run(path) as reader:
            now = read_now(reader)
        text, found = now_text(now), now_document(now)
    assert sorted(set(complaints(found, schemas()["memtui-now-1"], schemas()))) == []
    assert found["state"] == "running" and found["silent"] is False
    assert found["episodes_per_minute"] == 36 and found["eta_s"] == 740 and found["retries"] == 7
    assert [one["doing"] for one in found["in_flight"]][:2] == ["deciding", "asking qwen"]
    assert found["in_flight"][0]["held"] == "retry rate_limited"
    assert found["in_flight"][0]["seconds"] == 18.0 and found["in_flight_total"] == 5
    assert found["models"][0]["rpm_used"] == found["models"][0]["rpm"] == 60
    assert found["errors"] == [{"kind": "provider: 503", "count": 3}]
    assert found["alarms"][0]["what"] == "all arms: end with memory_error"
    assert len(found["latest"]) == 12 and found["latest"][0]["strip"].startswith("×")
    for said in (
        "36.0 a minute", "ALARM  all arms: 200 of 216 episodes end with memory_error",
        "limit  qwen 3/3 calls, rpm 60/60", "limit  memory bm25 2/8", "again  1 after rate_limited",
        "trouble  3 × provider: 503", "In flight: 5, longest first", "Latest endings, newest first",
    ):  # fmt: skip
        assert said in text


async def test_what_a_silent_driver_said_is_not_passed_off_as_now(tmp_path: Path) -> None:
    path = tmp_path / "live.memtui"
    async with going_on(path, SMALL) as sink:
        await beat(sink, BUSY, age=40)
        with open_run(path) as reader:
            now = read_now(reader)
    text = now_text(now)
    assert now_document(now)["silent"] is True
    assert "last sign of life 4" in text and "Were in flight: 5" in text
    assert "a minute" not in text and "limit  " not in text


async def test_a_finished_run_has_endings_and_nothing_in_flight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = await write(tmp_path / "done.memtui", Story(name="done", items=2, arms=ARMS[:1]))
    assert main(["show", str(path), "--now", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["state"] == "finished" and found["in_flight"] == [] and found["latest"]
    assert main(["show", str(path), "--now", "--budget", "1"]) == 0
    assert "· B = 1 ·" in capsys.readouterr().out


def test_an_episode_or_now_but_not_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["7", "--now"]):
        assert main(["show", str(tmp_path / "x.memtui"), *words]) == 2
        assert "--now" in capsys.readouterr().err
