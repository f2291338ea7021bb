"""Stands in for the process that holds a local model: the same lines on stdin and stdout, echoed replies."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from runners.models.gateway_http import HttpReply, HttpRequest, LoopbackServer, json_reply


def say(value: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main() -> None:
    settings: dict[str, Any] = json.loads(sys.stdin.readline())
    if settings["name"] == "broken":
        sys.stderr.write("the file is no model\n")
        say({"error": "RuntimeError: no model"})
        return
    if settings["name"] == "mute":
        sys.stderr.write("something terrible\n")
        return

    async def answer(request: HttpRequest) -> HttpReply:
        body = json.loads(request.body)
        text = body["messages"][-1]["content"]
        if text == "crash":
            os._exit(3)
        message = {"role": "assistant", "content": f"{text} {settings['threads']} {os.getpid()}"}
        return json_reply(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
            }
        )

    server = LoopbackServer(answer)
    await server.start()
    sys.stdout.write("a line of the library's own\n")
    say({"url": f"http://127.0.0.1:{server.port}"})
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
