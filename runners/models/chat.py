"""What is asked of a language model and what comes back: plain values, no library types."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memtui.model import Usage
from runners.models.settings import ModelSettings

Message = dict[str, Any]
"""One message of a conversation, in the OpenAI chat form."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One completion to ask for. Settings left None are not sent: the provider's default applies."""

    model: str
    """Provider and model as litellm names them, e.g. `openai/qwen-1.5b`, `anthropic/…`."""
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: Any = None
    """`auto`, `none`, `required`, or the table that names one tool."""
    response_format: dict[str, Any] | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    """Seconds for one attempt; None takes the model's own setting."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further provider parameters, sent as they are (`reasoning_effort`, …)."""
    owner: str = ""
    """Who pays: `episode:<uid>`, `artifact:<key>`, or empty."""
    phase: str = "answer"
    """Ledger phase: `ingest`, `search`, `answer`, `judge`."""
    repeat: int = 0
    """Repeat index of the episode: part of the digest, so that repeats are never one request."""

    def settings(self) -> dict[str, Any]:
        """The sampling settings that were asked for."""
        asked = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            **dict(self.extra),
        }
        return {k: v for k, v in asked.items() if v is not None}

    def digest(self) -> str:
        """sha256 hex of everything that could change the reply, the repeat index included."""
        body = {
            "model": self.model,
            "messages": self.messages,
            "tools": self.tools,
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
            "settings": self.settings(),
            "repeat": self.repeat,
        }
        text = json.dumps(body, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool call as the model wrote it; `arguments` is the raw value, parsed nowhere before the agent."""

    name: str
    arguments: Any
    id: str = ""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One attempt's reply, as a client returns it. Token counts the provider did not give are None."""

    text: str | None
    finish: str | None = "stop"
    tool_calls: tuple[ToolRequest, ...] = ()
    reasoning: str = ""
    model: str = ""
    """The model as the provider names it; may differ from the one asked for."""
    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning_tokens: int | None = None
    effective: Mapping[str, Any] = field(default_factory=dict)
    """Sampling settings that were really sent."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Candidates of the first token with their log probabilities, where they were asked for."""


@dataclass(slots=True)
class Attempts:
    """How often a provider was asked for one reply: known also where the call is given up."""

    made: int = 0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the door hands back: the reply, what it used, and how many attempts it took."""

    text: str | None
    finish: str | None
    tool_calls: tuple[ToolRequest, ...]
    reasoning: str
    model: str
    usage: Usage
    attempts: int
    wall_ms: float
    """From the request to the reply, waiting for limits and retries included."""
    requested: Mapping[str, Any]
    effective: Mapping[str, Any]
    alternatives: tuple[tuple[str, float], ...] = ()
    paid: Usage | None = None
    """What this run paid for it, where that differs from `usage`: nothing for a recorded reply."""
    cold: Usage | None = None
    """The same call with no prompt token from the provider's cache, where its price is known."""


class ChatClient(Protocol):
    """Makes one attempt at a completion: no retries, no caching, no waiting for limits."""

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        """Return the reply or raise `ModelError`; a cancellation passes through."""

    async def close(self) -> None:
        """Close connections."""
