"""The model judge: one prompt per kind of question, a strict reading of the reply, temperature 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui.errors import UserError
from memtui.model import Label, Usage
from runners.judges.contract import JUDGE_ERROR, Case, Verdict
from runners.judges.folding import words
from runners.judges.prompts import PROMPTS, STYLES, fill, prompts_hash, variant_of
from runners.judges.verdicts import Said, parse_official, parse_verdict
from runners.models.chat import ModelRequest
from runners.models.door import ModelDoor
from runners.models.model_errors import ModelError
from runners.models.settings import check_keys

_LABELS = {Said.YES: Label.RIGHT, Said.NO: Label.WRONG, Said.UNPARSABLE: Label.UNKNOWN}
OPTIONS = (
    "model",
    "style",
    "official_compat",
    "max_tokens",
    "temperature",
    "seed",
    "timeout",
    "extra",
)


class ModelJudge:
    """Asks a model whether an answer is right, through the metered door.

    Options: `model` (required), `style` (`auto`, `longmemeval`, `locomo`), `official_compat` (the
    upstream substring rule decides), `max_tokens` (1024: room for a judge that reasons first),
    `temperature` (0), `seed`, `timeout` (s), `extra` (provider parameters).
    """

    def __init__(self, options: Mapping[str, Any], door: ModelDoor) -> None:
        check_keys(options, OPTIONS, "judge 'model'")
        model = options.get("model")
        if not isinstance(model, str) or not model:
            raise UserError(
                "judge 'model' needs a model, e.g. model = \"openai/gpt-4o-2024-08-06\""
            )
        style = options.get("style", "auto")
        if style not in STYLES:
            raise UserError(
                f"judge 'model': style must be one of {', '.join(STYLES)}, not {style!r}"
            )
        self._model = model
        self._style = str(style)
        self._compat = bool(options.get("official_compat", False))
        self._max_tokens = _whole(options, "max_tokens", 1024)
        self._seed = None if options.get("seed") is None else _whole(options, "seed", 0)
        self._temperature = float(options.get("temperature", 0.0))
        self._timeout = options.get("timeout")
        self._extra = dict(options.get("extra", {}))
        self._door = door

    @property
    def id(self) -> str:
        """`model/<model>#<hash>`, with `+official` where the upstream rule decides.

        The hash covers the prompts and every setting that could change a verdict.
        """
        settings = ""
        if (self._temperature, self._seed, self._max_tokens, self._extra) != (0.0, None, 1024, {}):
            settings = repr(
                (self._temperature, self._seed, self._max_tokens, sorted(self._extra.items()))
            )
        return (
            f"model/{self._model}#{prompts_hash(self._style + settings)}"
            f"{'+official' if self._compat else ''}"
        )

    async def judge(self, case: Case) -> Verdict:
        """Ask once; UNKNOWN with a reason where there is no gold, no reply or no clear verdict."""
        if not words(case.answer or ""):
            return Verdict(Label.WRONG, "no_answer")
        if case.gold is None and case.answerable:
            return Verdict(Label.UNKNOWN, "no_gold")
        variant = variant_of(case, self._style)
        prompt = PROMPTS[variant]
        request = ModelRequest(
            self._model,
            ({"role": "user", "content": fill(prompt, case)},),
            temperature=self._temperature,
            seed=self._seed,
            max_tokens=self._max_tokens,
            timeout=self._timeout,
            extra=self._extra,
            phase="judge",
        )
        try:
            reply = await self._door.complete(request)
        except ModelError as error:
            usage = Usage(calls=1, attempts=error.attempts)
            return Verdict(Label.UNKNOWN, JUDGE_ERROR, raw=f"{error.kind}: {error}", usage=usage)
        return self._read(reply.text, variant, reply.usage)

    def _read(self, text: str | None, variant: str, usage: Usage) -> Verdict:
        kind = PROMPTS[variant].words
        strict, official = parse_verdict(text, kind), parse_official(text, kind)
        said = official if self._compat else strict
        reason = f"{variant}: {said}"
        if strict is not official:
            other = ("strict", strict) if self._compat else ("upstream rule", official)
            reason += f" ({other[0]}: {other[1]})"
        if said is Said.UNPARSABLE:
            # The first word is what reports group by.
            reason = f"unparsable; upstream rule: {official}"
        return Verdict(_LABELS[said], reason, raw=text or "", usage=usage)


def _whole(options: Mapping[str, Any], key: str, default: int) -> int:
    value = options.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UserError(f"judge 'model': {key} must be a whole number of at least 0")
    return value
