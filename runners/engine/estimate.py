"""What an experiment would cost before it runs: prompts, tokens, dollars and hours, with what was assumed.

Nothing is measured here. Every number rests on the assumptions that are printed beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runners.engine.config import ExperimentConfig
from runners.models.local_server import THREADS
from runners.models.prices import LOCAL_PREFIX, context_of, cost, price_of
from runners.models.settings import ModelSettings

BASE_TOKENS = 350
"""Instructions, tool schema and question of one prompt."""
REPLY_TOKENS = 120
"""Tokens of one reply."""
MODEL_CALL_S = 4.0
"""Seconds of one model call, of a model whose speed is not known."""
LOCAL_TOKENS_S = {
    f"{LOCAL_PREFIX}qwen2.5-coder-1.5b": {1: (39.0, 18.0), 2: (75.0, 29.0)},
}
"""Tokens a second that a model of this machine reads and writes, by threads: measured on two cores with
nothing else running, prompts of 870 tokens."""
JUDGE_PROMPT_TOKENS = 400
"""Question, gold, answer and instructions of one verdict."""
JUDGE_REPLY_TOKENS = 10
JUDGE_CALL_S = 1.0
EMBEDDED_EPISODE_S = 0.02
"""Seconds of one episode of an agent without a model, on one processor."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One arm at one scale. Tokens are summed over its episodes; None is unknown, never 0.

    `prompt` is the largest prompt of a typical episode, `prompt_at_cap` that of one that goes on to
    the safety cap; `context` is the model's window.
    """

    arm: str
    scale: float
    episodes: int
    model: str | None
    prompt: int
    prompt_at_cap: int
    context: int | None
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float

    @property
    def fits(self) -> bool | None:
        """Whether a typical prompt fits the model's window; None where that is not known."""
        return None if self.context is None or self.model is None else self.prompt <= self.context

    @property
    def fits_at_cap(self) -> bool | None:
        """The same for an episode that goes on to the safety cap."""
        if self.context is None or self.model is None:
            return None
        return self.prompt_at_cap <= self.context


@dataclass(frozen=True, slots=True)
class HistorySize:
    """Mean sizes of the histories of a scale, in tokens."""

    tokens: float
    sessions: float

    @property
    def session_tokens(self) -> float:
        """Mean tokens of a session."""
        return self.tokens / self.sessions if self.sessions else 0.0


def estimate(
    arm: str,
    scale: float,
    episodes: int,
    size: HistorySize,
    *,
    context_system: bool,
    model: str | None,
    settings: ModelSettings,
    config: ExperimentConfig,
) -> Estimate:
    """Estimate one arm at one scale.

    A searching agent is assumed to use its budget B and to keep all it was shown in its prompt; blocks
    are taken to be whole sessions (finer blocks make smaller prompts). A context system gives one
    prompt of the history, cut to `context_tokens`.
    """
    if context_system:
        given = min(size.tokens, config.context_tokens)
        prompt = at_cap = round(BASE_TOKENS + given)
        total, calls = prompt, 1
    else:
        shown = min(config.k, size.sessions) * size.session_tokens
        if config.observation_tokens is not None:
            shown = min(shown, config.observation_tokens)
        searches = config.budget.calls
        step = shown + REPLY_TOKENS
        prompt = round(BASE_TOKENS + searches * step)
        at_cap = round(BASE_TOKENS + config.budget.call_cap * step)
        calls = searches + 1
        total = round(calls * BASE_TOKENS + step * searches * calls / 2)
    if model is None:
        return Estimate(
            arm,
            scale,
            episodes,
            None,
            prompt,
            at_cap,
            None,
            0,
            0,
            0.0,
            episodes * EMBEDDED_EPISODE_S,
        )
    price = price_of(model, settings)
    completion = calls * REPLY_TOKENS
    one = cost(price, total, completion, None)
    return Estimate(
        arm,
        scale,
        episodes,
        model,
        prompt,
        at_cap,
        context_of(model, settings),
        total * episodes,
        completion * episodes,
        None if one is None else one * episodes,
        episodes * call_seconds(model, settings, calls, total, completion),
    )


def call_seconds(
    model: str, settings: ModelSettings, calls: int, prompt_tokens: int, completion_tokens: int
) -> float:
    """Seconds of some calls, one after the other: by their tokens where the model's speed is known."""
    speeds = LOCAL_TOKENS_S.get(model, {}).get(settings.threads or THREADS)
    if speeds is None:
        return calls * MODEL_CALL_S
    read, write = speeds
    return prompt_tokens / read + completion_tokens / write


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What a model judge would use: one call per episode."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float


def judge_estimate(model: str, episodes: int, settings: ModelSettings) -> JudgeEstimate:
    """Estimate a model judge over all episodes (those without an answer are not judged)."""
    one = cost(price_of(model, settings), JUDGE_PROMPT_TOKENS, JUDGE_REPLY_TOKENS, None)
    return JudgeEstimate(
        model,
        episodes,
        episodes * JUDGE_PROMPT_TOKENS,
        episodes * JUDGE_REPLY_TOKENS,
        None if one is None else one * episodes,
        episodes * JUDGE_CALL_S,
    )


def hours(estimates: Mapping[str, float], limits: Mapping[str, int | None], workers: int) -> float:
    """Hours for seconds of work per model (or `""` without one), as many at once as limits allow.

    Models run beside each other, so the slowest decides; embedded agents share one processor, and a
    model on this machine answers one request at a time.
    """
    longest = 0.0
    for model, seconds in estimates.items():
        alone = not model or model.startswith(LOCAL_PREFIX)
        at_once = 1 if alone else min(workers, limits.get(model) or workers)
        longest = max(longest, seconds / at_once)
    return longest / 3600.0


def assumptions(config: ExperimentConfig) -> tuple[str, ...]:
    """What the numbers rest on, in words."""
    return (
        "tokens are characters / 4; sizes are means over the first histories of each scale",
        f"a searching model agent makes {config.budget.calls} memory calls and keeps what it saw:"
        f" {config.k} whole sessions a call"
        + (
            f", at most {config.observation_tokens:,} tokens"
            if config.observation_tokens is not None
            else ""
        ),
        f"{BASE_TOKENS} tokens of instructions and question a prompt, {REPLY_TOKENS} tokens a reply",
        f"a model judge reads {JUDGE_PROMPT_TOKENS} tokens and takes {JUDGE_CALL_S:g} s an answer",
        f"{MODEL_CALL_S:g} s a model call, {EMBEDDED_EPISODE_S:g} s an episode without a model;"
        " a local model whose speed was measured is taken by its tokens",
        "a memory system reads each session once at least, and again for every completion beyond its"
        " least; what it has stored and shows again is not foreseen",
        "for the hours it asks as rarely as it can, and once where it may ask or not; its vectors are"
        " not in them",
        "no token of a prompt is cached by the provider",
    )
