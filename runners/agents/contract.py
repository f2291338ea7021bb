"""The contract of an agent: it sees a question, `now`, the tools and earlier observations, and acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memtui.model import EndReason, Usage
from runners.memory.contract import Context, ToolSpec


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """One block as the agent sees it: its text, its opaque token, its date. No score, no gold."""

    token: str
    text: str
    date: str | None


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back from one requested call."""

    tool: str
    query: str
    blocks: tuple[ShownBlock, ...]
    text: str
    """The observation as text, exactly what a model agent is sent."""
    status: str = "ok"
    """`ok`, `refused`, `invalid_args`, `unknown_tool`, `error`."""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything an agent is told before it starts."""

    question: str
    now: str | None
    tools: tuple[ToolSpec, ...]
    k: int
    budget: int | None
    """Only set in hard mode, where the agent is told its budget."""
    context: Context | None = None
    """Given instead of tools by context systems."""
    seed: int = 0
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A memory call the agent requests. `args` is None when the raw arguments did not parse."""

    tool: str
    args: dict[str, Any] | None
    raw: str
    problem: str = ""
    """Why `args` is None or not usable (`invalid_args`, `unknown_tool`)."""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """One decision: calls to make, or an answer, or the reason no answer came."""

    calls: tuple[Call, ...] = ()
    answer: str | None = None
    answer_raw: str | None = None
    abstained: bool = False
    end: EndReason | None = None
    """Set when the agent stops without an answer (`truncated`, `filtered`, `empty`, …)."""
    reasoning: str = ""
    raw: str = ""
    usage: Usage | None = None
    messages: tuple[dict[str, Any], ...] = ()
    """Only the messages this decision added to the conversation (sent and received)."""
    data: dict[str, Any] = field(default_factory=dict)
    """Free facts for the decision pane, e.g. the extractive agents' own confidence."""
    attempts: int = 1


class AgentSession(Protocol):
    """One episode of an agent; owned by the loop in `runners/episode.py`."""

    async def act(self, observations: Sequence[Observation], *, must_answer: bool) -> Action:
        """Decide after the observations of the previous action (empty at first).

        `must_answer` asks for a final answer without tools (forced answer).
        """


class Agent(Protocol):
    """An agent with its configuration fixed."""

    @property
    def name(self) -> str: ...

    @property
    def config(self) -> dict[str, Any]:
        """Everything that changes its behaviour; stored with the arm and hashed for resume."""

    @property
    def note(self) -> str:
        """A caveat shown with the arm ("baseline: …"), or an empty string."""

    def start(self, brief: Brief) -> AgentSession: ...
