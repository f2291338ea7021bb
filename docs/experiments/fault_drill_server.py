"""The model server of the fault drill: answers from a script, and fails as a schedule says.

Faults depend on a request's bytes and the number of its attempt, storms on the count of all attempts, so that
two drills are much the same. It counts what it did: what the run files say of it is held against that.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from runners.memory.packages.replies import REPLIES
from runners.models.faults import FaultSchedule

TIMEOUT_S = 4.0
KILL_AT = 12
"""Completions of pkg:mem0-2 after which its process is killed."""
STORMY = FaultSchedule(
    seed=11, rate_limited=0.05, server=0.04, disconnect=0.04, stall=0.03, malformed=0.05, garbled=0.04,
    storm_every=60, storm_length=8, retry_after=0.2,
)  # fmt: skip
HOPELESS = 25
"""One request in so many fails whenever it is sent."""
ATTEMPTS = 4
"""Of one call: three retries."""
FAILURES = ("rate_limited", "server", "disconnect", "stall", "malformed")
"""Faults that an attempt does not survive; what is cut in the middle comes back as a reply."""
WORKER = "workers/mem0_2.py"


@dataclass
class Server:
    """What it does, and what it did: attempts by fault, requests that never got a reply."""

    calm: bool = False
    did: Counter[str] = field(default_factory=Counter)
    never: dict[str, str] = field(default_factory=dict)
    """Digest of a hopeless request to the fault it always gets."""
    kill: int | None = None
    """Process group leader to look below for the package's process; None once it was killed."""
    killed: int | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._attempts: Counter[str] = Counter()
        self._in_a_row: Counter[str] = Counter()
        self._number = 0
        self._package = 0

    def fault(self, body: bytes) -> str | None:
        """What happens to this request, and the number of its attempt."""
        digest = hashlib.sha256(body).hexdigest()
        with self._lock:
            self.did["requests"] += 1
            if self.calm:
                return None
            self._number += 1
            self._attempts[digest] += 1
            fault = STORMY.fault(digest, self._attempts[digest])
            if STORMY.in_storm(self._number):
                fault = "rate_limited"
            if int(digest[:8], 16) % HOPELESS == 0:
                kinds = ("rate_limited", "server", "malformed")
                fault = self.never[digest] = kinds[int(digest[8:10], 16) % len(kinds)]
            if fault is not None:
                self.did[fault] += 1
            self._in_a_row[digest] += 1
            if fault in (None, "garbled"):
                self._in_a_row[digest] = 0
            elif self._in_a_row[digest] == ATTEMPTS:
                self.did["calls given up"] += 1
                self._in_a_row[digest] = 0
        return fault

    def begin(self) -> None:
        """Count anew: a sitting begins, and no call of an earlier one goes on."""
        with self._lock:
            self.did.clear()
            self._in_a_row.clear()

    def failures(self) -> tuple[int, int]:
        """Attempts of this sitting that brought no reply, and calls whose last attempt did not."""
        with self._lock:
            given_up = self.did["calls given up"] + sum(n > 0 for n in self._in_a_row.values())
            return sum(self.did[kind] for kind in FAILURES), given_up

    def about_to_answer(self, text: str) -> None:
        """Kill the package's process while it waits for the reply to this prompt."""
        if "## New Messages\n" not in text:
            return
        with self._lock:
            self._package += 1
            if self._package < KILL_AT or self.kill is None:
                return
            found = [pid for pid in family(self.kill) if WORKER in command_of(pid)]
            for pid in found[:1]:
                os.kill(pid, signal.SIGKILL)
                self.killed, self.kill = pid, None


def reply_to(body: Mapping[str, Any]) -> str:
    """A sensible reply: an agent's action, or what a memory system reads out of a session."""
    messages = body["messages"]
    text = "\n".join(str(one.get("content") or "") for one in messages)
    form = json.dumps(body.get("response_format") or {})
    if "## New Messages\n" in text:
        return json.dumps(REPLIES["pkg:mem0-2"](messages, None))
    if "Your Output" in text:
        return json.dumps(REPLIES["pkg:memos-text"](messages, None))
    if '"memory list"' in form or '"memory"' in form:
        said = re.findall(r"^(?:user|assistant): (.+)$", str(messages[-1]["content"]), re.M)
        if '"memory list"' in form:
            items = [
                {"key": one[:20], "memory_type": "UserMemory", "value": one, "tags": []}
                for one in said
            ]
            return json.dumps({"memory list": items, "summary": ""})
        return json.dumps({"memory": [{"text": one, "attributed_to": "user"} for one in said]})
    question = re.search(r"Question: (.+)", text)
    passage = re.search(r"^\[1\].*\n?(.*)$", text, re.M)
    if len(messages) <= 2:
        return json.dumps(
            {"action": "memory_search", "query": question[1] if question else text[-80:]}
        )
    return json.dumps({"action": "answer", "answer": passage[0] if passage else "I do not know"})


class Handler(BaseHTTPRequestHandler):
    """One attempt."""

    protocol_version = "HTTP/1.1"
    server_state: Server

    def do_POST(self) -> None:
        """Answer, or fail as scheduled."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.server_state.fault(body)
        if fault == "stall":
            time.sleep(TIMEOUT_S * 2)
        if fault in ("disconnect", "stall"):
            self.close_connection = True
            return
        if fault == "rate_limited":
            return self._send(429, b'{"error": {"message": "slow down"}}', {"Retry-After": "0.2"})
        if fault == "server":
            return self._send(500, b'{"error": {"message": "oops"}}')
        if fault == "malformed":
            return self._send(200, b'{"choices": [{"message": {"content": ')
        asked = json.loads(body)
        text = reply_to(asked)
        self.server_state.about_to_answer(
            json.dumps(asked["messages"], ensure_ascii=False).replace("\\n", "\n")
        )
        if fault == "garbled":
            text = text[: len(text) // 2]
        reply = {
            "id": "x", "object": "chat.completion", "created": 0, "model": asked["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            ],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4 + 1,
                      "total_tokens": len(body) // 4 + len(text) // 4 + 1},
        }  # fmt: skip
        self._send(200, json.dumps(reply).encode())

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


class Http(ThreadingHTTPServer):
    """One thread for each connection; one that breaks is part of the drill."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet: a client that was killed or timed out is gone."""


@contextmanager
def serving(state: Server) -> Iterator[str]:
    """Serve on a free port of 127.0.0.1; yields the base URL."""
    handler = type("Bound", (Handler,), {"server_state": state})
    http = Http(("127.0.0.1", 0), handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/v1"
    finally:
        http.shutdown()


def command_of(pid: int) -> str:
    """A process's command line; empty when it is gone."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    except OSError:
        return ""


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                found += [int(child) for child in task.read_text().split()]
    return found
