"""Fetching by hash from a server on this machine: right bytes, wrong bytes, cut off, absent, offline."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.errors import UserError
from runners.datasets.download import SOURCES, Source, get, place_of, source_of

BODY = b'[{"made": "up"}]\n' * 1000


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/absent":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY[:100] if self.path == "/cut" else BODY)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def source(server: str) -> Source:
    return Source(
        name="made-up",
        file="made_up.json",
        url=f"{server}/file",
        revision="r1",
        size=len(BODY),
        sha256=hashlib.sha256(BODY).hexdigest(),
        pinned=True,
        licence="Apache-2.0",
        title="made up",
    )


def test_the_right_bytes_are_kept_with_their_record(source: Source, tmp_path: Path) -> None:
    lines: list[str] = []
    done = get(source, folder=tmp_path, report=lines.append)
    assert done.path.read_bytes() == BODY
    assert (done.matches, done.was_there, done.size) == (True, False, len(BODY))
    record = json.loads((tmp_path / "made_up.json.source.json").read_text())
    assert record["sha256"] == source.sha256
    assert record["licence"] == "Apache-2.0"
    assert source.url in lines[0]
    again = get(replace(source, url="http://127.0.0.1:9/nobody"), folder=tmp_path)
    assert again.was_there


def test_wrong_bytes_are_refused_and_nothing_is_kept(source: Source, tmp_path: Path) -> None:
    wrong = replace(source, sha256="0" * 64)
    with pytest.raises(UserError, match="not the official file") as refusal:
        get(wrong, folder=tmp_path)
    assert source.sha256 in str(refusal.value)
    assert "0" * 64 in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_reported_digest_that_differs_is_shown_and_recorded(
    source: Source, tmp_path: Path
) -> None:
    done = get(replace(source, sha256="0" * 64, pinned=False), folder=tmp_path)
    assert done.path.is_file()
    assert not done.matches
    assert "differs from the reported file" in done.note
    record = json.loads((tmp_path / "made_up.json.source.json").read_text())
    assert record["matches"] is False
    assert record["expected_sha256"] == "0" * 64


@pytest.mark.parametrize("pinned", [True, False])
def test_a_file_that_is_cut_off_is_not_kept(source: Source, tmp_path: Path, pinned: bool) -> None:
    cut = replace(source, url=source.url.replace("/file", "/cut"), pinned=pinned)
    with pytest.raises(UserError):
        get(cut, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_offline_is_one_line_with_the_manual_way(source: Source, tmp_path: Path) -> None:
    for url in ("http://127.0.0.1:9/file", source.url.replace("/file", "/absent")):
        with pytest.raises(UserError) as refusal:
            get(replace(source, url=url), folder=tmp_path, timeout=2)
        text = str(refusal.value)
        assert f"fetch {url} by hand" in text
        assert "\n" not in text
    assert list(tmp_path.iterdir()) == []


def test_another_file_in_its_place_is_left_alone(source: Source, tmp_path: Path) -> None:
    target = place_of(source, tmp_path)
    target.write_text("mine")
    with pytest.raises(UserError, match="left as it is"):
        get(source, folder=tmp_path)
    assert target.read_text() == "mine"


def test_the_official_sources_are_written_down_in_full() -> None:
    assert set(SOURCES) == {"locomo", "longmemeval", "longmemeval-s", "longmemeval-m"}
    for name, source in SOURCES.items():
        assert source_of(name) is source
        assert source.url.startswith("https://")
        assert source.revision in source.url
        assert len(source.sha256) == 64
        assert source.size > 0
    assert [name for name, source in SOURCES.items() if source.pinned] == ["locomo"]
    with pytest.raises(UserError, match="no official source"):
        source_of("locomoo")
