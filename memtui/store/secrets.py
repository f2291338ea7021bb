"""Takes secrets out of everything that is about to be stored or sent to the driver.

Known values (environment variables with a telling name, keys that were registered) are removed wherever
they stand; unknown ones are recognised by their form (`sk-…`, `Bearer …`, `AIza…`) or by the name of the
key that holds them (`api_key`, `authorization`). Almost no event holds any: `suspicious` clears one in a
few microseconds, and only what it does not clear is looked at string by string.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

REMOVED = "[secret removed]"
SHORTEST = 8
"""Shorter values are no secrets worth the name, and would be found in ordinary words."""

_NAMES = re.compile(
    r"(?:_API_KEY|_APIKEY|_TOKEN|_PASSWORD|_ACCESS_KEY)$|SECRET|^API_KEY$", re.I | re.A
)
_KEY = (
    r"(?:api[_-]?key|authorization|client[_-]?secret|secret[_-]?key|access[_-]?token"
    r"|refresh[_-]?token|auth[_-]?token|password)"
)
_KEYS = re.compile(rf"(?:^|[_-]){_KEY}$", re.I | re.A)
# A key starts a word; in JSON kept as text, a line feed in front of it is a backslash and an n.
_FORMS = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))(?:"
    r"(?:sk|xai|nvapi|pplx)-[A-Za-z0-9_\-]{16,}"
    r"|(?:hf|gsk|r8)_[A-Za-z0-9]{16,}"
    r"|gh[opsur]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|AIza[A-Za-z0-9_\-]{16,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9\-]{10,}"
    r"|eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}"
    r")"
)
_BEARER = re.compile(
    r"\b(bearer)\s{1,8}(?:[A-Za-z0-9._~+/=\-]{16,}|(?=[^\s\"']*\d)[A-Za-z0-9._~+/=\-]{8,})",
    re.I | re.A,
)
_ASSIGNED = re.compile(
    r"((?:api[_-]?key|authorization|client[_-]?secret|access[_-]?token|refresh[_-]?token)"
    r"\\{0,8}[\"']?\s{0,8}[:=]\s{0,8}\\{0,8}[\"']?(?:basic\s{1,8})?)(?!\[secret|bearer\b)"
    r"(?:[^\s\"',;{}&\\]{20,}|(?=[^\s\"',;{}&\\]*\d)[^\s\"',;{}&\\]{8,})",
    re.I | re.A,
)

# What `suspicious` looks for in lowered text, which may be JSON: there a line feed in front of a key is
# the letter n after a backslash. Each entry is a superset of a pattern above: a mark that is found fast,
# then the stretch around it.
_START = r"(?:^|[^a-z0-9]|\\[bfnrt]|\\u[0-9a-f]{4})"
_SPACE = r"(?:\s|\\[a-z]|\\u[0-9a-f]{4})"
_IS = rf"\\{{0,8}}[\"']?{_SPACE}{{0,8}}[:=]"
_BEFORE_LINE = (
    *("hf", "gsk", "r8", "gho", "ghp", "ghs", "ghu", "ghr", "pat"),
    *("api", "client", "secret", "access", "refresh", "auth"),
)
_AROUND_LINE = re.compile(
    rf"{_START}(?:hf|gsk|r8|gh[opsur]|github_pat)_[a-z0-9_]{{8}}"
    rf"|(?:api_key|client_secret|secret_key|(?:access|refresh|auth)_token){_IS}"
)
_BEFORE_DASH = (
    *("sk", "xai", "nvapi", "pplx", "xoxa", "xoxb", "xoxp", "xoxr", "xoxs"),
    *("api", "client", "secret", "access", "refresh", "auth"),
)
_AROUND_DASH = re.compile(
    rf"{_START}(?:sk|xai|nvapi|pplx|xox[abprs])-[a-z0-9_\-]{{8}}"
    rf"|(?:api-key|client-secret|secret-key|(?:access|refresh|auth)-token){_IS}"
)
_WORDS = tuple(
    (mark, re.compile(pattern))
    for mark, pattern in (
        ("bearer", rf"bearer{_SPACE}{{1,8}}[a-z0-9._~+/=\-]{{8}}"),
        ("authorization", rf"authorization{_IS}"),
        ("apikey", rf"apikey{_IS}"),
        ("aiza", r"aiza[a-z0-9_\-]{8}"),
        ("akia", r"akia[a-z0-9]{8}"),
        ("eyj", r"eyj[a-z0-9_\-]{8}"),
        ('password"', ""),
        ("tsecret", "clientsecret"),
        ("tkey", "secretkey"),
        ("stoken", "accesstoken"),
        ("htoken", "(?:refresh|auth)token"),
    )
)
T = TypeVar("T")


class SecretFilter:
    """Finds and removes secrets; one per writer or worker, built from its environment."""

    def __init__(self, environ: Mapping[str, str] | None = None, known: Iterable[str] = ()) -> None:
        found = os.environ if environ is None else environ
        self._values: set[str] = set()
        self._known: re.Pattern[str] | None = None
        for name, value in found.items():
            if _NAMES.search(name):
                self._remember(value)
        for value in known:
            self._remember(value)
        self._compile()

    def register(self, value: str) -> None:
        """Add a secret learned later, e.g. a key read from a file the configuration names."""
        self._remember(value)
        self._compile()

    def _remember(self, value: str) -> None:
        value = value.strip()
        if len(value) >= SHORTEST:
            self._values.add(value)
            self._values.add(json.dumps(value, ensure_ascii=False)[1:-1])
            self._values.add(json.dumps(value)[1:-1])

    def _compile(self) -> None:
        longest_first = sorted(self._values, key=lambda v: (-len(v), v))
        self._needles = tuple(longest_first)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def suspicious(self, text: str) -> bool:
        """True when `text`, plain or JSON, may hold a secret; never misses what `scrub` removes."""
        for needle in self._needles:
            if needle in text:
                return True
        if not text.isascii():
            text = text.encode("ascii", "replace").decode()  # four times faster to lower and search
        text = text.lower()
        if "_" in text and _near(text, "_", _BEFORE_LINE, _AROUND_LINE):
            return True
        if "-" in text and _near(text, "-", _BEFORE_DASH, _AROUND_DASH):
            return True
        return any(mark in text and pattern.search(text) for mark, pattern in _WORDS)

    def text(self, text: str) -> str:
        """The text without secrets; the same object when there is none."""
        if not self.suspicious(text):
            return text
        if self._known is not None:
            text = self._known.sub(REMOVED, text)
        text = _FORMS.sub(REMOVED, text)
        text = _BEARER.sub(rf"\1 {REMOVED}", text)
        return _ASSIGNED.sub(rf"\1{REMOVED}", text)

    def scrub(self, value: T) -> T:
        """The value with every string in it filtered, and made storable.

        Walks dataclasses, mappings and sequences. Lone surrogates, which UTF-8 cannot hold, become
        their escape (`\\udc80`), integers beyond 64 bits their decimal text: nothing is lost.
        """
        out: T = self._walk(value)
        return out

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            if isinstance(value, Enum):
                return value
            clean = self.text(value)
            return clean if clean.isascii() else storable(clean)
        if isinstance(value, bool) or value is None or isinstance(value, float):
            return value
        if isinstance(value, int):
            return value if -(2**63) <= value < 2**63 else str(value)
        if isinstance(value, Mapping):
            return {self._walk(k): self._entry(k, v) for k, v in value.items()}
        if isinstance(value, tuple):
            return tuple([self._walk(v) for v in value])
        if isinstance(value, list):
            return [self._walk(v) for v in value]
        if is_dataclass(value) and not isinstance(value, type):
            changes = {}
            for item in fields(value):
                before = getattr(value, item.name)
                after = self._walk(before)
                if after is not before and after != before:
                    changes[item.name] = after
            return replace(value, **changes) if changes else value
        return value

    def _entry(self, key: object, value: Any) -> Any:
        if isinstance(key, str) and isinstance(value, str) and value and _KEYS.search(key):
            return REMOVED
        return self._walk(value)


def _near(text: str, mark: str, before: tuple[str, ...], pattern: re.Pattern[str]) -> bool:
    """True when the pattern matches around a mark that one of `before` stands in front of."""
    pieces = text.split(mark)
    end = -1
    for piece in pieces[:-1]:
        end += len(piece) + 1
        if piece.endswith(before) and pattern.search(text, max(0, end - 18), end + 99):
            return True
    return False


def storable(text: str) -> str:
    """The text with each lone surrogate as its escape; the same object when there is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text
