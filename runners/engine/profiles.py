"""Profiles: named sets of defaults for a kind of machine. What a configuration gives itself, stays.

`local` is for a small model on this machine: five blocks a call, each cut to 128 tokens, JSON actions
that a grammar enforces, a window of 16k. Its results say something about each other and nothing about
runs with k = 12; that is noted with every arm.
"""

from __future__ import annotations

from typing import Any

from memtui.errors import UserError
from runners.models.local_server import CONTEXT
from runners.models.prices import LOCAL_PREFIX

LOCAL_MODEL = f"{LOCAL_PREFIX}qwen2.5-coder-1.5b"
NOTES = {
    "local": (
        "profile local: k = 5, blocks of at most 128 tokens, a small model on one machine; not"
        " comparable with runs at k = 12"
    )
}
"""What each profile adds to an arm's note."""

_LOCAL: dict[str, Any] = {
    "k": 5,
    "block_tokens": 128,
    "observation_tokens": 1_000,
    "context_tokens": 8_000,
}
_LOCAL_BUDGET = {"step_cap": 5, "call_cap": 4}
_LOCAL_LIMITS = {
    # One model answers one request at a time; a second episode would only push the first one's
    # prompt out of the server's cache.
    "workers": 1,
    "prepare_concurrency": 1,
    "prepare_s": 3_600.0,
    "open_s": 3_600.0,
    "memory_s": 900.0,
    "agent_s": 1_800.0,
    "judge_s": 900.0,
    "episode_s": 7_200.0,
    "no_progress_s": 3_600.0,
}
_LOCAL_TEXTS = {
    "json": (
        "You answer a question about a user's past conversations, which you do not know. A search in"
        " a memory of them returns at most {k} passages.\n"
        "{now}{budget}"
        "Reply with one JSON object and nothing else.\nTo search: {example}\n"
        'To answer: {{"action": "answer", "answer": "<as short as possible>"}}\n'
        "Search first, for the words of the question. As soon as a passage tells the answer, give it."
        " Search again, for other words of the same question, only when no passage tells it. If"
        " nothing does, answer: not enough information."
    ),
    # A small model loses the question behind a page of passages.
    "observation": (
        "Passages:\n{text}\n\nQuestion: {question}\nIf a passage above tells the answer, answer now."
    ),
}
_LOCAL_AGENT = {
    "mode": "json",
    "separate": True,
    "search_first": True,
    "max_tokens": 128,
    "max_steps": 5,
    "repairs": 0,
}


def with_profile(raw: dict[str, Any]) -> dict[str, Any]:
    """A configuration as a dictionary with the defaults of the profile it names."""
    name = raw.get("profile")
    if name is None:
        return raw
    if name not in NOTES:
        raise UserError(f"there is no profile {name!r}; known: {', '.join(NOTES)}")
    models = _table(raw.get("models"))
    served = [key for key, value in models.items() if key.startswith(LOCAL_PREFIX)]
    model = served[0] if served else LOCAL_MODEL
    settings = {"context": CONTEXT, "timeout": 1_800.0, **_table(models.get(model))}
    return {
        **_LOCAL,
        **raw,
        "budget": {**_LOCAL_BUDGET, **_table(raw.get("budget"))},
        "limits": {**_LOCAL_LIMITS, **_table(raw.get("limits"))},
        "models": {"memory": model, **models, model: settings},
        "matrix": _matrix(raw.get("matrix"), model),
        "arms": [_arm(arm, model) for arm in raw.get("arms", [])],
        "judges": [_judge(judge, model) for judge in raw.get("judges", ["deterministic"])],
    }


def _table(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _matrix(matrix: Any, model: str) -> Any:
    if not isinstance(matrix, dict) or not isinstance(matrix.get("agent"), list):
        return matrix
    return {**matrix, "agent": [_agent(agent, model) for agent in matrix["agent"]]}


def _arm(arm: Any, model: str) -> Any:
    return {**arm, "agent": _agent(arm.get("agent"), model)} if isinstance(arm, dict) else arm


def _agent(agent: Any, model: str) -> Any:
    """The model agent with its defaults; embedded agents are left as they are."""
    part = {"name": agent} if isinstance(agent, str) else agent
    if not isinstance(part, dict) or part.get("name") != "model":
        return agent
    texts = {**_LOCAL_TEXTS, **_table(part.get("texts"))}
    return {"model": model, **_LOCAL_AGENT, **part, "texts": texts}


def _judge(judge: Any, model: str) -> Any:
    part = {"name": judge} if isinstance(judge, str) else judge
    if not isinstance(part, dict) or part.get("name") not in ("model", "local-yesno"):
        return judge
    return {"model": model, **part}
