"""Options of the model agent: checked by name and kind, with every default written down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memtui.errors import UserError
from runners.agents.prompts import DEFAULTS, prompt_hash
from runners.models.settings import check_keys

_WHERE = "agent 'model'"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model agent is run. Sampling options left None are not sent."""

    model: str
    """Provider and model as litellm names them, e.g. `openai/qwen-1.5b`."""
    mode: str = "tools"
    """`tools`: the provider's tool calls; `json`: one JSON object per step."""
    constrain: bool = True
    """JSON mode: send the schema, so that the server enforces it."""
    separate: bool = False
    """JSON mode: one object per action in the schema, in place of one object with every field."""
    search_first: bool = False
    """JSON mode with `separate`: the first action cannot be an answer, for models that would guess."""
    temperature: float | None = 0.0
    top_p: float | None = None
    seed: int | None = None
    """The repeat index of the episode is added."""
    max_tokens: int | None = 1024
    timeout: float | None = None
    """Seconds for one attempt of one call."""
    max_steps: int = 20
    """Decisions before the agent is stopped."""
    repairs: int = 1
    """JSON mode: times an unreadable reply is asked for again, within the same step."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Further provider parameters, e.g. `reasoning_effort`."""
    texts: dict[str, str] = field(default_factory=lambda: dict(DEFAULTS))
    """Prompt texts by name; those given replace the defaults."""

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> ModelOptions:
        """Check a configuration table; UserError naming the option and what was meant."""
        check_keys(options, [f.name for f in fields(cls)], _WHERE)
        values = dict(options)
        if not isinstance(values.get("model"), str) or not values["model"].strip():
            raise UserError(f'{_WHERE} needs a model, e.g. model = "openai/qwen-1.5b"')
        if values.get("mode", "tools") not in ("tools", "json"):
            raise UserError(f"{_WHERE}: mode must be tools or json, not {values['mode']!r}")
        for key in ("temperature", "top_p", "timeout"):
            if values.get(key) is not None:
                values[key] = _number(values[key], key)
        for key, least in (("seed", 0), ("max_tokens", 1), ("max_steps", 1), ("repairs", 0)):
            if values.get(key) is not None:
                _whole(values[key], key, least)
        for key in ("constrain", "separate", "search_first"):
            if not isinstance(values.get(key, True), bool):
                raise UserError(f"{_WHERE}: {key} must be true or false")
        for key in ("extra", "texts"):
            if not isinstance(values.get(key, {}), Mapping):
                raise UserError(f"{_WHERE}: {key} must be a table")
        own = dict(values.get("texts", {}))
        check_keys(own, list(DEFAULTS), f"{_WHERE}, texts")
        for key, text in own.items():
            if not isinstance(text, str):
                raise UserError(f"{_WHERE}, texts: {key} must be text")
        values["texts"] = {**DEFAULTS, **own}
        values["extra"] = dict(values.get("extra", {}))
        return cls(**values)

    def config(self) -> dict[str, Any]:
        """All options in effect and the hash of the texts."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        out["prompt_hash"] = prompt_hash(self.texts)
        return out


def _number(value: Any, key: str) -> float:
    bad = isinstance(value, bool) or not isinstance(value, (int, float))
    if bad or not math.isfinite(value) or value < 0:
        raise UserError(f"{_WHERE}: {key} must be a number of at least 0")
    return float(value)


def _whole(value: Any, key: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserError(f"{_WHERE}: {key} must be a whole number of at least {least}")
