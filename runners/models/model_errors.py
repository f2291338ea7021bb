"""What can go wrong with a model call, as a closed list with the end reason each one means."""

from __future__ import annotations

from enum import StrEnum

from memtui.errors import UserError
from memtui.model import EndReason


class ErrorKind(StrEnum):
    """Why an attempt brought no reply."""

    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER = "server"
    MALFORMED = "malformed"
    """The provider answered with something that is no chat completion."""
    CONTEXT_OVERFLOW = "context_overflow"
    FILTERED = "filtered"
    BAD_REQUEST = "bad_request"
    AUTH = "auth"
    NOT_FOUND = "not_found"
    QUOTA = "quota"
    """Credit or quota is used up: waiting does not help."""
    NOT_RECORDED = "not_recorded"
    """A replay holds no reply to this request."""


TRANSIENT = frozenset(
    {
        ErrorKind.RATE_LIMITED,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.SERVER,
        ErrorKind.MALFORMED,
    }
)
"""Worth another attempt."""

FATAL = frozenset({ErrorKind.AUTH, ErrorKind.NOT_FOUND, ErrorKind.QUOTA})
"""Every further call to this model fails the same way: the run stops early."""

_END = {
    ErrorKind.CONTEXT_OVERFLOW: EndReason.CONTEXT_OVERFLOW,
    ErrorKind.FILTERED: EndReason.FILTERED,
}


class ModelError(Exception):
    """A model call that failed for good, or one attempt of it (inside the door)."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        model: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        attempts: int = 1,
    ) -> None:
        super().__init__(f"{model}: {message}" if model else message)
        self.kind = kind
        self.model = model
        self.status = status
        self.retry_after = retry_after
        self.attempts = attempts
        self.end_reason = _END.get(kind, EndReason.PROVIDER_ERROR)
        """A prompt that does not fit is the system's doing; the rest is the provider's."""


class ModelAccessError(UserError):
    """The model cannot be used at all (key, name, credit): something the user must put right."""

    end_reason = EndReason.PROVIDER_ERROR

    def __init__(self, message: str, *, kind: ErrorKind, attempts: int = 1) -> None:
        super().__init__(message, exit_code=2)
        self.kind = kind
        self.attempts = attempts
