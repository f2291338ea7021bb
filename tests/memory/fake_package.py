"""A small package in a process of its own, as badly behaved as its messages tell it to be.

Run by the tests' own interpreter with the workers' folder on its path. A message `CRASH`, `HANG`,
`RAISE` or `LOOK UP <host>`, or a query of that kind, makes it do that.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from importlib import import_module
from typing import Any


class Memory:
    """Keeps every message with its vector; extraction is one call of the model per batch."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.kept: list[tuple[str, list[float], int]] = []

    def add(self, source: int, messages: list[dict[str, str]], date: str | None) -> str:
        for message in messages:
            misbehave(message["content"])
            if message["content"] == "UNREADABLE":
                return "the reply is no JSON"
        reply = self.post(
            "chat/completions", {"messages": messages, "model": self.settings["chat_model"]}
        )
        texts = json.loads(reply["choices"][0]["message"]["content"])
        vectors = self.post("embeddings", {"input": texts, "model": self.settings["embed_model"]})[
            "data"
        ]
        self.kept += [
            (text, one["embedding"], source) for text, one in zip(texts, vectors, strict=True)
        ]
        return ""

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        misbehave(query)
        asked = self.post("embeddings", {"input": query, "model": self.settings["embed_model"]})[
            "data"
        ][0]["embedding"]
        found = [
            {
                "number": number,
                "text": text,
                "score": sum(a * b for a, b in zip(vector, asked, strict=True)),
                "sources": [source],
            }
            for number, (text, vector, source) in enumerate(self.kept)
        ]
        return sorted(found, key=lambda one: -float(one["score"]))[:k]

    def copy(self, settings: dict[str, Any]) -> Memory:
        new = Memory(settings)
        new.kept = list(self.kept)
        return new

    def close(self) -> None:
        self.kept.clear()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self.settings['base_url']}/{path}",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.settings['key']}"},
        )
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)


def misbehave(text: str) -> None:
    """Do what the text says, where it says something."""
    if text == "CRASH":
        sys.stderr.write("something broke\n")
        os._exit(3)
    if text == "HANG":
        time.sleep(3600)
    if text == "RAISE":
        raise RuntimeError("the package cannot do this")
    if text == "PRINT":
        sys.stdout.write("a banner\n")
    if text == "CHILD":
        subprocess.Popen(["sleep", "3600"])
    if text.startswith("LOOK UP "):
        socket.getaddrinfo(text.removeprefix("LOOK UP "), 443)


def main() -> None:
    worker = import_module("json_lines")
    replies = worker.begin()
    if os.environ.get("FAKE_START") == "crash":
        os._exit(7)
    worker.serve(replies, "pytest", Memory)


if __name__ == "__main__":
    main()
