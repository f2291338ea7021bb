"""Finding data sets by name or by file: our own, and those of other packages.

Another package adds a data set with an entry point in the group `memtui.datasets`: a function that
takes `path` (or none, if it needs no file) and options as keywords, and returns a `DataSet`
(docs/adding-a-benchmark.md).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from memtui.errors import UserError
from runners.datasets.contract import DataSet
from runners.datasets.gold import SPAN_ANSWERABLE, count_declared, with_declared_subset
from runners.datasets.shapes import shape_of

GROUP = "memtui.datasets"

OWN = {
    "synthetic": "runners.datasets.synthetic:load",
    "locomo": "runners.datasets.locomo:load_locomo",
    "longmemeval": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-s": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-m": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-109": "runners.datasets.longmemeval_109:load_longmemeval_109",
    "jsonl": "runners.datasets.jsonl:load_jsonl",
}
"""Name -> `module:loader`; imported only when asked for."""

PATH_OPTIONS = frozenset({"path", "pool", "sessions", "audit"})
"""Options that name files: text is taken as a path, beside the data set's own file where it is there."""

Loader = Callable[..., DataSet]


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return (*OWN, *sorted(_plug_ins()))


def load(name_or_path: str | Path, path: str | Path | None = None, **options: Any) -> DataSet:
    """Loads a data set by name (with the file it needs) or by file alone, its shape told by content.

    Without `path`, a name that needs a file is looked for where `memtui data get` puts it. Every data
    set comes back with the declared subset `span_answerable` marked and counted. Raises UserError for
    unknown names and options (with the nearest known one) and for a file that is absent or of another
    shape.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, Path) or (name not in names() and _is_file(name)):
        if path is not None:
            raise UserError(f"{name}: a file is given twice; give the data set's name and one file")
        path, name = Path(name_or_path), shape_of(Path(name_or_path))
    loader = _loader(name)
    given: dict[str, Any] = dict(options)
    known = options_of(loader)
    for option in given:
        if known is not None and (option not in known or option == "path"):
            asked = [key for key in known if key != "path"]
            raise UserError(
                f"data set {name!r} has no option {option!r}{_did_you_mean(option, asked)}"
            )
    if known is None or "path" in known:
        given["path"] = Path(path).expanduser() if path is not None else _fetched(name)
    elif path is not None:
        raise UserError(f"data set {name!r} is generated and takes no file")
    for option in (PATH_OPTIONS & given.keys()) - {"path"}:
        if isinstance(given[option], str):
            given[option] = _beside(given.get("path"), Path(given[option]).expanduser())
    return declared(loader(**given))


def options_of(loader: Loader) -> dict[str, Any] | None:
    """Option names with their defaults; None where the loader takes any keyword."""
    parameters = inspect.signature(loader).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return {p.name: p.default for p in parameters if p.kind is not p.VAR_POSITIONAL}


def declared(dataset: DataSet) -> DataSet:
    """The data set with its declared subset marked and counted, whoever loaded it."""
    if SPAN_ANSWERABLE in dataset.counts:
        return dataset
    items = with_declared_subset(dataset.items, dataset.sessions)
    counts = {**count_declared(items), "sessions": len(dataset.sessions), **dataset.counts}
    return replace(dataset, items=items, counts=counts)


def _loader(name: str) -> Loader:
    """The loader of a data set; UserError for an unknown name or one that cannot be loaded."""
    if name in OWN:
        module, attribute = OWN[name].split(":")
        own: Loader = getattr(import_module(module), attribute)
        return own
    plug_ins = _plug_ins()
    if name not in plug_ins:
        hint = _did_you_mean(name, names())
        raise UserError(f"there is no data set and no file {name!r}{hint}")
    try:
        loaded = plug_ins[name].load()
    except Exception as error:  # a stranger's package may fail in any way
        raise UserError(
            f"data set {name!r} ({plug_ins[name].value}) cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not callable(loaded):
        raise UserError(f"data set {name!r}: {plug_ins[name].value} is not a loader")
    found: Loader = loaded
    return found


def _beside(path: Path | None, second: Path) -> Path:
    """A further file of a data set: looked for beside its first file, then from where we run."""
    if path is None or second.is_absolute():
        return second
    beside = (path if path.is_dir() else path.parent) / second
    return beside if beside.exists() else second


def _fetched(name: str) -> Path:
    """Where `memtui data get` put the file of a data set; UserError saying how to get it."""
    from runners.datasets.download import SOURCES, place_of

    if name not in SOURCES:
        raise UserError(f"data set {name!r} needs a file: give its path")
    path = place_of(SOURCES[name])
    if not path.is_file():
        raise UserError(
            f"data set {name!r}: no file given and none at {path}; "
            f"`memtui data get {name}` fetches it, or give its path"
        )
    return path


def _plug_ins() -> Mapping[str, EntryPoint]:
    """Data sets of other packages by name; our own names cannot be taken over."""
    return {e.name: e for e in entry_points(group=GROUP) if e.name not in OWN}


def _is_file(name: str) -> bool:
    """Whether the text names an existing file."""
    try:
        return Path(name).expanduser().is_file()
    except (OSError, ValueError):
        return False


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    """A hint for a misspelt word."""
    close = get_close_matches(word, known, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; choose from {', '.join(known)}" if known else ""
