"""The code of record: what computed the results of a run, by content."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import memtui
import runners
from memtui.metrics import facts

LEFT_OUT = "engine"
"""The folder of `runners` that decides when an episode runs, never what comes of it."""

PACKAGES = ("numpy", "orjson", "pydantic", "textual", "tokenizers", "litellm", "openai")


@cache
def own_code() -> dict[str, str]:
    """Hash per source file of the runners and of the facts they count."""
    root = _folder(runners)
    found = {}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root.parent)
        if len(relative.parts) > 2 and relative.parts[1] == LEFT_OUT:
            continue
        found[relative.as_posix()] = file_hash(path)
    for path in sorted(Path(facts.__file__).parent.glob("*.py")):
        found[f"memtui/metrics/{path.name}"] = file_hash(path)
    return found


def code_of(objects: Iterable[object]) -> dict[str, str]:
    """The code of record with that of systems and agents from other packages."""
    found = dict(own_code())
    root = _folder(runners).resolve()
    for thing in objects:
        try:
            source = inspect.getsourcefile(type(thing))
        except TypeError:
            continue
        if source is None or Path(source).resolve().is_relative_to(root):
            continue
        found[f"{type(thing).__module__}"] = file_hash(Path(source))
    return found


def versions() -> dict[str, str]:
    """Versions of Python, memtui and the packages that are there."""
    found = {"memtui": memtui.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def file_hash(path: Path) -> str:
    """First 12 hex digits of the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _folder(package: ModuleType) -> Path:
    """Folder of a package."""
    return Path(next(iter(package.__path__)))
