"""One attempt at a completion over litellm, which is imported when the first call is made.

litellm costs seconds of CPU to import, asks the network for a price list unless told not to, and retries
on its own; here it does neither (checked against litellm 1.110.2). Its exceptions become `ModelError`.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

from memtui.errors import UserError, how_to_add
from runners.models.chat import ChatReply, ModelRequest, ToolRequest
from runners.models.model_errors import ErrorKind, ModelError
from runners.models.retry import parse_retry_after
from runners.models.settings import ModelSettings, Price

_OFFLINE = {"LITELLM_OFFLINE_MODE": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
_MESSAGE_LIMIT = 600

# Exception class names from most to least specific: subclasses of BadRequestError come before it.
_KINDS: tuple[tuple[str, ErrorKind], ...] = (
    ("ContextWindowExceededError", ErrorKind.CONTEXT_OVERFLOW),
    ("ContentPolicyViolationError", ErrorKind.FILTERED),
    ("PaymentRequiredError", ErrorKind.QUOTA),
    ("BudgetExceededError", ErrorKind.QUOTA),
    ("AuthenticationError", ErrorKind.AUTH),
    ("PermissionDeniedError", ErrorKind.AUTH),
    ("NotFoundError", ErrorKind.NOT_FOUND),
    ("LiteLLMUnknownProvider", ErrorKind.NOT_FOUND),
    ("RateLimitError", ErrorKind.RATE_LIMITED),
    ("Timeout", ErrorKind.TIMEOUT),
    ("APITimeoutError", ErrorKind.TIMEOUT),
    ("APIResponseValidationError", ErrorKind.MALFORMED),
    ("BadRequestError", ErrorKind.BAD_REQUEST),
    ("UnprocessableEntityError", ErrorKind.BAD_REQUEST),
    ("APIConnectionError", ErrorKind.CONNECTION),
    ("ServiceUnavailableError", ErrorKind.SERVER),
    ("BadGatewayError", ErrorKind.SERVER),
    ("InternalServerError", ErrorKind.SERVER),
    ("APIError", ErrorKind.SERVER),
)
_STATUS = {
    401: ErrorKind.AUTH,
    402: ErrorKind.QUOTA,
    403: ErrorKind.AUTH,
    404: ErrorKind.NOT_FOUND,
    413: ErrorKind.CONTEXT_OVERFLOW,
    429: ErrorKind.RATE_LIMITED,
}
_WORDS: tuple[tuple[ErrorKind, tuple[str, ...]], ...] = (
    (ErrorKind.QUOTA, ("insufficient_quota", "credit balance is too low")),
    (ErrorKind.AUTH, ("missing credentials", "api_key client option must be set")),
    (ErrorKind.NOT_FOUND, ("llm provider not provided",)),
    (ErrorKind.RATE_LIMITED, ("tokens per minute", "requests per minute")),
    (
        ErrorKind.FILTERED,
        ("content management policy", "content_filter", "content policy", "flagged", "moderation"),
    ),
    (
        ErrorKind.CONTEXT_OVERFLOW,
        (
            "context length",
            "context window",
            "context size",
            "maximum context",
            "contextwindowexceeded",
            "prompt is too long",
        ),
    ),
    (ErrorKind.MALFORMED, ("expecting value", "response object", "invalid json")),
    (ErrorKind.CONNECTION, ("connection error", "connection refused", "connection reset")),
)
"""What messages say where class and status do not: local servers and proxies use them freely."""


class LiteLLMClient:
    """Asks any provider litellm knows; `openai/<name>` with an `api_base` reaches any local server."""

    _open: ClassVar[int] = 0
    """Clients of this process that use litellm's connection pools."""

    def __init__(self) -> None:
        self._litellm: Any = None
        self._loading = asyncio.Lock()

    async def chat(self, request: ModelRequest, settings: ModelSettings) -> ChatReply:
        """Make one attempt; raise `ModelError` where it fails."""
        litellm = await self._load()
        asked = self._asked(litellm, request, settings)
        timeout = request.timeout or settings.timeout
        try:
            # litellm's own timeout covers the socket; a server that trickles bytes is cut off here.
            async with asyncio.timeout(timeout * 1.1 + 1.0):
                response = await litellm.acompletion(
                    model=request.model,
                    messages=[dict(m) for m in request.messages],
                    timeout=timeout,
                    num_retries=0,
                    max_retries=0,
                    **asked,
                    **self._address(request.model, settings),
                )
        except TimeoutError as error:
            raise ModelError(
                ErrorKind.TIMEOUT, f"no reply within {timeout:g} s", model=request.model
            ) from error
        except Exception as error:
            raise _translated(error, request.model, settings) from error
        return _reply(response, request, asked)

    async def close(self) -> None:
        """Let go of litellm's connection pools; the last client to do so closes them.

        The pools are litellm's own and shared by every client of the process. Closed ones must leave
        its cache too, or the next call would be handed a dead connection.
        """
        if self._litellm is None:
            return
        litellm, self._litellm = self._litellm, None
        LiteLLMClient._open -= 1
        if not LiteLLMClient._open:
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()

    def price(self, model: str) -> Price | None:
        """The price in litellm's bundled map; None before litellm is loaded or where it has none."""
        if self._litellm is None:
            return None
        row = self._litellm.model_cost.get(model) or self._litellm.model_cost.get(
            model.partition("/")[2]
        )
        if not isinstance(row, Mapping) or row.get("input_cost_per_token") is None:
            return None

        def per_million(key: str) -> float | None:
            value = row.get(key)
            return None if value is None else float(value) * 1_000_000

        return Price(
            per_million("input_cost_per_token"),
            per_million("output_cost_per_token"),
            per_million("cache_read_input_token_cost"),
            "litellm's bundled map",
        )

    async def _load(self) -> Any:
        async with self._loading:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(load_litellm)
                LiteLLMClient._open += 1
        return self._litellm

    def _asked(
        self, litellm: Any, request: ModelRequest, settings: ModelSettings
    ) -> dict[str, Any]:
        """The parameters that the provider takes; what it would refuse is left out and reported."""
        wanted: dict[str, Any] = {
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
            "tools": [dict(t) for t in request.tools] or None,
            "tool_choice": request.tool_choice if request.tools else None,
            "response_format": request.response_format,
        }
        wanted = {k: v for k, v in wanted.items() if v is not None}
        if settings.api_base is None:
            try:
                known = litellm.get_supported_openai_params(model=request.model)
            except Exception:
                known = None
            if known is not None:
                wanted = {k: v for k, v in wanted.items() if k in known}
        return {**wanted, **dict(request.extra)}

    def _address(self, model: str, settings: ModelSettings) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if settings.api_base is not None:
            out["api_base"] = settings.api_base
        if settings.api_key_env is not None:
            key = os.environ.get(settings.api_key_env)
            if not key:
                raise ModelError(
                    ErrorKind.AUTH,
                    f"the environment variable {settings.api_key_env} is not set",
                    model=model,
                )
            out["api_key"] = key
        elif settings.api_base is not None:
            # Local servers need no key, the client library insists on one.
            out["api_key"] = "none"
        return out


def load_litellm() -> Any:
    """Import litellm offline; UserError naming the extra when it is not installed."""
    for name, value in _OFFLINE.items():
        os.environ.setdefault(name, value)
    try:
        # litellm's own models make pydantic complain on every import, and on odd replies.
        warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic(\.|$)")
        # A call that is given up while litellm makes it ready leaves a coroutine that nobody awaits.
        warnings.filterwarnings("ignore", r"coroutine '\w+\.acompletion' was never", RuntimeWarning)
        litellm: Any = importlib.import_module("litellm")
    except ImportError as error:
        raise UserError(f"model calls need litellm ({error}): {how_to_add('llm')}") from None
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # Providers that want tool definitions repeated after a tool call get them.
    litellm.modify_params = True
    return litellm


def _translated(error: Exception, model: str, settings: ModelSettings) -> Exception:
    """litellm's exception as ours; what is not the provider's is passed on unchanged."""
    if isinstance(error, (ModelError, UserError)):
        return error
    text = _message(error, settings)
    status = getattr(error, "status_code", None)
    return ModelError(
        _kind(error, status, text.lower()),
        text,
        model=model,
        status=status if isinstance(status, int) else None,
        retry_after=_retry_after(error),
    )


def _kind(error: Exception, status: object, text: str) -> ErrorKind:
    """What went wrong: first by words that litellm's classes do not tell apart, then by class."""
    for kind, words in _WORDS:
        if kind is ErrorKind.FILTERED and status not in (400, 403):
            continue
        if any(w in text for w in words):
            return kind
    if isinstance(status, int) and status in _STATUS:
        return _STATUS[status]
    names = {c.__name__ for c in type(error).__mro__}
    return next((kind for name, kind in _KINDS if name in names), ErrorKind.MALFORMED)


def _message(error: Exception, settings: ModelSettings) -> str:
    text = " ".join(str(getattr(error, "message", "") or error).split()) or type(error).__name__
    key = os.environ.get(settings.api_key_env or "")
    if key:
        text = text.replace(key, "[secret removed]")
    return text if len(text) <= _MESSAGE_LIMIT else text[: _MESSAGE_LIMIT - 1] + "…"


def _retry_after(error: Exception) -> float | None:
    for holder in (
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "litellm_response_headers", None),
        getattr(error, "headers", None),
    ):
        if holder is None:
            continue
        millis = holder.get("retry-after-ms")
        if millis is not None and (value := parse_retry_after(millis)) is not None:
            return value / 1000.0
        if (value := parse_retry_after(holder.get("retry-after"))) is not None:
            return value
    return None


def _reply(response: Any, request: ModelRequest, asked: Mapping[str, Any]) -> ChatReply:
    choices = getattr(response, "choices", None)
    if not choices:
        raise ModelError(ErrorKind.MALFORMED, "the reply holds no choices", model=request.model)
    choice = choices[0]
    message = choice.message
    usage = getattr(response, "usage", None)
    sampling = {
        k: v for k, v in asked.items() if k not in ("tools", "tool_choice", "response_format")
    }
    calls = getattr(message, "tool_calls", None) or ()
    reasoning = str(getattr(message, "reasoning_content", None) or "")
    # litellm fills in 0 where the provider sent no usage; no prompt has 0 tokens, and no text has.
    prompt = _count(usage, "prompt_tokens") or None
    completion = _count(usage, "completion_tokens")
    if completion == 0 and (prompt is None or message.content or calls or reasoning):
        completion = None
    return ChatReply(
        text=message.content,
        finish=choice.finish_reason,
        tool_calls=tuple(
            ToolRequest(
                name=str(call.function.name or ""),
                arguments=call.function.arguments,
                id=str(call.id or ""),
            )
            for call in calls
        ),
        reasoning=reasoning,
        model=str(getattr(response, "model", "") or ""),
        prompt=prompt,
        cached=_detail(usage, "prompt_tokens_details", "cached_tokens"),
        completion=completion,
        reasoning_tokens=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        effective=sampling,
        alternatives=_alternatives(choice),
    )


def _alternatives(choice: Any) -> tuple[tuple[str, float], ...]:
    """Candidates of the first token, as OpenAI's `logprobs.content[0].top_logprobs` gives them."""
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return ()
    return tuple(
        (str(one.token), float(one.logprob))
        for one in getattr(content[0], "top_logprobs", None) or ()
    )


def _count(holder: Any, name: str) -> int | None:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _detail(usage: Any, group: str, name: str) -> int | None:
    return _count(getattr(usage, group, None), name)
